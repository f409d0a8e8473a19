import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import { ArgsError, NotFoundError } from "../../core/errors.ts";
import { type Frame, fitSubset, subsetSize } from "../../core/frame.ts";
import type { NumberColumns } from "../../core/matrix.ts";
import type { ModelFile } from "../../core/model.ts";
import { count, listed, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { Rbm } from "../../numerics/networks/rbm-room.ts";
import { hyperparameters } from "./networks.ts";

/** The seeds that numpy's generator takes. */
export const seedArg = z.int().min(0).max(4294967295);

/** What a machine is built with. */
export const hyperShape = {
  /** Binary hidden units: how many features come out. */
  n_components: z.int().min(1).max(100_000),
  /** How far each step goes. */
  learning_rate: z.number().positive().max(1e6),
  /** Epochs: passes over the rows. */
  n_iter: z.int().min(1).max(100_000),
  /** Rows of a batch. */
  batch_size: z.int().min(1).max(1_000_000),
  /** Seed of all that is drawn. */
  random_state: seedArg,
};

/** The hyperparameters as they hold. */
export interface Hyper {
  readonly model_name?: string;
  readonly n_components: number;
  readonly learning_rate: number;
  readonly n_iter: number;
  readonly batch_size: number;
  readonly random_state: number;
}

/** A trained machine as its file has it. */
export interface RbmParameters {
  /** n_components×features, a row per hidden unit. */
  readonly components: Float64Array;
  readonly intercept_hidden: Float64Array;
  readonly intercept_visible: Float64Array;
  /** The pseudo-likelihood after each epoch. */
  readonly pseudo_likelihood: Float64Array;
}

/** The file of a machine, trained or not. */
export function modelFile(
  frame: Frame,
  features: readonly string[],
  name: string,
  code: "DL_RBM_I" | "DL_RBM_T",
  hyper: Hyper,
  parameters: RbmParameters | null,
): ModelFile {
  return {
    format: "blocklab-model",
    version: 1,
    function_code: code,
    helper: "rbm",
    model_name: name,
    task: "features",
    features: features.flatMap((each) => frame.columns.filter((column) => column.name === each)),
    targets: [],
    classes: null,
    args: { ...hyper, model_name: name } as unknown as Json,
    trained: { rows: parameters ? subsetSize(frame, fitSubset(frame)) : 0, on: frame.split ? "train" : "all" },
    parameters,
  };
}

/** A trained machine of the project. */
export interface Trained {
  readonly file: ModelFile;
  readonly rbm: Rbm;
  readonly seed: number;
}

/** The machine of that name; without a name the one that this chain trained last. */
export async function trainedRbm(name: string | undefined, context: BlockContext, who: string): Promise<Trained> {
  const wanted = name ?? nameInChain(context);
  if (wanted === undefined || context.keeper(wanted) === null) {
    if (context.before(["DL_RBM_I"]) || wanted === undefined) {
      throw new NotFoundError(
        `${who}: ${wanted === undefined ? "this chain has no trained machine" : `model ${quoted(wanted)} is not trained yet`}; train it first with train() (DL_RBM_T), as in rbm().train().`,
        { code: "not_trained", path: "model_name", hint: "train" },
      );
    }
  }
  const { file } = await context.model(wanted);
  if (file.function_code !== "DL_RBM_T") {
    throw new ArgsError(`${who}: model ${quoted(wanted)} was made by ${file.helper} (${file.function_code}).`, {
      path: "model_name",
      got: file.function_code,
      expected: "DL_RBM_T",
    });
  }
  const { components, intercept_hidden, intercept_visible } = file.parameters as RbmParameters;
  const rbm = {
    visible: intercept_visible.length,
    hidden: intercept_hidden.length,
    weights: components,
    hiddenBias: intercept_hidden,
    visibleBias: intercept_visible,
  };
  return { file, rbm, seed: (file.args as unknown as Hyper).random_state };
}

function nameInChain(context: BlockContext): string | undefined {
  const trained = context.before(["DL_RBM_T"]);
  const built = context.before(["DL_RBM_I"]);
  const { model_name } = hyperparameters(built?.args ?? {}, trained?.args ?? {}) as { model_name?: string };
  return trained ? (model_name ?? "rbm") : built ? (model_name ?? "rbm") : undefined;
}

/** Rounding may carry a scaled value this far past the ends. */
const slack = 1e-9;

/** The columns with values outside 0 to 1, where probabilities are. */
export function columnsOutside(x: NumberColumns): string[] {
  return x.names.filter((_, j) => {
    for (let i = j * x.n; i < (j + 1) * x.n; i++) if (!(x.data[i] >= -slack && x.data[i] <= 1 + slack)) return true;
    return false;
  });
}

/** Says that rows go beyond what a machine can have learnt from. */
export function noticeOutside(x: NumberColumns, context: BlockContext, who: string): void {
  const outside = columnsOutside(x);
  if (outside.length === 0) return;
  context.notice(
    `${who}: ${count(outside.length, "column")} of these rows ${outside.length === 1 ? "goes" : "go"} beyond 0 to 1, where the machine learnt: ${listed(outside)}.`,
  );
}
