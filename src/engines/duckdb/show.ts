import type { Relation } from "../../plan/node.ts";
import { show } from "../sql.ts";
import { writeExpression } from "./expressions.ts";
import { selectFrom } from "./select.ts";

/** A plan as DuckDB's SQL for people, over the files of artifacts by their ids. */
export function showPlan(relation: Relation): string {
  return show(selectFrom(relation, {}, true), { path: (artifact) => `${artifact}.parquet`, write: writeExpression });
}
