import { type Relation, rowColumn, type Step, selectFrom } from "./relation.ts";
import { columnsOf, type Sql } from "./sql.ts";

/** `selectFrom` for people and other engines: rows are left out by their own cells, where nothing asks for their numbers. */
export function shownSql(relation: Relation): Sql {
  const steps = relation.steps.map((step): Step => {
    const { beside: _, ...plain } = step;
    return step.left?.said ? { ...plain, left: { ...step.left, where: step.left.said } } : step;
  });
  const asksRow = steps.some(({ left, outputs }) =>
    [left?.where, ...outputs.map(({ expr }) => expr)].some((piece) => piece && columnsOf(piece).includes(rowColumn)),
  );
  return selectFrom(asksRow ? relation : { ...relation, steps });
}
