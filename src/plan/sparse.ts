import { outputsOf, passedOn } from "./lineage.ts";
import type { Relation, Step } from "./node.ts";

/** Columns that are places of the same two lists, and the plan up to where the lists stand. */
export interface EntryGroup {
  readonly relation: Relation;
  readonly terms: string;
  readonly weights: string;
  /** Which place each of them is: `at` among the terms, `k` among the columns that were asked for. */
  readonly places: readonly { readonly at: number; readonly k: number }[];
}

/** Columns by how they are best read. */
export interface Reading {
  readonly groups: readonly EntryGroup[];
  /** Which of the columns are none of a sparse row's places. */
  readonly plain: readonly number[];
}

/**
 * Finds those of a selection's columns that are places of sparse rows, through all steps that pass them on.
 *
 * Steps change no row's place, so the lists have the rows of the whole plan. Where the rows are chosen or ordered by
 * what other columns hold, all columns are plain.
 */
export function sparseReading(
  relation: Relation,
  selection: { readonly columns: readonly string[]; readonly sort?: string; readonly search?: unknown },
): Reading {
  const names = selection.columns;
  const isSimple = selection.sort === undefined && selection.search === undefined;
  if (!isSimple || !relation.steps.some(hasEntries)) return { groups: [], plain: names.map((_, k) => k) };
  const outputs = relation.steps.map(outputsOf);
  const groups = new Map<string, EntryGroup & { readonly places: { at: number; k: number }[] }>();
  const plain: number[] = [];
  for (const [k, wanted] of names.entries()) {
    const found = origin(outputs, wanted);
    if (!found) {
      plain.push(k);
      continue;
    }
    const { entry, step } = found;
    const key = JSON.stringify([step, entry.terms, entry.weights]);
    const group = groups.get(key) ?? {
      relation: { ...relation, steps: relation.steps.slice(0, step) },
      terms: entry.terms,
      weights: entry.weights,
      places: [],
    };
    group.places.push({ at: entry.at, k });
    groups.set(key, group);
  }
  return { groups: [...groups.values()], plain };
}

function hasEntries(step: Step): boolean {
  return step.outputs.some(({ entry }) => entry !== undefined);
}

/** The place of sparse rows that a column is, and the step that looks it up; null when something else was made of it. */
function origin(outputs: readonly ReadonlyMap<string, Step["outputs"][number]>[], wanted: string) {
  let name = wanted;
  for (let step = outputs.length - 1; step >= 0; step--) {
    const output = outputs[step].get(name);
    if (!output) return null;
    if (output.entry) return { entry: output.entry, step };
    const passed = passedOn(output);
    if (passed === null) return null;
    name = passed;
  }
  return null;
}
