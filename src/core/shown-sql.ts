import { type Relation, type Step, selectFrom, sqlOf, usesRow } from "./relation.ts";
import type { Sql } from "./sql.ts";

/** `selectFrom` for people and other engines: rows are left out by their own cells, where nothing asks for their numbers. */
export function shownSql(relation: Relation): Sql {
  const steps = relation.steps.map((step): Step => {
    const { beside: _, ...plain } = step;
    return step.left?.said ? { ...plain, left: { ...step.left, where: sqlOf(step.left.said) } } : step;
  });
  return selectFrom(steps.some((step) => usesRow(step, step.outputs)) ? relation : { ...relation, steps });
}
