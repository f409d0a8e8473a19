import { stat } from "node:fs/promises";
import { DataError, messageOf } from "../core/errors.ts";
import { count, listed, quoted, uniqueNames } from "../core/names.ts";
import { literal, quote } from "../core/sql.ts";
import type { CsvForm, IngestOptions, SourceFile } from "../core/tables.ts";
import {
  type Field,
  hasQuickForm,
  isStrict,
  missingTokens,
  namedType,
  outputOf,
  unconverted,
  unfit,
  unfitCell,
} from "./csv-columns.ts";
import { type Dialect, detectDialect } from "./dialect.ts";
import { type Duck, isShortage, SqlFailure } from "./duck.ts";

/** Bytes for each column that has a quick form, from which on it pays: planning it takes 0.2 to 0.5 ms, more than a small file. */
const quickBytes = 2 ** 19;

/** A date, or a date and a time with or without a zone, as ISO 8601 writes them. */
const isoTime = "\\d{4}-\\d{2}-\\d{2}([T ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}(:?\\d{2})?)?)?";

/** A time that names its distance from UTC. */
const zoned = "\\d{2}:\\d{2}.*(Z|[+-]\\d{2}(:?\\d{2})?)$";

/**
 * How many rows decide the types at first; a cell that disagrees later makes all rows decide.
 *
 * Trying types on a cell takes several times as long as reading it, so rows of many cells make a shorter sample.
 */
function sampleRows(width: number): number {
  return Math.min(20_480, Math.max(2048, Math.floor(200_000 / width)));
}

/** A way to read a file: the SELECT's text, and what was noticed. */
export interface Reading {
  readonly text: string;
  readonly notices: readonly string[];
}

/**
 * Reads a CSV file through `write`, which runs the SELECT it is given into Parquet.
 *
 * Answers what it noticed, and how the file is written. Types are decided by the first rows; when a later cell can't take its column's type, by all rows.
 */
export async function readCsv(
  duck: Duck,
  source: SourceFile,
  options: IngestOptions,
  write: (text: string) => Promise<void>,
  signal?: AbortSignal,
): Promise<{ readonly notices: readonly string[]; readonly form: CsvForm }> {
  const dialect = await detectDialect(source.path, source.name, options.delimiter);
  const reader = new CsvReader(duck, source, options, dialect, signal);
  const fields = await reader.fields(sampleRows(dialect.first.length));
  try {
    await reader.write(fields, write);
  } catch (error) {
    if (reader.conversion(error) === null) throw reader.explain(error);
    const widened = await reader.fields(-1);
    await reader.writeWidening(widened, write);
  }
  return { notices: reader.notices, form: reader.form };
}

class CsvReader {
  readonly notices: string[] = [];
  readonly #duck: Duck;
  readonly #source: SourceFile;
  readonly #options: IngestOptions;
  readonly #dialect: Dialect;
  readonly #signal: AbortSignal | undefined;
  #header = true;
  /** The fields of the last SELECT, which failures speak of by position. */
  #read: readonly Field[] = [];

  constructor(duck: Duck, source: SourceFile, options: IngestOptions, dialect: Dialect, signal?: AbortSignal) {
    this.#duck = duck;
    this.#source = source;
    this.#options = options;
    this.#dialect = dialect;
    this.#signal = signal;
    if (dialect.encoding === "latin-1")
      this.notices.push(`${quoted(source.name)} is not UTF-8; it was read as Latin-1.`);
  }

  /** How the file is written. */
  get form(): CsvForm {
    const { delimiter, encoding, blankLines } = this.#dialect;
    return { delimiter, encoding, header: this.#header, skip: blankLines };
  }

  /** Names and types of the columns, from the first `rows` rows (-1: from all). */
  async fields(rows: number): Promise<Field[]> {
    const width = this.#dialect.first.length;
    const detected = await this.#sniff(rows, width);
    this.#header = this.#options.header ?? !startsWithData(this.#dialect.first, detected);
    const names = uniqueNames(this.#header ? this.#dialect.first : this.#dialect.first.map(() => ""));
    const fields = names.map((name, k) => ({ name, type: detected[k] }));
    await this.#refineText(fields, rows);
    for (const [name, type] of Object.entries(this.#options.types ?? {})) {
      const field = fields.find((candidate) => candidate.name === name);
      if (!field) {
        throw new DataError(
          `input: types names column ${quoted(name)}, which the file does not have. Columns: ${listed(names)}.`,
        );
      }
      field.type = namedType(type);
    }
    if (this.#options.asText) for (const field of fields) field.type = "VARCHAR";
    return fields;
  }

  /**
   * Writes the file with these fields.
   *
   * The reader compares every cell with every token that counts as missing, a tenth of its work, though most files
   * leave such cells empty. So of a large file they are looked for among texts at first, and everywhere once a column of
   * another type holds one.
   */
  async write(fields: readonly Field[], write: (text: string) => Promise<void>): Promise<void> {
    const { size } = await stat(this.#source.path);
    if (this.#options.naValues === undefined && size >= quickBytes * fields.filter(hasQuickForm).length) {
      try {
        await write(this.#select(fields, true));
        return;
      } catch (error) {
        const { cell = null } = unfitCell(error) ?? {};
        if (cell === null || !missingTokens.includes(cell)) throw error;
      }
    }
    await write(this.#select(fields));
  }

  /** The SELECT that reads the file with these fields. */
  #select(fields: readonly Field[], isQuick = false): string {
    this.#read = fields;
    const columns = fields.map((field, k) => `'c${k}': '${isStrict(field) ? "VARCHAR" : field.type}'`);
    const outputs = fields.map((field, k) => `${outputOf(field, k, isQuick)} AS ${quote(field.name)}`);
    return `SELECT ${outputs.join(", ")} FROM read_csv(${this.#file()}, auto_detect = false, columns = {${columns.join(", ")}}, header = ${this.#header}, ${this.#dialectText(isQuick ? [""] : undefined)})`;
  }

  /** Reads with all rows having decided; what still disagrees becomes text. */
  async writeWidening(fields: Field[], write: (text: string) => Promise<void>): Promise<void> {
    for (let attempt = 0; attempt <= fields.length; attempt++) {
      try {
        await write(this.#select(fields));
        return;
      } catch (error) {
        const at = this.conversion(error);
        if (at === null || fields[at].type === "VARCHAR") throw this.explain(error);
        fields[at].type = "VARCHAR";
      }
    }
  }

  /** Which column a conversion failure is about; null when the failure is another. */
  conversion(error: unknown): number | null {
    const found = unfitCell(error);
    const field = found && this.#read[found.at];
    // A type that the caller named stands; what disagrees is an error.
    return field && !Object.hasOwn(this.#options.types ?? {}, field.name) ? found.at : null;
  }

  /** A sentence for a file that can't be read. */
  explain(error: unknown): unknown {
    if (!(error instanceof SqlFailure) || isShortage(error)) return error;
    const name = quoted(this.#source.name);
    const line = /CSV Error on Line: (\d+)/.exec(error.message)?.[1];
    const ragged = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(error.message);
    if (ragged) {
      return new DataError(
        `input: ${name} is ragged: line ${line} has ${count(Number(ragged[2]), "cell")} where the header has ${ragged[1]}. Mend the line, or give the right delimiter (read with ${quoted(this.#dialect.delimiter)}).`,
        { code: "ragged", got: Number(ragged[2]), expected: Number(ragged[1]) },
        { cause: error },
      );
    }
    const reason = this.#reason(error.message, line);
    return new DataError(`input: ${name} can't be read as CSV: ${reason}.`, { code: "bad_csv" }, { cause: error });
  }

  #reason(message: string, line: string | undefined): string {
    const strict = unfit.exec(message);
    if (strict) {
      const { name, type } = this.#read[Number(strict[1])];
      return `column ${quoted(name)} has ${quoted(strict[2])}, which is not ${type.toLowerCase()}`;
    }
    const cast = unconverted(message);
    if (cast) return `line ${line} has ${quoted(cast.cell)}, which is not ${cast.type}`;
    if (message.includes("unterminated quote")) return `line ${line} opens a quote that is never closed`;
    const long = /Maximum line size of (\d+) bytes exceeded/.exec(message);
    if (long) return `line ${line} is longer than ${Number(long[1]) / 1e6} MB`;
    return message
      .split("\n", 1)[0]
      .replace(/^.*?Error: /, "")
      .replace(/(?<![.\s])[.\s]+$/, "")
      .slice(0, 200);
  }

  async #sniff(rows: number, width: number): Promise<string[]> {
    const text = `SELECT "Columns" FROM sniff_csv(${this.#file()}, header = true, sample_size = ${rows}, auto_type_candidates = ['BIGINT', 'DOUBLE', 'DATE', 'VARCHAR'], ${this.#dialectText()})`;
    try {
      return await this.#duck.use(async (connection) => {
        const result = await connection.runAndReadAll(text);
        const columns = result.getRowObjectsJson()[0].Columns as { type: string }[];
        if (columns.length !== width) return new Array(width).fill("VARCHAR");
        return columns.map((column) => column.type);
      }, this.#signal);
    } catch (error) {
      if (this.#signal?.aborted) throw error;
      // The sniffer gives up on files that the reader itself names the fault of; all text for now.
      return new Array(width).fill("VARCHAR");
    }
  }

  /** Text that is true or false in every row becomes boolean, ISO 8601 a datetime; wholly missing columns numbers. */
  async #refineText(fields: Field[], rows: number): Promise<void> {
    const text = fields.flatMap((field, k) => (field.type === "VARCHAR" ? [k] : []));
    if (text.length === 0) return;
    const columns = fields.map((_, k) => `'c${k}': 'VARCHAR'`);
    // CASE, because a cast that fails takes a microsecond and AND tries it on every cell.
    const checks = text.map(
      (k) =>
        `count(c${k}), bool_and(lower(c${k}) IN ('true', 'false')), bool_and(CASE WHEN regexp_full_match(c${k}, ${literal(isoTime)}) THEN TRY_CAST(c${k} AS TIMESTAMP) IS NOT NULL ELSE c${k} IS NULL END), bool_or(regexp_matches(c${k}, ${literal(zoned)}))`,
    );
    const limit = rows < 0 ? "" : ` LIMIT ${rows}`;
    const query = `SELECT ${checks.join(", ")} FROM (SELECT * FROM read_csv(${this.#file()}, auto_detect = false, columns = {${columns.join(", ")}}, header = ${this.#header}, ${this.#dialectText()})${limit})`;
    try {
      const [row] = await this.#duck.use(
        async (connection) => (await connection.runAndReadAll(query)).getRows(),
        this.#signal,
      );
      text.forEach((k, i) => {
        const [present, isBoolean, isTime, isZoned] = row.slice(4 * i);
        if (present === 0n) fields[k].type = "DOUBLE";
        else if (isBoolean === true) fields[k].type = "BOOLEAN";
        // As a TIMESTAMP its distance from UTC would be dropped.
        else if (isTime === true) fields[k].type = isZoned === true ? "TIMESTAMPTZ" : "TIMESTAMP";
      });
    } catch (error) {
      throw this.explain(new SqlFailure(messageOf(error), query));
    }
  }

  #file(): string {
    return literal(this.#source.path);
  }

  #dialectText(tokens = [...missingTokens, ...(this.#options.naValues ?? [])]): string {
    const missing = tokens.map(literal).join(", ");
    const encoding = this.#dialect.encoding === "utf-8" ? "" : `, encoding = '${this.#dialect.encoding}'`;
    const { delimiter, blankLines, mixedNewlines } = this.#dialect;
    return `delim = ${literal(delimiter)}, quote = '"', escape = '"', skip = ${blankLines}, strict_mode = ${!mixedNewlines}, nullstr = [${missing}], dateformat = '%Y-%m-%d', null_padding = false, ignore_errors = false${encoding}`;
  }
}

/** A first record with a number where the column below is numbers is data, not a header. */
function startsWithData(first: readonly string[], types: readonly string[]): boolean {
  return first.some(
    (cell, k) => cell.trim() !== "" && Number.isFinite(Number(cell)) && /^(BIGINT|DOUBLE)$/.test(types[k]),
  );
}
