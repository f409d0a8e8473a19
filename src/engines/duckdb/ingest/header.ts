import { count, quoted } from "../../../core/names.ts";
import type { HeadCell } from "./dialect.ts";

/** What is known of a column when a header is looked for. */
export interface ColumnBelow {
  readonly first: HeadCell;
  /** Would the first cell have the type of those below, other than text? Null where either is missing or the type is text. */
  readonly fits: boolean | null;
  /** Cells of the next records, as many as are at hand. */
  readonly next: readonly HeadCell[];
}

/** Whether the first record names the columns, and what to tell of it where one could doubt. */
export interface HeaderFound {
  readonly isHeader: boolean;
  readonly notices: readonly string[];
}

/**
 * Tells names from data.
 *
 * Text above a column of numbers, dates or booleans settles it. So does an empty first name, which is an index, and
 * quotes that the numbers below don't have. Numbers above numbers are data, unless they count: 1960, 1961.
 */
export function findHeader(columns: readonly ColumnBelow[], name: string): HeaderFound {
  const header = { isHeader: true, notices: [] };
  const alike = columns.filter(({ fits }) => fits === true);
  if (alike.length === 0) return header;
  if (columns.some(({ first, fits }) => fits === false && /[\p{L}\p{N}]/u.test(first.text))) return header;
  const texts = columns.map(({ first }) => first.text.trim());
  const areDistinct = new Set(texts).size === texts.length;
  if (texts[0] === "" && texts.length > 1 && areDistinct) return header;
  if (alike.some(({ first, next }) => first.isQuoted && next.length > 0 && next.every(({ isQuoted }) => !isQuoted)))
    return header;
  const isHeader = areDistinct && areCounted(alike);
  const shown = texts.slice(0, 4).join(", ") + (texts.length > 4 ? ", …" : "");
  const taken = isHeader
    ? "the columns' names; header: false takes it for data"
    : "data; header: true takes it for the columns' names";
  return {
    isHeader,
    notices: [`input (DP_1): the first line of ${quoted(name)}, ${quoted(shown)}, was taken for ${taken}.`],
  };
}

/** Are the first cells years or numbers in even steps, as names are, where those below are not? */
function areCounted(columns: readonly ColumnBelow[]): boolean {
  const height = Math.min(...columns.map(({ next }) => next.length));
  const names = columns.map(({ first }) => first.text);
  const below = Array.from({ length: height }, (_, row) => columns.map(({ next }) => next[row].text));
  return [areYears, areSteps].some((are) => are(names) && !below.some(are));
}

function areYears(texts: readonly string[]): boolean {
  const years = texts.map(Number);
  return years.every((year, k) => /^\s*(1[5-9]|20|21)\d\d\s*$/.test(texts[k]) && (k === 0 || year > years[k - 1]));
}

function areSteps(texts: readonly string[]): boolean {
  const numbers = texts.map((text) => (/^\s*-?\d+\s*$/.test(text) ? Number(text) : Number.NaN));
  const step = numbers[1] - numbers[0];
  // Any two numbers make a step.
  if (numbers.length === 2) return step === 1;
  return numbers.length > 1 && step !== 0 && numbers.every((each, k) => k === 0 || each - numbers[k - 1] === step);
}

/** Lines before one that is whole: a title, which would name hardly a column. `lines`: their numbers and texts. */
export function findTitle(
  lines: readonly { readonly at: number; readonly texts: readonly string[] }[],
  width: number,
  name: string,
): string[] {
  const filled = (texts: readonly string[]) => texts.filter((text) => text.trim() !== "").length;
  const named = filled(lines[0]?.texts ?? []);
  const whole = lines.find(({ texts }) => filled(texts) === width);
  if (width < 3 || named > width / 2 || !whole || whole === lines[0]) return [];
  return [
    `input (DP_1): the first line of ${quoted(name)} names ${named} of ${count(width, "column")}; if it is a title, skip_rows: ${whole.at - 1} begins at line ${whole.at}.`,
  ];
}
