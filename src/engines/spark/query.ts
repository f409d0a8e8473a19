import type { ClusterTable } from "../../plan/node.ts";
import { col, raw, type Sql, show } from "../sql.ts";
import { dialect, type SparkTables } from "./plan.ts";
import { hiddenNames } from "./source.ts";

/** A question about plans, over whatever their tables are called where it runs. */
export type Query = (names: SparkTables) => Sql;

/** A question as a text that Spark runs; `viewOf` names the view of a table of the cluster, or of a list of ours. */
export function queryText(query: Query, viewOf: (of: ClusterTable | string) => string): string {
  const names: SparkTables = {
    scan(table) {
      const { file, place } = hiddenNames(table);
      return { from: raw(viewOf(table)), file: col(file), place: col(place) };
    },
    list: (artifact) => raw(viewOf(artifact)),
  };
  return show(query(names), dialect);
}
