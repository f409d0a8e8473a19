import type { DatabaseQuery } from "../../core/database.ts";
import { CancelledError } from "../../core/errors.ts";
import { count, listed, uniqueNames } from "../../core/names.ts";
import type { Held } from "../../core/rows.ts";
import { oneSelect } from "../../core/statement.ts";
import type { Ingested } from "../../core/tables.ts";
import { type EngineTables, heldAs, keptAsFloats, keptAsText, MixedColumn } from "../../engines/duckdb/index.ts";
import type { Reach } from "../addresses.ts";
import { dial, type Place, placeOf } from "./dial.ts";
import { Failing, stalled } from "./failures.ts";
import { isWithoutTls as isMysqlWithoutTls, openMysql } from "./mysql.ts";
import { isWithoutTls as isPostgresWithoutTls, openPostgres } from "./postgres.ts";
import type { Field, RowStream } from "./rows.ts";
import { openSqlite } from "./sqlite.ts";

/** What a query needs of its surroundings. */
export interface QuerySurroundings {
  /** Where it may connect to, for a service that asks for others; null: anywhere. */
  readonly reach: Reach | null;
  readonly signal: AbortSignal;
  readonly onRows: (rows: number) => void;
}

/** Runs a query and writes its rows into a Parquet artifact; a few thousand rows are in memory at a time. */
export async function readDatabase(
  wanted: DatabaseQuery,
  tables: EngineTables,
  around: QuerySurroundings,
): Promise<Ingested> {
  const query = { ...wanted, query: oneSelect(wanted.query, wanted.server) };
  const failing = new Failing(query);
  const stream = await failing.during(() => open(query, around));
  const stop = () => stream.close();
  around.signal.addEventListener("abort", stop, { once: true });
  try {
    const notices: string[] = [];
    const columns = stream.fields.map((field) => new Column(field));
    const written = await tables.fromRows(
      columns.map((column) => column.held),
      async (sink) => {
        for (;;) {
          const batch = await failing.during(() => patiently(stream.next(), query.timeoutMs, around.signal, stop));
          if (batch === null) break;
          around.onRows(await sink.append(batch.map((values, k) => columns[k].take(values))));
        }
        const names = uniqueNames(stream.fields.map((field) => field.name));
        const lost = await sink.count(columns.map((column, k) => column.lossTest(k)));
        columns.forEach((column, k) => {
          column.settle(lost[k], names[k], notices);
        });
        return { outputs: columns.map((column, k) => heldAs(k, column.type, names[k])) };
      },
    );
    return { ...written, notices };
  } finally {
    around.signal.removeEventListener("abort", stop);
    stream.close();
  }
}

async function open(query: DatabaseQuery, around: QuerySurroundings): Promise<RowStream> {
  if (query.server === "sqlite") {
    const { stream, close } = openSqlite(query.address, query.query);
    return await patiently(stream, query.timeoutMs, around.signal, close);
  }
  const isPostgres = query.server === "postgres";
  const place = placeOf(query.address, isPostgres ? 5432 : 3306);
  const connect = (encrypted: boolean) =>
    connected(query, place, encrypted, around, isPostgres ? openPostgres : openMysql);
  if (query.tls !== "prefer") return await connect(query.tls !== "off");
  const isWithoutTls = isPostgres ? isPostgresWithoutTls : isMysqlWithoutTls;
  return await connect(true).catch((error) => (isWithoutTls(error) ? connect(false) : Promise.reject(error)));
}

async function connected(
  query: DatabaseQuery,
  place: Place,
  encrypted: boolean,
  { reach, signal }: QuerySurroundings,
  opener: typeof openPostgres,
): Promise<RowStream> {
  // Connecting, greeting and planning may not take longer than an answer may.
  const patience = AbortSignal.timeout(query.timeoutMs);
  const either = AbortSignal.any([signal, patience]);
  const within = async <T>(work: Promise<T>, end?: () => void) => await patiently(work, query.timeoutMs, signal, end);
  const socket = await dial(place, reach, either).catch((error) => {
    if (patience.aborted) throw stalled();
    throw error;
  });
  const end = () => void socket.destroy();
  try {
    return await within(opener(query, place, socket, encrypted), end);
  } catch (error) {
    end();
    throw error;
  }
}

/** Waits for the server no longer than it may take; then, or when the caller stops, `end` is called. */
async function patiently<T>(work: Promise<T>, timeoutMs: number, signal: AbortSignal, end?: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let abort: (() => void) | undefined;
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        // A little later than the server's own limit, whose words are better.
        timer = setTimeout(() => reject(stalled()), timeoutMs + 500);
        abort = () => reject(new CancelledError());
        if (signal.aborted) abort();
        signal.addEventListener("abort", abort, { once: true });
      }),
    ]);
  } catch (error) {
    work.catch(() => undefined);
    end?.();
    throw error;
  } finally {
    clearTimeout(timer);
    if (abort) signal.removeEventListener("abort", abort);
  }
}

/** A column while its rows come in. */
class Column {
  readonly #field: Field;
  readonly #mixed = new MixedColumn();
  #type: string | null = null;
  /** Does it hold numbers that a double can't be sure of, that an integer of 64 bits can't hold, or that have fractions? */
  #isLong = false;
  #isLongest = false;
  #hasFractions = false;
  #blobs = 0;

  constructor(field: Field) {
    this.#field = field;
  }

  get held(): Held {
    const { kind } = this.#field;
    if (kind === "integer") return "bigint";
    if (kind === "number") return "number";
    return kind === "boolean" ? "boolean" : "text";
  }

  get type(): string {
    return this.#type ?? this.#wanted;
  }

  take(values: readonly unknown[]): readonly unknown[] {
    const { kind } = this.#field;
    if (kind === "decimal" || kind === "unsigned") for (const value of values) this.#weigh(value as string | null);
    return kind === "any" ? values.map((value) => this.#takeAny(value)) : values;
  }

  /** Text that its column's type can't take would be lost in silence; this counts it. */
  lossTest(k: number): string {
    return this.held === "text" && this.#wanted !== "VARCHAR"
      ? `c${k} IS NOT NULL AND TRY_CAST(c${k} AS ${this.#wanted}) IS NULL`
      : "FALSE";
  }

  /** Decides the type: a type that SQLite only declares gives way to the values, another one is told. */
  settle(lost: number, name: string, notices: string[]): void {
    this.#type = lost > 0 && this.#field.kind === "any" ? "VARCHAR" : this.#wanted;
    const say = (what: string) => notices.push(`input (DP_1): column ${listed([name])} ${what}.`);
    if (lost > 0 && this.#field.kind !== "any") say(`has ${count(lost, "value")} that no calendar knows; now missing`);
    const isExact = this.#field.kind === "decimal" || this.#field.kind === "unsigned";
    if (isExact && this.#type === "VARCHAR")
      notices.push(keptAsText(name, "cast it in the query to read the nearest floats"));
    else if (this.#isLong && this.#type === "DOUBLE")
      notices.push(keptAsFloats(name, "cast it to text in the query to keep every digit"));
  }

  get #wanted(): string {
    const { kind, declared = "" } = this.#field;
    if (kind === "integer") return "BIGINT";
    if (kind === "number") return "DOUBLE";
    if (kind === "unsigned") return this.#isLongest ? "VARCHAR" : "BIGINT";
    if (kind === "decimal") {
      if (!this.#isLong) return "DOUBLE";
      return this.#isLongest || this.#hasFractions ? "VARCHAR" : "BIGINT";
    }
    if (kind === "boolean") return "BOOLEAN";
    if (kind === "date") return "DATE";
    if (kind === "timestamp") return "TIMESTAMP";
    if (kind === "text") return "VARCHAR";
    if (this.#mixed.type === "VARCHAR" && this.#blobs === 0 && /^(date|datetime|timestamp)\b/i.test(declared)) {
      return /^date$/i.test(declared) ? "DATE" : "TIMESTAMP";
    }
    if (/^bool/i.test(declared) && this.#mixed.type === "BIGINT") return "BOOLEAN";
    const isFloat = /^(decimal|numeric|real|float|double)/i.test(declared) && !this.#isLong;
    return isFloat && this.#mixed.type === "BIGINT" ? "DOUBLE" : this.#mixed.type;
  }

  /** Notes how long an exact number is. */
  #weigh(text: string | null): void {
    if (text === null) return;
    if (/\.\d*[1-9]/.test(text)) this.#hasFractions = true;
    if (text.length < 16) return;
    const [whole] = text.split(".");
    if (!Number.isSafeInteger(Number(whole))) this.#isLong = true;
    if (/^-?\d{19,}$/.test(whole) && BigInt.asIntN(64, BigInt(whole)) !== BigInt(whole)) this.#isLongest = true;
  }

  #takeAny(value: unknown): string | null {
    if (value === null || value === undefined) return null;
    if (typeof value === "bigint") {
      const text = String(value);
      this.#weigh(text);
      return this.#mixed.take(text, "integer");
    }
    if (typeof value === "number") return this.#mixed.take(String(value), "real");
    if (value instanceof Uint8Array) {
      this.#blobs++;
      return this.#mixed.take(Buffer.from(value).toString("hex"), "text");
    }
    return this.#mixed.take(String(value), "text");
  }
}
