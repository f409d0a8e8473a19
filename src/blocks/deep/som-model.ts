import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import { columnsNamed, type Frame, fitSubset, subsetSize } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import type { Json } from "../../core/record.ts";
import { mapSom, type SomGrid } from "../../numerics/networks/som.ts";
import type { Matrix } from "../../numerics/types.ts";
import type { RowPredictor } from "../models/model-types.ts";
import { judgedMatrix } from "../models/predict.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import type { NetworkKind } from "./networks.ts";

/** The function code of what trains a map, which its models carry. */
export const somCode = "DL_SOM_T";

/** What a map is built and trained with, as requests say it. */
export const somShape = {
  x: z.int().min(1).max(100),
  y: z.int().min(1).max(100),
  input_len: z.int().min(1).max(1_000_000),
  topology: z.literal(["hexagonal", "rectangular"]),
  sigma: z.number().positive().max(1000),
  learning_rate: z.number().positive().max(1),
  epochs: z.int().min(1).max(100_000),
  random_state: z.int().min(0).max(4294967295),
};

// som() says what holds where nothing was said.
const schema = z.object({ ...somShape, input_len: somShape.input_len.optional(), sigma: somShape.sigma.optional() });

/** All that decides a training. */
export type SomArgs = z.output<typeof schema> & { readonly sigma: number };

/** What was given, the width of the neighbourhood worked out. */
export function somArgs(given: object): SomArgs {
  // The blocks' schemas have checked it.
  const args = schema.parse(given);
  return { ...args, sigma: args.sigma ?? Math.max(1, Math.max(args.x, args.y) / 4) };
}

/** A trained map as its file has it. */
export interface SomParameters {
  /** A row of features for each unit; unit x·height + y lies at column x and row y. */
  readonly weights: Float64Array;
  readonly width: number;
  readonly height: number;
  readonly topology: SomGrid["topology"];
  /** The quantization error after each epoch. */
  readonly quantization: Float64Array;
}

/** The file of a trained map. */
export function somFile(
  frame: Frame,
  features: readonly string[],
  name: string,
  args: SomArgs,
  parameters: SomParameters,
): ModelFile {
  return {
    ...({ format: "blocklab-model", version: 1, function_code: somCode, helper: "som" } as const),
    model_name: name,
    task: "features",
    features: columnsNamed(frame.columns, features),
    targets: [],
    classes: null,
    args: args as unknown as Json,
    trained: { rows: subsetSize(frame, fitSubset(frame)), on: frame.split ? "train" : "all" },
    parameters,
  };
}

/** The map of a file. */
export function mapOf(file: ModelFile): SomParameters {
  // A model of this code is what its training wrote.
  return file.parameters as SomParameters;
}

/** Fewer rows than this are not worth a worker of their own. */
const fewest = 2000;

/** Of each row its unit, the distance from it, and whether the second nearest does not lie beside it. */
export async function placed({ weights, ...grid }: SomParameters, x: Matrix, context: BlockContext): Promise<Matrix> {
  return await computeRows(context, mapSom, { x: matrixOf(x), grid, weights }, "map", fewest);
}

const somPredictor: RowPredictor = {
  code: somCode,
  name: "som",
  async ask(file, judged, context, who) {
    const found = await placed(mapOf(file), await judgedMatrix(judged, file, context, who), context);
    return { kind: "labels", labels: Int32Array.from(found.data.subarray(0, found.n)) };
  },
};

/** How predictions and evaluations find a map. */
export const somKind: NetworkKind = { predictor: somPredictor, built: "DL_SOM_I", noun: "map" };
