import type { DuckDBBitValue } from "@duckdb/node-api";
import { allDone } from "../../../core/all-done.ts";
import type { Selection } from "../../../core/selection.ts";
import type { Relation } from "../../../plan/node.ts";
import { type EntryGroup, sparseReading } from "../../../plan/sparse.ts";
import { byValues, isPlaced } from "../choose.ts";
import type { Duck } from "../duck.ts";
import { valueGroup } from "./by-value.ts";
import type { ValueGroup } from "./putting.ts";
import { countRows } from "./streamed.ts";

/** How columns that are not in memory are read. */
export interface Ways {
  /** As places of the lists of sparse rows. */
  readonly sparse: readonly EntryGroup[];
  /** By the values of the one column that they are made of. */
  readonly byValue: readonly ValueGroup[];
  /** As the engine hands them over, row by row. */
  readonly plain: readonly number[];
}

/** How the columns of a selection are read. */
export async function waysOf(
  duck: Duck,
  relation: Relation,
  selection: Selection & { readonly columns: readonly string[] },
  signal?: AbortSignal,
): Promise<Ways> {
  const { groups: sparse, plain: others } = sparseReading(relation, selection);
  if (!isPlaced(selection)) return { sparse, byValue: [], plain: others };
  const names = others.map((k) => selection.columns[k]);
  const { groups, plain } = await groupsByValue(duck, relation, names, null, signal);
  const byValue = groups.map((group) => ({ ...group, at: group.at.map((k) => others[k]) }));
  return { sparse, byValue, plain: plain.map((k) => others[k]) };
}

/** Each takes a connection while it is looked for. */
const groupsAtOnce = 8;

/** Finds columns of a plan that are best read by the values of what they are made of; `plain` are the others. */
export async function groupsByValue(
  duck: Duck,
  relation: Relation,
  columns: readonly string[],
  members: DuckDBBitValue | null,
  signal?: AbortSignal,
): Promise<{ readonly groups: readonly ValueGroup[]; readonly plain: readonly number[] }> {
  const all = columns.map((_, k) => k);
  if (byValues(relation, columns, Number.POSITIVE_INFINITY).length === 0) return { groups: [], plain: all };
  const rows = await countRows(duck, { artifact: relation.artifact, steps: [] }, {}, signal);
  const large = byValues(relation, columns, rows);
  const groups: ValueGroup[] = [];
  for (let from = 0; from < large.length; from += groupsAtOnce) {
    const some = large.slice(from, from + groupsAtOnce);
    const found = await allDone(
      some.map(([source, at]) => valueGroup(duck, relation, source, at, { columns, members, signal })),
    );
    groups.push(...found.filter((group) => group !== null));
  }
  const grouped = new Set(groups.flatMap(({ at }) => at));
  return { groups, plain: all.filter((k) => !grouped.has(k)) };
}
