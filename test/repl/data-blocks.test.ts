import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { declared } from "../../src/registry/index.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const penguins = 'session.input("sample:penguins")';
const iris = 'session.input("sample:iris").xy({ y: "species" })';
const weather = 'session.input("sample:weather")';

/** What is typed for each data block, and what stands on the screen then. */
const session: Record<string, readonly [typed: string, ...shown: RegExp[]]> = {
  input: [`await ${penguins}`, /344 rows, 7 columns/, /species +island +bill_length_mm/],
  image: ['await session.image("sample:triangle", { target_size: [8, 8] })', /triangle\.png as an array of 8 × 8 × 3/],
  ndarray: ["await session.ndarray([1, 2, 3], 2)", /1 × 3/],
  reshape: ["await session.reshape([[1, 2, 3], [4, 5, 6]], [3, -1])", /3 × 2/],
  info: [`await ${penguins}.info()`, /sex +string +11 +3\.2 +2/],
  dtypes: [`await ${penguins}.dtypes()`, /body_mass_g +integer/],
  describe: [`await ${penguins}.describe()`, /body_mass_g +342 +4201\.75 +801\.955/, /[▁▂▃▄▅▆▇█]{8}/],
  correlations: [`await ${penguins}.correlations()`, /Strongest: flipper_length_mm and body_mass_g 0\.87/],
  uniques: [`await ${penguins}.uniques()`, /species +3/],
  counts: [`await ${penguins}.counts("species")`, /Adelie +152/],
  duplicates: [`await ${iris}.duplicates()`, /1 row equal to another/, /142 +5\.8/],
  dropDuplicates: [`await ${iris}.dropDuplicates()`, /Dropped [13] rows?/],
  missing: [`await ${penguins}.missing({ strategy: "mean" })`, /Filled bill_length_mm: 2 cells with 43\.9219/],
  encode: [`await ${penguins}.encode({ columns: ["sex"], type: "onehot" })`, /sex_female/],
  scale: [`await ${iris}.scale("standard")`, /Scaled/],
  split: [`await ${iris}.split({ test_size: 0.2, random_state: 0 })`, /120 training rows, 30 test rows/],
  xy: [`await ${iris}`, /Y: species\./],
  auto: [`await ${penguins}.auto({ y: "species", test_size: 0.2, random_state: 0 })`, /encoded/],
  drop: [`await ${penguins}.drop("island", "sex")`, /Dropped island, sex\./],
  reorder: [`await ${penguins}.reorder("sex", 0)`, /^ *sex +species +island/m],
  astype: [`await ${penguins}.astype({ columns: ["body_mass_g"], type: "float" })`, /body_mass_g/],
  dates: [`await ${weather}.dates({ index: "date" })`, /date_year/],
  timesteps: [`await ${weather}.timesteps({ index: "temp_max", lookback: 3 })`, /temp_max_t-3/],
  pca: [`await ${iris}.scale().pca(2)`, /2 components of 4 columns keep 95\.\d% of the variance/],
  vectorize: [
    'await session.input("sample:birdstrikes").vectorize("count", { columns: ["wildlife_species"], max_features: 5 })',
    /5 terms/,
    /unknown +█+ +1204/,
  ],
  resample: [`await ${iris}.resample("RandomOverSampler", { random_state: 0 })`, /setosa/],
  scatter: [`await ${penguins}.scatter("bill_length_mm", "bill_depth_mm", { color: "species" })`, /n = 342/, /[⠁-⣿]/],
  line: [`await ${weather}.line("date", "temp_max")`, /2012-01-01 +date +2015-12-31/, /[╭╮╯╰]/],
  compareScatter: [
    `await ${penguins}.compareScatter({ xvalue: "bill_length_mm", yvalue: "bill_depth_mm", avalue: "bill_length_mm", bvalue: "flipper_length_mm" })`,
    /n = 684/,
    /[⠁-⣿]/,
  ],
  pie: [`await ${penguins}.pie("species")`, /Adelie +█+[▏▎▍▌▋▊▉]? +44\.2% +152/],
  heatmap: [`await ${weather}.heatmap()`, /temp_min +-0\.07 +0\.88 +1\.00 +-0\.07/],
};

describe("a session at the prompt through every data block", () => {
  const shown = new Map<string, string>();

  beforeAll(() => {
    const home = mkdtempSync(join(tmpdir(), "blocklab-blocks-"));
    const env = { ...process.env, NODE_OPTIONS: "", NO_COLOR: "1", BLOCKLAB_HOME: home, BLOCKLAB_URL: "" };
    const input = Object.entries(session)
      .map(([name, [typed]]) => `console.log("=== ${name}")\n\n${typed}\n\n`)
      .join("");
    const cli = join(root, "dist", "cli.js");
    const done = spawnSync(process.execPath, [cli], { input, encoding: "utf8", env, cwd: home });
    rmSync(home, { recursive: true });
    expect(done).toMatchObject({ status: 0, stderr: "" });
    for (const part of done.stdout.split(/^=== /m).slice(1)) {
      const [name, ...lines] = part.split("\n");
      shown.set(name, lines.join("\n"));
    }
  }, 180_000);

  it("has a line for each of them", () => {
    const all = declared.filter(({ code }) => code.startsWith("DP_")).map(({ name }) => name);
    expect(Object.keys(session).sort()).toEqual(all.sort());
  });

  it.each(Object.entries(session))("shows what %s answers, within 80 columns", (name, [, ...wanted]) => {
    const text = shown.get(name) ?? "";
    for (const pattern of wanted) expect(text).toMatch(pattern);
    for (const line of text.split("\n")) expect([...line].length).toBeLessThanOrEqual(80);
    expect(text).not.toMatch(/\u001b|NaN|undefined|\[object/);
  });
});
