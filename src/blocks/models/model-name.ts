import type { BlockContext, Outcome } from "../../core/block.ts";
import { quoted } from "../../core/names.ts";

/** A model's name, and what the outcome says of it where the block chose it. */
export interface ModelName {
  readonly name: string;
  readonly chosen: Pick<Outcome, "chosen">;
}

/**
 * The name under which a model is kept: the given one, else `usual`, the helper's, with a number where another block's
 * model has it. A block that runs again keeps its name. What is named otherwise, or replaced, is told in a notice.
 */
export function modelName(given: string | undefined, usual: string, context: BlockContext, who: string): ModelName {
  const { id } = context.block;
  const keeper = context.keeper(given ?? usual);
  const isTaken = keeper !== null && keeper !== id;
  if (given !== undefined) {
    if (isTaken) context.notice(`${who}: model ${quoted(given)} of block ${keeper} is replaced; it had the same name.`);
    return { name: given, chosen: {} };
  }
  if (!isTaken) return { name: usual, chosen: {} };
  const name = freeName(usual, context);
  context.notice(
    `${who}: block ${keeper} has a model ${quoted(usual)} already, so this one is ${quoted(name)}. Give model_name to call it otherwise, or to replace that one.`,
  );
  return { name, chosen: { chosen: { model_name: name } } };
}

/** The usual name with the least number that no other block's model has. */
function freeName(usual: string, context: BlockContext): string {
  for (let k = 2; ; k++) {
    const keeper = context.keeper(`${usual}-${k}`);
    if (keeper === null || keeper === context.block.id) return `${usual}-${k}`;
  }
}
