import { stat } from "node:fs/promises";
import { ArgsError, DataError, messageOf } from "../../../core/errors.ts";
import type { Column } from "../../../core/frame.ts";
import { missingTokens } from "../../../core/missing-tokens.ts";
import { listed, quoted, uniqueNames } from "../../../core/names.ts";
import type { Marks } from "../../../core/number-marks.ts";
import type { CsvForm, IngestOptions, SourceFile } from "../../../core/tables.ts";
import { literal, quote } from "../../sql.ts";
import type { Duck } from "../duck.ts";
import { columnFor } from "../read/cells.ts";
import {
  type CellKind,
  type Field,
  hasQuickForm,
  isOddOrMissing,
  namedType,
  outputOf,
  type Settled,
  settle,
  unfitCell,
} from "./csv-columns.ts";
import { explainCsv } from "./csv-faults.ts";
import { type Scanned, scanCells } from "./csv-scan.ts";
import { type Dialect, detectDialect } from "./dialect.ts";
import { asUtf8, type TextFile, withPlainNewlines } from "./encoding.ts";
import { findHeader, findTitle } from "./header.ts";
import { keptAsFloats, keptAsText } from "./long-numbers.ts";

/** Bytes for each column that has a quick form, from which on it pays: planning it takes 0.2 to 0.5 ms, more than a small file. */
const quickBytes = 2 ** 19;

/**
 * How many rows decide the types at first; a cell that disagrees later makes all rows decide.
 *
 * Trying types on a cell takes several times as long as reading it, so rows of many cells make a shorter sample.
 */
function sampleRows(width: number): number {
  return Math.min(20_480, Math.max(512, Math.floor(200_000 / width)));
}

/** What reading a CSV file comes to: its columns and number of rows, what it noticed, and how the file is written. */
export interface CsvRead {
  readonly columns: Column[];
  readonly rows: number;
  readonly notices: readonly string[];
  readonly form: CsvForm;
}

/**
 * Reads a CSV file through `write`, which runs the SELECT it is given into Parquet and answers the number of rows.
 *
 * Types are decided by the first rows; when a later cell can't take its column's type, by all rows.
 */
export async function readCsv(
  duck: Duck,
  source: SourceFile,
  options: IngestOptions,
  write: (text: string) => Promise<number>,
  signal?: AbortSignal,
): Promise<CsvRead> {
  let text = await asUtf8(source, options.encoding, signal);
  try {
    for (let isPlain = false; ; isPlain = true) {
      const dialect = await detectDialect(text.path, source.name, options);
      const reader = new CsvReader(duck, source, text, options, dialect, signal);
      try {
        if (!dialect.mixedNewlines || isPlain) return await reader.read(write);
      } catch (error) {
        // What the parser says of a line that ends otherwise than the first one.
        if (isPlain || !/state machine reached an invalid state/.test(messageOf(error))) throw reader.explain(error);
      }
      text = await withPlainNewlines(source, text, signal);
    }
  } finally {
    await text.release();
  }
}

class CsvReader {
  readonly #duck: Duck;
  readonly #source: SourceFile;
  readonly #text: TextFile;
  readonly #options: IngestOptions;
  readonly #dialect: Dialect;
  readonly #signal: AbortSignal | undefined;
  readonly #marks: Marks | undefined;
  readonly #missing: readonly string[];
  #header = true;
  #notices: string[] = [];
  /** The fields of the last SELECT, which failures speak of by position. */
  #read: readonly Field[] = [];

  constructor(
    duck: Duck,
    source: SourceFile,
    text: TextFile,
    options: IngestOptions,
    dialect: Dialect,
    signal?: AbortSignal,
  ) {
    this.#duck = duck;
    this.#source = source;
    this.#text = text;
    this.#options = options;
    this.#dialect = dialect;
    this.#signal = signal;
    this.#marks = marksOf(options);
    this.#missing = [...missingTokens, ...(options.naValues ?? [])];
  }

  /** Reads the file. */
  async read(write: (text: string) => Promise<number>): Promise<CsvRead> {
    const rows = await this.#rows(write);
    // A column whose cells are all missing is one of doubles.
    const columns = this.#read.map(({ name, type }) => columnFor(name, type === "UNKNOWN" ? "DOUBLE" : type).column);
    return { columns, rows, notices: [...this.#text.notices, ...this.#notices], form: this.#form };
  }

  /** Writes the rows, and answers how many they are. */
  async #rows(write: (text: string) => Promise<number>): Promise<number> {
    const fields = await this.#fields(sampleRows(this.#width));
    try {
      return await this.#write(fields, write);
    } catch (error) {
      const found = unfitCell(error);
      // A type that the caller named stands; what disagrees is an error.
      if (!found || (found.at !== undefined && fields[found.at].isNamed)) throw error;
      return await this.#write(await this.#fields(-1), write);
    }
  }

  get #form(): CsvForm {
    const { delimiter, skip } = this.#dialect;
    const marks = this.#read.flatMap(({ name, type, marks: own }) =>
      own && (type === "DOUBLE" || type === "BIGINT") ? [[name, own] as const] : [],
    );
    const { encoding } = this.#text;
    return { delimiter, encoding, header: this.#header, skip, marks: Object.fromEntries(marks) };
  }

  get #width(): number {
    return this.#dialect.records[0].cells.length;
  }

  /** Names and types of the columns, by the first `rows` rows, or by all (-1), also where those leave a doubt. */
  async #fields(rows: number): Promise<Field[]> {
    const texts = this.#dialect.records[0].cells.map(({ text }) => (this.#missing.includes(text) ? null : text));
    const columns = Array.from({ length: this.#width }, (_, k) => `c${k}`);
    const from = this.#from(columns, true);
    const { delimiter, lines } = this.#dialect;
    const scan = await scanCells(
      this.#duck,
      {
        first: texts,
        columns,
        from,
        lines: lines?.slice(1) ?? null,
        delimiter,
        missing: this.#missing,
        rows,
        marks: this.#marks,
      },
      this.#signal,
    );
    const { isHeader, hasTitle, notices } = this.#findHeader(scan.first, scan.columns);
    this.#header = isHeader;
    const found = scan.columns.map((scanned, k): Scanned => {
      const kind = isHeader ? null : scan.first[k];
      if (kind === null) return scanned;
      const text = this.#dialect.records[0].cells[k].text;
      const { kinds, examples } = scanned;
      return { ...scanned, kinds: new Set([...kinds, kind]), examples: new Map([[kind, text], ...examples]) };
    });
    const isEuropean = found.some(({ kinds }) => settle(kinds).marks?.decimal === ",");
    const settled = found.map(({ kinds }) => settle(kinds, isEuropean));
    const { asText = false } = this.#options;
    if (!scan.isWhole && !asText && settled.some(({ doubt }) => doubt)) return await this.#fields(-1);
    const names = this.#names();
    this.#notices = notices;
    if (asText) return names.map((name) => ({ name, type: "VARCHAR" }));
    const named = this.#namedTypes(names);
    const fields = settled.map(({ type, marks }, k): Field => {
      const shown = marks ?? this.#marks;
      const own = named.get(k);
      return {
        name: names[k],
        type: own ?? (scan.isWhole && type === "UNKNOWN" ? "DOUBLE" : type),
        ...(shown && { marks: shown }),
        ...(own !== undefined && { isNamed: true }),
      };
    });
    // Below a title the columns' own names are words among numbers.
    if (!hasTitle) this.#notices.push(...wordsAmongNumbers(fields, found), ...otherDates(fields, found));
    this.#tell(fields, settled, found);
    return fields;
  }

  #findHeader(first: readonly (CellKind | null)[], columns: readonly Scanned[]) {
    const lines = this.#dialect.records;
    if (this.#options.header === false) return { isHeader: false, hasTitle: false, notices: [] };
    const next = lines.slice(1).filter(({ cells }) => cells.length === this.#width);
    const isTyped = (kinds: ReadonlySet<CellKind>) => {
      const { type, doubt } = settle(kinds);
      return (type !== "VARCHAR" && type !== "UNKNOWN") || doubt !== undefined;
    };
    const below = columns.map(({ kinds }, k) => {
      const kind = first[k];
      return {
        first: lines[0].cells[k],
        fits: kind !== null && isTyped(kinds) ? isTyped(new Set([...kinds, kind])) : null,
        next: next.map(({ cells }) => cells[k]),
      };
    });
    const found =
      this.#options.header === undefined ? findHeader(below, this.#source.name) : { isHeader: true, notices: [] };
    const texts = lines.map(({ at, cells }) => ({ at, texts: cells.map(({ text }) => text) }));
    const title = found.isHeader ? findTitle(texts, this.#width, this.#source.name) : [];
    const rows = this.#dialect.hasRowNames
      ? [
          `input (DP_1): the first line of ${quoted(this.#source.name)} names one column fewer than the others have cells, as R's write.table writes it; column_1 holds the rows' names.`,
        ]
      : [];
    const notices = [...found.notices, ...title, ...rows, ...this.#blanks()];
    return { isHeader: found.isHeader, hasTitle: title.length > 0, notices };
  }

  /** Says that single blanks part the one column that was found into numbers. */
  #blanks(): string[] {
    const { records } = this.#dialect;
    if (this.#options.delimiter !== undefined || this.#width > 1 || records.length < 3) return [];
    const [names, ...rows] = records.map(({ cells }) => cells[0].text.split(" "));
    const areParts = (parts: string[]) => parts.length === names.length && !parts.includes("");
    const areNumbers = rows.flat().every((part) => Number.isFinite(Number(part)));
    if (names.length < 2 || ![names, ...rows].every(areParts) || !areNumbers) return [];
    return [
      `input (DP_1): ${quoted(this.#source.name)} was read as one column, though blanks part its lines into ${names.length}; delimiter: " " reads them.`,
    ];
  }

  #names(): string[] {
    return uniqueNames(this.#dialect.records[0].cells.map(({ text }) => (this.#header ? text : "")));
  }

  /** The types that the caller names, by the columns' positions. */
  #namedTypes(names: readonly string[]): Map<number, Field["type"]> {
    return new Map(
      Object.entries(this.#options.types ?? {}).map(([name, type]) => {
        const k = names.indexOf(name);
        if (k >= 0) return [k, namedType(type)];
        throw new DataError(
          `input: types names column ${quoted(name)}, which the file does not have. Columns: ${listed(names)}.`,
        );
      }),
    );
  }

  /** Says which columns were read otherwise than one might think. */
  #tell(fields: readonly Field[], settled: readonly Settled[], columns: readonly Scanned[]): void {
    const free = fields.flatMap(({ isNamed }, k) => (isNamed ? [] : [k]));
    const such = (wanted: (each: Settled) => boolean, ...kinds: CellKind[]) => {
      const found = free.filter((k) => wanted(settled[k]));
      const examples = found.flatMap((k) => kinds.flatMap((kind) => columns[k].examples.get(kind) ?? []));
      return { names: found.map((k) => fields[k].name), example: examples[0] ?? "" };
    };
    const say = (names: readonly string[], what: string) => {
      if (names.length > 0)
        this.#notices.push(`input (DP_1): ${listed(names)} ${names.length === 1 ? "holds" : "hold"} ${what}.`);
    };
    this.#notices.push(...such(({ doubt }) => doubt === "large").names.map((name) => keptAsText(name)));
    const rounded = free.filter((k) => settled[k].type === "DOUBLE" && columns[k].kinds.has("large"));
    this.#notices.push(...rounded.map((k) => keptAsFloats(fields[k].name)));
    const commas = such(({ marks }) => marks?.decimal === ",", "decimal comma", "point groups");
    say(
      commas.names,
      `numbers with decimal commas, such as ${quoted(commas.example)}, and became numbers; types keeps text`,
    );
    const groups = such(({ marks }) => marks?.decimal === ".", "comma groups", "comma groups, real", "one comma");
    say(
      groups.names,
      `numbers with commas between thousands, such as ${quoted(groups.example)}, and became numbers; types keeps text`,
    );
    const comma = such(({ doubt }) => doubt === "one comma", "one comma");
    say(
      comma.names,
      `numbers such as ${quoted(comma.example)}, whose comma may stand before thousands or decimals, and stayed text; thousands: "," or decimal: "," says which`,
    );
    const point = such(({ doubt }) => doubt === "one point", "one point");
    say(
      point.names,
      `numbers such as ${quoted(point.example)}, whose point may stand before thousands, as others have decimal commas, and stayed text; decimal: "," with thousands: "." reads thousands, types: { ${JSON.stringify(point.names[0])}: "number" } decimals`,
    );
  }

  /**
   * Writes the file with these fields.
   *
   * The reader compares every cell with every token that counts as missing, a tenth of its work, though most files
   * leave such cells empty. So of a large file they are looked for among texts at first, and everywhere once a column of
   * another type holds one. Odd numbers are looked for once there is one.
   */
  async #write(fields: readonly Field[], write: (text: string) => Promise<number>): Promise<number> {
    this.#read = fields;
    const { size } = await stat(this.#text.path);
    const isQuick = this.#options.naValues === undefined && size >= quickBytes * fields.filter(hasQuickForm).length;
    try {
      return await write(this.#select(fields, isQuick, false));
    } catch (error) {
      const found = unfitCell(error);
      if (!found || !isOddOrMissing(found.cell)) throw error;
      return await write(this.#select(fields, false, true));
    }
  }

  /** The SELECT that reads the file with these fields. */
  #select(fields: readonly Field[], isQuick: boolean, hasOddNumbers: boolean): string {
    const traits = { isQuick, hasOddNumbers, mayHaveUnderscores: this.#text.mayHaveUnderscores };
    const outputs = fields.map((field, k) => `${outputOf(field, k, traits)} AS ${quote(field.name)}`);
    const names = fields.map((_, k) => `c${k}`);
    return `SELECT ${outputs.join(", ")} FROM ${this.#from(names, this.#header, isQuick ? [""] : undefined)}`;
  }

  /** The file as a table of texts. */
  #from(names: readonly string[], hasHeader: boolean, tokens = this.#missing): string {
    const columns = names.map((name) => `'${name}': 'VARCHAR'`).join(", ");
    const { delimiter, skip } = this.#dialect;
    return `read_csv(${literal(this.#text.path)}, auto_detect = false, columns = {${columns}}, header = ${hasHeader}, delim = ${literal(delimiter)}, quote = '"', escape = '"', skip = ${skip}, strict_mode = true, nullstr = [${tokens.map(literal).join(", ")}], null_padding = false, ignore_errors = false)`;
  }

  /** A sentence for a file that can't be read. */
  explain(error: unknown): unknown {
    return explainCsv(error, this.#source.name, this.#dialect, this.#read);
  }
}

/** Words without digits among numbers mean in most files that a cell is missing. At most so many of the cells are such. */
const mostWords = 1 / 2;

/** The first and the last of a column's texts. */
function wordsOf({ examples, lastText }: Scanned): string[] {
  return [...new Set([examples.get("text"), lastText].filter((word) => word !== undefined))];
}

/** Says which columns stay text for some words among their numbers, and what reads them as numbers. */
function wordsAmongNumbers(fields: readonly Field[], columns: readonly Scanned[]): string[] {
  const found = fields.flatMap(({ name, isNamed }, k) => {
    const { kinds, counts } = columns[k];
    const words = wordsOf(columns[k]);
    const { type } = settle(new Set([...kinds].filter((kind) => kind !== "text")));
    const cells = [...counts.values()].reduce((sum, each) => sum + each, 0);
    const isSpoilt = (type === "BIGINT" || type === "DOUBLE") && (counts.get("text") ?? 0) <= cells * mostWords;
    const areWords = words.length > 0 && words.every((word) => /^[^\d\p{C}]{1,20}$/u.test(word));
    return isSpoilt && areWords && !isNamed ? [{ name, words }] : [];
  });
  const alike = Map.groupBy(found, ({ words }) => JSON.stringify(words));
  return [...alike].map(([list, columns]) => {
    const one = columns.length === 1;
    return `input (DP_1): ${listed(columns.map(({ name }) => name))} stayed text, since words such as ${columns[0].words.map(quoted).join(" and ")} stand among ${one ? "its" : "their"} numbers; na_values: ${list} reads such cells as missing, and the others as numbers.`;
  });
}

/** Says which columns hold dates in a form that may mean two days, and stay text; a few words may stand among them. */
function otherDates(fields: readonly Field[], columns: readonly Scanned[]): string[] {
  return fields.flatMap(({ name, isNamed }, k) => {
    const { kinds, examples, counts } = columns[k];
    const areDates = [...kinds].every((kind) => kind === "other date" || kind === "text");
    const isMostly = (counts.get("other date") ?? 0) > (counts.get("text") ?? 0);
    if (isNamed || !areDates || !isMostly) return [];
    const words = wordsOf(columns[k]);
    const first = words.length > 0 ? `na_values: ${JSON.stringify(words)} and then ` : "";
    return `input (DP_1): ${listed([name])} holds dates such as ${quoted(examples.get("other date") ?? "")} and stayed text; ${first}astype({ columns: [${JSON.stringify(name)}], type: "datetime" }) reads them.`;
  });
}

/** How the caller says that numbers are written; undefined: not at all. */
function marksOf({ decimal, thousands }: IngestOptions): Marks | undefined {
  if (decimal === undefined && thousands === undefined) return undefined;
  const marks = { decimal: decimal ?? (thousands === "." ? "," : "."), thousands: thousands ?? "" };
  if (marks.decimal !== marks.thousands) return marks;
  throw new ArgsError(`input: decimal and thousands must differ, got ${quoted(marks.decimal)} for both.`, {
    path: "thousands",
    got: thousands,
  });
}
