import type { BlockContext, EarlierBlock } from "../../core/block.ts";
import { ArgsError, BlocklabError, NotFoundError } from "../../core/errors.ts";
import type { ModelFile } from "../../core/model.ts";
import { quoted } from "../../core/names.ts";
import type { Predictor, RowPredictor } from "../models/model-types.ts";
import { modelOf } from "../models/predict.ts";

/** What clients send beside `args` as well as inside them. */
export const besideArgs = ["model_name", "hyp_params", "epochs", "test_data"] as const;

/** The block of this chain that built the network; without one, what to call first. */
export function builtBefore(context: BlockContext, code: string, helper: string, who: string): EarlierBlock {
  const found = context.before([code]);
  if (found) return found;
  throw new ArgsError(`${who}: this chain has built no network yet; build it first with ${helper} (${code}).`, {
    code: "not_built",
    path: "parent_id",
    expected: code,
  });
}

/** The arguments a network was built with; those of `hyp_params` win, and the latest of them most. */
export function hyperparameters(...given: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown> {
  const layers = given.flatMap((args) => [args, (args.hyp_params ?? {}) as Readonly<Record<string, unknown>>]);
  const present = layers.flatMap((layer) => Object.entries(layer).filter(([, value]) => value !== undefined));
  return Object.fromEntries(present.filter(([name]) => name !== "hyp_params"));
}

/** What judged rows are called in an output's `on`, by where they come from. */
export function judgedOn(from: string): string {
  const names: Readonly<Record<string, string>> = { x_test: "test", x_train: "train", x: "all", dataset: "all" };
  return names[from] ?? "given";
}

/** A kind of network that is built by one block and trained by another. */
export interface NetworkKind {
  readonly predictor: Predictor | RowPredictor;
  /** The function code that builds it. */
  readonly built: string;
  /** What it is called in sentences. */
  readonly noun: string;
}

/** The trained network of that name; without a name the last one built in this chain. */
export async function trainedNetwork(
  { predictor, built, noun }: NetworkKind,
  given: string | undefined,
  context: BlockContext,
  who: string,
): Promise<{ file: ModelFile }> {
  const names = [[predictor.code], [built]].map((codes) => context.before(codes)?.args.model_name);
  const name = given ?? String(names.find((each) => typeof each === "string") ?? predictor.name);
  const nearest = context.before([predictor.code, built]);
  try {
    const found = await modelOf(predictor, name, context, who);
    if (nearest?.code === built) {
      context.notice(
        `${who}: the ${noun} of block ${nearest.id} is not trained; model ${quoted(name)} of block ${context.keeper(name)} answers.`,
      );
    }
    return found;
  } catch (error) {
    const isUnknown = error instanceof BlocklabError && error.detail.code === "unknown_model";
    if (!isUnknown || !nearest) throw error;
    const { expected } = error.detail;
    throw new NotFoundError(
      `${who}: model ${quoted(name)} is not trained yet; train it first with train({ epochs: 10 }) (${predictor.code}).`,
      { code: "not_trained", path: "model_name", got: name, expected, hint: "train" },
    );
  }
}
