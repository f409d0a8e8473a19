import type { BlockContext, Task } from "../../core/block.ts";
import { column, type Frame, fitSubset } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import { count, quoted } from "../../core/names.ts";
import { modelColumns } from "../../core/training.ts";

/** Whole numbers of more than so many values are numbers, unless a model is told otherwise. */
const mostClasses = 10;

/** What a model learns here: as it says itself, by its arguments, or by the target. */
export async function taskOf<Args>(
  own: Task | ((args: Args) => Task | null),
  asNumbers: string | undefined,
  args: Args,
  frame: Frame,
  context: BlockContext,
  who: string,
): Promise<Task> {
  return (typeof own === "function" ? own(args) : own) ?? (await taskOfTarget(frame, asNumbers, context, who));
}

/** Classes where the target is text or says yes and no, or holds a few whole numbers, which is told; else numbers. */
async function taskOfTarget(
  frame: Frame,
  asNumbers: string | undefined,
  context: BlockContext,
  who: string,
): Promise<Task> {
  const { target } = modelColumns(frame, who);
  const { type } = column(frame, target);
  if (type !== "number") return type === "datetime" || type === "tensor" ? "regression" : "classification";
  const selection = { subset: fitSubset(frame), split: frame.split, columns: [target] };
  const values = columnOf(await context.tables.numbers(frame.relation, selection), 0);
  const found = new Set<number>();
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    if (!Number.isInteger(value)) return "regression";
    found.add(value);
    if (found.size > mostClasses) return "regression";
  }
  if (found.size < 2 || 2 * found.size > values.length) return "regression";
  context.notice(
    `${who}: ${quoted(target)} holds ${count(found.size, "whole number")}, which are taken as classes; ${asNumbers} takes them as numbers.`,
  );
  return "classification";
}
