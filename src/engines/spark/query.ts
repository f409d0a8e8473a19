import type { ClusterTable } from "../../plan/node.ts";
import { col, raw, type Sql, show } from "../sql.ts";
import { dialect, type SparkTables } from "./plan.ts";
import { hiddenNames } from "./source.ts";

/** A question about plans, over whatever their tables are called where it runs. */
export type Query = (names: SparkTables) => Sql;

/** The view of a table of the cluster, or of a list of ours. */
export interface View {
  readonly name: string;
  /** Is it over files, of which the chain noted each? */
  readonly isWhole?: boolean;
}

/** A question as a text that Spark runs; `viewOf` tells the view of a table of the cluster, or of a list of ours. */
export function queryText(query: Query, viewOf: (of: ClusterTable | string) => View): string {
  const names: SparkTables = {
    scan(table) {
      const { file, place } = hiddenNames(table);
      const { name, isWhole = false } = viewOf(table);
      return { from: raw(name), file: col(file), place: col(place), isWhole };
    },
    list: (artifact) => raw(viewOf(artifact).name),
  };
  return show(query(names), dialect);
}
