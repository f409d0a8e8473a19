import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { embeddedLink } from "../../src/client/embedded.ts";
import { Session } from "../../src/session/index.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-compare-"));
const session = new Session(() => embeddedLink({ home: join(home, "data"), threads: 0 }));

afterAll(async () => {
  await session.close();
  rmSync(home, { recursive: true, force: true });
});

it("ranks models of a chain that was typed twice, as long as both splits put the same rows aside", async () => {
  await session.project("twice");
  const file = join(home, "rows.csv");
  const write = (shift: number) => {
    const rows = Array.from({ length: 40 }, (_, i) => `${i},${i + shift}`);
    writeFileSync(file, `a,y\n${rows.join("\n")}\n`);
  };
  const split = (random_state?: number) => session.input(file).xy({ y: "y" }).split({ test_size: 0.25, random_state });
  write(0);
  await split(1).treeRegressor();
  await split(1).linear();
  const twice = await session.compare();
  expect(twice.ranking.map(({ model, rows }) => [model, rows])).toEqual([
    ["linear", 10],
    ["treeRegressor", 10],
  ]);
  expect(twice.others).toEqual([]);

  // Another seed, and one that was drawn.
  const reason = "it was trained on another split of the rows";
  await split(2).ridge();
  await split().lasso();
  const others = ["treeRegressor", "linear", "ridge"].map((model) => ({ model, reason }));
  expect((await session.compare()).others).toEqual(others);

  // The same calls, over a file that changed meanwhile.
  write(3);
  await split(1).knnRegressor();
  const changed = await session.compare();
  expect(changed.ranking.map(({ model }) => model)).toEqual(["knnRegressor"]);
});

it("says of models without a target that they have none, and of stale ones that they are", async () => {
  await session.project("clusters");
  const start = () => session.input("sample:penguins").missing({ strategy: "drop" }).select("bill_length_mm", "sex");
  await start().xy({ y: "sex" }).logistic();
  await start().drop("sex").kmeans({ n_clusters: 2 });
  expect((await session.compare()).others).toEqual([
    { model: "logistic", reason: "it predicts sex, and kmeans, the newest, has no target" },
  ]);
  const read = await start().xy({ y: "sex" });
  await read.branch().knn();
  expect((await session.compare()).others).toEqual([{ model: "kmeans", reason: "it has no target" }]);
  const [link, { id }] = [await session.link, await session.current()];
  for (const { block_id } of await link.states(id).then((all) => all.filter(({ parent_id }) => parent_id === 0)))
    await link.run({ project_id: id, block_id, parent_id: 0, function_code: "DP_1", args: { dburl: "sample:iris" } });
  await expect(session.compare()).rejects.toThrow("compare: all models are stale; run their blocks again.");
});

it("ranks models of chains that came to the same split in other ways", async () => {
  await session.project("ways");
  const file = join(home, "ways.csv");
  const cells = Array.from({ length: 60 }, (_, i) => `${i},${(i * 7) % 20},${i % 3},${i % 2 ? "p" : "q"}`);
  writeFileSync(file, `a,b,w,y\n${cells.join("\n")}\n`);
  const read = () => session.input(file);
  const last = { test_size: 0.25, random_state: 1 };
  // Nothing here leaves rows out, or moves them.
  await read().xy({ y: "y" }).split(last).treeClassifier();
  await read().info().histogram("a").describe().xy({ y: "y" }).split(last).naiveBayes();
  await read()
    .xy({ y: "y" })
    .scale()
    .derive({ columns: { c: "a * b" } })
    .filter("w >= -9")
    .split(last)
    .knn();
  await read().dropDuplicates().drop("w").xy({ y: "y" }).split(last).logistic();
  const alike = await session.compare();
  expect(alike.others).toEqual([]);
  expect(alike.ranking.map(({ model }) => model).sort()).toEqual(["knn", "logistic", "naiveBayes", "treeClassifier"]);

  // Fewer rows, and the same ones in another order or split otherwise.
  const reason = "it was trained on another split of the rows";
  const all = ["treeClassifier", "naiveBayes", "knn", "logistic"].map((model) => ({ model, reason }));
  const roles = { x_boundaries: "2:50, 0:2", y_boundaries: "2:50, 3" };
  for (const build of [
    () => read().filter("a > 3").xy({ y: "y" }).split(last),
    () => read().sort("b").xy({ y: "y" }).split(last),
    () => read().xy(roles).split(last),
    () =>
      read()
        .xy({ y: "y" })
        .split({ stratify: "y", ...last }),
  ]) {
    const { block } = await build().svm();
    const apart = await session.compare();
    expect(apart.ranking.map((each) => each.block)).toEqual([block]);
    expect(apart.others.slice(0, 4)).toEqual(all);
  }
});

it("leaves out a model whose test rows can't be judged, and says why", async () => {
  await session.project("endless");
  const file = join(home, "endless.csv");
  const rows = Array.from({ length: 20 }, (_, i) => `${i},${i === 19 ? "inf" : i},${2 * i}`);
  writeFileSync(file, `a,b,y\n${rows.join("\n")}\n`);
  const split = await session.input(file).xy({ y: "y" }).split({ test_size: 0.25, shuffle: false });
  await split.branch().linear();
  await expect(session.compare()).rejects.toThrow("metrics (ML_R_2_M): features must be finite, but b holds infinity");
  await split.branch().drop("b").ridge();
  const { ranking, others } = await session.compare();
  expect(ranking.map(({ model }) => model)).toEqual(["ridge"]);
  expect(others).toEqual([
    { model: "linear", reason: expect.stringMatching(/^metrics \(ML_R_2_M\): .*holds infinity.*source$/) },
  ]);
});
