import type { BlockContext, Outcome } from "../../core/block.ts";
import type { Column } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { WriteColumn } from "../../core/tables.ts";
import type { Cell } from "../../core/view.ts";
import { type GridResult, worth } from "../models/grid-search.ts";
import type { ModelReport } from "../models/model-view.ts";

/** All combinations in the order in which they were tried, column by column, as scikit-learn's `cv_results_`. */
interface Candidates {
  readonly params: readonly Readonly<Record<string, Json>>[];
  readonly mean_test_score: readonly (number | null)[];
  readonly std_test_score: readonly (number | null)[];
  /** 1 is the best; equals share the least rank, and those that failed come last. */
  readonly rank_test_score: readonly number[];
  /** A list for each fold. */
  readonly split_test_scores: readonly (readonly (number | null)[])[];
}

/** The combinations of a search as they were tried. */
function candidatesOf({ scoring, folds, ranking }: GridResult): Candidates {
  const rows = [...ranking].sort((a, b) => a.k - b.k);
  const worths = rows.map((row) => worth(row, scoring));
  return {
    params: rows.map(({ values }) => values),
    mean_test_score: rows.map(({ mean }) => mean),
    std_test_score: rows.map(({ std }) => std),
    rank_test_score: worths.map((own) => 1 + worths.filter((other) => other > own).length),
    split_test_scores: Array.from({ length: folds }, (_, fold) => rows.map(({ scores }) => scores[fold] ?? null)),
  };
}

/** What a training that searched comes to: beside the model all combinations, in its output and as a table. */
export async function searchOutcome(
  outcome: Outcome,
  context: BlockContext,
  beside: Readonly<Record<string, Json>> = {},
): Promise<Outcome> {
  const { search } = outcome.report as ModelReport;
  // A training that was to search has done so.
  const found = candidatesOf(search as GridResult);
  const candidates = await context.tables.writeColumns(candidateColumns(found));
  const [[model, trained]] = Object.entries(outcome.output as Record<string, Record<string, Json>>);
  // A cast because lists that can't be changed are JSON as well.
  const results = found as unknown as Json;
  return {
    ...outcome,
    output: { [model]: { ...trained, ...beside, cv_results: results }, candidates_url: { $artifact: candidates } },
  };
}

/** The same as a table: a row for each combination, a column for each argument that was varied. */
function candidateColumns(found: Candidates): WriteColumn[] {
  const {
    params,
    mean_test_score: mean,
    std_test_score: std,
    rank_test_score: rank,
    split_test_scores: splits,
  } = found;
  const varied = [...new Set(params.flatMap((values) => Object.keys(values)))];
  const own = ["rank", "mean", "std", ...splits.map((_, fold) => `fold_${fold}`)];
  const names = freshNames(varied, own);
  const number = (name: string): Column => ({ name, type: "number" });
  return [
    ...varied.map((name, j) =>
      columnOfValues(
        names[j],
        params.map((values) => values[name] ?? null),
      ),
    ),
    { column: number("mean"), values: numbersOf(mean) },
    { column: number("std"), values: numbersOf(std) },
    { column: { name: "rank", type: "number", integer: true }, values: Float64Array.from(rank) },
    ...splits.map((scores, fold) => ({ column: number(`fold_${fold}`), values: numbersOf(scores) })),
  ];
}

function numbersOf(values: readonly (number | null)[]): readonly Cell[] {
  return [...values];
}

/** Numbers or truths where all values are; else texts. */
function columnOfValues(name: string, values: readonly Json[]): WriteColumn {
  const given = values.filter((value) => value !== null);
  for (const type of ["number", "boolean"] as const) {
    if (given.every((value) => typeof value === type))
      return { column: { name, type }, values: values as readonly Cell[] };
  }
  const texts = values.map((value) => (value === null || typeof value === "string" ? value : JSON.stringify(value)));
  return { column: { name, type: "string" }, values: texts };
}
