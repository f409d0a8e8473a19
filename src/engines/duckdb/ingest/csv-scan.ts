import type { Marks } from "../../../core/number-marks.ts";
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

/** The kind of each text as a cell; null where it is missing. */
export async function kindsOf(
  duck: Duck,
  texts: readonly (string | null)[],
  marks?: Marks,
  signal?: AbortSignal,
): Promise<(CellKind | null)[]> {
  const text = `SELECT ${kindOf("cell", marks)} FROM (SELECT unnest(from_json($1, '["VARCHAR"]')) AS cell)`;
  // A NUL letter would end the text of JSON.
  const list = JSON.stringify(texts.map((each) => each?.replaceAll("\0", " ") ?? null));
  const rows = await duck.answers({ text, values: [list] }, signal);
  return rows.map(([kind]) => kind as CellKind | null);
}

/** The kinds of the cells of the first `rows` records behind the first one, or of all (-1); `from`: a table of texts. */
export async function scanCells(
  duck: Duck,
  scan: {
    readonly from: string;
    readonly columns: readonly string[];
    readonly rows: number;
    readonly marks: Marks | undefined;
  },
  signal?: AbortSignal,
): Promise<{ columns: Scanned[]; isWhole: boolean }> {
  const { from, columns, rows, marks } = scan;
  const wanted = `(SELECT * FROM ${from}${rows < 0 ? "" : ` LIMIT ${rows}`})`;
  const text = `SELECT k, kind, min(cell), max(cell), count(*)
FROM (SELECT k, cell, ${kindOf("cell", marks)} AS kind FROM ${cellsOf(columns, wanted)})
GROUP BY k, kind`;
  const found = columns.map((): Scanned => ({ kinds: new Set(), examples: new Map(), counts: new Map() }));
  let seen = 0;
  for (const [k, kind, first, last, cells] of await duck.answers({ text, values: [] }, signal)) {
    if (Number(k) === 0) seen += Number(cells);
    // A last bundle that is not full unpacks to more columns than there are.
    if (kind === null) continue;
    const column = found[Number(k)];
    column.kinds.add(kind as CellKind);
    column.examples.set(kind as CellKind, String(first));
    column.counts.set(kind as CellKind, Number(cells));
    if (kind === "text") column.lastText = String(last);
  }
  return { columns: found, isWhole: rows < 0 || seen < rows };
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
