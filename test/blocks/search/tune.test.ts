import { describe, expect, it } from "vitest";
import { Lab, type Link, output, someone } from "../../support/lab.ts";

const lab = new Lab();
const rows = Array.from({ length: 60 }, (_, k) => {
  const a = k % 7 === 3 ? null : (k * 37) % 41;
  const b = (k * 53) % 29;
  const label = (a ?? 20) + b / 2 + ((k * 17) % 11) > 30 ? (b > 18 ? "r" : "q") : "p";
  return { a, b, label, number: (a ?? 5) * 2 - b + ((k * 13) % 7) };
});
const classes = `a,b,y\n${rows.map(({ a, b, label }) => `${a ?? ""},${b},${label}`).join("\n")}\n`;
const numbers = `a,b,y\n${rows.map(({ a, b, number }) => `${a ?? ""},${b},${number}`).join("\n")}\n`;
const steps: Link[] = [["xy", { y: "y" }], ["missing", { strategy: "mean" }], ["scale"]];
const tuning = (args: object): Link => ["BL_TUNE", { ...args }];

interface Tuned {
  readonly function_code: string;
  readonly grid: { readonly best: Readonly<Record<string, unknown>>; readonly scoring: string; readonly folds: number };
  readonly space: object;
  readonly importance: Readonly<Record<string, number>> | null;
  readonly importance_note?: string;
  readonly cv: { readonly accuracy?: { readonly mean: number } };
  readonly cv_results: {
    readonly params: readonly Readonly<Record<string, unknown>>[];
    readonly mean_test_score: readonly (number | null)[];
    readonly rank_test_score: readonly number[];
    readonly split_test_scores: readonly (readonly (number | null)[])[];
  };
}

async function tuned(csv: string, args: object) {
  const record = await lab.last(csv, ...steps, tuning(args));
  const found = output<{ tune: Tuned; candidates_url: string }>(record);
  return { record, found: found.tune, table: await lab.table(found.candidates_url) };
}

const near = {
  model: "knn",
  space: { n_neighbors: [1, 20], weights: ["uniform", "distance"], p: { low: 1, high: 3 } },
};

describe("tune (BL_TUNE)", () => {
  it("scores each trial as cross-validation of the whole chain does, and trains the best", async () => {
    const { record, found, table } = await tuned(classes, { ...near, n_trials: 20, cv: 4 });
    const { params, mean_test_score: means, rank_test_score: ranks, split_test_scores: splits } = found.cv_results;
    expect(found).toMatchObject({
      function_code: "ML_CN_2",
      grid: { scoring: "accuracy", folds: 4, best: params[ranks.indexOf(1)] },
      space: {
        n_neighbors: { low: 1, high: 20, log: false, step: 1 },
        p: { low: 1, high: 3, log: false },
        weights: { choices: ["uniform", "distance"] },
      },
    });
    expect(params).toHaveLength(20);
    expect(new Set(params.map((each) => JSON.stringify(each))).size).toBe(20);
    expect(params.every(({ n_neighbors: k }) => Number.isInteger(k))).toBe(true);
    expect(table.header.slice(0, 6)).toEqual(["n_neighbors", "p", "weights", "mean", "std", "rank"]);
    // Another chain with the best ones' arguments is cross-validated to the same numbers.
    const best = ranks.indexOf(1);
    const again = await lab.last(classes, ...steps, ["knn", { ...params[best], cv: 4 }]);
    const { knn } = output<{ knn: { cv: { accuracy: { mean: number; folds: number[] } } } }>(again);
    expect(means[best]).toBeCloseTo(knn.cv.accuracy.mean, 12);
    expect(splits.map((scores) => scores[best])).toEqual(knn.cv.accuracy.folds);
    expect(Math.max(...means.map((mean) => mean ?? 0))).toBe(means[best]);
    expect(await lab.view(record)).toMatchSnapshot();
  });

  it("ends trials behind the median early, which are ranked last and hold the folds they came to", async () => {
    const { found } = await tuned(classes, { ...near, n_trials: 20, cv: 4 });
    const { mean_test_score: means, rank_test_score: ranks, split_test_scores: splits } = found.cv_results;
    const ended = means.flatMap((mean, k) => (mean === null ? [k] : []));
    expect(ended.length).toBeGreaterThan(0);
    for (const k of ended) {
      const known = splits.filter((scores) => scores[k] !== null).length;
      expect(known).toBeGreaterThan(0);
      expect(known).toBeLessThan(4);
      // Those that came to the end before it did better there, half of them at least.
      const mean = (trial: number) =>
        splits.slice(0, known).reduce((sum, scores) => sum + (scores[trial] as number), 0);
      const before = means.flatMap((each, trial) => (each !== null && trial < k ? [mean(trial)] : []));
      expect(before.filter((each) => each > mean(k) + 1e-9).length).toBeGreaterThanOrEqual(before.length / 2);
      expect(ranks[k]).toBe(means.length - ended.length + 1);
    }
    const whole = await tuned(classes, { ...near, n_trials: 12, cv: 4, prune: false });
    expect(whole.found.cv_results.mean_test_score.every((mean) => mean !== null)).toBe(true);
  });

  it("takes losses, time folds, logarithms and steps, and draws the same for the same seed", async () => {
    const args = {
      model: "boost",
      space: {
        learning_rate: { low: 0.02, high: 1, log: true },
        max_leaf_nodes: { low: 3, high: 15, step: 4 },
        min_samples_leaf: [2, 9],
      },
      fixed: { max_iter: 10 },
      scoring: "rmse",
      cv: { kind: "time", n_splits: 3 },
      n_trials: 14,
    };
    const { found } = await tuned(numbers, args);
    const { params, mean_test_score: means, rank_test_score: ranks } = found.cv_results;
    expect(found.function_code).toBe("MS_XGBOOST");
    expect(found.cv).toMatchObject({ folds: 3 });
    for (const { learning_rate: rate, max_leaf_nodes: leaves, min_samples_leaf: rows } of params) {
      expect([3, 7, 11, 15]).toContain(leaves);
      expect([2, 3, 4, 5, 6, 7, 8, 9]).toContain(rows);
      expect(rate).toBe(Number((rate as number).toPrecision(4)));
      expect(rate as number).toBeGreaterThanOrEqual(0.02);
    }
    expect(means[ranks.indexOf(1)]).toBe(Math.min(...means.flatMap((mean) => mean ?? [])));
    expect((await tuned(numbers, args)).found.cv_results).toEqual(found.cv_results);
    expect((await tuned(numbers, { ...args, random_state: 1 })).found.cv_results.params).not.toEqual(params);
  });

  it("tells which arguments mattered, trials that ended early included", async () => {
    const args = {
      model: "boost",
      // Leaves of so many rows can't be split, so that nothing is learnt; the seed does nothing here.
      space: { min_samples_leaf: [2, 40], random_state: [0, 1000] },
      fixed: { max_iter: 10 },
      cv: 3,
      n_trials: 25,
    };
    const { found, record } = await tuned(numbers, args);
    expect(found.cv_results.mean_test_score).toContain(null);
    expect(Object.keys(found.importance ?? {})).toEqual(["min_samples_leaf", "random_state"]);
    expect(found.importance?.min_samples_leaf).toBeGreaterThan(0.95);
    expect(found.importance?.random_state).toBeLessThan(0.02);
    expect(await lab.view(record)).toContain("importance of arguments");
    expect((await tuned(numbers, args)).found.importance).toEqual(found.importance);
  });

  it.each<[string, object, string]>([
    ["few trials", { ...near, n_trials: 9 }, "9 trials with a score tell too little; take n_trials of 10 at least."],
    [
      "one argument",
      { model: "knn", space: { p: { low: 1, high: 3 } }, n_trials: 11 },
      "one argument was searched, so that there is none to compare it with.",
    ],
    [
      "equal scores",
      { model: "treeClassifier", space: { max_depth: [20, 29], max_leaf_nodes: [900, 950] }, n_trials: 11 },
      "all trials scored the same.",
    ],
  ])("says why %s have no importance", async (_, args, note) => {
    const { found, record } = await tuned(classes, { ...args, cv: 3 });
    expect(found).toMatchObject({ importance: null, importance_note: note });
    expect((await lab.view(record, 200)).replace(/\s+/g, " ")).toContain(`No importance of arguments: ${note}`);
  });

  it("trains a model of the searched kind, which predict, metrics and shap take", async () => {
    const args = { model: "treeClassifier", space: { max_depth: [1, 4] }, cv: 3, n_trials: 9 };
    const judge: Link = ["ML_CN_6_M", { model_name: "tune" }];
    const records = await lab.chain(classes, ...steps, tuning(args), judge, ["shap", { rows: 3 }]);
    expect(output(records[6])).toMatchObject({ model_name: "tune", rows: 3 });
    expect(records[4].notices).toEqual(["tune (BL_TUNE): space holds 4 combinations, and all were tried."]);
    const { best } = output<{ tune: Tuned }>(records[4]).tune.grid;
    const plain = await lab.chain(
      classes,
      ...steps,
      ["treeClassifier", { ...best }],
      ["ML_CN_6_M", { model_name: "treeClassifier" }],
    );
    expect(output(records[5])).toEqual(output(plain[5]));
  });

  it("tells who leads, and ends soon when it is cancelled, keeping nothing", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(numbers) }]);
    await lab.block(id, 2, 1, ["xy", { y: "y" }]);
    const stop = new AbortController();
    let stopped = 0;
    const onProgress = ({ phase }: { phase: string }) => {
      // A busy machine tells some phases only; one of many trials is in its folds when it is asked.
      if (stopped > 0 || !/^trial \d+ of 900, best r2 [-\d.]+ \(fold [123] of 3/.test(phase)) return;
      stopped = performance.now();
      stop.abort();
    };
    const args = {
      model: "boost",
      space: { learning_rate: [0.01, 0.5] },
      fixed: { max_iter: 10_000 },
      n_trials: 900,
      cv: 3,
    };
    const request = { project_id: id, block_id: 3, parent_id: 2, function_code: "BL_TUNE", args };
    const run = (await lab.service).run(someone, request, { signal: stop.signal, onProgress });
    await expect(run).rejects.toMatchObject({ status: 499 });
    // 200 ms on a machine of its own; tests share it.
    expect(performance.now() - stopped).toBeLessThan(1000);
    expect((await (await lab.service).states(someone, id)).length).toBe(2);
  });

  it("keeps what the data refuses as a trial without a score", async () => {
    const { found } = await tuned(classes, {
      model: "knn",
      space: { n_neighbors: { choices: [50, 2] } },
      cv: 3,
    });
    expect(found.cv_results.params.map(({ n_neighbors: k }) => k).sort()).toEqual([2, 50]);
    expect(found.grid.best).toEqual({ n_neighbors: 2 });
    expect(
      await lab.failure(classes, ...steps, tuning({ model: "knn", space: { n_neighbors: [50, 60] }, n_trials: 3 })),
    ).toMatchObject({ status: 422, message: expect.stringContaining("no trial could be judged; the first says: ") });
  });

  it.each<[object, number, string]>([
    [{ model: "forest", space: { a: [1] } }, 400, 'tune (BL_TUNE): there is no model "forest" to search.'],
    [
      { model: "knn", space: { n_neighbours: [1, 5] } },
      400,
      'knn (ML_CN_2) has no argument "n_neighbours". Did you mean "n_neighbors"?',
    ],
    [{ model: "knn", space: {} }, 400, "tune (BL_TUNE): space must hold 1 to 50 arguments of the model, got none."],
    [
      { model: "knn", space: Object.fromEntries(Array.from({ length: 51 }, (_, k) => [`a${k}`, [1, 2]])) },
      400,
      "tune (BL_TUNE): space must hold 1 to 50 arguments of the model, got 51 arguments.",
    ],
    [
      { model: "knn", space: { n_neighbors: [20, 2] } },
      400,
      'tune (BL_TUNE): the lower bound of "n_neighbors" must be below the upper one, got 20 and 2. Swap them: [2, 20].',
    ],
    [{ model: "knn", space: { n_neighbors: [5, 5] } }, 400, "Take fixed: { n_neighbors: 5 } for one value."],
    [
      { model: "ridge", space: { alpha: { low: 0, high: 10, log: true } } },
      400,
      'tune (BL_TUNE): log needs bounds above 0, and "alpha" begins at 0.',
    ],
    [
      { model: "ridge", space: { alpha: { low: 1, high: 10, log: true, step: 2 } } },
      400,
      "step and log don't go together",
    ],
    [
      { model: "ridge", space: { alpha: { low: 1, high: 2, step: 4 } } },
      400,
      'step 4 of "alpha" is wider than from 1 to 2',
    ],
    [{ model: "ridge", space: { alpha: { low: 0, high: 2, step: 1e-9 } } }, 400, "makes more than a million numbers"],
    [{ model: "ridge", space: { alpha: { low: 1 } } }, 400, "tune (BL_TUNE) needs space.alpha.high: a number."],
    [{ model: "ridge", space: { alpha: [-1, 5] } }, 400, "ridge (BL_RIDGE): alpha must be"],
    [{ model: "knn", space: { n_neighbors: [1, 4.5] } }, 400, "knn (ML_CN_2): n_neighbors must be a whole number"],
    [{ model: "knn", space: { weights: ["uniform", "far"] } }, 400, "knn (ML_CN_2): weights must be"],
    [{ model: "knn", space: { p: [1, 2] }, fixed: { p: 1 } }, 400, "p can't be both in space and in fixed"],
    [{ model: "knn", space: { cv: [2, 5] } }, 400, "tune (BL_TUNE): cv stands beside space, not in it"],
    [{ model: "knn", space: { p: [1, 2] }, scoring: "r2" }, 400, 'tune (BL_TUNE): scoring "r2" is not for'],
    [{ model: "knn", space: { p: [1, 2] }, n_trials: 1001 }, 400, "tune (BL_TUNE): n_trials must be at most 1000"],
    [{ model: "ridge", space: { alpha: [1, 2] } }, 422, 'tune (BL_TUNE): the target "y" must be a number'],
    [{ model: "knn" }, 400, "tune (BL_TUNE) needs space"],
  ])("refuses %j in one sentence", async (args, status, sentence) => {
    const error = await lab.failure(classes, ...steps, tuning(args));
    expect(error).toMatchObject({ status, message: expect.stringContaining(sentence) });
  });
});
