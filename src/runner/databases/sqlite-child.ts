import { DatabaseSync } from "../../core/sqlite.ts";
import type { SqliteAnswer, SqliteRequest } from "./sqlite.ts";

const batchBytes = 2 ** 20;

let rows: Iterator<unknown> | null = null;
let width = 0;

process.on("message", (request: SqliteRequest) => {
  try {
    answer(request === "next" ? { rows: batch() } : open(request.path, request.query));
  } catch (error) {
    answer({ failure: error instanceof Error ? error.message : String(error) });
  }
});
process.on("disconnect", () => process.exit());

function answer(message: SqliteAnswer): void {
  process.send?.(message);
}

function open(path: string, query: string): SqliteAnswer {
  const database = new DatabaseSync(path, { readOnly: true, allowExtension: false, timeout: 2000 });
  database.exec("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; BEGIN");
  const statement = database.prepare(query);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const columns = statement.columns().map(({ name, type }) => ({ name, type }));
  width = columns.length;
  rows = statement.iterate() as Iterator<unknown>;
  return { columns };
}

/** The next rows, column by column. */
function batch(): unknown[][] {
  const columns: unknown[][] = Array.from({ length: width }, () => []);
  for (let bytes = 0, n = 0; rows && bytes < batchBytes && n < 8192; n++) {
    const next = rows.next();
    if (next.done) {
      rows = null;
      break;
    }
    (next.value as unknown[]).forEach((cell, k) => {
      columns[k].push(cell);
      bytes += typeof cell === "string" || cell instanceof Uint8Array ? cell.length + 8 : 8;
    });
  }
  return columns;
}
