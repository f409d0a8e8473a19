import { passedOn, type Relation, rowsLeft } from "./relation.ts";

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
