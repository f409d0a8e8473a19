import { describe, expect, it } from "vitest";
import { RandomState } from "../../../src/numerics/random.ts";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const roles = ["xy", { y: "y" }] as const;

/** 40 rows of "a" around (0, 0), 12 of "b" around (3, 3), near enough to touch. */
function csv(): string {
  const random = new RandomState(3);
  const row = (y: string, at: number, k: number) => `${at + random.normal()},${at + random.normal()},id${k},${y}`;
  const rows = Array.from({ length: 52 }, (_, k) => (k % 13 < 3 ? row("b", 2, k) : row("a", 0, k)));
  return `u,v,id,y\n${rows.join("\n")}\n`;
}
const table = csv();
const numbers = table.replaceAll(/,id(\d+)/g, ",$1").replace("u,v,id", "u,v,id");
const features = ["xy", { x: ["u", "v"], y: "y" }] as const;

interface Answer {
  readonly rows: number;
  readonly counts: { label: string; before: number; after: number }[];
}

const counts = (answer: Answer) => answer.counts.map(({ label, after }) => [label, after]);

describe("resample (DP_RES)", () => {
  it.each([
    ["RandomOverSampler", {}, [40, 40]],
    ["RandomOverSampler", { sampling_strategy: 0.5 }, [40, 20]],
    ["RandomOverSampler", { sampling_strategy: { b: 30 } }, [40, 30]],
    ["RandomUnderSampler", {}, [12, 12]],
    ["RandomUnderSampler", { sampling_strategy: { a: 20 } }, [20, 12]],
    ["SMOTE", { k_neighbors: 3 }, [40, 40]],
    ["BorderlineSMOTE", { k_neighbors: 3, m_neighbors: 6 }, [40, 40]],
    ["NearMiss", {}, [12, 12]],
    ["NearMiss", { version: 2 }, [12, 12]],
    ["NearMiss", { version: 3, n_neighbors_ver3: 8 }, [12, 12]],
  ])("%s with %j reaches its counts", async (resampler, details, [a, b]) => {
    const record = await lab.last(table, features, ["resample", { resampler, details, random_state: 1 }]);
    expect(counts(output<Answer>(record))).toEqual([
      ["a", a],
      ["b", b],
    ]);
    const y = await lab.column(record, "y");
    expect([y.filter((label) => label === "a").length, y.filter((label) => label === "b").length]).toEqual([a, b]);
  });

  it("draws rows that are there, whole, text included, and the same for the same seed", async () => {
    const args = { resampler: "RandomOverSampler", random_state: 5 };
    const record = await lab.last(table, roles, ["resample", args]);
    const [before, after] = [await lab.last(table), record];
    const known = new Set((await lab.table(before.dataset_url)).rows.map(String));
    const drawn = (await lab.table(after.dataset_url)).rows.map(String);
    expect(drawn.slice(0, 52).every((row) => known.has(row))).toBe(true);
    expect(drawn.every((row) => known.has(row))).toBe(true);
    const again = await lab.last(table, roles, ["resample", args]);
    expect((await lab.table(again.dataset_url)).rows.map(String)).toEqual(drawn);
  });

  it("SMOTE makes rows between a row and one of its k nearest of the class", async () => {
    const record = await lab.last(table, features, ["resample", { resampler: "SMOTE", details: { k_neighbors: 2 } }]);
    const { rows, header } = await lab.table(record.dataset_url);
    const [u, v, id, y] = ["u", "v", "id", "y"].map((name) => header.indexOf(name));
    const own = rows.filter((row) => row[y] === "b" && row[id] !== null).map((row) => [Number(row[u]), Number(row[v])]);
    const made = rows.filter((row) => row[id] === null);
    expect(made).toHaveLength(28);
    for (const row of made) {
      const at = [Number(row[u]), Number(row[v])];
      expect(row[y]).toBe("b");
      const isBetween = own.some((from) => {
        const near = own
          .filter((other) => other !== from)
          .sort((a, b) => gap(from, a) - gap(from, b))
          .slice(0, 2);
        return near.some((to) => Math.abs(gap(from, at) + gap(at, to) - gap(from, to)) < 1e-9);
      });
      expect(isBetween).toBe(true);
    }
  });

  it("SMOTE takes columns of any name, and whole classes stay whole", async () => {
    const word = (_: string, id: string, y: string) => `,${id},${y === "a" ? 0 : 1}`;
    const named = table.replace("u,v,id,y", "at,made,source,y").replaceAll(/,id(\d+),([ab])/g, word);
    const resample = ["resample", { resampler: "SMOTE", details: { k_neighbors: 3 }, random_state: 1 }] as const;
    const roles = ["xy", { x: ["at", "made"], y: "y" }] as const;
    const { rows, types } = await lab.table((await lab.last(named, roles, resample)).dataset_url);
    expect([rows.filter((row) => row[3] === 1).length, rows.filter((row) => row[2] === null).length]).toEqual([40, 28]);
    expect(types).toEqual(["number", "number", "integer", "integer"]);
    const answer = output<{ counts: object }>(await lab.last(named, roles, resample, ["counts", { index: "y" }]));
    expect(answer.counts).toEqual({ 0: 40, 1: 40 });
  });

  it("ADASYN makes more where more neighbours are of the other class", async () => {
    const answer = output<Answer>(
      await lab.last(table, features, ["resample", { resampler: "ADASYN", details: { n_neighbors: 4 } }]),
    );
    expect(Math.abs(answer.counts[1].after - 40)).toBeLessThanOrEqual(12);
    const apart = `u,y\n${"0,a\n0.1,a\n0.2,a\n0.3,a\n0.4,a\n0.5,a\n0.6,a\n9,b\n9.1,b\n9.2,b\n9.3,b\n"}`;
    const failure = await lab.failure(apart, roles, ["resample", { resampler: "ADASYN", details: { n_neighbors: 2 } }]);
    expect([failure.status, failure.message]).toEqual([
      422,
      expect.stringMatching(/none of whose rows has a neighbour of another class; use SMOTE/),
    ]);
  });

  it("TomekLinks drops the frequent class's side of each pair that is nearest to each other", async () => {
    const pairs = "u,y\n0,a\n1,a\n2,a\n5,a\n5.1,b\n9,b\n9.4,b\n20,a\n";
    const record = await lab.last(pairs, roles, ["resample", { resampler: "TomekLinks" }]);
    expect(await lab.column(record, "u")).toEqual([0, 1, 2, 5.1, 9, 9.4, 20]);
    const both = await lab.last(pairs, roles, [
      "resample",
      { resampler: "TomekLinks", details: { sampling_strategy: "all" } },
    ]);
    expect(await lab.column(both, "u")).toEqual([0, 1, 2, 9, 9.4, 20]);
  });

  it("SMOTETomek makes rows and then drops links", async () => {
    const { counts: found, rows } = output<Answer>(
      await lab.last(table, features, ["resample", { resampler: "SMOTETomek", random_state: 2 }]),
    );
    expect(rows).toBe(found[0].after + found[1].after);
    expect(rows).toBeLessThanOrEqual(80);
    expect(found[1].after).toBeGreaterThan(12);
  });

  it("leaves test rows untouched, in their order, and the model judges on them", async () => {
    const [, , split, after, , judged] = await lab.chain(
      table,
      features,
      ["split", { random_state: 1, stratify: "y" }],
      ["resample", { resampler: "SMOTE", details: { k_neighbors: 3 } }],
      ["logistic"],
      ["ML_CN_1_M", { model_name: "logistic" }],
    );
    expect((await lab.table(after.x_test_url)).rows).toEqual((await lab.table(split.x_test_url)).rows);
    expect((await lab.table(after.y_test_url)).rows).toEqual((await lab.table(split.y_test_url)).rows);
    expect((await lab.table(after.y_train_url)).rows.length).toBeGreaterThan(
      (await lab.table(split.y_train_url)).rows.length,
    );
    expect(output(judged)).toMatchObject({ n: 13, on: "test" });
  });

  it("keeps its choice under a name", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(table) }]);
    await lab.block(id, 2, 1, features);
    await lab.block(id, 3, 2, ["resample", { resampler: "RandomUnderSampler", save_name: "fewer" }]);
    const record = await lab.block(id, 4, 2, ["resample", { load_name: "fewer" }]);
    expect(counts(output<Answer>(record))).toEqual([
      ["a", 12],
      ["b", 12],
    ]);
  });

  it("shows the counts before and after", async () => {
    const record = await lab.last(table, features, ["resample", { resampler: "RandomUnderSampler", random_state: 1 }]);
    expect(await lab.view(record)).toMatch(
      /^RandomUnderSampler of all 52 rows: 24 rows, none of them made\.\n\ny +before +after\n.*\na +40 +12\nb +12 +12\n/,
    );
  });

  it.each([
    [{ resampler: "SMOET" }, 400, /Did you mean "SMOTE"/],
    [{ xy_test: true }, 400, /test rows are not resampled/],
    [{ xy_train: true }, 400, /there are no training rows yet; split the rows first/],
    [{ details: { k_neighbours: 3 } }, 400, /details has no field k_neighbours\. Did you mean "k_neighbors"\?/],
    [{ details: { sampling_strategy: "minorty" } }, 400, /Did you mean "minority"/],
    [{ details: { sampling_strategy: 0.1 } }, 400, /the ratio of the classes is 0\.300 already/],
    [{ details: { sampling_strategy: { c: 3 } } }, 400, /names class "c", which is not there/],
    [{ details: { sampling_strategy: { b: 3 } } }, 400, /can't be oversampled to 3/],
    [{ details: { k_neighbors: 12 } }, 422, /class "b" has 12 rows, and SMOTE with k_neighbors 12 needs 13/],
  ])("%j is refused in one sentence", async (args, status, sentence) => {
    const failure = await lab.failure(table, features, ["resample", args]);
    expect([failure.status, failure.message]).toEqual([status, expect.stringMatching(sentence)]);
  });

  it("keeps hundreds of thousands of rows of a class", async () => {
    const rows = Array.from({ length: 300_000 }, (_, k) => `${k % 7},${k % 3 === 0 ? "b" : "a"}`).join("\n");
    const record = await lab.last(`u,y\n${rows}\n`, roles, [
      "resample",
      { resampler: "RandomUnderSampler", details: { sampling_strategy: { a: 150_000 } }, random_state: 0 },
    ]);
    expect(output<Answer>(record).rows).toBe(250_000);
  });

  it("refuses text and missing cells where it needs neighbours, one class, and no roles", async () => {
    expect((await lab.failure(table, roles, ["resample"])).message).toMatch(/id is not. Encode with encode/);
    expect((await lab.failure("u,y\n1,a\n,b\n", roles, ["resample"])).message).toMatch(/u has missing cells/);
    expect(
      (await lab.failure("u,y\n1,a\n2,a\n", roles, ["resample", { resampler: "RandomOverSampler" }])).message,
    ).toMatch(/at least 2 classes, got 1/);
    expect((await lab.failure(numbers, ["resample"])).message).toMatch(/assign X and Y first/);
  });
});

function gap(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}
