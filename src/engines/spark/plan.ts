import { type PlanWriter, planRefusals } from "../port.ts";
import { type Dialect, show } from "../sql.ts";
import { selectFrom } from "../sql-plan.ts";
import { can, writeExpression } from "./expressions.ts";
import { literal, quote, storedTypes } from "./words.ts";

/** How SQL becomes a text that Spark reads. */
export const dialect: Dialect = { path: (artifact) => artifact, write: writeExpression, quote, literal };

/**
 * Plans as one SELECT of Spark 4.0 and later, over a table whose columns are of `storedTypes`.
 *
 * The session must have `sessionSettings`. The rows come in the order of the table's row column, which is answered as
 * `__row`, numbered anew where rows are left out: the same on any number of partitions.
 */
export const spark: PlanWriter = {
  can: (relation) => planRefusals(relation, can),
  write: (relation, table) => show(selectFrom(relation, table, { write: writeExpression, storedTypes }), dialect),
};
