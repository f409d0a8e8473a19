import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import { ArgsError, BlocklabError, CancelledError, DataError } from "../../core/errors.ts";
import { count, listed, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { type Cell, stack, text, type View } from "../../core/view.ts";
import { losses, type TrialResult, type Validation } from "./cross-validate.ts";

export { losses } from "./cross-validate.ts";

/** Scores that a grid can be judged by; of the losses the smallest is the best. */
const scores = {
  regression: ["r2", "rmse", "mae", "mse", "mape"],
  classification: ["accuracy", "f1", "precision", "recall", "roc_auc", "log_loss"],
} as const;

/** Every score, whatever the task. */
export const allScores = [...scores.classification, ...scores.regression] as const;

/** Folds of a grid that names none, as scikit-learn's. */
export const gridFolds = 5;

/** Lists of values for a model's arguments. */
type Values<Shape extends z.ZodRawShape> = { readonly [Name in keyof Shape]: z.ZodOptional<z.ZodArray<Shape[Name]>> };

/** The arguments of a search over a model's own, which every model takes. */
export function gridArgs<Shape extends z.ZodRawShape>(shape: Shape) {
  const lists = Object.entries(shape).map(([name, schema]) => [name, z.array(schema).min(1).optional()]);
  // Object.fromEntries forgets which name has which schema.
  const values = Object.fromEntries(lists) as Values<Shape>;
  return {
    /** Values to try by argument, as in { max_depth: [2, 4, 8] }; every combination is cross-validated, the best trained (default: none). */
    grid: z.strictObject(values).optional(),
    /** The score that a grid's best combination has (default: accuracy, or r2 for numbers). */
    scoring: z.literal(allScores).optional(),
    /** Fits of a grid at most, folds times combinations (default: 500). */
    max_fits: z.int().min(1).max(100_000).optional(),
  };
}

/** Values to try by argument. */
type ValueLists = Readonly<Record<string, readonly Json[] | undefined>>;

/** What a caller says of a search; of several grids all combinations of each are tried. */
export interface Asked {
  readonly grid?: ValueLists | readonly ValueLists[];
  readonly scoring?: string;
  readonly max_fits?: number;
}

/** The search that a caller asked for. */
export interface Grid<Args> {
  /** Each combination's own values, and the whole arguments with them. */
  readonly candidates: readonly { readonly values: Readonly<Record<string, Json>>; readonly args: Args }[];
  readonly scoring: string;
}

/** What a search found: the combinations in the order of their scores, the best first. */
export interface GridResult {
  readonly scoring: string;
  readonly folds: number;
  readonly ranking: readonly GridRow[];
}

/** What became of a combination. */
export interface GridRow {
  /** Its place among the combinations as they were tried, from 0. */
  readonly k: number;
  readonly values: Readonly<Record<string, Json>>;
  /** Of the score over the folds; null for a combination that failed. */
  readonly mean: number | null;
  readonly std: number | null;
  /** The score of each fold; none of a combination that failed. */
  readonly scores: readonly number[];
  readonly failure?: string;
}

/** The score that models of a task are judged by: the given one, or the usual. */
export function scoringFor(task: "regression" | "classification", scoring: string | undefined, who: string): string {
  const known: readonly string[] = scores[task];
  const chosen = scoring ?? known[0];
  if (!known.includes(chosen)) {
    throw new ArgsError(`${who}: scoring ${quoted(chosen)} is not for ${task}; take one of ${listed(known)}.`, {
      path: "scoring",
      got: chosen,
      expected: known,
    });
  }
  return chosen;
}

/** A search as it stands in the record's output. */
export function searchJson({ scoring, folds, ranking }: GridResult): Json {
  const rows = ranking.map(({ k: _, scores: __, ...row }): Json => row);
  return { best: ranking[0].values, scoring, folds, ranking: rows };
}

/** The combinations of a grid over a model's own arguments. */
export function gridOf<Args>(
  { grid = {}, scoring, max_fits: most = 500 }: Asked,
  own: Args,
  task: "regression" | "classification",
  folds: number,
  who: string,
): Grid<Args> {
  const chosen = scoringFor(task, scoring, who);
  const grids = [grid]
    .flat()
    .map((each) => Object.entries(each).flatMap(([name, values]) => (values ? [[name, values] as const] : [])));
  const combinations = grids.reduce(
    (sum, lists) => sum + lists.reduce((product, [, values]) => product * values.length, 1),
    0,
  );
  if (combinations * folds > most) {
    throw new ArgsError(
      `${who}: grid makes ${count(combinations, "combination")}, ${count(combinations * folds, "fit")} with ${folds} folds, more than max_fits ${most}. Try fewer values, or raise max_fits.`,
      { path: "grid", got: combinations * folds, expected: `at most ${most} fits` },
    );
  }
  const candidates = grids.flatMap(combine).map((values) => ({ values, args: { ...own, ...values } }));
  return { candidates, scoring: chosen };
}

/** Every combination, the last argument's values changing fastest. */
function combine(lists: readonly (readonly [string, readonly Json[]])[]): Record<string, Json>[] {
  return lists.reduce<Record<string, Json>[]>(
    (rows, [name, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  );
}

/**
 * Judges all combinations on one fold, so that the steps before are fitted anew once per fold and not per fit.
 *
 * A combination that the data refuses, such as more neighbours than rows, is a row with its reason, not an end.
 */
export async function gridTrial<Args>(
  { candidates }: Grid<Args>,
  trial: (args: Args) => Promise<TrialResult>,
  context: Pick<BlockContext, "within">,
): Promise<TrialResult[]> {
  const found: TrialResult[] = [];
  for (const [k, { args }] of candidates.entries()) {
    found.push(await context.within("candidate", k, candidates.length, () => trial(args).catch(refused)));
  }
  return found;
}

/** What the data refuses, as a trial without metrics; all else is thrown on. */
export function refused(error: unknown): TrialResult {
  const isRefusal = error instanceof BlocklabError && !(error instanceof CancelledError) && error.status < 500;
  if (!isRefusal) throw error;
  return { failure: error.message };
}

/** The combinations ranked, and which of them is the best; of equals the first. */
export function ranked<Args>(
  grid: Grid<Args>,
  validations: readonly Validation[],
  who: string,
): { best: number; result: GridResult } {
  const value = (row: Pick<GridRow, "mean">) => worth(row, grid.scoring);
  const rows = validations.map(({ metrics, failure }, k) => {
    const spread = failure === undefined ? metrics[grid.scoring] : undefined;
    const missing = `not every fold has ${grid.scoring}.`;
    return {
      k,
      values: grid.candidates[k].values,
      mean: spread?.mean ?? null,
      std: spread?.std ?? null,
      scores: spread?.folds ?? [],
      ...(spread ? {} : { failure: failure ?? missing }),
    };
  });
  const order = [...rows].sort((a, b) => value(b) - value(a) || a.k - b.k);
  const [first] = order;
  if (first.mean === null) {
    throw new DataError(`${who}: no combination of the grid could be judged; the first says: ${first.failure}`, {
      path: "grid",
    });
  }
  const folds = validations[first.k].folds;
  return { best: first.k, result: { scoring: grid.scoring, folds, ranking: order } };
}

/** The greater, the better; sums of the same scores in another order are equal, so rounding decides nothing. */
export function worth({ mean }: Pick<GridRow, "mean">, scoring: string): number {
  if (mean === null) return -Infinity;
  return (losses.includes(scoring) ? -1 : 1) * Number(mean.toPrecision(12));
}

/** The combinations as a table, the best first, and why some are not in it. */
export function gridView({ scoring, folds, ranking }: GridResult): View {
  const names = [...new Set(ranking.flatMap(({ values }) => Object.keys(values)))];
  const judged = ranking.filter((row) => row.failure === undefined);
  const cell = (value: Json): Cell => (typeof value === "object" && value !== null ? JSON.stringify(value) : value);
  const table: View = {
    kind: "table",
    title: `${count(judged.length, "combination")} by ${scoring}, ${folds} folds each${judged.length > most ? `; the best ${most}` : ""}`,
    summary: true,
    columns: [
      ...names.map((name) => ({ name, type: "text" as const })),
      { name: scoring, type: "number", digits: 4 },
      { name: "std", type: "number", digits: 4 },
    ],
    rows: judged
      .slice(0, most)
      .map(({ values, mean, std }) => [...names.map((name) => cell(values[name] ?? null)), mean, std]),
  };
  const reasons = new Map<string, number>();
  for (const { failure } of ranking) if (failure !== undefined) reasons.set(failure, (reasons.get(failure) ?? 0) + 1);
  const notes = [...reasons].map(([reason, times]) =>
    text(`${count(times, "combination")} left out: ${reason}`, "quiet"),
  );
  return stack(table, ...notes);
}

/** Combinations that the table shows. */
const most = 20;
