import { ArgsError } from "./errors.ts";
import { unknownColumn } from "./frame.ts";
import { count, listed, quoted } from "./names.ts";

/** Slice notation as it is sent: `"0:100, age:city"`, a lone `-1`, a name, or a list of indices and names. */
export type Slice = string | number | readonly (string | number)[];

/** A slice resolved against a table: columns by name, and a row range when one was asked for. */
export interface Selected {
  readonly columns: readonly string[];
  /** Start (inclusive) and end (exclusive); null when all rows are meant. */
  readonly rows: readonly [number, number] | null;
}

type Bound = number | string | null;
interface Range {
  readonly start: Bound;
  readonly end: Bound;
}

/**
 * Resolves a slice over the named columns of a table with `rows` rows.
 *
 * Every end is exclusive, labels too. A lone index or name selects one column; a lone range of numbers
 * selects rows, a lone range of labels columns. An unknown name is answered with the nearest.
 */
export function resolveSlice(slice: Slice, names: readonly string[], rows: number, where = "the table"): Selected {
  if (typeof slice === "number") return { columns: [columnAt(slice, names, where)], rows: null };
  if (typeof slice !== "string") {
    return { columns: unique(slice.map((item) => columnAt(item, names, where))), rows: null };
  }
  if (names.includes(slice)) return { columns: [slice], rows: null };
  const parts = tokens(slice);
  if (parts.length > 2) {
    throw new ArgsError(
      `slice ${quoted(slice)} has ${parts.length} parts; write "rows, columns" as in ":, 0:3", or give a list of columns.`,
      { code: "bad_slice", got: slice },
    );
  }
  if (parts.length === 2) {
    return { columns: columnsIn(parts[1], names, where, slice), rows: rowsIn(parts[0], rows, slice) };
  }
  const only = parts[0];
  if ("start" in only && isRowRange(only)) return { columns: [...names], rows: rowsIn(only, rows, slice) };
  return { columns: columnsIn(only, names, where, slice), rows: null };
}

/** The column an index or a name stands for; negative indices count from the end. */
export function columnAt(item: string | number, names: readonly string[], where = "the table"): string {
  if (typeof item === "string" && names.includes(item)) return item;
  const index = typeof item === "number" ? item : /^-?\d+$/.test(item.trim()) ? Number(item) : null;
  if (index === null) throw unknownColumn(String(item), names, where);
  const at = index < 0 ? names.length + index : index;
  if (!Number.isInteger(index) || at < 0 || at >= names.length) {
    throw new ArgsError(`column index ${index} is outside ${where}, which has ${columnsOf(names)}.`, {
      code: "unknown_column",
      got: index,
      expected: `0 to ${names.length - 1}`,
    });
  }
  return names[at];
}

function isRowRange(range: Range): boolean {
  return typeof range.start !== "string" && typeof range.end !== "string";
}

function rowsIn(part: Range | { readonly one: Bound }, rows: number, slice: string): readonly [number, number] | null {
  if ("one" in part) {
    if (typeof part.one !== "number") throw badRows(slice);
    const at = clamp(part.one, rows);
    return [at, Math.min(rows, at + 1)];
  }
  if (!isRowRange(part)) throw badRows(slice);
  if (part.start === null && part.end === null) return null;
  const start = part.start === null ? 0 : clamp(part.start as number, rows);
  const end = part.end === null ? rows : clamp(part.end as number, rows);
  return [start, Math.max(start, end)];
}

function badRows(slice: string): ArgsError {
  return new ArgsError(`slice ${quoted(slice)}: rows are selected by whole numbers, as in "0:100, :".`, {
    code: "bad_slice",
    got: slice,
  });
}

function clamp(index: number, length: number): number {
  return Math.min(length, Math.max(0, index < 0 ? length + index : index));
}

function columnsIn(
  part: Range | { readonly one: Bound },
  names: readonly string[],
  where: string,
  slice: string,
): readonly string[] {
  if ("one" in part) return part.one === null ? [...names] : [columnAt(part.one, names, where)];
  const at = (bound: Bound, open: number) =>
    bound === null
      ? open
      : typeof bound === "number"
        ? clamp(bound, names.length)
        : names.indexOf(columnAt(bound, names, where));
  const columns = names.slice(at(part.start, 0), Math.max(0, at(part.end, names.length)));
  if (columns.length === 0) {
    throw new ArgsError(`slice ${quoted(slice)} selects no column (the end is exclusive). Columns: ${listed(names)}.`, {
      code: "bad_slice",
      got: slice,
    });
  }
  return columns;
}

/** Splits at commas and colons outside quotes; each part is a range or a single bound. */
function tokens(slice: string): (Range | { readonly one: Bound })[] {
  const parts: Bound[][] = [[]];
  let rest = slice;
  let word: string | null = null;
  let isQuoted = false;
  const close = () => {
    const last = parts[parts.length - 1];
    const text = isQuoted ? word : word?.trim();
    last.push(text === undefined || text === null || (text === "" && !isQuoted) ? null : bound(text, isQuoted));
    word = null;
    isQuoted = false;
  };
  while (rest.length > 0) {
    // Within a word a quote is a letter; looking there, too, would take hours over a megabyte of blanks.
    const quote: RegExpExecArray | null = word === null ? /^\s*"((?:[^"\\]|\\.)*)"\s*/.exec(rest) : null;
    if (quote) {
      word = quote[1].replace(/\\(.)/g, "$1");
      isQuoted = true;
      rest = rest.slice(quote[0].length);
      continue;
    }
    const letter = rest[0];
    rest = rest.slice(1);
    if (letter === ":") close();
    else if (letter === ",") {
      close();
      parts.push([]);
    } else if (!isQuoted) word = (word ?? "") + letter;
  }
  close();
  return parts.map((bounds) => {
    if (bounds.length === 1) return { one: bounds[0] };
    if (bounds.length === 2) return { start: bounds[0], end: bounds[1] };
    throw new ArgsError(`slice ${quoted(slice)} has a step; only start:end is known.`, {
      code: "bad_slice",
      got: slice,
    });
  });
}

function bound(text: string, isQuoted: boolean): Bound {
  return !isQuoted && /^-?\d+$/.test(text) ? Number(text) : text;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

function columnsOf(names: readonly string[]): string {
  if (names.length === 0) return "no columns";
  return `${count(names.length, "column")} (0 to ${names.length - 1}): ${listed(names)}`;
}
