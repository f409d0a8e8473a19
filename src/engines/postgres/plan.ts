import { type PlanWriter, planRefusals } from "../port.ts";
import { show } from "../sql.ts";
import { selectFrom } from "../sql-plan.ts";
import { can, writeExpression } from "./expressions.ts";
import { storedTypes } from "./functions/writing.ts";

/**
 * Plans as one SELECT of Postgres 16 and later, over a table whose columns are of `storedTypes`.
 *
 * The rows come in the order of the table's row column, which is answered as `__row`, numbered anew where rows are left out.
 */
export const postgres: PlanWriter = {
  can: (relation) => planRefusals(relation, can),
  write: (relation, table) =>
    show(selectFrom(relation, table, { write: writeExpression, storedTypes }), {
      path: (artifact) => artifact,
      write: writeExpression,
    }),
};
