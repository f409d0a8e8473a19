import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import type { Chart } from "../../core/chart.ts";
import { DataError } from "../../core/errors.ts";
import { columnOf } from "../../core/matrix.ts";
import { type Cell, stack, type TableView } from "../../core/view.ts";
import { quantiles } from "../../numerics/statistics/quantiles.ts";
import { treeSeeds } from "../../numerics/trees/forest.ts";
import { averagePath, isolateRows } from "../../numerics/trees/isolation.ts";
import { joinTrees, predictForest, type Trees } from "../../numerics/trees/trees.ts";
import type { Matrix } from "../../numerics/types.ts";
import { isolationOnnx } from "../onnx/isolation.ts";
import { computeRows, matrixOf, shares } from "../shared/row-parts.ts";
import { defineClustering } from "./clustering.ts";

/** Trees whose leaves say how many cuts isolate a row. */
export interface Isolation {
  readonly trees: Trees;
  /** Cuts that isolate a row of a tree's sample on average. */
  readonly average: number;
  /** A row whose score is lower is an outlier. */
  readonly offset: number;
}

/**
 * ML_ISF. Finds rows that are unlike the others: an isolation forest, as scikit-learn's IsolationForest.
 *
 * Needs no target. X are the features; without roles, all columns of numbers; they need no scaling. A row that few random
 * cuts separate from all others is unusual. The table gets a column `outlier`, 1 or 0, for what follows. Predictions are
 * -1 for outliers and 1 for others, each beside its `score`: the lower, the more unusual, from -1 to 0.
 */
export const isolationForest = defineClustering({
  code: "ML_ISF",
  name: "isolationForest",
  why: "It finds rows that are unlike the others without being told what is usual, needs no scaling and is fast. How many of them count as outliers is yours to say with contamination.",
  isOutliers: true,
  args: {
    /** Trees that are grown (default 100). */
    n_estimators: z.int().min(1).max(10_000).default(100),
    /** Rows drawn for each tree: a count from 2 on, a share up to 1, or "auto" for at most 256 (default "auto"). */
    max_samples: z.union([z.number().positive(), z.literal("auto")]).default("auto"),
    /** The share of outliers, up to 0.5, or "auto" for scores below -0.5 (default "auto"). */
    contamination: z.union([z.number().positive().max(0.5), z.literal("auto")]).default("auto"),
    /** Features drawn for each tree: a count from 2 on, or a share up to 1 (default 1). */
    max_features: z.number().positive().default(1),
    /** Draws rows with replacement (default false). */
    bootstrap: z.boolean().default(false),
    /** Seed of all draws (default 0). */
    random_state: z.int().min(0).max(4294967295).default(0),
  },
  example: 'session.input("sample:iris").xy({ y: "species" }).isolationForest({ contamination: 0.05 }).metrics()',
  async fit(x, args, context, who) {
    const { max_features: features, max_samples: rows } = args;
    const columns = features <= 1 ? Math.max(1, Math.floor(features * x.d)) : features;
    if (!Number.isInteger(columns) || columns > x.d) {
      throw new DataError(
        `${who}: max_features must be a share up to 1, or a count up to ${x.d} (features), got ${features}.`,
        {
          path: "max_features",
          got: features,
          expected: `at most ${x.d}`,
        },
      );
    }
    const samples = rows === "auto" ? Math.min(256, x.n) : rows <= 1 ? Math.floor(rows * x.n) : Math.min(rows, x.n);
    if (!Number.isInteger(samples) || samples < 1) {
      throw new DataError(
        `${who}: max_samples must be a count, or a share that comes to a row of ${x.n.toLocaleString("en-US")}, got ${rows}.`,
        { path: "max_samples", got: rows, expected: `1 to ${x.n}` },
      );
    }
    const trees = await growTrees(x, { ...args, samples, columns }, context);
    const average = averagePath(samples);
    const scores = await scoresOf({ trees, average, offset: 0 }, x, context);
    const { contamination } = args;
    const offset = contamination === "auto" ? -0.5 : quantiles({ values: scores, at: [contamination] })[0];
    const sorted = scores.slice().sort();
    return {
      parameters: { trees, average, offset } as Isolation,
      labels: labelsOf(scores, offset),
      shown: stack(mostUnusual(x, scores, sorted), { kind: "chart" as const, chart: scoresChart(sorted, offset) }),
      notices:
        typeof rows === "number" && rows > x.n
          ? [`max_samples is ${rows}, and there are ${x.n.toLocaleString("en-US")} rows, so each tree takes all.`]
          : [],
    };
  },
  async assign(parameters, x, context) {
    const scores = await scoresOf(parameters, x, context);
    return { labels: labelsOf(scores, parameters.offset), scores };
  },
  onnx: isolationOnnx,
});

interface Drawn {
  readonly n_estimators: number;
  readonly random_state: number;
  readonly samples: number;
  readonly columns: number;
  readonly bootstrap: boolean;
}

/** All trees, some of them on each thread. */
async function growTrees(x: Matrix, args: Drawn, context: BlockContext): Promise<Trees> {
  const { samples, columns, bootstrap } = args;
  const seeds = treeSeeds(args.random_state, args.n_estimators);
  const parts = shares(seeds.length, context.threads);
  const done = parts.map(() => 0);
  const grown = await Promise.all(
    parts.map(({ from, to }, k) =>
      context.compute(
        isolateRows,
        { x: matrixOf(x), seeds: seeds.slice(from, to), samples, columns, bootstrap },
        (trees) => {
          done[k] = trees;
          context.progress(
            "trees",
            done.reduce((sum, each) => sum + each, 0),
            seeds.length,
          );
        },
      ),
    ),
  );
  return joinTrees(grown);
}

/** How unusual rows are: -2 to the power of minus their cuts, as a share of the average. */
async function scoresOf({ trees, average }: Isolation, x: Matrix, context: BlockContext): Promise<Float64Array> {
  const cuts = await computeRows(context, predictForest, { x: matrixOf(x), trees }, "scores");
  return columnOf(cuts, 0).map((value) => -(2 ** (average > 0 ? -value / average : -1)));
}

function labelsOf(scores: Float64Array, offset: number): Int32Array {
  return Int32Array.from(scores, (score) => (score < offset ? -1 : 1));
}

/** Rows that are shown, and features. */
const shownRows = 10;
const shownFeatures = 8;

/** The most unusual rows, with their features. */
function mostUnusual(
  x: Matrix & { readonly names: readonly string[] },
  scores: Float64Array,
  sorted: Float64Array,
): TableView {
  const order = lowest(scores, sorted[Math.min(shownRows, scores.length) - 1], shownRows);
  const names = x.names.slice(0, shownFeatures);
  return {
    kind: "table",
    title: "the most unusual rows",
    summary: true,
    columns: [
      { name: "row", type: "integer" },
      { name: "score", type: "number" },
      ...names.map((name) => ({ name, type: "number" as const })),
    ],
    rows: order.map((row): Cell[] => [row, scores[row], ...names.map((_, j) => x.data[j * x.n + row])]),
  };
}

/** The places of scores up to a limit, the lowest first, and not more than `most`; of equals the first. */
function lowest(scores: Float64Array, limit: number, most: number): number[] {
  const found: number[] = [];
  for (const [row, score] of scores.entries()) if (score <= limit) found.push(row);
  return found.sort((a, b) => scores[a] - scores[b] || a - b).slice(0, most);
}

/** Points of the curve of scores. */
const points = 200;

function scoresChart(sorted: Float64Array, offset: number): Chart {
  const last = sorted.length - 1;
  const shown = Math.min(points, sorted.length);
  const at = Array.from({ length: shown }, (_, k) => (shown > 1 ? Math.round((k * last) / (shown - 1)) : 0));
  return {
    kind: "lines",
    title: "scores of all rows, the most unusual first; below the line are outliers",
    x: { title: "share of rows", type: "number" },
    y: { title: "score", type: "number" },
    series: [{ name: "", x: at.map((k) => (last > 0 ? k / last : 0)), y: at.map((k) => sorted[k]) }],
    rows: sorted.length,
    reference: { from: [0, offset], to: [1, offset] },
  };
}
