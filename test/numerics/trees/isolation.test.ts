import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { quantiles } from "../../../src/numerics/statistics/quantiles.ts";
import { treeSeeds } from "../../../src/numerics/trees/forest.ts";
import { averagePath, isolateRows } from "../../../src/numerics/trees/isolation.ts";
import { joinTrees, predictForest } from "../../../src/numerics/trees/trees.ts";
import type { Matrix } from "../../../src/numerics/types.ts";
import { oddTables } from "../cluster/odd-tables.ts";
import { columns, distance } from "../data.ts";

interface Args {
  readonly random_state: number;
  readonly n_estimators?: number;
  readonly max_features?: number;
  readonly bootstrap?: boolean;
}

/** What scikit-learn answers on the same tables; written by cluster-reference.py. */
const { isolated } = JSON.parse(readFileSync(new URL("../cluster-reference.json", import.meta.url), "utf8")) as {
  isolated: { table: string; args: Args; samples: number; scores: number[]; quantile: number }[];
};

function scoresOf(x: Matrix, args: Args, samples: number): Float64Array {
  const input = {
    x,
    samples,
    columns: Math.max(1, Math.floor((args.max_features ?? 1) * x.d)),
    bootstrap: args.bootstrap ?? false,
  };
  const seeds = treeSeeds(args.random_state, args.n_estimators ?? 100);
  // In two chunks, as two threads would grow them.
  const parts = [seeds.slice(0, 9), seeds.slice(9)].map((some) => isolateRows({ ...input, seeds: some }));
  const { data } = predictForest({ x, trees: joinTrees(parts) });
  const average = averagePath(samples);
  return data.map((cuts) => -(2 ** (average > 0 ? -cuts / average : -1)));
}

describe.each(isolated)(
  "scores of scikit-learn's IsolationForest: $table $args",
  ({ table, args, samples, scores, quantile }) => {
    test("the same trees by the same draws", () => {
      const found = scoresOf(oddTables()[table]!, args, samples);
      expect(
        distance(
          found.filter((_, row) => row % 7 === 0),
          scores,
        ),
      ).toBeLessThan(1e-12);
      expect(quantiles({ values: found, at: [0.1] })[0]).toBeCloseTo(quantile, 12);
    });
  },
);

test("a row far from the others has the lowest score, however far all are from 0", () => {
  for (const offset of [0, 1e9]) {
    const column = Float64Array.from({ length: 200 }, (_, i) => offset + ((i * 37) % 101) / 10);
    column[123] = offset + 40;
    const scores = scoresOf(
      columns(
        column,
        column.map((value) => value / 2),
      ),
      { random_state: 1 },
      200,
    );
    expect(scores.indexOf(Math.min(...scores))).toBe(123);
    expect(scores[123]).toBeLessThan(-0.7);
  }
});
