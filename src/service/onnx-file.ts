import { open } from "node:fs/promises";
import { endianness } from "node:os";
import { BlocklabError, DataError } from "../core/errors.ts";
import type { ModelFile } from "../core/model.ts";
import { listed, quoted } from "../core/names.ts";
import type { OnnxAttribute, OnnxGraph, OnnxNode, OnnxTensor, OnnxValue } from "../core/onnx.ts";
import { type Chain, withChain } from "../engines/onnx/chain.ts";
import { byCode } from "../registry/index.ts";
import { Message } from "./protobuf.ts";

/** The operators' versions that the graphs are written for; runtimes since 2023 know them. */
const version = { ir: 8, operators: 18, ml: 3 };

/** TensorProto.DataType. */
const dataTypes = { double: 11, int64: 7, string: 8, bool: 9 } as const;

/** AttributeProto.AttributeType. */
const kinds = { int: 2, text: 3, tensor: 4, floats: 6, ints: 7, texts: 8, words: 8 } as const;

/** Protobuf's own limit. */
const mostBytes = 2 ** 31 - 2 ** 20;

/**
 * Writes a model as an ONNX file, behind the chain that it learnt from where one is given.
 *
 * Source: onnx/onnx.proto of ONNX 1.14, whose field numbers stand below.
 */
export async function writeOnnx(file: ModelFile, path: string, chain?: Chain): Promise<void> {
  const { onnx, name, code } = byCode(file.function_code);
  if (!onnx) {
    throw new DataError(
      `Model ${quoted(file.model_name)} of ${name} (${code}) has no ONNX form; it can be had as JSON, or used through POST /api/v1/models/production.`,
      { code: "no_onnx", path: "format", got: "onnx", expected: ["json"] },
    );
  }
  if (!chain) refuseTexts(file);
  const model = onnx(file);
  const graph = chain ? withChain(model, chain, file, `Model ${quoted(file.model_name)} with its chain`) : model;
  const message = modelMessage(graph, file);
  if (message.length > mostBytes) {
    throw new BlocklabError(
      422,
      `Model ${quoted(file.model_name)} would be an ONNX file of ${(message.length / 1e9).toFixed(1)} GB, and 2.1 GB is the most. A forest shrinks with n_estimators, max_depth and min_samples_leaf.`,
      { code: "model_too_large", path: "format", got: message.length, expected: `at most ${mostBytes} bytes` },
    );
  }
  const handle = await open(path, "wx");
  try {
    await handle.writev([...message.parts]);
  } finally {
    await handle.close();
  }
}

/** The input of a model alone holds numbers. */
function refuseTexts({ model_name, categories = {} }: ModelFile): void {
  const texts = Object.keys(categories);
  if (texts.length === 0) return;
  throw new DataError(
    `Model ${quoted(model_name)} takes ${listed(texts)} as text, which the ONNX form of a model alone can't hold. Take it with its preparation, as save("model.onnx", { preparation: true }) or format=onnx-chain, or encode (DP_3) before.`,
    { code: "no_onnx", path: "format", got: "onnx", expected: ["onnx-chain", "json"] },
  );
}

function modelMessage(graph: OnnxGraph, file: ModelFile): Message {
  return onnxMessage(graph, {
    function_code: file.function_code,
    model_name: file.model_name,
    features: JSON.stringify(file.features.map((column) => column.name)),
    targets: JSON.stringify(file.targets.map((column) => column.name)),
    ...(file.classes ? { classes: JSON.stringify(file.classes) } : {}),
  });
}

/** A graph as a ModelProto, with texts that stand beside it. */
export function onnxMessage(graph: OnnxGraph, facts: Readonly<Record<string, string>>): Message {
  const out = new Message().int(1, version.ir).text(2, "blocklab").message(7, graphMessage(graph));
  out.message(8, new Message().text(1, "").int(2, version.operators));
  out.message(8, new Message().text(1, "ai.onnx.ml").int(2, version.ml));
  for (const [key, value] of Object.entries(facts)) out.message(14, new Message().text(1, key).text(2, value));
  return out;
}

function graphMessage(graph: OnnxGraph): Message {
  const out = new Message();
  for (const node of graph.nodes) out.message(1, nodeMessage(node));
  out.text(2, "blocklab");
  for (const [name, tensor] of Object.entries(graph.constants)) out.message(5, tensorMessage(tensor, name));
  for (const input of graph.inputs) out.message(11, valueMessage(input));
  for (const output of graph.outputs) out.message(12, valueMessage(output));
  return out;
}

function nodeMessage({ op, ml, inputs, outputs, attributes }: OnnxNode): Message {
  const out = new Message();
  for (const input of inputs) out.text(1, input);
  for (const output of outputs) out.text(2, output);
  out.text(3, outputs[0]).text(4, op);
  for (const [name, attribute] of Object.entries(attributes)) out.message(5, attributeMessage(name, attribute));
  return ml ? out.text(7, "ai.onnx.ml") : out;
}

function attributeMessage(name: string, attribute: OnnxAttribute): Message {
  const out = new Message().text(1, name);
  const kind = Object.keys(attribute)[0] as keyof typeof kinds;
  if ("int" in attribute) out.int(3, attribute.int);
  else if ("text" in attribute) out.text(4, attribute.text);
  else if ("tensor" in attribute) out.message(5, tensorMessage(attribute.tensor, name));
  else if ("floats" in attribute) out.bytes(7, bytesOf(Float32Array.from(attribute.floats)));
  else if ("ints" in attribute) out.ints(8, attribute.ints);
  else if ("texts" in attribute) for (const each of attribute.texts) out.text(9, each);
  else out.texts(9, attribute.words.words, attribute.words.codes);
  return out.int(20, kinds[kind]);
}

function tensorMessage({ dims, values }: OnnxTensor, name: string): Message {
  const out = new Message().ints(1, dims).text(8, name);
  if (values instanceof Float64Array) return out.int(2, dataTypes.double).bytes(9, bytesOf(values));
  if (values instanceof Int32Array) {
    return out.int(2, dataTypes.int64).bytes(9, bytesOf(BigInt64Array.from(values, BigInt)));
  }
  if (values.every((value) => typeof value === "boolean")) {
    return out.int(2, dataTypes.bool).bytes(9, Uint8Array.from(values, Number));
  }
  out.int(2, dataTypes.string);
  for (const value of values) out.text(6, String(value));
  return out;
}

function valueMessage({ name, type, dims }: OnnxValue): Message {
  const shape = new Message();
  for (const dim of dims) {
    shape.message(1, dim === "rows" ? new Message().text(2, "rows") : new Message().int(1, dim));
  }
  const tensor = new Message().int(1, dataTypes[type]).message(2, shape);
  return new Message().text(1, name).message(2, new Message().message(1, tensor));
}

/** A typed array's bytes in little-endian order, which ONNX wants. */
function bytesOf(values: Float64Array | Float32Array | BigInt64Array): Uint8Array {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  if (endianness() === "LE") return bytes;
  const size = values.BYTES_PER_ELEMENT;
  return size === 8 ? Buffer.from(bytes).swap64() : Buffer.from(bytes).swap32();
}
