import type { Task } from "../../core/block.ts";
import type { Json } from "../../core/record.ts";
import type { RandomState } from "../../numerics/random.ts";

/** How features are prepared for a model: left as they are, or filled, one-hot, and perhaps scaled. */
export type Preparation = { readonly fill: "mean" | "median"; readonly scaled: boolean } | null;

/** A model with its arguments and the preparation before it: one candidate of a search. */
export interface Pipeline {
  readonly helper: string;
  readonly args: Readonly<Record<string, Json>>;
  readonly preparation: Preparation;
}

/** Up to so many training rows a support vector machine is tried: its time grows with their square. */
const fewRows = 4000;
/** And a quantile regression, of which each fit takes seconds there. */
const manyRows = 100_000;

const scaled: Preparation = { fill: "mean", scaled: true };
const plain: Preparation = { fill: "median", scaled: false };

/** What a search is after. */
export interface Goal {
  readonly scoring: string;
  /** The targets that it learns from; empty for classes. */
  readonly targets: Float64Array;
}

/** Are these whole numbers from 0 on, and not all 0? */
function areCounts({ targets }: Goal): boolean {
  return targets.some((value) => value > 0) && targets.every((value) => Number.isInteger(value) && value >= 0);
}

/** A kind of model: its first candidate, and how further ones are drawn. */
interface Kind {
  readonly helper: string;
  readonly preparation: Preparation;
  readonly first: Readonly<Record<string, Json>>;
  draw(random: RandomState): Readonly<Record<string, Json>>;
  /** Training rows from which it learns at most (default: any). */
  readonly mostRows?: number;
  /** What it is tried for where nobody says which models (default: any target and score). */
  readonly onlyFor?: (goal: Goal) => boolean;
}

function pick<T>(random: RandomState, values: readonly T[]): T {
  return values[random.randomInterval(values.length - 1)];
}

/** A number between both, evenly by its logarithm, to three digits: so it can be read and typed. */
function between(random: RandomState, low: number, high: number): number {
  return Number((low * (high / low) ** random.uniform()).toPrecision(3));
}

const forest = (random: RandomState) => ({
  n_estimators: pick(random, [100, 200]),
  min_samples_leaf: pick(random, [1, 2, 3, 5, 10]),
  max_features: pick(random, ["sqrt", "log2", 0.3, 0.5, 0.8]),
});

const tree = (random: RandomState) => ({
  max_depth: pick(random, [3, 4, 6, 8, 12]),
  min_samples_leaf: pick(random, [1, 3, 5, 10, 20]),
});

const boosting = (random: RandomState) => ({
  learning_rate: between(random, 0.02, 0.3),
  max_iter: pick(random, [50, 100, 200, 300]),
  max_leaf_nodes: pick(random, [4, 8, 15, 31, 63]),
  min_samples_leaf: pick(random, [3, 5, 10, 20, 40]),
  l2_regularization: pick(random, [0, 0.1, 1, 10]),
});

const nearest = (random: RandomState) => ({
  n_neighbors: pick(random, [1, 3, 5, 8, 12, 20, 30]),
  weights: pick(random, ["uniform", "distance"]),
  p: pick(random, [1, 2]),
});

const machine = (random: RandomState) => ({ C: between(random, 0.05, 100), gamma: between(random, 0.003, 1) });

/** The kinds of models for each task, in the order in which their first candidates are tried: the quick ones first. */
const kinds: Readonly<Record<Task, readonly Kind[]>> = {
  regression: [
    { helper: "ridge", preparation: scaled, first: {}, draw: (random) => ({ alpha: between(random, 0.001, 1000) }) },
    {
      helper: "boost",
      preparation: null,
      first: { loss: "squared_error" },
      draw: (random) => ({ loss: "squared_error", ...boosting(random) }),
    },
    { helper: "forestRegressor", preparation: plain, first: {}, draw: forest },
    { helper: "knnRegressor", preparation: scaled, first: {}, draw: nearest },
    { helper: "treeRegressor", preparation: plain, first: { min_samples_leaf: 5 }, draw: tree },
    { helper: "linear", preparation: plain, first: {}, draw: () => ({}) },
    {
      helper: "elasticNet",
      preparation: scaled,
      first: { alpha: 0.1 },
      draw: (random) => ({ alpha: between(random, 0.0001, 10), l1_ratio: pick(random, [0.1, 0.3, 0.5, 0.7, 0.9, 1]) }),
    },
    { helper: "svr", preparation: scaled, first: {}, draw: machine, mostRows: fewRows },
    {
      helper: "poisson",
      preparation: scaled,
      first: {},
      draw: (random) => ({ alpha: between(random, 0.0001, 10) }),
      onlyFor: areCounts,
    },
    {
      helper: "quantileRegressor",
      preparation: scaled,
      first: { alpha: 0 },
      draw: (random) => ({ alpha: between(random, 0.0001, 1) }),
      mostRows: manyRows,
      // The median is what absolute errors are least about.
      onlyFor: ({ scoring }) => scoring === "mae",
    },
  ],
  classification: [
    { helper: "logistic", preparation: scaled, first: {}, draw: (random) => ({ C: between(random, 0.001, 1000) }) },
    {
      helper: "boost",
      preparation: null,
      first: { loss: "log_loss" },
      draw: (random) => ({ loss: "log_loss", ...boosting(random) }),
    },
    { helper: "forestClassifier", preparation: plain, first: {}, draw: forest },
    { helper: "knn", preparation: scaled, first: {}, draw: nearest },
    {
      helper: "naiveBayes",
      preparation: plain,
      first: {},
      draw: (random) => ({ var_smoothing: between(random, 1e-10, 0.1) }),
    },
    { helper: "treeClassifier", preparation: plain, first: { min_samples_leaf: 5 }, draw: tree },
    { helper: "kernelSvm", preparation: scaled, first: {}, draw: machine, mostRows: fewRows },
  ],
};

/** Models whose draws have a seed. */
const seeded = ["boost", "forestRegressor", "forestClassifier", "treeRegressor", "treeClassifier", "kernelSvm"];

/** The helpers of the models that a search of this task may try. */
export function searchable(task: Task): readonly string[] {
  return kinds[task].map(({ helper }) => helper);
}

/** The helpers of the models that serve a goal, where nobody says which to try. */
export function usualModels(task: Task, goal: Goal): readonly string[] {
  return kinds[task].filter(({ onlyFor }) => onlyFor?.(goal) ?? true).map(({ helper }) => helper);
}

/** What is to be tried, and of how many rows each model learns. */
export interface Wanted {
  readonly task: Task;
  readonly models: readonly string[];
  readonly trials: number;
  readonly rows: number;
  readonly seed: number;
}

/**
 * The candidates in rounds: first every kind of model as it comes, then rounds of drawn arguments.
 *
 * No two are alike. The same seed draws the same ones, and more trials only add to them.
 */
export function pipelineRounds({ task, models, trials, rows, seed }: Wanted, random: RandomState): Pipeline[][] {
  const all = kinds[task].filter(
    ({ helper, mostRows = Number.POSITIVE_INFINITY }) => models.includes(helper) && rows <= mostRows,
  );
  const own = (helper: string): Readonly<Record<string, Json>> =>
    seeded.includes(helper) ? { random_state: seed } : {};
  const rounds: Pipeline[][] = [
    all
      .slice(0, trials)
      .map(({ helper, preparation, first }) => ({ helper, preparation, args: { ...first, ...own(helper) } })),
  ];
  const known = new Set(rounds[0].map((each) => JSON.stringify(each)));
  // Draws that come up twice are few, save where a kind has no arguments to draw.
  for (let left = trials - rounds[0].length, tries = 20 * trials; left > 0 && tries > 0 && all.length > 0; ) {
    const round: Pipeline[] = [];
    for (; round.length < Math.min(roundSize, left) && tries > 0; tries--) {
      const { helper, preparation, draw } = all[(trials + tries) % all.length];
      const fill = pick(random, ["mean", "median"] as const);
      const made = {
        helper,
        preparation: preparation && { ...preparation, fill },
        args: { ...draw(random), ...own(helper) },
      };
      const key = JSON.stringify(made);
      if (known.has(key)) continue;
      known.add(key);
      round.push(made);
    }
    if (round.length > 0) rounds.push(round);
    left -= round.length;
  }
  return rounds;
}

/** Candidates of a round of drawn arguments. */
const roundSize = 9;

/** What the chain of a pipeline says of the columns. */
export interface ChainColumns {
  /** Features that are left out. */
  readonly dropped: readonly string[];
  /** Numbers, and others, with missing cells among the training rows. */
  readonly gaps: { readonly numbers: readonly string[]; readonly others: readonly string[] };
  /** Texts that become a 0/1 column per category. */
  readonly texts: readonly string[];
}

/** The candidate as the calls of a chain, which one can append to the one at hand. */
export function chainText({ helper, args, preparation }: Pipeline, { dropped, gaps, texts }: ChainColumns): string {
  const calls: string[] = [];
  if (preparation) {
    const { fill } = preparation;
    if (dropped.length > 0) calls.push(`drop(${dropped.map((name) => JSON.stringify(name)).join(", ")})`);
    if (gaps.numbers.length > 0) calls.push(`missing(${literal({ strategy: fill, columns: gaps.numbers })})`);
    if (gaps.others.length > 0) calls.push(`missing(${literal({ strategy: "mode", columns: gaps.others })})`);
    if (texts.length > 0) calls.push(`encode(${literal({ columns: texts, type: "onehot" })})`);
    if (preparation.scaled) calls.push("scale()");
  }
  calls.push(`${helper}(${Object.keys(args).length > 0 ? literal(args) : ""})`);
  return calls.map((call) => `.${call}`).join("");
}

/** A plain object as one types it; its keys are arguments' names. */
function literal(value: Readonly<Record<string, unknown>>): string {
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${name}: ${JSON.stringify(each)}`)
    .join(", ")} }`;
}
