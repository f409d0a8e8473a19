import type { Selection } from "../../core/selection.ts";
import type { Relation } from "../../plan/node.ts";
import { type Sql, show } from "../sql.ts";
import { writeExpression } from "./expressions.ts";
import { selectFrom } from "./select.ts";
import { selectMade } from "./settle.ts";

/** A plan as DuckDB's SQL for people, over the files of artifacts by their ids. */
export function showPlan(relation: Relation): string {
  return show(shownFrom(relation), { path: (artifact) => `${artifact}.parquet`, write: writeExpression });
}

/** What was written down on the way is shown as what it was written for. */
function shownFrom(relation: Relation, selection: Selection = {}): Sql {
  return selectFrom(relation, selection, (made) => selectMade(made, shownFrom));
}
