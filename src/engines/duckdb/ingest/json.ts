import { open, rm, stat } from "node:fs/promises";
import { DataError, messageOf } from "../../../core/errors.ts";
import { missingTokens } from "../../../core/missing-tokens.ts";
import { count, listed, quoted, uniqueNames } from "../../../core/names.ts";
import type { IngestOptions, SourceFile } from "../../../core/tables.ts";
import { literal, quote } from "../../sql.ts";
import type { Duck } from "../duck.ts";
import { asUtf8, withoutMark } from "./encoding.ts";
import { columnsToRecords } from "./json-columns.ts";
import { isLongWhole, isWholeText, keptAsFloats, keptAsText } from "./long-numbers.ts";
import {
  askedType,
  explainUnreadable,
  noticeWords,
  refuseUnknown,
  type TypedField,
  typedSelect,
} from "./typed-file.ts";

/** As many records decide the types at first; one that disagrees later makes all records decide. */
const sampleRecords = 20_480;

const common =
  "records = 'true', maximum_depth = 2, dateformat = '%Y-%m-%d', timestampformat = '%Y-%m-%d %H:%M:%S', maximum_object_size = 104857600";

/**
 * Reads records, newline-delimited records, or an object of columns through `write` into Parquet at `path`.
 *
 * Answers what is worth a notice.
 */
export async function readJson(
  duck: Duck,
  source: SourceFile,
  options: IngestOptions,
  path: string,
  write: (text: string) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  let text = await asUtf8(source, options.encoding, signal);
  try {
    text = await withoutMark(source, text, signal);
    const read = await readText(duck, { ...source, path: text.path }, options, path, write, signal);
    return [...text.notices, ...read];
  } finally {
    await text.release();
  }
}

/** The same for a file in UTF-8. */
async function readText(
  duck: Duck,
  source: SourceFile,
  options: IngestOptions,
  path: string,
  write: (text: string) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { size } = await stat(source.path);
  await refuseCutOff(source, size);
  const converted = await columnsToRecords(source, size);
  const reader = new JsonReader(duck, converted ?? source.path, options, signal);
  try {
    await reader.plan(sampleRecords);
    const isWhole = await write(reader.select()).then(
      () => reader.knowsAllKeys(path),
      (error) => (isMisfit(error) ? false : Promise.reject(error)),
    );
    if (!isWhole) {
      await reader.plan(-1);
      await write(reader.select());
    }
    if (await reader.refine(path)) await write(reader.select());
    return [...reader.notices, ...(await noticeWords(duck, path, reader.fields, "JSON", signal))];
  } catch (error) {
    throw explained(error, source, reader.fields);
  } finally {
    if (converted) await rm(converted, { force: true });
  }
}

/** Does a record not fit the types and names that the first ones had? */
function isMisfit(error: unknown): boolean {
  return /JSON transform error|blocklab: column \d+ holds/.test(messageOf(error));
}

function explained(error: unknown, source: SourceFile, fields: readonly TypedField[]): unknown {
  if (!messageOf(error).includes("expected records")) return explainUnreadable(error, source, "json", fields);
  return new DataError(
    `input: ${quoted(source.name)} holds no records; write them as [{"a": 1}, …], one object a line, or {"a": [1, …]}.`,
    { code: "no_records" },
    { cause: error },
  );
}

/** What columns of detected types become; others become text. A few negative numbers make integers seem huge. */
const ownTypes: Readonly<Record<string, string>> = {
  BIGINT: "BIGINT",
  HUGEINT: "BIGINT",
  DOUBLE: "DOUBLE",
  BOOLEAN: "BOOLEAN",
  DATE: "DATE",
  TIMESTAMP: "TIMESTAMP",
};

class JsonReader {
  fields: TypedField[] = [];
  notices: string[] = [];
  readonly #duck: Duck;
  readonly #path: string;
  readonly #options: IngestOptions;
  readonly #signal: AbortSignal | undefined;
  /** What the reader calls the columns; null where it can't be asked for them by name. */
  #names: readonly string[] | null = null;
  #from = "";

  constructor(duck: Duck, path: string, options: IngestOptions, signal?: AbortSignal) {
    this.#duck = duck;
    this.#path = path;
    this.#options = options;
    this.#signal = signal;
  }

  /** Names and types of the columns, from the first `records` (-1: from all). */
  async plan(records: number): Promise<void> {
    const detected = (sample: number) => `read_json(${literal(this.#path)}, ${common}, sample_size = ${sample})`;
    const described = (await this.#rows(`DESCRIBE SELECT * FROM ${detected(records)}`)).map(([name, type]) => ({
      read: String(name),
      found: String(type),
    }));
    const isOwn = areOwnNames(described.map(({ read }) => read));
    const isNameless = described.some(({ read }, k) => read === `C${k}`) && (await this.#hasNameless());
    const names = uniqueNames(described.map(({ read }, k) => (isNameless && read === `C${k}` ? "" : read)));
    refuseUnknown(names, this.#options);
    this.#names = isOwn ? described.map(({ read }) => read) : null;
    const missing = this.#options.naValues ?? [];
    this.notices = [];
    this.fields = described.map(({ read, found }, k) => {
      const asked = askedType(names[k], this.#options);
      const type = asked ?? (Object.hasOwn(ownTypes, found) ? ownTypes[found] : "VARCHAR");
      // The reader would round 2.5 to an integer, and take true for a number; as text they are told apart.
      const isReadAsText = asked !== undefined || type === "BIGINT" || type === "BOOLEAN" || type === "VARCHAR";
      const has = isReadAsText ? "VARCHAR" : type;
      return { name: names[k], cell: isOwn ? quote(read) : textOf(quote(read), found, has), has, type, missing };
    });
    this.#from = isOwn ? this.#reading(described.map(({ read }) => read)) : detected(-1);
    const huge = described.flatMap(({ found }, k) =>
      found === "HUGEINT" && this.fields[k].type === "BIGINT" ? [k] : [],
    );
    if (records < 0 && huge.length > 0) await this.#lengthen(huge);
    const mixed = described.flatMap(({ found }, k) =>
      found === "JSON" && this.fields[k].type === "VARCHAR" ? [k] : [],
    );
    if (isOwn && mixed.length > 0) await this.#narrow(mixed);
  }

  /** The SELECT that reads the records. */
  select(): string {
    return typedSelect(this.fields, this.#from);
  }

  /** Have the records behind the first ones, now written to the file at `path`, no keys that those lack? */
  async knowsAllKeys(path: string): Promise<boolean> {
    if (this.#names === null) return true;
    const [[records]] = await this.#rows(`SELECT count(*) FROM read_parquet(${literal(path)})`);
    if (Number(records) <= sampleRecords) return true;
    const keys = `SELECT DISTINCT json_keys(json) AS keys FROM ${this.#objects}`;
    const found = await this.#rows(`SELECT DISTINCT unnest(keys) FROM (${keys})`);
    const known = new Set(this.#names);
    return found.every(([key]) => known.has(String(key)));
  }

  /** Looks for whole numbers that doubles can't hold, in the file that was written; answers whether it must be read again. */
  async refine(path: string): Promise<boolean> {
    const doubles = this.fields.flatMap(({ type, name }, k) =>
      type === "DOUBLE" && askedType(name, this.#options) === undefined ? [k] : [],
    );
    if (doubles.length === 0 || this.#names === null) return false;
    const large = doubles.map((k) => {
      const cell = quote(this.fields[k].name);
      return `coalesce(bool_or(abs(${cell}) >= 9007199254740992), false)`;
    });
    const [found] = await this.#rows(`SELECT ${large.join(", ")} FROM read_parquet(${literal(path)})`);
    const suspects = doubles.filter((_, i) => found[i] === true);
    if (suspects.length === 0) return false;
    const texts = await this.#asWritten(suspects, "VARCHAR", (cell) => [
      `bool_and(${isWholeText(cell)})`,
      `coalesce(bool_or(${isWholeText(cell)} AND ${isRounded(cell)}), false)`,
    ]);
    const wrong = suspects.flatMap((k, i) => (texts[i][1] === true ? [{ k, isWhole: texts[i][0] === true }] : []));
    for (const { k, isWhole } of wrong) {
      const { name, cell } = this.fields[k];
      this.notices.push(isWhole ? keptAsText(name) : keptAsFloats(name));
      if (isWhole) this.#become(k, { cell, has: "VARCHAR", type: "VARCHAR" });
    }
    return wrong.some(({ isWhole }) => isWhole);
  }

  /** Of columns that may hold whole numbers beyond 64 bits, those that do become text. */
  async #lengthen(huge: readonly number[]): Promise<void> {
    const found = await this.#asWritten(huge, "VARCHAR", (cell) => [`bool_or(${isLongWhole(cell)})`]);
    for (const [i, k] of huge.entries()) {
      if (found[i][0] === false) continue;
      this.#become(k, { type: "VARCHAR" });
      this.notices.push(keptAsText(this.fields[k].name));
    }
  }

  /** Of columns whose values are of several kinds: words for a missing cell among numbers, or among true and false, are missing. */
  async #narrow(mixed: readonly number[]): Promise<void> {
    const tokens = [...missingTokens, ...(this.#options.naValues ?? [])];
    const words = tokens.map(literal).join(", ");
    const found = await this.#asWritten(mixed, "JSON", (cell) => {
      const text = `json_extract_string(${cell}, '$')`;
      const isWord = `(json_type(${cell}) = 'VARCHAR' AND ${text} IN (${words}))`;
      const all = (rule: string) => `bool_and(${isWord} OR ${rule})`;
      const isNumber = `json_type(${cell}) NOT IN ('VARCHAR', 'BOOLEAN', 'OBJECT', 'ARRAY')`;
      return [
        `count(*) FILTER (WHERE ${isWord})`,
        `any_value(${text}) FILTER (WHERE ${isWord})`,
        all(`(${isNumber} AND ${isWholeText(text)})`),
        all(isNumber),
        all(`json_type(${cell}) = 'BOOLEAN'`),
        `coalesce(bool_or(${isNumber} AND ${isLongWhole(text)}), false)`,
      ];
    });
    for (const [i, k] of mixed.entries()) {
      const [n, word, isWhole, isNumber, isBoolean, isLong] = found[i];
      const type = isWhole ? (isLong ? "VARCHAR" : "BIGINT") : isNumber ? "DOUBLE" : isBoolean ? "BOOLEAN" : null;
      if (Number(n) === 0 || type === null) continue;
      const { name, cell } = this.fields[k];
      this.#become(k, { cell, has: "VARCHAR", type, missing: tokens });
      const among = isBoolean ? "true and false" : "numbers";
      this.notices.push(
        `input (DP_1): column ${listed([name])} holds ${quoted(String(word))} or the like in ${count(Number(n), "cell")} among ${among}; now missing.`,
      );
      if (type === "VARCHAR") this.notices.push(keptAsText(name));
    }
  }

  #become(k: number, change: Partial<TypedField>): void {
    this.fields[k] = { ...this.fields[k], ...change };
    if (this.#names !== null) this.#from = this.#reading(this.#names);
  }

  /** Facts about some columns, whose cells are read as one type; none where they can't be called by their own names. */
  async #asWritten(
    columns: readonly number[],
    type: "VARCHAR" | "JSON",
    facts: (cell: string) => readonly string[],
  ): Promise<unknown[][]> {
    const names = this.#names;
    if (names === null) return columns.map(() => []);
    const wanted = columns.map((k) => `${literal(names[k])}: '${type}'`);
    const asked = columns.map((k) => facts(quote(names[k])));
    const from = `read_json(${literal(this.#path)}, ${common}, auto_detect = false, columns = {${wanted.join(", ")}})`;
    const [row] = await this.#rows(`SELECT ${asked.flat().join(", ")} FROM ${from}`);
    const width = asked[0].length;
    return columns.map((_, i) => row.slice(i * width, (i + 1) * width));
  }

  get #objects(): string {
    return `read_json_objects(${literal(this.#path)}, maximum_object_size = 104857600)`;
  }

  #reading(names: readonly string[]): string {
    const columns = names.map((name, k) => `${literal(name)}: '${this.fields[k].has}'`);
    return `read_json(${literal(this.#path)}, ${common}, auto_detect = false, columns = {${columns.join(", ")}})`;
  }

  /** Is there a key that is empty? The reader calls its column C3. */
  async #hasNameless(): Promise<boolean> {
    const [[n]] = await this.#rows(`SELECT count(*) FROM ${this.#objects} WHERE list_contains(json_keys(json), '')`);
    return Number(n) > 0;
  }

  async #rows(text: string): Promise<unknown[][]> {
    return await this.#duck.use(async (connection) => (await connection.runAndReadAll(text)).getRows(), this.#signal);
  }
}

/** SQL: does a whole number in a text become another one as a double? */
function isRounded(cell: string): string {
  const whole = `TRY_CAST(${cell} AS HUGEINT)`;
  return `(${whole} IS NULL OR TRY_CAST(TRY_CAST(${cell} AS DOUBLE) AS HUGEINT) <> ${whole})`;
}

/** A cell of detected type as it is wanted. */
function textOf(cell: string, found: string, has: string): string {
  if (has !== "VARCHAR") return cell;
  if (found === "JSON") return `json_extract_string(${cell}, '$')`;
  return /(\[\]|^STRUCT|^MAP|^UNION)/.test(found) ? `CAST(to_json(${cell}) AS VARCHAR)` : `CAST(${cell} AS VARCHAR)`;
}

/** Can the reader be asked for columns by these names? It numbers those that differ in case alone, and makes up those that are empty. */
function areOwnNames(names: readonly string[]): boolean {
  const known = new Set(names.map((name) => name.toLowerCase()));
  return names.every((name, k) => {
    const stem = /^(.*)_\d+$/s.exec(name)?.[1].toLowerCase();
    return name !== `C${k}` && (stem === undefined || !known.has(stem));
  });
}

/** DuckDB takes an array that is never closed for complete, so a file that was cut off would lose rows silently. */
async function refuseCutOff(source: SourceFile, size: number): Promise<void> {
  const handle = await open(source.path, "r");
  try {
    const near = async (position: number) =>
      (await handle.read(Buffer.alloc(64), 0, 64, Math.max(0, position))).buffer
        .toString("latin1")
        .replaceAll("\0", "");
    const [head, tail] = [await near(0), await near(size - 64)];
    if (/^(?:\xef\xbb\xbf)?\s*\[/.test(head) && !tail.trimEnd().endsWith("]")) {
      throw new DataError(`input: ${quoted(source.name)} was cut off: its list of records is never closed.`, {
        code: "bad_json",
      });
    }
  } finally {
    await handle.close();
  }
}
