import type { Socket } from "node:net";
import { Client, type QueryArrayResult } from "pg";
import type { DatabaseQuery } from "../../core/database.ts";
import type { Place } from "./dial.ts";
import { Ending } from "./ending.ts";
import { batchBytes, type Field, type FieldKind, fromText, type RowStream, transposed } from "./rows.ts";

/** Types by their object id, which is the same on every server (pg_type.dat); all others come as text. */
const kinds: Readonly<Record<number, FieldKind>> = {
  16: "boolean",
  20: "integer",
  21: "integer",
  23: "integer",
  26: "integer",
  700: "number",
  701: "number",
  1700: "decimal",
  1082: "date",
  1114: "timestamp",
  1184: "timestamp",
};
const byteaType = 17;

/** A query's text is sent alone, by the protocol that takes one statement; every value comes back as text. */
type Ask = (text: string) => Promise<QueryArrayResult<(string | null)[]>>;

/** The server speaks no TLS, so that `prefer` may go on without. */
export function isWithoutTls(error: unknown): boolean {
  return error instanceof Error && error.message === "The server does not support SSL connections";
}

/** Opens a cursor in a read-only transaction. A cursor takes nothing but a SELECT. */
export async function openPostgres(
  query: DatabaseQuery,
  { host, port }: Place,
  socket: Socket,
  encrypted: boolean,
): Promise<RowStream> {
  const verify = query.tls === "verify";
  const client = new Client({
    host,
    port,
    user: query.user,
    password: query.password,
    database: query.database,
    application_name: "blocklab",
    // Given, so that the environment's PGOPTIONS has no say.
    options: "-c TimeZone=UTC",
    // The socket is connected already; the client wants to be told so.
    stream: () =>
      Object.assign(socket, {
        connect: () => {
          setImmediate(() => socket.emit("connect"));
          return socket;
        },
      }),
    ssl: encrypted && {
      rejectUnauthorized: verify,
      ...(query.certificates === undefined ? {} : { ca: query.certificates }),
      ...(verify ? {} : { checkServerIdentity: () => undefined }),
    },
  });
  // Without a listener a connection that breaks between two queries would end the process.
  client.on("error", () => undefined);
  const leave = () => {
    socket.destroy();
    void client.end().catch(() => undefined);
  };
  const ending = new Ending(socket, leave, (dial) => {
    const { processID, secretKey } = client as unknown as Partial<Record<string, unknown>>;
    if (typeof processID === "number" && typeof secretKey === "number") endQuery(dial(), processID, secretKey);
  });
  const ask: Ask = (text) =>
    client.query({ text, rowMode: "array", queryMode: "extended", types: { getTypeParser: () => asText } } as never);
  await client.connect();
  await ask("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
  await ask(`SET LOCAL statement_timeout = ${Math.ceil(query.timeoutMs)}`);
  // ISO dates and shortest exact floats, whatever the server's or the user's own settings.
  await ask("SET LOCAL DateStyle = 'ISO, YMD'");
  await ask("SET LOCAL extra_float_digits = 1");
  await ask("SET LOCAL bytea_output = 'hex'");
  // All rows are wanted, so the planner must not prefer what finds the first ones soonest.
  await ask("SET LOCAL cursor_tuple_fraction = 1");
  return await ending.during(async () => {
    await ask(`DECLARE blocklab_rows NO SCROLL CURSOR FOR ${query.query}`);
    return await streamOf(ask);
  });
}

/** The code of a request to cancel, in place of a version of the protocol. */
const cancelCode = 80_877_102;

/** Ends a process's query. */
function endQuery(socket: Socket, processId: number, secretKey: number): void {
  const request = Buffer.alloc(16);
  [request.length, cancelCode, processId, secretKey].forEach((word, k) => void request.writeInt32BE(word, 4 * k));
  socket.on("error", () => undefined);
  socket.setTimeout(5000, () => socket.destroy());
  socket.end(request);
}

async function streamOf(ask: Ask): Promise<Omit<RowStream, "close">> {
  let rows = 100;
  const fetch = async () => await ask(`FETCH FORWARD ${rows} FROM blocklab_rows`);
  let ready: QueryArrayResult<(string | null)[]> | null = await fetch();
  const types = ready.fields.map((field) => field.dataTypeID);
  const fields: Field[] = ready.fields.map(({ name, dataTypeID }) => ({ name, kind: kinds[dataTypeID] ?? "text" }));
  return {
    fields,
    async next() {
      const { rows: found } = ready ?? (await fetch());
      ready = null;
      if (found.length === 0) return null;
      const bytes = found.reduce((sum, row) => row.reduce((all, cell) => all + (cell?.length ?? 0) + 8, sum), 0);
      rows = Math.max(1, Math.min(8192, Math.floor((found.length * batchBytes) / Math.max(1, bytes))));
      const read = (cell: string | null, k: number) =>
        types[k] === byteaType ? (cell?.replace(/^\\x/, "") ?? null) : fromText(cell, fields[k].kind);
      return transposed(
        found.map((row) => row.map(read)),
        fields.length,
      );
    },
  };
}

function asText(value: string): string {
  return value;
}
