import type { BlockContext } from "../../core/block.ts";
import { count } from "../../core/names.ts";
import { stack, text, type View } from "../../core/view.ts";
import { axisShares } from "../../numerics/search/importance.ts";
import { type GridResult, type GridRow, worth } from "../models/grid-search.ts";
import type { ModelReport } from "../models/model-view.ts";
import type { SearchSpace } from "./space.ts";

/** Trials with a score from which on something is said; of fewer the forest's shares are chance. */
const fewest = 10;

/** Bars that are drawn at most. */
const mostBars = 15;

/** Which arguments the scores of a search hang on, as it stands in the record's output. */
export type Importance = {
  /** By argument, the share of the score's variance over the whole space that it explains by itself; null where none can be told. */
  readonly importance: Readonly<Record<string, number>> | null;
  /** Why none can be told. */
  readonly importance_note?: string;
};

/** Which arguments mattered, from the trials alone. */
export async function importanceOf(
  { ranking, scoring }: GridResult,
  space: SearchSpace,
  seed: number,
  context: BlockContext,
): Promise<Importance> {
  const none = (note: string): Importance => ({ importance: null, importance_note: note });
  if (space.axes.length === 1) return none("one argument was searched, so that there is none to compare it with.");
  const scored = scoredOf(ranking, scoring);
  if (scored.length < fewest) {
    return none(`${count(scored.length, "trial")} with a score tell too little; take n_trials of ${fewest} at least.`);
  }
  if (scored.every(({ score }) => score === scored[0].score)) return none("all trials scored the same.");
  const shares = await context.compute(
    axisShares,
    {
      axes: space.axes,
      points: scored.map(({ row }) => space.pointOf(row.values)),
      scores: Float64Array.from(scored, ({ score }) => score),
      seed,
    },
    "importance of arguments",
  );
  return { importance: Object.fromEntries(space.searched.map(({ name }, j) => [name, shares[j]])) };
}

/**
 * The trials in their order with the score of each, the greater the better.
 *
 * One that ended early has that of its folds, beside what whole trials score there: left out it would hide how bad ones
 * come about.
 */
function scoredOf(ranking: readonly GridRow[], scoring: string): { readonly row: GridRow; readonly score: number }[] {
  const whole = ranking.filter(({ mean }) => mean !== null);
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const usual = whole[0].scores.map((_, fold) => meanOf(whole.map(({ scores }) => scores[fold])));
  const guessed = ({ scores }: GridRow) => meanOf(usual) + meanOf(scores.map((score, fold) => score - usual[fold]));
  return ranking
    .filter(({ mean, scores }) => mean !== null || scores.length > 0)
    .map((row) => ({ row, score: worth({ mean: row.mean ?? guessed(row) }, scoring) }))
    .filter(({ score }) => Number.isFinite(score))
    .sort((a, b) => a.row.k - b.row.k);
}

/** The shares as bars, the largest first; else why there are none. */
export function importanceView({ importance, importance_note: note }: Importance, { search }: ModelReport): View {
  if (importance === null) return text(`No importance of arguments: ${note}`, "quiet");
  const bars = Object.entries(importance)
    .map(([label, value]) => ({ label, value }))
    .sort((a, b) => b.value - a.value);
  const rest = 1 - bars.reduce((sum, { value }) => sum + value, 0);
  const title = `importance of arguments: share of ${search?.scoring}'s variance`;
  return stack(
    { kind: "chart", chart: { kind: "bars", title, value: "share", bars: bars.slice(0, mostBars) } },
    text(`${Math.round(100 * Math.max(0, rest))} % lie in how the arguments go together.`, "quiet"),
  );
}
