import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import { replaceColumns } from "../../core/scope.ts";
import type { WriteColumn } from "../../core/tables.ts";
import type { TermCounts } from "../../numerics/text/terms.ts";
import type { Relation } from "../../plan/node.ts";
import {
  countingSteps,
  entryOutputs,
  type ListNames,
  listNames,
  type Replacements,
  type TermPlan,
  writtenLists,
} from "./term-plan.ts";

/** One text column and the sparse rows it became. */
export interface TextColumns extends TermPlan {
  /** The last part of each new column's name. */
  readonly made: readonly string[];
  /** Document frequencies of the vocabulary; like it empty where words are hashed. */
  readonly documents: readonly number[];
  readonly counts: Pick<TermCounts, "start" | "columns" | "values">;
}

/** More new columns than this make no table. */
const mostColumns = 20_000;

/**
 * The frame with each text column's terms in its place, and the steps that make them of new rows.
 *
 * The rows at hand were counted already: their terms and weights are written as two lists a row, in which the new
 * columns are looked up. New rows take a plan that makes the lists. Hashed columns have no such plan: with them
 * the chain's new rows begin here.
 */
export async function withTerms(
  frame: Frame,
  columns: readonly TextColumns[],
  context: BlockContext,
): Promise<{ frame: Frame; steps: readonly Replacements[] }> {
  refuseMany(columns);
  const kept = frame.columns.map(({ name }) => name).filter((name) => !columns.some((each) => each.name === name));
  const isPlanned = columns.every(({ terms }) => terms.length > 0);
  const taken = [...kept];
  const lists = new Map<string, ListNames>();
  const entries = new Map<string, ReturnType<typeof entryOutputs>>();
  const steps: Replacements[] = [];
  for (const each of columns) {
    const names = freshNames(
      each.made.map((term) => `${each.name}_${term}`),
      taken,
    );
    for (const name of names) taken.push(name);
    const own = listNames(each.name, [...frame.columns.map(({ name }) => name), ...taken]);
    lists.set(each.name, own);
    taken.push(own.terms, own.weights);
    entries.set(own.terms, entryOutputs(names, own)).set(own.weights, []);
    steps.push(...(isPlanned ? countingSteps(each, own, taken) : [writtenLists(each.name, own)]));
  }
  const listed = steps.reduce((before, step) => replaceColumns(before, context, step), frame);
  const learnt = isPlanned ? columns.map(({ name }) => name) : [];
  const after = replaceColumns(listed, context, entries, learnt);
  const written = columns.flatMap((each) => listColumns(each, lists.get(each.name) as ListNames));
  const artifact = await context.tables.writeTable(
    frame.relation,
    { columns: listed.columns.map(({ name }) => name) },
    written,
  );
  const relation: Relation = { artifact, steps: after.relation.steps.slice(-1) };
  return isPlanned
    ? { frame: { ...after, relation }, steps: [...steps, entries] }
    : { frame: { ...after, relation, lineage: [], raw: after.columns }, steps: [] };
}

function refuseMany(columns: readonly TextColumns[]): void {
  const made = columns.reduce((sum, { made: terms }) => sum + terms.length, 0);
  if (made <= mostColumns) return;
  const [got, most] = [made, mostColumns].map((n) => n.toLocaleString("en-US"));
  throw new DataError(
    `vectorize (DP_VEC): ${got} terms are too many for columns; at most ${most} fit. Set max_features, or raise min_df.`,
    { path: "max_features", got: made, expected: `at most ${mostColumns}` },
  );
}

function listColumns({ counts }: TextColumns, { terms, weights }: ListNames): WriteColumn[] {
  const { start, columns, values } = counts;
  return [
    { column: { name: terms, type: "tensor" }, values: { start, items: columns } },
    { column: { name: weights, type: "tensor" }, values: { start, items: values } },
  ];
}
