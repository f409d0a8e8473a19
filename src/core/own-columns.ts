import { type Output, passedOn, type Relation, rowColumn, rowsLeft, type Step, sourcesOf } from "./relation.ts";
import { columnsOf } from "./sql.ts";

/** A file's own column, with a number in place of missing ones where there is one. */
export interface OwnColumn {
  readonly name: string;
  readonly filled: number | null;
}

/** The file's own column behind each of a plan's, passed on as it is or filled; null where the plan makes it, or leaves out rows. */
export function filledColumns(relation: Relation, names: readonly string[]): readonly (OwnColumn | null)[] {
  if (rowsLeft(relation) !== null) return names.map(() => null);
  let own: readonly (OwnColumn | null)[] = names.map((name) => ({ name, filled: null }));
  for (const step of relation.steps.toReversed()) {
    const outputs = new Map(step.outputs.map((output) => [output.column.name, output]));
    own = own.map((each) => {
      const output = each && outputs.get(each.name);
      if (!output) return null;
      // Where an earlier step filled a column nothing is missing later.
      if (output.filled) return { name: output.filled.column, filled: output.filled.value };
      const passed = passedOn(output);
      return passed === null ? null : { name: passed, filled: each.filled };
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
  if (rowsLeft(relation) !== null) return names.map(() => null);
  let sources: readonly (string | null)[] = names;
  for (const step of relation.steps.toReversed()) {
    const outputs = new Map(step.outputs.map((output) => [output.column.name, output]));
    sources = sources.map((name) => {
      const output = name === null ? undefined : outputs.get(name);
      return output ? soleSource(step, output) : null;
    });
  }
  return sources;
}

function soleSource(step: Step, output: Output): string | null {
  const { expr } = output;
  if (!expr) return output.entry ? null : output.column.name;
  // What lies beside a table, and windows, tell of other rows as well.
  const isCellwise =
    !columnsOf(expr).includes(rowColumn) &&
    (step.beside === undefined || passedOn(output) !== null) &&
    !expr.parts.some((part) => "text" in part && /\bOVER\b/.test(part.text));
  const [only, ...more] = sourcesOf(output);
  return isCellwise && more.length === 0 ? (only ?? null) : null;
}
