import { DataError } from "../core/errors.ts";
import { count, listed, quoted, uniqueNames } from "../core/names.ts";
import type { RowSink } from "../core/rows.ts";
import type { IngestOptions, SourceFile } from "../core/tables.ts";
import { missingTokens, namedType } from "./csv-columns.ts";
import type { Duck } from "./duck.ts";
import { heldAs, MixedColumn, type ValueKind } from "./mixed.ts";
import { writeRows } from "./rows.ts";
import { type Sheet, withSheet } from "./workbook.ts";
import { readXml } from "./xml.ts";

/** A cell's value, and what kind it is of. */
type Value = readonly [text: string, kind: ValueKind];

const mostColumns = 16_384;
const batchRows = 2048;
/** Beyond this width a batch has fewer rows. */
const batchCells = 200_000;

/** Reads a sheet of an Excel workbook into a Parquet file at `path`; answers what is worth a notice. */
export async function readSheet(
  duck: Duck,
  source: SourceFile,
  options: IngestOptions,
  path: string,
  signal?: AbortSignal,
): Promise<string[]> {
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
    return reading.notices;
  });
}

class SheetReading {
  readonly notices: string[] = [];
  width = 0;
  readonly #sheet: Sheet;
  readonly #source: SourceFile;
  readonly #options: IngestOptions;
  readonly #missing: ReadonlySet<string>;
  #first: readonly (Value | null)[] = [];
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
    await this.#rows((row) => {
      if (row.length > 0 && this.#first.length === 0) this.#first = row;
      this.width = Math.max(this.width, row.length);
    });
    this.#errors = 0;
    this.#blank = 0;
  }

  async fill(sink: RowSink, signal?: AbortSignal) {
    const columns = Array.from({ length: this.width }, () => new MixedColumn());
    const hasHeader = this.#options.header ?? this.#first.every((cell) => cell === null || cell[1] === "text");
    const raw = Array.from({ length: this.width }, (_, k) => (hasHeader ? this.#first[k]?.[0] : ""));
    const names = uniqueNames(raw);
    let batch: (string | null)[][] = columns.map(() => []);
    const send = async () => {
      if (batch[0].length > 0) await sink.append(batch);
      batch = columns.map(() => []);
    };
    const most = Math.max(1, Math.min(batchRows, Math.floor(batchCells / this.width)));
    let isHeader = hasHeader;
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
    const lost = await sink.count(named.map((k) => `c${k} IS NOT NULL AND TRY_CAST(c${k} AS ${types[k]}) IS NULL`));
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
    if (this.#blank > 0) say(`${count(this.#blank, "blank row")} left out`);
  }

  /** Hands over row after row: cells by column, none where the row is blank. */
  async #rows(take: (row: (Value | null)[]) => void, pause?: () => Promise<void>): Promise<void> {
    let row: (Value | null)[] = [];
    let at = 0;
    let cell: { type: string; style: number; text: string } | null = null;
    let collecting = false;
    let inAid = false;
    await readXml(await this.#sheet.entry.stream(), {
      open: (name, attributes) => {
        if (name === "row") {
          row = [];
          at = 0;
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
        } else if (name === "row") take(row);
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
    if (type === "n") return text === "" ? null : this.#number(Number(text), style);
    const words = type === "s" ? this.#sheet.strings[Number(text)] : text;
    if (words === undefined || this.#missing.has(words)) return null;
    // Control characters that XML can't hold are written as _x000D_.
    return [
      words.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
      "text",
    ];
  }

  #number(value: number, style: number): Value | null {
    if (!Number.isFinite(value)) return null;
    if (this.#sheet.dateStyles.has(style)) return dateOf(value, this.#sheet.from1904);
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
