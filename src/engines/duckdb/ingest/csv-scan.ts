import type { Marks } from "../../../core/number-marks.ts";
import { literal } from "../../sql.ts";
import type { Duck } from "../duck.ts";
import { type CellKind, kindOf } from "./csv-columns.ts";

/** What a scan of rows found in a column. */
export interface Scanned {
  readonly kinds: Set<CellKind>;
  /** A cell of each kind. */
  readonly examples: Map<CellKind, string>;
  /** How many cells there are of each kind. */
  readonly counts: Map<CellKind, number>;
  /** The last text in order; its example is the first. */
  lastText?: string;
}

/** A file's first records, as a table of texts behind the first one. */
export interface Records {
  /** The cells of the first record; null where they are missing. */
  readonly first: readonly (string | null)[];
  readonly columns: readonly string[];
  /** SQL for the records behind the first one. */
  readonly from: string;
  /** How many of those are looked at; all with -1. */
  readonly rows: number;
  readonly marks: Marks | undefined;
}

/** The kind of each cell of the first record, null where it is missing, and the kinds of those behind it. */
export async function scanCells(
  duck: Duck,
  { first, columns, from, rows, marks }: Records,
  signal?: AbortSignal,
): Promise<{ first: (CellKind | null)[]; columns: Scanned[]; isWhole: boolean }> {
  const wanted = `(SELECT * FROM ${from}${rows < 0 ? "" : ` LIMIT ${rows}`})`;
  // A NUL letter would end the text of SQL.
  const texts = first.map((text) => (text === null ? "NULL" : literal(text.replaceAll("\0", " "))));
  // One query for both: most of a small file's time is planning the expression for kinds.
  const cells = `SELECT 'first' AS part, unnest(range(${first.length})) AS k, unnest([${texts.join(", ")}]::VARCHAR[]) AS cell
UNION ALL SELECT 'rest', k, cell FROM ${cellsOf(columns, wanted)}`;
  const text = `SELECT part, k, kind, min(cell), max(cell), count(*)
FROM (SELECT part, k, cell, ${kindOf("cell", marks)} AS kind FROM (${cells}))
GROUP BY part, k, kind`;
  const kinds = first.map((): CellKind | null => null);
  const found = columns.map((): Scanned => ({ kinds: new Set(), examples: new Map(), counts: new Map() }));
  let seen = 0;
  for (const [part, k, kind, least, most, cells] of await duck.answers({ text, values: [] }, signal)) {
    if (part === "first") {
      kinds[Number(k)] = kind as CellKind | null;
      continue;
    }
    if (Number(k) === 0) seen += Number(cells);
    // A last bundle that is not full unpacks to more columns than there are.
    if (kind === null) continue;
    const column = found[Number(k)];
    column.kinds.add(kind as CellKind);
    column.examples.set(kind as CellKind, String(least));
    column.counts.set(kind as CellKind, Number(cells));
    if (kind === "text") column.lastText = String(most);
  }
  return { first: kinds, columns: found, isWhole: rows < 0 || seen < rows };
}

/** Columns that are unpacked at once. */
const bundle = 128;

/**
 * SQL for the cells of all columns one below the other, with their columns' numbers `k`.
 *
 * So one expression looks at all of them; one for each would take seconds to plan for a wide file. DuckDB 1.5 unpacks
 * long lists in quadratic time, so columns are bundled first, then the bundles.
 */
function cellsOf(columns: readonly string[], from: string): string {
  const bundles = Array.from({ length: Math.ceil(columns.length / bundle) }, (_, b) =>
    columns.slice(b * bundle, (b + 1) * bundle),
  );
  const unpacked = bundles.map((each, b) => `unnest([${each.join(", ")}]) AS b${b}`);
  const inBundles = `(SELECT unnest(range(${bundles[0].length})) AS i, ${unpacked.join(", ")} FROM ${from})`;
  if (bundles.length === 1) return `(SELECT i AS k, b0 AS cell FROM ${inBundles})`;
  const all = bundles.map((_, b) => `b${b}`).join(", ");
  return `(SELECT i + ${bundle} * unnest(range(${bundles.length})) AS k, unnest([${all}]) AS cell FROM ${inBundles})`;
}
