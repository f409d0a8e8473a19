import type { Relation } from "../../plan/node.ts";
import { col, raw, show, sql } from "../sql.ts";
import { showRows } from "./asked.ts";
import { dialect } from "./plan.ts";

/** A plan over a cluster's tables as Spark's SQL for people; drawn rows are those of a table that blocklab brings along. */
export function showPlan(relation: Relation): string {
  const query = showRows(relation, {
    scan: ({ source }) => ({
      from: "table" in source ? raw(source.table) : sql`parquet.${col(source.address)}`,
      file: raw("_metadata.file_path"),
      place: raw("_metadata.row_index"),
    }),
    isShown: true,
    list: (artifact) => col(`drawn ${artifact}`),
  });
  return show(query, dialect);
}
