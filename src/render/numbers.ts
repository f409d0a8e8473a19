import type { Cell, ViewColumn } from "../core/view.ts";

/** Is the column read from the right, as numbers are? */
export function isNumeric(column: ViewColumn): boolean {
  return column.type === "number" || column.type === "integer";
}

/**
 * Numbers as people compare them: the same decimals throughout, at most `significant` digits.
 *
 * Whole numbers keep all their digits; a value too small for the common decimals is written with its own.
 */
export function formatNumbers(values: readonly number[], significant = 6, digits?: number): string[] {
  const finite = values.filter(Number.isFinite);
  const largest = finite.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (digits !== undefined) return values.map((value) => special(value) ?? fixed(value, digits));
  if (finite.every(Number.isInteger) && largest < 1e15) return values.map((value) => special(value) ?? String(value));
  if (largest >= 1e15 || (largest > 0 && largest < 1e-5)) {
    return values.map((value) => special(value) ?? exponent(value, significant));
  }
  const whole = largest === 0 ? 1 : Math.floor(Math.log10(largest)) + 1;
  // One digit after the point stays, so that a large fraction does not pass for a whole number.
  const precise = Math.min(15, Math.max(significant, whole + 1));
  const needed = finite.reduce((most, value) => Math.max(most, decimalsOf(value, precise)), 0);
  const decimals = Math.min(needed, Math.max(1, significant - whole));
  return values.map((value) => special(value) ?? withDecimals(value, decimals));
}

/** One number, at most `significant` digits. */
export function formatNumber(value: number, significant = 6): string {
  return formatNumbers([value], significant)[0];
}

function special(value: number): string | null {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return null;
  return value > 0 ? "inf" : "-inf";
}

function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return /^-0\.?0*$/.test(text) ? text.slice(1) : text;
}

function exponent(value: number, significant: number): string {
  if (value === 0) return "0";
  return String(Number(value.toExponential(significant - 1)).toExponential());
}

function withDecimals(value: number, decimals: number): string {
  const isTooSmall = value !== 0 && Math.abs(value) < 10 ** (1 - decimals) && Number(value.toFixed(decimals)) !== value;
  if (!isTooSmall) return value.toFixed(decimals);
  return Math.abs(value) >= 1e-4 ? String(Number(value.toPrecision(3))) : Number(value.toPrecision(3)).toExponential();
}

/** Digits after the point that `significant` digits of a value take. */
function decimalsOf(value: number, significant: number): number {
  const [mantissa, power = "0"] = Number(value.toPrecision(significant)).toString().split("e");
  const decimals = mantissa.split(".")[1]?.length ?? 0;
  return Math.max(0, decimals - Number(power));
}

/** Dates without a time where all are at midnight; else with a blank in place of the T. */
function formatDates(cells: readonly Cell[]): string[] {
  const isAtMidnight = (cell: Cell) =>
    typeof cell !== "string" || /[T ]00:00(:00(\.0+)?)?Z?$/.test(cell) || !/:/.test(cell);
  const areDays = cells.every(isAtMidnight);
  return cells.map((cell) => {
    const text = String(cell ?? "");
    const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(\.\d+)?Z?$/.exec(text);
    if (!match) return text;
    const fraction = match[3] && Number(match[3]) > 0 ? match[3].replace(/(?<!0)0+$/, "") : "";
    return areDays ? match[1] : `${match[1]} ${match[2]}${fraction}`;
  });
}

/** What stands for a text that would otherwise look like nothing, or like a missing cell. */
function plainText(text: string): string {
  const isMistakable = text === "" || text === "·" || text === "null" || text !== text.trim();
  return isMistakable ? `"${text}"` : text;
}

/** The cells of one column as words, null where a cell is missing. Not yet made harmless. */
export function formatColumn(column: ViewColumn, cells: readonly Cell[]): (string | null)[] {
  const numbers = cells.filter((cell) => typeof cell === "number");
  const words = formatNumbers(numbers, 6, column.digits);
  const dates = column.type === "datetime" ? formatDates(cells) : [];
  let next = 0;
  return cells.map((cell, i) => {
    if (cell === null || cell === undefined) return null;
    if (typeof cell === "number") {
      const word = words[next++];
      return column.alarm && cell === 0 ? "–" : word;
    }
    if (typeof cell === "boolean") return String(cell);
    return dates[i] ?? (isNumeric(column) ? cell : plainText(cell));
  });
}

/** Letters for bars, from the lowest. */
export const barSteps = "▁▂▃▄▅▆▇█";

/** Counts as bars of one letter each, of letters from the lowest; a part without any is blank, one with a few is never. */
export function barLetters(counts: readonly number[], letters: string): string {
  const most = Math.max(...counts);
  return counts.map((count) => (count === 0 ? " " : letters[Math.ceil((letters.length * count) / most) - 1])).join("");
}

/** The counts in a cell of a column with bars; none where there is nothing to draw. */
export function barsIn(cell: Cell): number[] {
  const counts = String(cell ?? "")
    .split(" ")
    .filter((part) => part !== "")
    .map(Number);
  return counts.every((count) => Number.isFinite(count) && count >= 0) ? counts : [];
}

/** One cell as words, null where it is missing. */
export function formatCell(cell: Cell): string | null {
  return formatColumn({ name: "", type: "text" }, [cell])[0];
}

/** The word under a column's name. */
export function typeWord(column: ViewColumn): string {
  return column.type === "text" ? "" : column.type;
}

/** "344 rows × 7 columns" when only the first rows are shown, and which columns have holes. */
export function footerOf(
  columns: readonly ViewColumn[],
  shown: number,
  total: number | undefined,
  times = "×",
): string {
  const parts: string[] = [];
  const many = (n: number, noun: string) => `${n.toLocaleString("en-US")} ${noun}${n === 1 ? "" : "s"}`;
  if (total !== undefined && (total > shown || total === 0)) {
    parts.push(`${many(total, "row")} ${times} ${many(columns.length, "column")}`);
  }
  const holes = columns.filter((column) => (column.missing ?? 0) > 0);
  if (holes.length > 0) {
    const named = holes.slice(0, 8).map((column) => `${column.name} ${column.missing?.toLocaleString("en-US")}`);
    const rest = holes.length > 8 ? ` and ${holes.length - 8} more columns` : "";
    parts.push(`missing: ${named.join(", ")}${rest}`);
  }
  return parts.join(", ");
}
