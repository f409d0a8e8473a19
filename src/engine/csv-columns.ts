import { DataError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import { literal } from "../core/sql.ts";
import { nanMissing } from "./cells.ts";
import { SqlFailure } from "./duck.ts";

/** Cells that count as missing, besides what the caller names. */
export const missingTokens = ["", "NA", "N/A", "NaN", "null", "NULL", "None", "#N/A"];

/** A column of a file, and the SQL type that its cells become. */
export interface Field {
  readonly name: string;
  type: string;
}

/** A cell that a strict column can't take stops the reading with this message. */
export const unfit = /^Invalid Input Error: blocklab: column (\d+) holds ([\s\S]*)/;

/** What a cell did not fit, by an error that says so: its column, and the cell as it stands; null when it is about something else. */
export function unfitCell(error: unknown): { readonly at: number; readonly cell: string | undefined } | null {
  if (!(error instanceof SqlFailure)) return null;
  const strict = unfit.exec(error.message);
  if (strict) return { at: Number(strict[1]), cell: strict[2] };
  const converted = /Error when converting column "c(\d+)"/.exec(error.message);
  return converted && { at: Number(converted[1]), cell: unconverted(error.message)?.cell };
}

/** The cell that DuckDB could not convert, by its message, and the type it was to have. */
export function unconverted(message: string): { readonly cell: string; readonly type: string } | null {
  const [start, end] = ['Could not convert string "', '" to '];
  const from = message.indexOf(start) + start.length;
  const to = message.indexOf(end, from);
  if (from < start.length || to < 0) return null;
  const type = /^'?"?([\w ]+)/.exec(message.slice(to + end.length))?.[1] ?? "";
  return { cell: message.slice(from, to), type: type.toLowerCase() };
}

/** DuckDB would round 2.5 to an integer, read 0x10 as 16, and take yes for true; those types are checked here. */
export function isStrict({ type }: Field): boolean {
  return type === "BOOLEAN" || type === "BIGINT";
}

/** Has a column quicker SQL for files of many rows, which takes longer to plan? */
export function hasQuickForm({ type }: Field): boolean {
  return type === "VARCHAR" || type === "BIGINT";
}

/** SQL for the value of a column's cell. In its quick form a text is compared here with the tokens that count as missing. */
export function outputOf({ type }: Field, k: number, isQuick: boolean): string {
  const from = `c${k}`;
  const refuse = `WHEN ${from} IS NOT NULL THEN error('blocklab: column ${k} holds ' || ${from})`;
  if (type === "DOUBLE") return nanMissing(from);
  if (type === "TIMESTAMPTZ") return `make_timestamp(epoch_us(${from}))`;
  if (type === "BOOLEAN") {
    return `CASE WHEN lower(${from}) = 'true' THEN TRUE WHEN lower(${from}) = 'false' THEN FALSE ${refuse} END`;
  }
  if (type === "VARCHAR" && isQuick) return missingText(from);
  if (type !== "BIGINT") return from;
  const cast = `THEN CAST(${from} AS BIGINT)`;
  // Digits alone are told in half the time that the expression takes, which knows all that surely fits into 64 bits.
  const digits = `WHEN strlen(${from}) BETWEEN 1 AND 18 AND NOT (${from} GLOB '*[!0-9]*') ${cast}`;
  const whole = `WHEN regexp_full_match(${from}, '\\s*-?([0-9]{1,18}|[0-8][0-9]{18})\\s*') ${cast}`;
  return `CASE ${isQuick ? digits : ""} ${whole} ${refuse} END`;
}

function missingText(from: string): string {
  const longest = Math.max(...missingTokens.map((token) => token.length));
  const missing = missingTokens.map((token) => `WHEN ${from} = ${literal(token)} THEN NULL`).join(" ");
  // Most texts are longer, which is quickly told. IN would become a join, which loses the rows' order.
  return `CASE WHEN strlen(${from}) > ${longest} THEN ${from} ${missing} ELSE ${from} END`;
}

/** The DuckDB type that a caller's word means. */
export function namedType(type: string): string {
  const known: Record<string, string> = {
    int: "BIGINT",
    integer: "BIGINT",
    number: "DOUBLE",
    float: "DOUBLE",
    bool: "BOOLEAN",
    boolean: "BOOLEAN",
    datetime: "TIMESTAMP",
    date: "DATE",
    str: "VARCHAR",
    string: "VARCHAR",
    text: "VARCHAR",
    category: "VARCHAR",
  };
  const found = known[type.trim().toLowerCase()];
  if (found) return found;
  throw new DataError(`input: types knows int, number, bool, datetime, date and string, got ${quoted(type)}.`);
}
