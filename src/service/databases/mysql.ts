import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import mysql from "mysql2";
import type { DatabaseQuery } from "../../core/database.ts";
import type { Place } from "./dial.ts";
import { Ending } from "./ending.ts";
import { batchBytes, type Field, type FieldKind, fromText, type RowStream, transposed } from "./rows.ts";

/** Column types by their number in the protocol; all others come as text. */
const kinds: Readonly<Record<number, FieldKind>> = {
  0: "decimal",
  1: "integer",
  2: "integer",
  3: "integer",
  4: "number",
  5: "number",
  7: "timestamp",
  8: "integer",
  9: "integer",
  10: "date",
  12: "timestamp",
  13: "integer",
  246: "decimal",
};
const bigint = 8;
const bit = 16;
const json = 245;
const unsignedFlag = 32;
const binaryCharset = 63;

/** Columns as mysql2 describes them, of which its typings know only a part. */
interface Described {
  readonly name: string;
  readonly columnType: number;
  readonly flags: number;
  readonly characterSet: number;
}

/** The server speaks no TLS, so that `prefer` may go on without. */
export function isWithoutTls(error: unknown): boolean {
  return (error as { code?: unknown }).code === "HANDSHAKE_NO_SSL_SUPPORT";
}

/** Opens a query in a read-only transaction; rows are read as fast as they are taken. */
export async function openMysql(
  query: DatabaseQuery,
  place: Place,
  socket: Socket,
  encrypted: boolean,
): Promise<RowStream> {
  const options = optionsOf(query, place, encrypted);
  const connection = mysql.createConnection({ ...options, stream: () => socket });
  connection.on("error", () => undefined);
  const leave = () => {
    connection.destroy();
    socket.destroy();
  };
  const ending = new Ending(socket, leave, (dial) => {
    const { threadId } = connection;
    if (threadId) endQuery(options, dial(), threadId);
  });
  try {
    const ask = (text: string) =>
      new Promise<void>((resolve, reject) => {
        connection.query(text, (error) => (error ? reject(error) : resolve()));
      });
    await ask("SET SESSION time_zone = '+00:00'");
    await ask("START TRANSACTION READ ONLY");
    return await ending.during(() => streamOf(connection, query.query));
  } catch (error) {
    ending.close();
    throw error;
  }
}

function optionsOf(query: DatabaseQuery, { host, port }: Place, encrypted: boolean): mysql.ConnectionOptions {
  const verify = query.tls === "verify";
  return {
    host,
    port,
    user: query.user,
    password: query.password,
    database: query.database,
    charset: "utf8mb4",
    // Its own limit would come first, with words that don't tell a stall from a network that is down.
    connectTimeout: 2 * query.timeoutMs,
    multipleStatements: false,
    // A server may ask its client for files; this one says from the start that it sends none.
    flags: ["-LOCAL_FILES"],
    ...(encrypted
      ? {
          ssl: {
            rejectUnauthorized: verify,
            verifyIdentity: verify,
            ...(query.certificates === undefined ? {} : { ca: query.certificates }),
          },
        }
      : {}),
  };
}

/** Ends a thread's query. */
function endQuery(options: mysql.ConnectionOptions, socket: Socket, threadId: number): void {
  const connection = mysql.createConnection({ ...options, connectTimeout: 5000, stream: () => socket });
  const leave = () => {
    connection.destroy();
    socket.destroy();
  };
  socket.on("error", leave);
  connection.on("error", leave);
  connection.query(`KILL QUERY ${threadId}`, leave);
}

async function streamOf(connection: mysql.Connection, text: string): Promise<Omit<RowStream, "close">> {
  const sent = connection.query({
    sql: text,
    rowsAsArray: true,
    // Bytes for whatever may be text or binary, text for the rest; the column's description decides later.
    typeCast: (field) =>
      /BLOB|STRING|VARCHAR|BIT|GEOMETRY|JSON|ENUM|SET/.test(field.type) ? field.buffer() : field.string(),
  });
  const described = new Promise<readonly Described[]>((resolve, reject) => {
    sent.once("fields", (fields) => resolve(fields as unknown as Described[]));
    sent.once("error", reject);
  });
  const rows: Readable = sent.stream({ highWaterMark: 200 });
  // The query's error comes out of the stream as well; unheard it would end the process.
  rows.on("error", () => undefined);
  const columns = await described;
  const iterator = rows[Symbol.asyncIterator]();
  const fields: Field[] = columns.map((column) => ({ name: column.name, kind: kindOf(column) }));
  return {
    fields,
    async next() {
      const batch: unknown[][] = [];
      for (let bytes = 0; bytes < batchBytes && batch.length < 8192; ) {
        const { value, done } = await iterator.next();
        if (done) break;
        const cells = value as (Buffer | string | null)[];
        for (const cell of cells) bytes += (cell?.length ?? 0) + 8;
        batch.push(cells.map((cell, k) => fromText(textOf(cell, columns[k]), fields[k].kind)));
      }
      return batch.length === 0 ? null : transposed(batch, fields.length);
    },
  };
}

function kindOf({ columnType, flags }: Described): FieldKind {
  // An unsigned 64-bit number may lie beyond a signed one.
  if (columnType === bigint && flags & unsignedFlag) return "unsigned";
  return kinds[columnType] ?? "text";
}

function textOf(cell: Buffer | string | null, { columnType, characterSet }: Described): string | null {
  if (!Buffer.isBuffer(cell)) return cell;
  const isBinary = characterSet === binaryCharset && columnType !== json;
  return cell.toString(isBinary || columnType === bit ? "hex" : "utf8");
}
