import { DatabaseSync } from "../../core/sqlite.ts";
import type { SqliteAnswer, SqliteRequest } from "./sqlite.ts";

/** Codes of SQLite: what is asked for, and the answers. */
const [pragma, ok, deny] = [19, 0, 1];

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
  // Where Node has it (24.10), this refuses what views of the file itself may ask, too.
  database.setAuthorizer?.((action) => (action === pragma ? deny : ok));
  const statement = database.prepare(query);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const columns = statement.columns().map(({ name, type }) => ({ name, type }));
  width = columns.length;
  // What answers no columns changes something, as WITH … INSERT does.
  if (width === 0) throw new Error("attempt to write a readonly database");
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
