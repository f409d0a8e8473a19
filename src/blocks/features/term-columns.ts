import type { BlockContext, WriteColumn } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import type { Output } from "../../core/relation.ts";
import { replaceColumns } from "../../core/scope.ts";
import { col, literal, raw, type Sql, sql } from "../../core/sql.ts";
import { englishStopWords } from "../../kernels/stop-words.ts";
import type { TermCounts, TermOptions, Weighting } from "../../kernels/text-terms.ts";
import { writeBeside } from "../written-columns.ts";

export type Weights = Weighting;

/** One text column and the sparse rows it became. */
export interface TextColumns {
  readonly name: string;
  /** The last part of each new column's name. */
  readonly made: readonly string[];
  /** The vocabulary and its document frequencies; empty where words are hashed. */
  readonly terms: readonly string[];
  readonly documents: readonly number[];
  readonly counts: Pick<TermCounts, "start" | "columns" | "values">;
  readonly cut: TermOptions;
  readonly weights: Weights;
}

/** More numbers than this are not written as columns. */
const mostCells = 60_000_000;
/** More new columns than this make no table. */
const mostColumns = 20_000;

/**
 * The frame with each text column's terms in its place.
 *
 * The rows at hand were counted already, so the table is written; new rows take a plan that counts in SQL. Hashed
 * columns have no such plan: with them the chain's new rows begin here.
 */
export async function withTerms(
  frame: Frame,
  columns: readonly TextColumns[],
  context: BlockContext,
): Promise<{ frame: Frame; replacements: ReadonlyMap<string, readonly Output[]> }> {
  refuseLarge(frame.rows, columns);
  const taken = frame.columns.map(({ name }) => name).filter((name) => !columns.some((each) => each.name === name));
  const replacements = new Map<string, readonly Output[]>();
  const written: WriteColumn[] = [];
  for (const each of columns) {
    const names = freshNames(
      each.made.map((term) => `${each.name}_${term}`),
      taken,
    );
    taken.push(...names);
    const exprs = each.terms.length > 0 ? termExpressions(each) : [];
    replacements.set(
      each.name,
      names.map((name, k): Output => ({ column: { name, type: "number" }, ...(exprs[k] ? { expr: exprs[k] } : {}) })),
    );
    written.push(...denseColumns(each, names, frame.rows));
  }
  const isPlanned = columns.every(({ terms }) => terms.length > 0);
  const learnt = isPlanned ? columns.map(({ name }) => name) : [];
  const after = replaceColumns(frame, context, replacements, learnt);
  const artifact = await writeBeside(frame, after, written, replacements, context);
  const relation = { artifact, steps: [] };
  return isPlanned
    ? { frame: { ...after, relation }, replacements }
    : { frame: { ...after, relation, lineage: [], raw: after.columns }, replacements };
}

function refuseLarge(rows: number, columns: readonly TextColumns[]): void {
  const made = columns.reduce((sum, { made: terms }) => sum + terms.length, 0);
  const most = Math.min(mostColumns, Math.floor(mostCells / Math.max(1, rows)));
  if (made <= most) return;
  throw new DataError(
    `vectorize (DP_VEC): ${made.toLocaleString("en-US")} terms over ${rows.toLocaleString("en-US")} rows are too many for columns; at most ${most.toLocaleString("en-US")} fit. Set max_features, or raise min_df.`,
    { path: "max_features", got: made, expected: `at most ${most}` },
  );
}

function denseColumns({ counts }: TextColumns, names: readonly string[], rows: number): WriteColumn[] {
  const { start, columns, values } = counts;
  const dense = names.map(() => new Float64Array(rows));
  for (let i = 0; i < rows; i++) for (let at = start[i]; at < start[i + 1]; at++) dense[columns[at]][i] = values[at];
  return names.map((name, k) => ({ column: { name, type: "number" }, values: dense[k] }));
}

/** Each term's weight in a text, in SQL; for rows that come later. */
function termExpressions({ name, terms, cut, weights }: TextColumns): Sql[] {
  const tokens = tokenList(name, cut);
  const counts = terms.map((term) => {
    const n = sql`len(list_filter(${tokens}, lambda each: each = ${term}))`;
    if (weights.binary) return sql`CAST(${n} > 0 AS DOUBLE)`;
    return weights.sublinear ? sql`CASE WHEN ${n} > 0 THEN 1 + ln(${n}) ELSE 0 END` : sql`CAST(${n} AS DOUBLE)`;
  });
  const idf = weights.idf;
  const values = idf ? counts.map((value, k) => sql`(${value} * ${idf[k]})`) : counts;
  if (weights.norm === null) return values;
  return values.map((value) => sql`coalesce(${value} / nullif(${lengthOf(tokens, terms, weights)}, 0), 0)`);
}

/** The length of a text's row: from its own distinct terms, so that the expression stays small. */
function lengthOf(tokens: Sql, terms: readonly string[], { idf, binary, sublinear, norm }: Weights): Sql {
  const known = sql`[${raw(terms.map((term) => literal(term)).join(", "))}]`;
  const n = sql`len(list_filter(${tokens}, lambda other: other = term))`;
  const count = binary ? sql`1` : sublinear ? sql`(1 + ln(${n}))` : n;
  const weight = idf ? sql`[${raw([...idf].map(String).join(", "))}][list_position(${known}, term)]` : sql`1`;
  const part = norm === "l2" ? sql`pow(${count} * ${weight}, 2)` : sql`abs(${count} * ${weight})`;
  const found = sql`list_filter(list_distinct(${tokens}), lambda term: list_contains(${known}, term))`;
  const sum = sql`list_sum(list_transform(${found}, lambda term: ${part}))`;
  return norm === "l2" ? sql`sqrt(${sum})` : sum;
}

/** A text's terms as a list in SQL, cut as `termsOf` cuts them. */
function tokenList(name: string, { lowercase, ngrams, stopWords }: TermOptions): Sql {
  const text = sql`coalesce(CAST(${col(name)} AS VARCHAR), '')`;
  const all = sql`regexp_extract_all(${lowercase ? sql`lower(${text})` : text}, '[\\p{L}\\p{N}_]{2,}')`;
  const stops = stopWords === "english" ? [...englishStopWords] : [...stopWords];
  const words =
    stops.length > 0
      ? sql`list_filter(${all}, lambda word: NOT list_contains([${raw(stops.map(literal).join(", "))}], word))`
      : all;
  const [least, most] = ngrams;
  const parts = Array.from({ length: most - least + 1 }, (_, k) => least + k).map((n) =>
    n === 1
      ? words
      : sql`list_transform(range(1, len(${words}) - ${n} + 2), lambda i: array_to_string(list_slice(${words}, i, i + ${n} - 1), ' '))`,
  );
  return parts.length === 1 ? parts[0] : parts.reduce((one, other) => sql`list_concat(${one}, ${other})`);
}
