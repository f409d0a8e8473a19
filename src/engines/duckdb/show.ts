import { type Relation, unsettled } from "../../plan/node.ts";
import { quote, raw, type Sql, show, sql } from "../sql.ts";
import { writeExpression } from "./expressions.ts";
import { type Shown, selectFrom, withTables } from "./select.ts";
import { selectMade } from "./settle.ts";

/** A plan as DuckDB's SQL for people, over the files of artifacts by their ids. */
export function showPlan(relation: Relation): string {
  const shown = emptyPlan();
  const last = selectFrom(unsettled(relation), {}, shown);
  return show(sql`${withTables(shown.tables)}\n${last}`, {
    path: (artifact) => `${artifact}.parquet`,
    write: writeExpression,
  });
}

/** No table yet; the first of a name that is its alone keeps it bare. */
function emptyPlan(): Shown {
  const tables: Sql[] = [];
  let sources = 0;
  const shown: Shown = {
    tables,
    named(name) {
      if (name === "source") return raw(++sources === 1 ? name : `${name}_${sources}`);
      return raw(quote(`${name}_${tables.length}`));
    },
    made: (made) => selectMade(made, (relation, selection) => selectFrom(unsettled(relation), selection, shown)),
  };
  return shown;
}
