import { DataError, messageOf } from "../../../core/errors.ts";
import { missingTokens } from "../../../core/missing-tokens.ts";
import { count, listed, quoted } from "../../../core/names.ts";
import type { IngestOptions, SourceFile } from "../../../core/tables.ts";
import { literal, quote } from "../../sql.ts";
import { type Duck, isShortage } from "../duck.ts";
import { nanMissing } from "../read/cells.ts";
import { namedType } from "./csv-columns.ts";
import { isNumberText, isWholeText } from "./long-numbers.ts";

/** A column of a file whose cells have types of their own, as those of JSON, Parquet and Arrow. */
export interface TypedField {
  readonly name: string;
  /** SQL for its cell as the file's reader gives it, in the type `has`. */
  readonly cell: string;
  readonly has: string;
  /** The type that it becomes. */
  readonly type: string;
  /** Texts that count as missing in it. */
  readonly missing: readonly string[];
}

/** The type that the caller names for a column; undefined where it is left to the file. */
export function askedType(name: string, { types = {}, asText }: IngestOptions): string | undefined {
  if (asText) return "VARCHAR";
  return Object.hasOwn(types, name) ? namedType(types[name]) : undefined;
}

/** Refuses named types of columns that the file does not have. */
export function refuseUnknown(names: readonly string[], { types = {} }: IngestOptions): void {
  const unknown = Object.keys(types).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new DataError(
    `input: types names column ${quoted(unknown)}, which the file does not have. Columns: ${listed(names)}.`,
  );
}

/** The SELECT that reads the fields from what the file's reader gives. */
export function typedSelect(fields: readonly TypedField[], from: string): string {
  const cells = fields.map((field, k) => `${presentCell(field)} AS c${k}`);
  const outputs = fields.map((field, k) => `${fieldValue(field, k)} AS ${quote(field.name)}`);
  return `SELECT ${outputs.join(", ")} FROM (SELECT ${cells.join(", ")} FROM ${from})`;
}

/** A cell, missing where it is one of the texts that count as such; numbers are compared as numbers. */
function presentCell({ cell, has, missing }: TypedField): string {
  const isText = has === "VARCHAR";
  const known = missing.flatMap((token) => {
    if (isText) return [literal(token)];
    return isNumber(has) && token.trim() !== "" && Number.isFinite(Number(token)) ? [String(Number(token))] : [];
  });
  if (known.length === 0) return cell;
  // IN would become a join, which loses the rows' order.
  return `CASE ${known.map((token) => `WHEN ${cell} = ${token} THEN NULL`).join(" ")} ELSE ${cell} END`;
}

function isNumber(duckType: string): boolean {
  return /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*)$/.test(duckType);
}

/** A cell that its column can't take stops the reading with this message. */
export const unfit = /blocklab: column (\d+) holds ([\s\S]*)/;

function fieldValue({ has, type }: TypedField, k: number): string {
  const cell = `c${k}`;
  const refuse = `WHEN ${cell} IS NOT NULL THEN error('blocklab: column ${k} holds ' || ${cell})`;
  if (type === "DOUBLE" && has === "VARCHAR") {
    return nanMissing(`CASE WHEN ${isNumberText(cell)} THEN CAST(${cell} AS DOUBLE) ${refuse} END`);
  }
  if (type === "DOUBLE") return nanMissing(has === type ? cell : `CAST(${cell} AS DOUBLE)`);
  if (has === type) return cell;
  if (has === "VARCHAR" && type === "BOOLEAN") {
    return `CASE WHEN lower(${cell}) = 'true' THEN TRUE WHEN lower(${cell}) = 'false' THEN FALSE ${refuse} END`;
  }
  if (has === "VARCHAR" && type === "BIGINT") {
    // Digits alone are told in half the time that the expression takes. The cast by itself would round 2.5.
    const digits = `strlen(${cell}) BETWEEN 1 AND 18 AND NOT (${cell} GLOB '*[!0-9]*')`;
    const whole = `TRY_CAST(${cell} AS BIGINT) IS NOT NULL AND ${isWholeText(cell)}`;
    return `CASE WHEN ${digits} THEN CAST(${cell} AS BIGINT) WHEN ${whole} THEN TRY_CAST(${cell} AS BIGINT) ${refuse} END`;
  }
  if (type === "BIGINT" && /^(FLOAT|DOUBLE|DECIMAL.*)$/.test(has)) {
    const isWhole = `${cell} = trunc(${cell}) AND abs(${cell}) < 9223372036854775808`;
    return `CASE WHEN isnan(CAST(${cell} AS DOUBLE)) THEN NULL WHEN ${isWhole} THEN CAST(${cell} AS BIGINT) ${refuse} END`;
  }
  return `CAST(${cell} AS ${type})`;
}

/** A sentence for a file that can't be read. */
export function explainUnreadable(
  error: unknown,
  source: SourceFile,
  kind: "json" | "parquet" | "arrow",
  fields: readonly TypedField[],
): unknown {
  if (error instanceof DataError || (error instanceof Error && error.name === "CancelledError") || isShortage(error))
    return error;
  const message = messageOf(error);
  const strict = unfit.exec(message);
  const field = strict && fields[Number(strict[1])];
  const reason = field
    ? `column ${quoted(field.name)} has ${quoted(strict[2])}, which is not ${field.type.toLowerCase()}`
    : message
        .split("\n", 1)[0]
        .replace(/^.*?Error: /, "")
        .replaceAll(source.path, source.name);
  return new DataError(
    `input: ${quoted(source.name)} can't be read as ${kind}: ${reason.replace(/\.?$/, ".")}`,
    { code: `bad_${kind}` },
    { cause: error },
  );
}

/** Words that stand for a missing cell in a file without types of its own. */
const words = missingTokens.filter((token) => token !== "");

/**
 * Says which columns of text hold words that mean a missing cell elsewhere.
 *
 * JSON, Parquet and Arrow have a missing cell of their own, so there "NA" is a text like any other: Namibia, or no garage.
 */
export async function noticeWords(
  duck: Duck,
  path: string,
  fields: readonly TypedField[],
  kind: "JSON" | "Parquet" | "Arrow",
  signal?: AbortSignal,
): Promise<string[]> {
  const texts = fields.filter(({ type }) => type === "VARCHAR");
  if (texts.length === 0) return [];
  const longest = Math.max(...words.map((word) => word.length));
  const tokens = words.map(literal).join(", ");
  const counts = texts.map(({ name }) => {
    const cell = quote(name);
    const held = `strlen(${cell}) <= ${longest} AND ${cell} IN (${tokens})`;
    return `count(*) FILTER (WHERE ${held}), any_value(${cell}) FILTER (WHERE ${held})`;
  });
  const text = `SELECT ${counts.join(", ")} FROM read_parquet(${literal(path)})`;
  const [row] = await duck.use(async (connection) => (await connection.runAndReadAll(text)).getRows(), signal);
  const found = texts.flatMap(({ name }, k) => {
    const n = Number(row[2 * k]);
    return n === 0 ? [] : [{ name, n, word: String(row[2 * k + 1]) }];
  });
  return found.slice(0, 5).map(({ name, n, word }, k) => {
    const more = k === 4 && found.length > 5 ? ` So it is in ${count(found.length - 5, "other column")}.` : "";
    return `input (DP_1): column ${listed([name])} holds ${quoted(word)} in ${count(n, "cell")}, which is text in ${kind}; na_values: [${quoted(word)}] reads it as missing.${more}`;
  });
}
