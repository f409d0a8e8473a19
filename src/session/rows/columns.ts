import type { GivenColumn, GivenValues } from "../../client/arrow-file.ts";
import type { NumberArray } from "../../core/column-values.ts";
import { ArgsError } from "../../core/errors.ts";
import { missingTokens } from "../../core/missing-tokens.ts";
import { count, listed, quoted } from "../../core/names.ts";

/** Values of a program as columns, and what is worth saying of them. */
export interface Given {
  readonly columns: readonly GivenColumn[];
  readonly rows: number;
  readonly remarks: readonly string[];
  /** All of them came as lists, not as typed arrays, which say their type themselves. */
  readonly isPlain: boolean;
}

/** Values before their type is known. */
export interface RawColumn {
  readonly name: string;
  readonly values: readonly unknown[] | NumberArray;
}

/** Columns with the types that JSON of the same values would have. */
export function typed(raw: readonly RawColumn[]): Given {
  const rows = raw[0]?.values.length ?? 0;
  const other = raw.find(({ values }) => values.length !== rows);
  if (other) {
    throw new ArgsError(
      `input (DP_1): columns must be of one length, but ${quoted(raw[0].name)} has ${count(rows, "value")} and ${quoted(other.name)} ${other.values.length.toLocaleString("en-US")}.`,
      { path: "dburl" },
    );
  }
  const remarks: string[] = [];
  const columns = raw.map(({ name, values }) => ({ name, values: valuesOf(name, values, remarks) }));
  return { columns, rows, remarks, isPlain: raw.every(({ values }) => Array.isArray(values)) };
}

/** What kinds of values a column has, as bits. */
const isWhole = 1;
const isFraction = 2;
const isBig = 4;
const isTruth = 8;
const isText = 16;
const isMoment = 32;
const isNested = 64;
const isNan = 128;

const numbers = isWhole | isFraction | isBig | isNan;

function valuesOf(name: string, given: RawColumn["values"], remarks: string[]): GivenValues {
  if (!Array.isArray(given)) return numbersOf(given as NumberArray);
  const { kinds, values } = looked(name, given);
  if ((kinds & ~numbers) === 0) return kinds === 0 ? texts(values) : plainNumbers(name, values, kinds, remarks);
  if (kinds === isTruth) return { kind: "truths", items: values as (boolean | null)[] };
  if (kinds === isMoment) return moments(values as (Date | null)[]);
  if (kinds === isText) return momentsIn(values as (string | null)[]) ?? texts(values);
  const narrowed = (kinds & isText) !== 0 ? withoutWords(name, values, kinds & ~isText, remarks) : null;
  if (narrowed) return narrowed;
  if ((kinds & isNested) !== 0) {
    remarks.push(
      `input (DP_1): column ${listed([name])} holds objects or arrays, which were kept as JSON text; give their fields as columns of their own to work with them.`,
    );
  }
  return texts(values);
}

function numbersOf(given: NumberArray): GivenValues {
  const isClamped = Object.prototype.toString.call(given) === "[object Uint8ClampedArray]";
  return { kind: "numbers", items: isClamped ? Uint8Array.from(given as Uint8Array) : given };
}

/** The kinds of a column's values, and the values with what has a form of its own in JSON in that form. */
function looked(name: string, given: readonly unknown[]): { kinds: number; values: readonly unknown[] } {
  let kinds = 0;
  let values: unknown[] | null = null;
  for (let i = 0; i < given.length; i++) {
    const value = given[i];
    if (value === null || value === undefined) continue;
    const kind = kindOf(name, value);
    if (kind >= 0) kinds |= kind;
    else {
      const other = otherForm(value as object);
      values ??= [...given];
      values[i] = other;
      if (other !== null) kinds |= kindOf(name, other);
    }
  }
  return { kinds, values: values ?? given };
}

/** −1 for an object that has another form in JSON. */
function kindOf(name: string, value: unknown): number {
  switch (typeof value) {
    case "number":
      if (Number.isInteger(value)) return Math.abs(value) < 2 ** 63 ? isWhole : isFraction;
      return Number.isNaN(value) ? isNan : isFraction;
    case "string":
      return isText;
    case "boolean":
      return isTruth;
    case "bigint":
      return isBig;
    case "object":
      if (isDate(value)) return Number.isNaN(value.getTime()) ? -1 : isMoment;
      return typeof (value as { toJSON?: unknown }).toJSON === "function" || isBoxed(value as object) ? -1 : isNested;
    default:
      throw new ArgsError(
        `input (DP_1): column ${quoted(name)} holds a ${typeof value}, which is no value of a table; leave it out, or call it first.`,
        { path: "dburl" },
      );
  }
}

/** Objects of a notebook's cell may come from another realm. */
function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === "[object Date]";
}

function isBoxed(value: object): boolean {
  return /^\[object (?:Number|String|Boolean|BigInt)\]$/.test(Object.prototype.toString.call(value));
}

/** What JSON would make of an object that says so itself, such as a moment of a library's; null for an invalid date. */
function otherForm(value: object): unknown {
  if (isDate(value)) return null;
  const other: unknown = isBoxed(value) ? value.valueOf() : (value as { toJSON(): unknown }).toJSON();
  return typeof other === "object" || typeof other === "undefined"
    ? JSON.parse(JSON.stringify(other) ?? "null")
    : other;
}

/** Whole numbers are 64-bit integers where all of them are; bigints beyond are text, since floats would make two ids one. */
function plainNumbers(name: string, values: readonly unknown[], kinds: number, remarks: string[]): GivenValues {
  const most = 2n ** 63n;
  const isLong = (value: unknown) => typeof value === "bigint" && (value >= most || value < -most);
  if ((kinds & isFraction) === 0 && (kinds & (isWhole | isBig)) !== 0) {
    if ((kinds & isBig) !== 0 && values.some(isLong)) {
      remarks.push(
        `input (DP_1): column ${listed([name])} holds numbers of more digits than are kept exactly, so it was kept as text.`,
      );
      return texts(values.map((value) => (Number.isNaN(value) ? null : value)));
    }
    const items = kinds & isNan ? values.map((each) => (Number.isNaN(each) ? null : each)) : values;
    return { kind: "whole", items: items as (number | bigint | null)[] };
  }
  const items = new Float64Array(values.length);
  let isRounded = false;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value === "bigint") isRounded ||= BigInt(Number(value)) !== value;
    items[i] = value === null || value === undefined ? Number.NaN : Number(value);
  }
  if (isRounded) {
    remarks.push(
      `input (DP_1): column ${listed([name])} holds fractions beside whole numbers beyond 2^53, which became the nearest floats.`,
    );
  }
  return { kind: "numbers", items };
}

function moments(values: readonly (Date | null | undefined)[]): GivenValues {
  return { kind: "moments", items: Float64Array.from(values, (value) => value?.getTime() ?? Number.NaN) };
}

/** Texts that all are days, or all moments, as JSON's are read; null where one is not. */
function momentsIn(values: readonly (string | null | undefined)[]): GivenValues | null {
  const first = values.find((value) => value !== null && value !== undefined) ?? "";
  if (first.length !== 10 && first.length !== 19) return null;
  const items = new Float64Array(values.length).fill(Number.NaN);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value === null || value === undefined) continue;
    const ms = value.length === first.length ? momentOf(value) : Number.NaN;
    if (Number.isNaN(ms)) return null;
    items[i] = ms;
  }
  return { kind: first.length === 10 ? "days" : "moments", items };
}

/** Milliseconds of a text such as 2024-01-31 or 2024-01-31 23:59:59, in UTC; NaN for any other. */
function momentOf(text: string): number {
  const isDay = text.length === 10;
  if (text[4] !== "-" || text[7] !== "-") return Number.NaN;
  if (!isDay && (text[10] !== " " || text[13] !== ":" || text[16] !== ":")) return Number.NaN;
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const [month, day] = [twoDigits(text, 5), twoDigits(text, 8)];
  const [hour, minute, second] = isDay ? [0, 0, 0] : [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeap ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  const isThere = month >= 1 && month <= 12 && day >= 1 && day <= days && hour < 24 && minute < 60 && second < 60;
  if (!(isThere && year >= 1)) return Number.NaN;
  // Date.UTC takes the years before 100 for those of the last century; 400 years repeat themselves.
  return Date.UTC(year + 400, month - 1, day, hour, minute, second) - 12_622_780_800_000;
}

function twoDigits(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48];
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? 10 * tens + ones : Number.NaN;
}

/** Numbers, or truths, among which only words stand that mean a missing cell; null where others do. */
function withoutWords(name: string, values: readonly unknown[], others: number, remarks: string[]): GivenValues | null {
  const isNumbers = (others & ~numbers) === 0;
  if (!isNumbers && others !== isTruth) return null;
  const words = values.filter((value): value is string => typeof value === "string");
  if (!words.every((word) => missingTokens.includes(word))) return null;
  const rest = values.map((value) => (typeof value === "string" ? null : value));
  remarks.push(
    `input (DP_1): column ${listed([name])} holds ${quoted(words[0])} or the like in ${count(words.length, "cell")} among ${isNumbers ? "numbers" : "true and false"}; now missing.`,
  );
  return isNumbers ? plainNumbers(name, rest, others, remarks) : { kind: "truths", items: rest as (boolean | null)[] };
}

function texts(values: readonly unknown[]): GivenValues {
  return { kind: "texts", items: Array.from(values, textOf) };
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  if (isDate(value)) return value.toISOString();
  if (typeof value !== "object") return String(value);
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? rawJson(String(inner)) : inner));
}

/** V8 has it from Node 22 on; TypeScript's library does not know it yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };
