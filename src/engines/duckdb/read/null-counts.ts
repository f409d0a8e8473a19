import { call, column } from "../../../plan/expr.ts";
import type { Relation } from "../../../plan/node.ts";
import { presentColumns } from "../../../plan/present.ts";
import { sparseReading } from "../../../plan/sparse.ts";
import { aggregateRows } from "../aggregate.ts";
import { countedByFile } from "../choose.ts";
import type { Duck } from "../duck.ts";

/** How many cells of each column are missing: rows are looked at only where neither the file nor the plan says it. */
export async function countNulls(
  duck: Duck,
  relation: Relation,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<number[]> {
  const known = await knownNulls(duck, relation, names, signal);
  const rest = names.filter((_, k) => known[k] === null);
  // Places of sparse rows are never missing, and there may be thousands.
  const plain = sparseReading(relation, { columns: rest }).plain.map((k) => rest[k]);
  if (plain.length === 0) return known.map((nulls) => nulls ?? 0);
  const counts = [call("count"), ...plain.map((name) => call("count", column(name)))];
  const [rows, ...present] = (await aggregateRows(duck, relation, {}, counts, signal)).map(Number);
  const nulls = new Map(plain.map((name, k) => [name, rows - present[k]]));
  return names.map((name, k) => known[k] ?? nulls.get(name) ?? 0);
}

/**
 * How many cells of each column are missing, where a file's own statistics say so; null where rows must be looked at.
 *
 * What is made of columns without gaps mostly has none, nor have those of its rows that a plan leaves.
 */
export async function knownNulls(
  duck: Duck,
  relation: Relation,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<(number | null)[]> {
  const inFile = await duck.facts.nulls(relation.artifact, signal);
  const present = presentColumns(relation, names, (name) => inFile.get(name) === 0);
  const counted = countedByFile(relation, names);
  return names.map((name, k) => {
    const own = counted[k];
    if (present.has(name)) return 0;
    return own !== null ? (inFile.get(own) ?? null) : null;
  });
}
