import type { BlockContext, Task } from "../../core/block.ts";
import { cell, column, type Frame, fitSubset } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import { count, quoted } from "../../core/names.ts";
import { fitSelection } from "../../core/scope.ts";
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
  const { found, rows } = context.tables.isFar
    ? await farWholes(frame, target, context)
    : await wholes(frame, target, context);
  if (!found || found.size < 2 || 2 * found.size > rows) return "regression";
  context.notice(
    `${who}: ${quoted(target)} holds ${count(found.size, "whole number")}, which are taken as classes; ${asNumbers} takes them as numbers.`,
  );
  return "classification";
}

/** The few whole numbers of a column, null where it holds others or many, and how many rows there are. */
interface Wholes {
  readonly found: ReadonlySet<number> | null;
  readonly rows: number;
}

async function wholes(frame: Frame, target: string, { tables }: BlockContext): Promise<Wholes> {
  const selection = { subset: fitSubset(frame), split: frame.split, columns: [target] };
  const values = columnOf(await tables.numbers(frame.relation, selection), 0);
  const isWhole = wholeIn(frame, target);
  const found = new Set<number>();
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    if (!isWhole(value)) return { found: null, rows: values.length };
    found.add(value);
    if (found.size > mostClasses) return { found: null, rows: values.length };
  }
  return { found, rows: values.length };
}

/** The same of a cluster's rows, of which groups alone come here. */
async function farWholes(frame: Frame, target: string, { tables }: BlockContext): Promise<Wholes> {
  const by = [cell(column(frame, target))];
  const order = by.map((expr) => ({ expr }));
  const asked = { by, outputs: by, order, limit: mostClasses + 2 };
  const { found, rows } = await tables.groups(frame.relation, fitSelection(frame), asked);
  const values = found.flatMap(([value]) => (value === null ? [] : Number(value)));
  const isFew = values.length <= mostClasses && values.every(wholeIn(frame, target));
  return { found: isFew ? new Set(values) : null, rows };
}

/** Tells whole numbers; of a column that is none of integers those beyond 2^53, such as 1e300, only look so. */
function wholeIn(frame: Frame, target: string): (value: number) => boolean {
  return column(frame, target).integer ? Number.isInteger : Number.isSafeInteger;
}
