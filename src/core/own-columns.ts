import { columnsRead, isOfOneRow } from "../plan/expr.ts";
import { isNumeric } from "../plan/types.ts";
import { type Output, passedOn, type Relation, rowColumn, rowsLeft, type Step } from "./relation.ts";
import { columnsOf } from "./sql.ts";

/** A file's own column, with a number in place of missing ones where there is one. */
export interface OwnColumn {
  readonly name: string;
  readonly filled: number | null;
}

/** The file's own column behind each of a plan's, passed on as it is or filled; null where the plan makes it, or leaves out rows. */
export function filledColumns(relation: Relation, names: readonly string[]): readonly (OwnColumn | null)[] {
  return tracedBack(relation, names, (output, { filled }) => {
    // Where an earlier step filled a column nothing is missing later.
    const own = filledOf(output);
    if (own) return own;
    const passed = passedOn(output);
    return passed === null ? null : { name: passed, filled };
  });
}

/** The column whose numbers an output has, and the number in place of missing ones. */
function filledOf({ expr, filled }: Output): OwnColumn | null {
  if (filled) return { name: filled.column, filled: filled.value };
  if (!expr || !("call" in expr) || expr.call !== "coalesce" || expr.args.length !== 2) return null;
  const [from, other] = expr.args;
  const isNumber = "column" in from && isNumeric(from.type ?? "missing") && "value" in other;
  return isNumber ? { name: from.column, filled: Number(other.value) } : null;
}

/** Follows columns back through a plan's steps to its file: what each was before a step; null once `before` finds none. */
function tracedBack(
  relation: Relation,
  names: readonly string[],
  before: (output: Output, column: OwnColumn, step: Step) => OwnColumn | null,
): readonly (OwnColumn | null)[] {
  if (rowsLeft(relation) !== null) return names.map(() => null);
  let own: readonly (OwnColumn | null)[] = names.map((name) => ({ name, filled: null }));
  for (const step of relation.steps.toReversed()) {
    const outputs = new Map(step.outputs.map((output) => [output.column.name, output]));
    own = own.map((each) => {
      const output = each && outputs.get(each.name);
      return output ? before(output, each, step) : null;
    });
  }
  return own;
}

/** The file's own columns that a plan passes on as they are under these names, all rows of them; null where it makes one of them. */
export function ownColumns(relation: Relation, names: readonly string[]): readonly string[] | null {
  const own = filledColumns(relation, names).flatMap((each) => (each?.filled === null ? [each.name] : []));
  return own.length === names.length ? own : null;
}

/**
 * The file's own column behind each of a plan's, where the plan makes each cell of that column's cell in the same row and
 * of nothing else; null where it takes more, or leaves out rows.
 */
export function soleSources(relation: Relation, names: readonly string[]): readonly (string | null)[] {
  const sources = tracedBack(relation, names, (output, column, step) => {
    const name = soleSource(output, step);
    return name === null ? null : { ...column, name };
  });
  return sources.map((source) => source?.name ?? null);
}

function soleSource(output: Output, step: Step): string | null {
  const passed = passedOn(output);
  const [only, ...more] = passed === null ? cellsOf(output, step) : [passed];
  return only === undefined || only === rowColumn || more.length > 0 ? null : only;
}

/** The columns whose cells an expression makes a cell of, in the same row; none where it knows of other rows. */
function cellsOf({ expr }: Output, { beside }: Step): string[] {
  // What lies beside a table, and windows, tell of other rows as well.
  if (!expr || beside) return [];
  if (!("parts" in expr)) return isOfOneRow(expr) ? columnsRead(expr) : [];
  const hasWindow = expr.parts.some((part) => "text" in part && /\bOVER\b/.test(part.text));
  return hasWindow ? [] : columnsOf(expr);
}
