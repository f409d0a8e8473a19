import { DataError } from "../../../core/errors.ts";
import { missingTokens } from "../../../core/missing-tokens.ts";
import { quoted } from "../../../core/names.ts";
import { type Marks, markedReal, markedWhole, markLetters } from "../../../core/number-marks.ts";
import { literal } from "../../sql.ts";
import { SqlFailure } from "../duck.ts";
import { isNumberText } from "./long-numbers.ts";

/** What the cells of a column become; UNKNOWN as long as all that were seen are missing. */
export type FieldType = "BIGINT" | "DOUBLE" | "BOOLEAN" | "DATE" | "TIMESTAMP" | "VARCHAR" | "UNKNOWN";

/** A column of a file. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** How its numbers are written, where that is not 1234.5. */
  readonly marks?: Marks;
  /** The caller named the type: a leading zero means nothing, and what can't be read is an error. */
  readonly isNamed?: boolean;
}

/** A cell that its column can't take stops the reading with this message. */
const unfit = /blocklab: column (\d+) holds ([\s\S]*)/;

/** What a cell did not fit, by an error that says so; null when it is about something else. Its column may be unknown. */
export function unfitCell(error: unknown): { readonly at?: number; readonly cell: string } | null {
  if (!(error instanceof SqlFailure)) return null;
  const strict = unfit.exec(error.message);
  if (strict) return { at: Number(strict[1]), cell: strict[2] };
  return unconverted(error.message);
}

/** The cell that DuckDB could not convert, by its message. */
export function unconverted(message: string): { readonly cell: string } | null {
  const [start, end] = ["Could not convert string '", "' to "];
  const from = message.indexOf(start) + start.length;
  const to = message.indexOf(end, from);
  return from < start.length || to < 0 ? null : { cell: message.slice(from, to) };
}

/** Could the cell be missing, or a number that only `hasOddNumbers` takes? */
export function isOddOrMissing(cell: string): boolean {
  return missingTokens.includes(cell) || /^\s*[-+]?(nan|inf|infinity|[\d.]+(e[-+]?\d+)?)\s*$/i.test(cell);
}

/** A date as ISO 8601 writes it; months and days may lack their zeros. */
const isoDate = "\\d{4}-\\d{1,2}-\\d{1,2}";

/** The same, then a time with or without its distance from UTC. */
const isoTime = "\\d{4}-\\d{2}-\\d{2}([T ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}(:?\\d{2})?)?)?";

/** Dates as people write them elsewhere: 19.09.2022, 9/19/22, 5-Jan-2020, 2022/09/19, with a time or without. */
const otherDate =
  "(\\d{1,2}[/-]\\d{1,2}[/-](\\d{4}|\\d{2})|\\d{1,2}\\.\\d{1,2}\\.\\d{4}|\\d{1,2}[ -][A-Za-z]{3,9}[ -]\\d{4}|\\d{4}/\\d{1,2}/\\d{1,2})([ ,T]+\\d{1,2}:\\d{2}(:\\d{2})?( ?[APap][Mm])?)?";

const infinite = "(?i:\\s*[-+]?(inf|infinity)\\s*)";
const nan = "(?i:\\s*[-+]?nan\\s*)";

/**
 * Digits that are a number.
 *
 * 007 is a code. +4915112345678 is a telephone's, +1 a number.
 */
const digits = "(-[0-9]+|0|[1-9][0-9]*|\\+(0|[1-9][0-9]{0,6}))";
const whole = `\\s*${digits}\\s*`;
const real = `\\s*(${digits}(\\.[0-9]*)?|[-+]?\\.[0-9]+)([eE][-+]?[0-9]+)?\\s*|${infinite}`;

/** 1.234: a real number, or thousands. */
const onePoint = "\\s*[-+]?[1-9][0-9]{0,2}\\.[0-9]{3}\\s*";

/** Numbers with commas or several points, by the kind of cell that they are; the first that fits. */
const grouped = {
  "one comma": "\\s*[-+]?[1-9][0-9]{0,2},[0-9]{3}\\s*",
  "decimal comma": "\\s*[-+]?(0|[1-9][0-9]*|[1-9][0-9]{0,2}(\\.[0-9]{3})+),[0-9]+\\s*",
  "comma groups": "\\s*[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+\\s*",
  "comma groups, real": "\\s*[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+\\.[0-9]*\\s*",
  "point groups": "\\s*[-+]?[1-9][0-9]{0,2}(\\.[0-9]{3}){2,}\\s*",
} as const;

/** What a cell looks like by itself. "large" are digits that 64 bits can't hold. */
export type CellKind =
  | "whole"
  | "large"
  | "real"
  | "one point"
  | keyof typeof grouped
  | "boolean"
  | "date"
  | "time"
  | "other date"
  | "text";

const matches = (cell: string, pattern: string) => `regexp_full_match(${cell}, ${literal(pattern)})`;

/**
 * SQL that is false only for cells of which DuckDB's own cast knows rightly whether they are numbers.
 *
 * It takes 007 and 1_000 for numbers. Comparing with the first letters costs a fraction of an expression.
 */
function isOdd(cell: string, mayHaveUnderscores = true): string {
  const beginnings = `(${cell} >= '00' AND ${cell} < '0:') OR ${cell} < '-' OR ${cell} > ':' OR (${cell} >= '-:' AND ${cell} < '.')`;
  return mayHaveUnderscores ? `${beginnings} OR contains(${cell}, '_')` : beginnings;
}

/** SQL for the kind of a cell, NULL where it is missing; `marks`: how the caller says that numbers are written. */
export function kindOf(cell: string, marks?: Marks): string {
  const isReal = `CASE WHEN ${isOdd(cell)} THEN ${matches(cell, `${real}|${nan}`)} ELSE TRY_CAST(${cell} AS DOUBLE) IS NOT NULL END`;
  const wholeKind = (value: string) => `CASE WHEN TRY_CAST(${value} AS BIGINT) IS NULL THEN 'large' ELSE 'whole' END`;
  const numbers = marks
    ? [
        `WHEN ${matches(cell, markedWhole(marks))} THEN ${wholeKind(spelled(cell, marks))}`,
        `WHEN ${matches(cell, `${markedReal(marks)}|${infinite}|${nan}`)} THEN 'real'`,
      ]
    : [
        `WHEN ${isReal} THEN CASE WHEN ${matches(cell, whole)} THEN ${wholeKind(cell)} WHEN ${matches(cell, onePoint)} THEN 'one point' ELSE 'real' END`,
      ];
  const groups = (marks ? [] : Object.entries(grouped)).map(
    ([kind, pattern]) => `WHEN ${matches(cell, pattern)} THEN ${literal(kind)}`,
  );
  return `CASE WHEN ${cell} IS NULL THEN NULL
WHEN ${cell} > ':' THEN CASE WHEN strlen(${cell}) > 10 THEN 'text' WHEN ${matches(cell, "(?i:true|false)")} THEN 'boolean' WHEN ${matches(cell, `${infinite}|${nan}`)} THEN 'real' ELSE 'text' END
WHEN ${cell} LIKE '____-_%-_%' THEN CASE WHEN ${matches(cell, isoDate)} AND TRY_CAST(${cell} AS DATE) IS NOT NULL THEN 'date' WHEN ${matches(cell, isoTime)} AND TRY_CAST(${cell} AS TIMESTAMPTZ) IS NOT NULL THEN 'time' ELSE 'text' END
${[...numbers, ...groups].join("\n")}
WHEN ${matches(cell, otherDate)} THEN 'other date'
ELSE 'text' END`;
}

/** The kind of a cell where it is told by its letters, as `kindOf` tells it without `marks`; else undefined. */
export function plainKind(cell: string): CellKind | undefined {
  if (cell > ":") return /^(true|false|inf|infinity|nan)\s*$/i.test(cell) ? undefined : "text";
  if (/^-?(0|[1-9]\d{0,14})$/.test(cell)) return "whole";
  if (/^-?[1-9]\d{0,2}\.\d{3}$/.test(cell)) return "one point";
  return /^-?(0|[1-9]\d{0,14})\.\d{1,15}$/.test(cell) ? "real" : undefined;
}

/** What a column's kinds of cells come to. */
export interface Settled {
  readonly type: FieldType;
  readonly marks?: Marks;
  /** Why it stays text, though its cells are numbers. */
  readonly doubt?: "large" | "one comma" | "one point";
}

/** The type that takes all of a column's cells; `isEuropean`: other columns of the file have decimal commas. */
export function settle(kinds: ReadonlySet<CellKind>, isEuropean = false): Settled {
  const only = (...allowed: CellKind[]) => [...kinds].every((kind) => allowed.includes(kind));
  const some = (...wanted: CellKind[]) => wanted.some((kind) => kinds.has(kind));
  if (kinds.size === 0) return { type: "UNKNOWN" };
  if (only("whole")) return { type: "BIGINT" };
  if (only("whole", "large")) return { type: "VARCHAR", doubt: "large" };
  if (isEuropean && only("whole", "one point")) return { type: "VARCHAR", doubt: "one point" };
  if (only("whole", "large", "real", "one point")) return { type: "DOUBLE" };
  if (only("boolean")) return { type: "BOOLEAN" };
  if (only("date")) return { type: "DATE" };
  if (only("date", "time")) return { type: "TIMESTAMP" };
  if (
    only("whole", "one comma", "one point", "decimal comma", "point groups") &&
    some("decimal comma", "point groups")
  ) {
    return {
      type: some("decimal comma", "one comma") ? "DOUBLE" : "BIGINT",
      marks: { decimal: ",", thousands: "." },
    };
  }
  if (
    only("whole", "real", "one comma", "one point", "comma groups", "comma groups, real") &&
    (some("comma groups", "comma groups, real") || (some("one comma") && some("real")))
  ) {
    return {
      type: some("real", "one point", "comma groups, real") ? "DOUBLE" : "BIGINT",
      marks: { decimal: ".", thousands: "," },
    };
  }
  if (only("whole", "one comma", "one point")) return { type: "VARCHAR", doubt: "one comma" };
  return { type: "VARCHAR" };
}

/** DuckDB takes longer to plan the quick SQL of a column of this type than the short one. */
export function hasQuickForm({ type }: Field): boolean {
  return type === "VARCHAR" || type === "BIGINT";
}

/** What is known of a file for the SQL of its columns. */
export interface FileTraits {
  /** It has many rows: longer SQL pays that looks at most cells more briefly, and compares texts with the tokens that count as missing. */
  readonly isQuick: boolean;
  /** It may have underscores behind its first line. */
  readonly mayHaveUnderscores: boolean;
  /** Numbers such as +1, " 7" or nan stand among its real numbers. */
  readonly hasOddNumbers: boolean;
}

/** SQL for the value of a column's cell. */
export function outputOf(field: Field, k: number, traits: FileTraits): string {
  const { type, marks, isNamed } = field;
  const cell = `c${k}`;
  const refuse = `error('blocklab: column ${k} holds ' || ${cell})`;
  const orRefuse = (value: string) => `coalesce(${value}, ${refuse})`;
  switch (type) {
    case "UNKNOWN":
      return `CAST(${refuse} AS DOUBLE)`;
    case "DOUBLE": {
      const checked = (isNumber: string, value = cell) =>
        `CASE WHEN ${matches(cell, nan)} THEN NULL WHEN ${isNumber} THEN CAST(${value} AS DOUBLE) ELSE CAST(${refuse} AS DOUBLE) END`;
      if (marks) return checked(matches(cell, `${markedReal(marks)}|${infinite}`), spelled(cell, marks));
      if (isNamed) return checked(isNumberText(cell));
      const odd = traits.hasOddNumbers ? checked(matches(cell, real)) : `CAST(${refuse} AS DOUBLE)`;
      return `CASE WHEN ${isOdd(cell, traits.mayHaveUnderscores)} THEN ${odd} ELSE CAST(${cell} AS DOUBLE) END`;
    }
    case "BIGINT": {
      if (marks) return orRefuse(whenMatches(cell, markedWhole(marks), `TRY_CAST(${spelled(cell, marks)} AS BIGINT)`));
      // Digits alone are told in half the time that the expression takes.
      const quick = `WHEN strlen(${cell}) BETWEEN 1 AND 18 AND (${cell} >= '1' OR ${cell} = '0') AND NOT (${cell} GLOB '*[!0-9]*') THEN CAST(${cell} AS BIGINT)`;
      const pattern = isNamed ? "\\s*[-+]?[0-9]+\\s*" : whole;
      return orRefuse(
        `CASE ${traits.isQuick ? quick : ""} WHEN ${matches(cell, pattern)} THEN TRY_CAST(${cell} AS BIGINT) END`,
      );
    }
    case "BOOLEAN":
      return `CASE WHEN lower(${cell}) = 'true' THEN TRUE WHEN lower(${cell}) = 'false' THEN FALSE ELSE ${refuse} END`;
    case "DATE":
      return orRefuse(whenMatches(cell, isoDate, `TRY_CAST(${cell} AS DATE)`));
    case "TIMESTAMP": {
      const value = `make_timestamp(epoch_us(TRY_CAST(${cell} AS TIMESTAMPTZ)))`;
      return orRefuse(isNamed ? value : whenMatches(cell, `${isoTime}|${isoDate}`, value));
    }
    case "VARCHAR":
      return traits.isQuick ? missingText(cell) : cell;
  }
}

function whenMatches(cell: string, pattern: string, value: string): string {
  return `CASE WHEN ${matches(cell, pattern)} THEN ${value} END`;
}

/** SQL for the cell as 1234.5. */
function spelled(cell: string, marks: Marks): string {
  return `translate(${cell}, ${literal(markLetters(marks))}, '.')`;
}

function missingText(cell: string): string {
  const longest = Math.max(...missingTokens.map((token) => token.length));
  const missing = missingTokens.map((token) => `WHEN ${cell} = ${literal(token)} THEN NULL`).join(" ");
  // Most texts are longer, which is quickly told. IN would become a join, which loses the rows' order.
  return `CASE WHEN strlen(${cell}) > ${longest} THEN ${cell} ${missing} ELSE ${cell} END`;
}

/** The type that a caller's word means. */
export function namedType(type: string): FieldType {
  const known: Record<string, FieldType> = {
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
  const word = type.trim().toLowerCase();
  if (Object.hasOwn(known, word)) return known[word];
  throw new DataError(`input: types knows int, number, bool, datetime, date and string, got ${quoted(type)}.`);
}
