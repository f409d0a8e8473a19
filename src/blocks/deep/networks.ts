import type { BlockContext, EarlierBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";

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
