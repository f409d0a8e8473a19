import type { Marks } from "../../../core/number-marks.ts";
import { literal } from "../../sql.ts";
import type { Duck } from "../duck.ts";
import { type CellKind, kindOf, plainKind } from "./csv-columns.ts";

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
  /** All of those, where they are known: a line each, without quotes. */
  readonly lines: readonly string[] | null;
  readonly delimiter: string;
  readonly missing: readonly string[];
  /** How many of those are looked at; all with -1. */
  readonly rows: number;
  readonly marks: Marks | undefined;
}

/** The kind of each cell of the first record, null where it is missing, and the kinds of those behind it. */
export async function scanCells(
  duck: Duck,
  records: Records,
  signal?: AbortSignal,
): Promise<{ first: (CellKind | null)[]; columns: Scanned[]; isWhole: boolean }> {
  const [first, seen] = await Promise.all([
    kindsOf(duck, records, signal),
    scanLines(records) ?? scanTable(duck, records, signal),
  ]);
  return { first, ...seen };
}

const nothingSeen = (): Scanned => ({ kinds: new Set(), examples: new Map(), counts: new Map() });

async function scanTable(duck: Duck, { columns, from, rows, marks }: Records, signal?: AbortSignal) {
  const wanted = `(SELECT * FROM ${from}${rows < 0 ? "" : ` LIMIT ${rows}`})`;
  const text = `SELECT k, kind, min(cell), max(cell), count(*)
FROM (SELECT k, cell, ${kindOf("cell", marks)} AS kind FROM ${cellsOf(columns, wanted)})
GROUP BY k, kind`;
  const found = columns.map(nothingSeen);
  let seen = 0;
  for (const [k, kind, least, most, cells] of await duck.answers({ text, values: [] }, signal)) {
    if (Number(k) === 0) seen += Number(cells);
    // A last bundle that is not full unpacks to more columns than there are.
    if (kind === null) continue;
    const column = found[Number(k)];
    column.kinds.add(kind as CellKind);
    column.examples.set(kind as CellKind, String(least));
    column.counts.set(kind as CellKind, Number(cells));
    if (kind === "text") column.lastText = String(most);
  }
  return { columns: found, isWhole: rows < 0 || seen < rows };
}

/** The same of lines whose cells are all told by their letters; null for others. Planning the query takes longer than to read a small file. */
function scanLines({ lines, delimiter, columns, missing, marks }: Records) {
  if (!lines || marks) return null;
  const found = columns.map(nothingSeen);
  for (const line of lines) {
    const cells = line.split(delimiter);
    if (cells.length !== columns.length) return null;
    for (const [k, cell] of cells.entries()) {
      if (missing.includes(cell)) continue;
      const kind = plainKind(cell);
      if (!kind) return null;
      const { kinds, examples, counts, lastText = "" } = found[k];
      kinds.add(kind);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      if (cell <= (examples.get(kind) ?? cell)) examples.set(kind, cell);
      if (kind === "text" && cell >= lastText) found[k].lastText = cell;
    }
  }
  return { columns: found, isWhole: true };
}

/** The kinds of the first record's cells, null where they are missing. */
async function kindsOf(duck: Duck, { first, marks }: Records, signal?: AbortSignal): Promise<(CellKind | null)[]> {
  const plain = first.flatMap((cell) => (cell === null ? [null] : (plainKind(cell) ?? [])));
  if (plain.length === first.length && (!marks || plain.every((kind) => !kind || kind === "text"))) return plain;
  // A NUL letter would end the text of SQL.
  const texts = first.map((cell) => (cell === null ? "NULL" : literal(cell.replaceAll("\0", " "))));
  const text = `SELECT ${kindOf("cell", marks)} FROM (SELECT unnest([${texts.join(", ")}]::VARCHAR[]) AS cell)`;
  return (await duck.answers({ text, values: [] }, signal)).map(([kind]) => kind as CellKind | null);
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
