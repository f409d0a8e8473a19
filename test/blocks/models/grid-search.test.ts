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

interface Searched {
  readonly model_url: string;
  readonly cv: { accuracy: { mean: number } };
  readonly grid: {
    readonly best: Record<string, unknown>;
    readonly scoring: string;
    readonly ranking: { values: Record<string, unknown>; mean: number | null; std: number | null; failure?: string }[];
  };
}

async function searched(csv: string, ...links: Link[]) {
  const record = await lab.last(csv, ...links);
  const [found] = Object.values(output<Record<string, Searched>>(record));
  return { record, found };
}

describe("grid", () => {
  // GridSearchCV(make_pipeline(SimpleImputer(), StandardScaler(), KNeighborsClassifier()), …, cv=4) of scikit-learn 1.9.1.
  it("ranks every combination as scikit-learn's GridSearchCV of the whole pipeline", async () => {
    const grid = { n_neighbors: [1, 3, 7], weights: ["uniform", "distance"] };
    const { record, found } = await searched(classes, ...steps, ["knn", { grid, cv: 4 }]);
    const score = (mean: number, std: number) => ({ mean: expect.closeTo(mean, 9), std: expect.closeTo(std, 9) });
    expect(found.grid).toMatchObject({ scoring: "accuracy", best: { n_neighbors: 7, weights: "distance" } });
    expect(found.grid.ranking).toEqual([
      { values: { n_neighbors: 7, weights: "distance" }, ...score(0.8833333333, 0.0288675135) },
      { values: { n_neighbors: 3, weights: "uniform" }, ...score(0.8666666667, 0) },
      { values: { n_neighbors: 7, weights: "uniform" }, ...score(0.8666666667, 0.0666666667) },
      { values: { n_neighbors: 3, weights: "distance" }, ...score(0.85, 0.0552770798) },
      { values: { n_neighbors: 1, weights: "uniform" }, ...score(0.8333333333, 0.0745355992) },
      { values: { n_neighbors: 1, weights: "distance" }, ...score(0.8333333333, 0.0745355992) },
    ]);
    expect(found.cv.accuracy.mean).toBeCloseTo(0.8833333333, 9);
    expect(await lab.view(record)).toMatchSnapshot();
  });

  it("trains the best on all training rows, and keeps its arguments with the model", async () => {
    const grid = { max_depth: [1, 4], min_samples_leaf: [1, 5] };
    const split: Link = ["split", { random_state: 1 }];
    const links: Link[] = [...steps.slice(0, 1), split, ["missing", { strategy: "mean" }]];
    const { found } = await searched(classes, ...links, ["treeClassifier", { grid, cv: 3 }]);
    const plain = await searched(classes, ...links, ["treeClassifier", found.grid.best]);
    const service = await lab.service;
    const model = async (url: string) => {
      const { path } = await service.file(someone, someone.artifactIn(url) as string, "json");
      return JSON.parse((await import("node:fs")).readFileSync(path, "utf8"));
    };
    const [best, same] = [await model(found.model_url), await model(plain.found.model_url)];
    expect(best).toEqual(same);
    expect(best.args).toMatchObject(found.grid.best);
  });

  it("takes the smallest loss", async () => {
    const { found } = await searched(numbers, ...steps, [
      "polynomial",
      { grid: { degree: [1, 2, 3] }, scoring: "rmse", cv: 3 },
    ]);
    const means = found.grid.ranking.map((row) => row.mean as number);
    expect(means).toEqual([...means].sort((a, b) => a - b));
    expect(new Set(means).size).toBe(3);
  });

  it("leaves out what the data refuses, with the reason", async () => {
    const { record, found } = await searched(classes, ...steps, ["knn", { grid: { n_neighbors: [50, 2] }, cv: 3 }]);
    expect(found.grid.best).toEqual({ n_neighbors: 2 });
    expect(found.grid.ranking[1]).toEqual({
      values: { n_neighbors: 50 },
      mean: null,
      std: null,
      failure: "knn (ML_CN_2): n_neighbors must be between 1 and 40 (training rows), got 50.",
    });
    expect(await lab.view(record)).toContain("1 combination left out: knn (ML_CN_2): n_neighbors must be between");
  });

  it.each<[Record<string, unknown>, number, RegExp]>([
    [{ grid: { n_neighbours: [1] } }, 400, /grid has no field n_neighbours\. Did you mean "n_neighbors"\?/],
    [{ grid: { n_neighbors: [0.5] } }, 400, /grid\.n_neighbors\[0\] must be a whole number, got 0\.5/],
    [{ grid: { n_neighbors: [] } }, 400, /grid\.n_neighbors must .*at least 1/],
    [
      { grid: { n_neighbors: [1, 2, 3] }, max_fits: 14 },
      400,
      /3 combinations, 15 fits with 5 folds, more than max_fits 14/,
    ],
    [{ grid: { n_neighbors: [1] }, scoring: "r2" }, 400, /scoring "r2" is not for classification/],
    [{ grid: { n_neighbors: [99, 100] } }, 422, /no combination of the grid could be judged; the first says: knn/],
  ])("refuses %j in one sentence", async (args, status, sentence) => {
    const error = await lab.failure(classes, ...steps, ["knn", args]);
    expect(error).toMatchObject({ status, message: expect.stringMatching(sentence) });
  });

  it("stops when it is cancelled", async () => {
    const { id } = await lab.project();
    for (const [k, link] of [["input", { dburl: lab.file(classes) }] as Link, ...steps].entries()) {
      await lab.block(id, k + 1, k, link);
    }
    const service = await lab.service;
    const stop = new AbortController();
    const args = { grid: { n_estimators: [50, 60, 70], max_depth: [2, 3, 4, 5] } };
    const request = { project_id: id, block_id: 9, parent_id: 4, function_code: "ML_CN_7", args };
    const phases = new Set<string>();
    const run = service.run(someone, request, {
      signal: stop.signal,
      onProgress: ({ phase }) => {
        phases.add(phase);
        if (phase === "grid search") stop.abort();
      },
    });
    await expect(run).rejects.toMatchObject({ status: 499 });
    expect(phases).toContain("grid search");
    expect((await service.states(someone, id)).map((state) => state.block_id)).not.toContain(9);
  });
});
