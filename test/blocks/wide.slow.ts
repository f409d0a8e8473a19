import { beforeAll, expect, it } from "vitest";
import { BlocklabError } from "../../src/core/errors.ts";
import { Lab } from "../support/lab.ts";

const lab = new Lab();
const columns = 10_000;
let project = 0;

beforeAll(async () => {
  const names = Array.from({ length: columns }, (_, k) => `c${k}`);
  const rows = Array.from({ length: 12 }, (_, i) => [...names.map((_, k) => (i * 7 + k) % 11), i % 2].join(","));
  project = (await lab.project()).id;
  await lab.block(project, 1, 0, ["input", { dburl: lab.file(`${names.join(",")},y\n${rows.join("\n")}\n`) }]);
}, 120_000);

const links: (readonly [name: string, args: Record<string, unknown>])[] = [
  ["info", {}],
  ["dtypes", {}],
  ["uniques", {}],
  ["describe", {}],
  ["counts", { index: "c9999" }],
  ["missing", { strategy: "mean" }],
  ["missing", { strategy: "drop" }],
  ["scale", { scaler: "standard" }],
  ["scale", { scaler: "minmax" }],
  ["astype", { columns: ["c1", "c9999"], type: "str" }],
  ["drop", { columns: ["c1"] }],
  ["reorder", { column: "c9999", position: 0 }],
  ["xy", { y: "y" }],
  ["split", { random_state: 0 }],
  ["duplicates", { columns: ["c1", "c2"] }],
  ["dropDuplicates", { columns: ["c1", "c2"] }],
  ["timesteps", { index: "c9999", lookback: 2 }],
  ["scatter", { x: "c1", y: "c9999" }],
  ["heatmap", {}],
  ["correlations", {}],
];

it.each(links)(
  "10,000 columns go through %s, or are refused in one sentence",
  { timeout: 240_000 },
  async (name, args) => {
    try {
      const record = await lab.block(project, 2, 1, [name, args ?? {}]);
      for (const line of (await lab.view(record)).split("\n")) expect([...line].length).toBeLessThanOrEqual(80);
    } catch (error) {
      if (!(error instanceof BlocklabError)) throw error;
      expect([400, 422], error.message).toContain(error.status);
      expect(error.message.length).toBeLessThan(700);
    }
  },
);
