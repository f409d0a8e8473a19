import type { Column } from "../../../core/frame.ts";
import type { Rows, Summing } from "../../../core/tables.ts";
import type { Relation } from "../../../plan/node.ts";
import { isAddedBySql, mostTogether } from "../choose.ts";
import type { Duck } from "../duck.ts";
import { eachTableRun } from "./table-runs.ts";

/** What numeric columns add up to over a table's or subset's rows. */
export async function summedColumns<Part, All>(
  duck: Duck,
  relation: Relation,
  rows: Rows,
  columns: readonly Column[],
  summing: Summing<Part, All>,
  signal?: AbortSignal,
): Promise<All[]> {
  const read = (names: readonly string[], whole: readonly string[]) =>
    summedRuns(duck, relation, { ...rows, columns: names, whole }, summing, signal);
  const found = new Map<string, All>();
  for (let from = 0; from < columns.length; from += mostTogether) {
    const { whole = [], others = [] } = Object.groupBy(columns.slice(from, from + mostTogether), (column) =>
      isAddedBySql(column) ? "whole" : "others",
    );
    const [names, added] = [others, whole].map((some) => some.map(({ name }) => name)) as [string[], string[]];
    const { all, sums } = await read(names, added);
    for (const [k, name] of names.entries()) found.set(name, all[k]!);
    // Sums that are too large to be exact depend on the order of the rows, so those are added up as the others are.
    const large: string[] = [];
    for (const [k, name] of added.entries()) {
      const exact = summing.ofWhole(sums[k]!);
      if (exact === null) large.push(name);
      else found.set(name, exact);
    }
    if (large.length === 0) continue;
    const again = await read(large, []);
    for (const [k, name] of large.entries()) found.set(name, again.all[k]!);
  }
  return columns.map(({ name }) => found.get(name)!);
}

/**
 * Each run of rows is summed up while it is in the cache. Runs come in any order and are joined in that of the table,
 * so the last digits are the same whichever came first. Only those that came too early wait in memory.
 */
async function summedRuns<Part, All>(
  duck: Duck,
  relation: Relation,
  selection: Parameters<typeof eachTableRun>[2],
  { none, of, joined, ended }: Summing<Part, All>,
  signal?: AbortSignal,
): Promise<{ readonly all: readonly All[]; readonly sums: Awaited<ReturnType<typeof eachTableRun>> }> {
  const waiting = new Map<number, { readonly next: number; readonly parts: readonly Part[] }>();
  let all: readonly Part[] = selection.columns.map(() => none);
  let end = 0;
  const take: Parameters<typeof eachTableRun>[3] = ({ first, next, column }) => {
    waiting.set(first, { next, parts: selection.columns.map((_, k) => of(column(k))) });
    for (let due = waiting.get(end); due; due = waiting.get(end)) {
      const { next, parts } = due;
      waiting.delete(end);
      all = all.map((before, k) => joined(before, parts[k]!));
      end = next;
    }
  };
  const sums = await eachTableRun(duck, relation, selection, take, signal);
  return { all: all.map((each) => ended(each)), sums };
}
