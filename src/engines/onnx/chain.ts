import { DataError } from "../../core/errors.ts";
import type { Column, Frame } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { quoted } from "../../core/names.ts";
import type { OnnxGraph, OnnxValue } from "../../core/onnx.ts";
import { renamed } from "../../core/onnx-nodes.ts";
import { typeOf } from "../../plan/check.ts";
import { type Expr, type ListExpr, mapCalls, partsOf } from "../../plan/expr.ts";
import { leadingTo, passedOn, sourcesOf } from "../../plan/lineage.ts";
import type { Output, Step } from "../../plan/node.ts";
import { CellWriter } from "./cells.ts";
import type { Lists } from "./functions/writing.ts";
import { can } from "./refused.ts";
import { SharedNodes } from "./shared-nodes.ts";

/** The frame that a model learnt from: how its columns were read, and what became of them. */
export interface Chain extends Pick<Frame, "raw" | "reading" | "lineage"> {
  /** The lists of each file that its steps name, as `listFiles` tells. */
  readonly lists: Lists;
}

/** The files of lists that steps name. */
export function listFiles(steps: readonly Step[]): string[] {
  const parts = steps.flatMap(({ outputs }) => outputs.flatMap(({ expr }) => (expr ? [...partsOf(expr)] : [])));
  return [...new Set(parts.flatMap((part) => ("artifact" in part ? [part.artifact] : [])))];
}

/**
 * A model's operators behind those of its chain.
 *
 * The inputs are the columns as they were read of which the features come, each rows×1, under their own names: texts as
 * strings, missing as "" or as the words that the file has for it; numbers, and booleans as 1 and 0, as doubles,
 * missing as NaN. Features that the model takes as text become the codes of its categories. `who` says whose chain is
 * refused.
 */
export function withChain(
  model: OnnxGraph,
  chain: Chain,
  { features: learnt, categories = {} }: Pick<ModelFile, "features" | "categories">,
  who: string,
): OnnxGraph {
  const features = learnt.map(({ name }) => name);
  const { steps, read } = leadingTo(chain.lineage, new Set(features));
  const wanted = chain.raw.filter(({ name }) => read?.has(name));
  for (const step of steps) refuseStep(step, who);
  for (const column of wanted) refuseColumn(column, model, who);
  const inputs = wanted.map(
    ({ name, type }): OnnxValue => ({ name, type: isText(type) ? "string" : "double", dims: ["rows", 1] }),
  );
  const nodes = new SharedNodes();
  // Among operators the inputs go by names that no operator has; a column may be called "add_0".
  const named = inputs.map((input, k) => ({ ...input, tensor: `input:${k}` }));
  const made = tensorsOf(named, chain, steps, nodes);
  const x = nodes.add(
    "Concat",
    features.map((name) => {
      const tensor = made.get(name) as string;
      return Object.hasOwn(categories, name) ? codes(tensor, categories[name].map(String), nodes) : tensor;
    }),
    { axis: { int: 1 } },
  );
  const own = { inputs, nodes: nodes.nodes, constants: nodes.constants };
  const open = new Map(named.map(({ name, tensor }) => [tensor, name]));
  const closed = new Set(model.outputs.map(({ name }) => name));
  // Names that no column has.
  let mark = "chain:";
  while (inputs.some(({ name }) => name.startsWith(mark))) mark += ":";
  const before = renamed(own, (name) => open.get(name) ?? mark + name);
  const behind = renamed(model, (name) => (closed.has(name) ? name : name === "x" ? mark + x : `${mark}model:${name}`));
  return {
    inputs,
    nodes: [...before.nodes, ...behind.nodes],
    constants: { ...before.constants, ...behind.constants },
    outputs: model.outputs,
  };
}

/** Texts as the codes of categories; others, as what is missing, are NaN. */
function codes(text: string, words: readonly string[], nodes: SharedNodes): string {
  const writer = new CellWriter(nodes, { columns: new Map(), words: new Map(), like: text });
  const places = writer.placesOf(text, words);
  const code = nodes.add("Sub", [writer.as("double", places), writer.double(1)]);
  return writer.where(writer.isPlace(places, 0), writer.missing, code);
}

function isText(type: Column["type"]): boolean {
  return type === "string" || type === "category";
}

/** The columns behind all steps, as tensors. */
function tensorsOf(
  inputs: readonly (OnnxValue & { readonly tensor: string })[],
  { reading, lists }: Chain,
  steps: readonly Step[],
  nodes: SharedNodes,
): ReadonlyMap<string, string> {
  const [{ tensor: like }] = inputs;
  const reader = new CellWriter(nodes, { columns: new Map(), words: new Map(), like });
  const missing = ["", ...(reading?.missingTexts ?? []).filter((word) => word !== "")];
  let columns: ReadonlyMap<string, string> = new Map(
    inputs.map(({ name, type, tensor }) => {
      if (type !== "string" || missing.length === 1) return [name, tensor];
      const isOther = reader.isPlace(reader.placesOf(tensor, missing), 0);
      return [name, reader.where(isOther, tensor, reader.string(""))];
    }),
  );
  for (const { outputs } of steps) {
    const at = { columns, words: comparedWords(outputs), like, lists };
    const writer = new CellWriter(nodes, at);
    columns = new Map(
      outputs.map((output) => {
        const passed = passedOn({ column: output.column, ...(output.expr ? { expr: output.expr } : {}) });
        const tensor = passed === null ? writer.column(plain(output.expr as Expr)) : (columns.get(passed) as string);
        return [output.column.name, tensor];
      }),
    );
  }
  return columns;
}

/** The constants with which each column of texts is compared. */
function comparedWords(outputs: readonly Output[]): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, Set<string>>();
  for (const part of outputs.flatMap(({ expr }) => (expr ? [...partsOf(expr)] : []))) {
    if (!("call" in part) || (part.call !== "equal" && part.call !== "notEqual")) continue;
    const of = part.args.find((each) => "column" in each && typeOf(each) === "string");
    const word = part.args.find((each) => "value" in each && each.value !== null);
    if (!of || !("column" in of) || !word || !("value" in word)) continue;
    words.set(of.column, (words.get(of.column) ?? new Set()).add(String(word.value)));
  }
  return new Map([...words].map(([column, found]) => [column, [...found]]));
}

/** Numbers that are looked up by their texts are looked up as they are. */
function plain(expr: Expr): Expr {
  return mapCalls(expr, (call) => {
    if (call.call !== "placeOf") return call;
    const [of, among] = call.args;
    if (!("call" in of) || (of.call !== "text" && of.call !== "written") || typeOf(of.args[0]) === "boolean")
      return call;
    return { ...call, args: [of.args[0], among as ListExpr] };
  });
}

function refuseStep({ name, block, outputs }: Step, who: string): void {
  for (const output of outputs) {
    const { column, expr, entry, match } = output;
    const [why] = expr ? can(plain(expr)) : [];
    const made = entry
      ? {
          message: "ONNX has no operator that takes a text apart into words",
          cure: "Leave the text out with drop (DP_6).",
        }
      : match
        ? { message: "its cells are looked up in another table", cure: "Join the tables before input." }
        : why && { message: `${why.call}(): ${why.message}`, cure: why.cure };
    if (!made) continue;
    // A list that the block gathers for itself has a name that nobody else knows.
    const seen = column.type === "tensor" ? sourcesOf(output)[0] : column.name;
    throw refusal(
      `${who} has no ONNX form: column ${quoted(seen)} of ${name} (block ${block}) can't be written, for ${made.message}. ${made.cure}`,
      seen,
    );
  }
}

function refuseColumn({ name, type }: Column, { outputs }: OnnxGraph, who: string): void {
  if (type === "datetime" || type === "tensor") {
    const what = type === "datetime" ? "dates" : "arrays";
    throw refusal(
      `${who} has no ONNX form: column ${quoted(name)} holds ${what}, and no ONNX input does. Leave it out with drop (DP_6), or work out what the model needs of it in the table before input.`,
      name,
    );
  }
  if (outputs.some((output) => output.name === name)) {
    throw refusal(
      `${who} has no ONNX form: the column ${quoted(name)} has the name of an answer. Give it another one in the table before input.`,
      name,
    );
  }
}

function refusal(sentence: string, got: string): DataError {
  return new DataError(
    `${sentence} The model alone, without text among its features, has a form (format=onnx), and POST /api/v1/models/production takes raw rows.`,
    {
      code: "no_onnx",
      path: "format",
      got,
      expected: ["onnx", "json"],
    },
  );
}
