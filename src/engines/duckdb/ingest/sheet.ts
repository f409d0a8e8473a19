import { DataError } from "../../../core/errors.ts";
import { missingTokens } from "../../../core/missing-tokens.ts";
import { count, listed, quoted, uniqueNames } from "../../../core/names.ts";
import type { RowSink } from "../../../core/rows.ts";
import type { IngestOptions, SheetForm, SourceFile } from "../../../core/tables.ts";
import type { Duck } from "../duck.ts";
import { writeRows } from "../rows.ts";
import { namedType } from "./csv-columns.ts";
import { findHeader, findTitle } from "./header.ts";
import { keptAsText } from "./long-numbers.ts";
import { heldAs, isHeldAs, MixedColumn, type ValueKind } from "./mixed.ts";
import { type Sheet, withSheet } from "./workbook.ts";
import { readXml } from "./xml.ts";

/** A cell's value, and what kind it is of. */
type Value = readonly [text: string, kind: ValueKind];

const mostColumns = 16_384;
const batchRows = 2048;
/** Rows by which a header is told from data. */
const headRows = 20;
/** Beyond this width a batch has fewer rows. */
const batchCells = 200_000;

/** Reads a sheet of an Excel workbook into a Parquet file at `path`; answers what is worth a notice, and how it is written. */
export async function readSheet(
  duck: Duck,
  source: SourceFile,
  options: IngestOptions,
  path: string,
  signal?: AbortSignal,
): Promise<{ readonly notices: readonly string[]; readonly form: SheetForm }> {
  return await withSheet(source, options.sheet, async (sheet) => {
    const reading = new SheetReading(sheet, source, options);
    await reading.measure();
    if (reading.width === 0) {
      throw new DataError(`input: sheet ${quoted(sheet.name)} of ${quoted(source.name)} is empty.`, {
        code: "empty_file",
      });
    }
    const holds = new Array<"text">(reading.width).fill("text");
    await writeRows(duck, holds, path, (sink) => reading.fill(sink, signal), signal);
    return { notices: reading.notices, form: { header: reading.hasHeader } };
  });
}

class SheetReading {
  readonly notices: string[] = [];
  width = 0;
  hasHeader = true;
  readonly #sheet: Sheet;
  readonly #source: SourceFile;
  readonly #options: IngestOptions;
  readonly #missing: ReadonlySet<string>;
  /** The first rows that are not blank, with their numbers. */
  readonly #head: { at: number; row: readonly (Value | null)[] }[] = [];
  /** What stands below the first of them. */
  readonly #below: MixedColumn[] = [];
  #merged = 0;
  #errors = 0;
  #blank = 0;

  constructor(sheet: Sheet, source: SourceFile, options: IngestOptions) {
    this.#sheet = sheet;
    this.#source = source;
    this.#options = options;
    this.#missing = new Set([...missingTokens, ...(options.naValues ?? [])]);
  }

  /** Finds how many columns there are, which shows only at the end, and the first row that is not blank. */
  async measure(): Promise<void> {
    await this.#rows((row, at) => {
      if (row.length > 0 && this.#head.length < headRows) this.#head.push({ at, row });
      this.width = Math.max(this.width, row.length);
      while (this.#below.length < this.width) this.#below.push(new MixedColumn());
      if (this.#head.length > 1) for (const [k, value] of row.entries()) if (value) this.#below[k].take(...value);
    });
    this.#errors = 0;
    this.#merged = 0;
  }

  /** Does the first row name the columns? */
  #findHeader(): boolean {
    const [{ row: first }, ...next] = this.#head;
    const text = (value: Value | null | undefined) => value?.[0] ?? "";
    const cell = (value: Value | null | undefined) => ({ text: text(value), isQuoted: false });
    const columns = this.#below.map((column, k) => ({
      first: cell(first[k]),
      fits: first[k] && column.isTyped() ? column.isTyped(first[k][1]) : null,
      next: next.map(({ row }) => cell(row[k])),
    }));
    const { header } = this.#options;
    const found = header === undefined ? findHeader(columns, this.#sheet.name) : { isHeader: header, notices: [] };
    this.notices.push(...found.notices);
    if (found.isHeader) {
      const lines = this.#head.map(({ at, row }) => ({ at, texts: columns.map((_, k) => text(row[k])) }));
      this.notices.push(...findTitle(lines, this.width, this.#sheet.name));
    }
    return found.isHeader;
  }

  async fill(sink: RowSink, signal?: AbortSignal) {
    const columns = Array.from({ length: this.width }, () => new MixedColumn());
    this.hasHeader = this.#findHeader();
    const raw = Array.from({ length: this.width }, (_, k) => (this.hasHeader ? this.#head[0].row[k]?.[0] : ""));
    const names = uniqueNames(raw);
    let batch: (string | null)[][] = columns.map(() => []);
    const send = async () => {
      if (batch[0].length > 0) await sink.append(batch);
      batch = columns.map(() => []);
    };
    const most = Math.max(1, Math.min(batchRows, Math.floor(batchCells / this.width)));
    let isHeader = this.hasHeader;
    await this.#rows(
      (row) => {
        if (row.length === 0) this.#blank++;
        else if (isHeader) isHeader = false;
        else for (const [k, column] of columns.entries()) batch[k].push(row[k] ? column.take(...row[k]) : null);
      },
      async () => {
        signal?.throwIfAborted();
        if (batch[0].length >= most) await send();
      },
    );
    await send();
    this.#say();
    return { outputs: await this.#outputs(sink, columns, names) };
  }

  /** Types as the values decide, or as the caller does; what disagrees with the caller is an error. */
  async #outputs(sink: RowSink, columns: readonly MixedColumn[], names: readonly string[]): Promise<string[]> {
    const types = columns.map((column) => (this.#options.asText ? "VARCHAR" : (column.type as string)));
    const named = Object.entries(this.#options.types ?? {}).map(([name, type]) => {
      const k = names.indexOf(name);
      if (k === -1) {
        throw new DataError(
          `input: types names column ${quoted(name)}, which the sheet does not have. Columns: ${listed(names)}.`,
        );
      }
      types[k] = namedType(type);
      return k;
    });
    const large = names.filter((_, k) => !named.includes(k) && columns[k].holdsLarge);
    this.notices.push(...large.map((name) => keptAsText(name)));
    const lost = await sink.count(named.map((k) => `c${k} IS NOT NULL AND NOT ${isHeldAs(`c${k}`, types[k])}`));
    const bad = lost.findIndex((n) => n > 0);
    if (bad !== -1) {
      const k = named[bad];
      throw new DataError(
        `input: column ${quoted(names[k])} has ${count(lost[bad], "cell")} that ${lost[bad] === 1 ? "is" : "are"} not ${types[k].toLowerCase()}.`,
        { got: lost[bad], expected: types[k] },
      );
    }
    return names.map((name, k) => heldAs(k, types[k], name));
  }

  #say(): void {
    const { name, others } = this.#sheet;
    const say = (what: string) => this.notices.push(`input (DP_1): ${what}.`);
    if (this.#options.sheet === undefined && others.length > 0)
      say(`read sheet ${quoted(name)}; there are others: ${listed(others)}`);
    if (this.#errors > 0) say(`${count(this.#errors, "cell")} held an Excel error such as #DIV/0!; now missing`);
    if (this.#merged > 0)
      say(
        `${count(this.#merged, "merged area")} ${this.#merged === 1 ? "has its value in its" : "have their values in their"} first cell alone, the others are missing; missing({ strategy: "ffill" }) fills downwards`,
      );
    if (this.#blank > 0) say(`${count(this.#blank, "blank row")} left out`);
  }

  /** Hands over row after row: cells by column, none where the row is blank. */
  async #rows(take: (row: (Value | null)[], at: number) => void, pause?: () => Promise<void>): Promise<void> {
    const { skipRows = 0 } = this.#options;
    let row: (Value | null)[] = [];
    let line = 0;
    let at = 0;
    let cell: { type: string; style: number; text: string } | null = null;
    let collecting = false;
    let inAid = false;
    await readXml(await this.#sheet.entry.stream(), {
      open: (name, attributes) => {
        if (name === "row") {
          row = [];
          at = 0;
          line = Number(attributes.r ?? line + 1);
        } else if (name === "mergeCell") {
          const last = /:\$?[A-Z]+\$?(\d+)$/i.exec(attributes.ref ?? "");
          if (last && Number(last[1]) > skipRows) this.#merged++;
        } else if (name === "c") {
          at = attributes.r === undefined ? at : this.#columnOf(attributes.r);
          cell = { type: attributes.t ?? "n", style: Number(attributes.s ?? -1), text: "" };
        } else if (name === "rPh") inAid = true;
        else if (name === "v" || name === "t") collecting = cell !== null;
      },
      text: (piece) => {
        if (collecting && cell && !inAid) cell.text += piece;
      },
      close: (name) => {
        if (name === "v" || name === "t") collecting = false;
        else if (name === "rPh") inAid = false;
        else if (name === "c" && cell) {
          const value = this.#value(cell);
          if (value) {
            while (row.length < at) row.push(null);
            row[at] = value;
          }
          at++;
          cell = null;
        } else if (name === "row" && line > skipRows) take(row, line);
      },
      ...(pause ? { pause } : {}),
    });
  }

  #value({ type, style, text }: { type: string; style: number; text: string }): Value | null {
    if (type === "e") {
      if (text !== "" && text !== "#N/A") this.#errors++;
      return null;
    }
    if (type === "b") return [text === "1" ? "true" : "false", "boolean"];
    if (type === "d") return [text.replace("T", " "), text.includes("T") ? "datetime" : "date"];
    if (type === "n") return text === "" ? null : this.#number(text.trim(), style);
    const words = type === "s" ? this.#sheet.strings[Number(text)] : text;
    if (words === undefined || this.#missing.has(words)) return null;
    // Control characters that XML can't hold are written as _x000D_.
    return [
      words.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
      "text",
    ];
  }

  #number(text: string, style: number): Value | null {
    const value = Number(text);
    if (!Number.isFinite(value)) return null;
    if (this.#sheet.dateStyles.has(style)) return dateOf(value, this.#sheet.from1904);
    // Other programs write more digits than Excel's 15, which a double would round.
    if (/^-?\d{16,}$/.test(text) && !Number.isSafeInteger(value))
      return [text, BigInt.asIntN(64, BigInt(text)) === BigInt(text) ? "integer" : "large"];
    return [String(value), Number.isSafeInteger(value) ? "integer" : "real"];
  }

  #columnOf(reference: string): number {
    let column = 0;
    for (const letter of /^[A-Z]{1,3}/i.exec(reference)?.[0].toUpperCase() ?? "")
      column = column * 26 + letter.charCodeAt(0) - 64;
    if (column >= 1 && column <= mostColumns) return column - 1;
    throw new DataError(
      `input: ${quoted(this.#source.name)} is a damaged workbook: it has a cell at ${quoted(reference.slice(0, 20))}.`,
      { code: "bad_xlsx" },
    );
  }
}

/** Days since 1899-12-30 as a date; Excel takes 1900 for a leap year, so earlier days are one off. */
function dateOf(serial: number, from1904: boolean): Value {
  const time = (ms: number) => new Date(ms).toISOString().slice(0, 23).replace("T", " ").replace(".000", "");
  if (serial >= 0 && serial < 1 && !from1904) return [time(Math.round(serial * 86_400_000)).slice(11), "text"];
  const days = from1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial;
  const ms = Math.round((days - 25_569) * 86_400_000);
  if (Math.abs(ms) > 8e15) return [String(serial), "real"];
  return ms % 86_400_000 === 0 ? [time(ms).slice(0, 10), "date"] : [time(ms), "datetime"];
}
