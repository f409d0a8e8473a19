import { DataError, messageOf } from "../core/errors.ts";
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

/** The column that an error says a cell did not fit; null when it is about something else. */
export function unfitColumn(error: unknown): number | null {
  if (!(error instanceof SqlFailure)) return null;
  const found = unfit.exec(error.message) ?? /Error when converting column "c(\d+)"/.exec(error.message);
  return found && Number(found[1]);
}

/** Is a token that counts as missing what a column could not take? */
export function isMissingToken(error: unknown): boolean {
  if (unfitColumn(error) === null) return false;
  const message = messageOf(error);
  const cell = unfit.exec(message)?.[2] ?? /Could not convert string "(.*?)" to/.exec(message)?.[1];
  return cell !== undefined && missingTokens.includes(cell);
}

/** A text, missing where it is a token that counts as such. */
export function missingText(from: string): string {
  const longest = Math.max(...missingTokens.map((token) => token.length));
  const missing = missingTokens.map((token) => `WHEN ${from} = ${literal(token)} THEN NULL`).join(" ");
  // Most texts are longer, which is quickly told. IN would become a join, which loses the rows' order.
  return `CASE WHEN strlen(${from}) > ${longest} THEN ${from} ${missing} ELSE ${from} END`;
}

/** DuckDB would round 2.5 to an integer, read 0x10 as 16, and take yes for true; those types are checked here. */
export function isStrict({ type }: Field): boolean {
  return type === "BOOLEAN" || type === "BIGINT";
}

/** SQL for the value of a column's cell. */
export function outputOf(field: Field, k: number): string {
  const from = `c${k}`;
  const refuse = `WHEN ${from} IS NOT NULL THEN error('blocklab: column ${k} holds ' || ${from})`;
  if (field.type === "DOUBLE") return nanMissing(from);
  if (field.type === "TIMESTAMPTZ") return `make_timestamp(epoch_us(${from}))`;
  if (field.type === "BOOLEAN") {
    return `CASE WHEN lower(${from}) = 'true' THEN TRUE WHEN lower(${from}) = 'false' THEN FALSE ${refuse} END`;
  }
  if (field.type !== "BIGINT") return from;
  // Digits alone are told in half the time that the expression takes, which knows all that surely fits into 64 bits.
  const digits = `strlen(${from}) BETWEEN 1 AND 18 AND NOT (${from} GLOB '*[!0-9]*')`;
  const whole = `regexp_full_match(${from}, '\\s*-?([0-9]{1,18}|[0-8][0-9]{18})\\s*')`;
  const cast = `THEN CAST(${from} AS BIGINT)`;
  return `CASE WHEN ${digits} ${cast} WHEN ${whole} ${cast} ${refuse} END`;
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
