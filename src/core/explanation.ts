import type { Finished } from "./finished.ts";
import type { Json } from "./record.ts";

/** How a block explains itself: part of its one declaration. */
export interface BlockExplain<Args = Readonly<Record<string, unknown>>> {
  /** Why one would do this, in a sentence or two that hold for any data (default: the block's docs). */
  readonly why?: string;
  /** What it did with this data, a sentence each (default: which rows and columns changed). */
  did?(finished: Finished<Args>): readonly string[];
  /** What it found out for itself where its arguments left that open, as data (default: nothing). */
  found?(finished: Finished<Args>): Json;
}

/** What a block did with its data and why one would, in plain words. */
export interface Explanation {
  readonly block: number;
  /** The helper and the code, such as "missing (DP_2)". */
  readonly title: string;
  readonly did: readonly string[];
  readonly why: string;
  /** What the block told its caller, such as a leak. */
  readonly notices: readonly string[];
  /** What it found out where its arguments left that open, such as a file's delimiter; null where there is nothing. */
  readonly found: Json;
  /** How the table engine would read the numbers of its table now. */
  readonly reading: string;
}

/** A number for a sentence: four significant digits, whole ones in full. */
export function plain(value: unknown): string {
  if (typeof value !== "number") return value === null || value === undefined ? "nothing" : String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en-US");
  const rounded = Number(value.toPrecision(4));
  return Math.abs(rounded) >= 1000 ? Math.round(value).toLocaleString("en-US") : String(rounded);
}

/** A share as a percentage: 0.934 is "93.4%". */
export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))}%`;
}

/** "a, b and c". */
export function series(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

/** Rows that a fit looked at, inside a sentence: "275 training rows" are "the 275 training rows", "all rows" stay so. */
export function theRows(fitted: string): string {
  return fitted.replace(/^(\d)/, "the $1");
}
