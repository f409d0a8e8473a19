import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { embeddedLink } from "../../src/client/embedded.ts";
import { sourceFrame } from "../../src/core/frame.ts";
import { viewOf } from "../../src/core/view.ts";
import { allBlocks, explanationOf } from "../../src/registry/index.ts";
import { toHtml, toText } from "../../src/render/index.ts";
import { type Chain, Session } from "../../src/session/index.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-explain-"));
const session = new Session(() => embeddedLink({ home: join(home, "data"), threads: 0 }));
let projects = 0;

afterAll(async () => {
  await session.close();
  rmSync(home, { recursive: true, force: true });
});

async function fresh(): Promise<Session> {
  await session.project(`p${++projects}`);
  return session;
}

/** What the last block of a chain says it did, as one text. */
async function did(chain: Chain): Promise<string> {
  return (await (await chain).explain()).did.join("\n");
}

describe("explanations", () => {
  it("tell a preparation in this data's numbers", async () => {
    const s = await fresh();
    const base = s.input("sample:penguins");
    expect(await did(base)).toBe(
      "Read 344 rows and 7 columns from penguins.csv: 3 of text, 2 of numbers and 2 of whole numbers.",
    );
    expect(await did(base.branch().missing({ strategy: "drop", columns: ["sex"] }))).toBe(
      "Dropped 11 rows with a gap, 3.2% of 344; 333 are left.",
    );
    expect(await did(base.branch().missing({ strategy: "median", columns: ["bill_length_mm"] }))).toBe(
      "Filled 2 gaps in bill_length_mm with 44.45, the median of all 344 rows.\nThe rows are not split yet, so rows that may become test rows had their say; a later split will call that a leak.",
    );
    const xy = base.branch().xy({ y: "species" });
    expect(await did(xy)).toBe(
      "Features: island, bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g, sex.\nTarget: species, classes, so classifiers fit.",
    );
    const split = xy.split({ test_size: 0.2, random_state: 3, stratify: "species" });
    expect(await did(split)).toBe(
      "Put 69 rows aside for testing, 20.1% of 344; the other 275 train.\nThey were drawn with seed 3, which always draws the same rows.\nBoth sides have the same shares of each species.",
    );
    const filled = split.missing({ strategy: "mean" });
    expect(await did(filled)).toMatch(
      /^Filled \d gaps? in bill_length_mm with 4\d\.\d+, \d in bill_depth_mm with 17\.\d+, \d in flipper_length_mm with \d+\.?\d* and \d in body_mass_g with 4,\d+: each the mean of the 275 training rows\.\nTest rows don't count, so that they stay as unknown as the rows that a model will meet\.$/,
    );
    expect(await did(base.branch().missing({ strategy: "ffill", columns: ["sex", "body_mass_g"] }))).toBe(
      "Filled 11 gaps in sex and 2 in body_mass_g with the value before it.",
    );
    expect(await did(base.branch().missing({ strategy: "constant", columns: ["sex"], fill_value: "?" }))).toBe(
      'Filled 11 gaps in sex with "?".',
    );
    const encoded = filled.missing("mode").encode({ columns: ["island", "sex"] });
    expect(await did(encoded)).toMatch(
      /^Put 3 columns of 0 and 1 in the place of island: island_Biscoe, island_Dream, island_Torgersen\.\n.*sex_female, sex_male\.\nThe categories are those of the 275 training rows\./,
    );
    const scaled = encoded.scale("standard");
    expect(await did(scaled)).toMatch(
      /^Brought .* and 3 more to a common scale \(standard\)\. island_Biscoe, for one: its mean 0\.\d+ becomes 0/,
    );
    expect(await did(scaled.branch().pca(2))).toMatch(
      /^Put 2 components in the place of 9 columns; together they keep \d\d\.\d% of the variance, the first alone/,
    );
    expect(await did(scaled.branch().resample("RandomOverSampler", { random_state: 1 }))).toMatch(
      /^RandomOverSampler took "Chinstrap" from 5\d to 12\d and "Gentoo" from 9\d to 12\d rows, of the 275 training rows\.$/,
    );
  });

  it("tell an inspection's findings", async () => {
    const s = await fresh();
    const base = s.input("sample:penguins");
    expect(await did(base.branch().describe())).toBe(
      "Summed up 7 columns of 344 rows.\nThere are gaps in bill_length_mm (2), bill_depth_mm (2), flipper_length_mm (2), body_mass_g (2) and sex (11).",
    );
    expect(await did(base.branch().correlations())).toBe(
      "Correlated 4 numeric columns, 6 pairs.\nThe strongest: flipper_length_mm and body_mass_g (0.87), bill_length_mm and flipper_length_mm (0.66) and bill_length_mm and body_mass_g (0.60).",
    );
    expect(await did(base.branch().uniques())).toBe(
      "Counted the different values of 7 columns.\nTen values or fewer, so perhaps categories: species, island, sex.",
    );
    expect(await did(base.branch().duplicates("island"))).toBe(
      "341 rows of 344 (99.1%) are equal to another in island; dropDuplicates would drop them.",
    );
    expect(await did(base.branch().dropDuplicates("island"))).toBe(
      "Dropped 341 rows of 344 that repeat another in island; 3 are left.",
    );
    expect(await did(base.branch().counts("island"))).toBe(
      "island has 3 different values; the most frequent, Biscoe, stands in 168 of 344 rows (48.8%).\nThere is no gap.",
    );
    expect(await did(base.branch().info())).toContain("Empty cells: 2 in bill_length_mm, ");
    expect(await did(s.input("sample:birdstrikes").vectorize("count", { columns: ["wildlife_species"] }))).toMatch(
      /^Put \d+ columns in the place of wildlife_species, one per term\. The most frequent: "\w+" \(in [\d,]+ texts\)/,
    );
  });

  it("tell what a model learnt, and how good it is against always saying the same", async () => {
    const s = await fresh();
    const base = s.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.2, random_state: 4 });
    const tree = base.branch().treeClassifier({ max_depth: 2, cv: 3 });
    expect(await did(tree)).toMatch(
      /^Learnt to tell species, 3 classes, from 4 features of 120 training rows; it is kept as "treeClassifier"\.\nWhat weighs most \(feature importances\): petal_\w+ \(\S+\).*\nIn 3 folds, each judged by a model of the others, accuracy is 0\.\d+, give or take 0\.\d+\.$/,
    );
    expect(await did(tree.branch().predict())).toBe('Model "treeClassifier" answered 30 rows of x_test.');
    expect(await did(tree.branch().metrics())).toMatch(
      /^Model "treeClassifier" is right on \d+ of 30 test rows \(accuracy 0?\.?\d+\); always saying "\w+" would be right on \d+ \(\d+(\.\d)?%\)\.\n/,
    );
    const searched = base.branch().knn({ grid: { n_neighbors: [1, 5] }, cv: 3 });
    expect(await did(searched)).toMatch(
      /Of 2 combinations the best by accuracy is n_neighbors \d with 0\.\d+; the last has 0\.\d+\./,
    );
    const numbers = s.input("sample:iris").drop("species").xy({ y: "petal_width" }).linear();
    expect(await did(numbers)).toMatch(/petal_width from 3 features of 150 rows;[\s\S]*No rows were put aside/);
    expect(await did(numbers.metrics())).toMatch(
      /is off by 0\.\d+ on average over all 150 rows, which it has learnt from \(mae\)[\s\S]*explains 9\d\.?\d?% of the variance/,
    );
  });

  it("tell what networks learnt", async () => {
    const s = await fresh();
    const rbm = s
      .input("sample:digits")
      .xy({ y: "digit" })
      .scale("minmax")
      .rbm({ n_components: 4, n_iter: 2, random_state: 0 });
    expect(await did(rbm)).toBe('Built "rbm" for 64 features; it has learnt nothing yet.');
    expect(await did(rbm.train())).toMatch(
      /^"rbm" learnt to tell 64 features in 4 hidden units, from all [\d,]+ rows\.\nIts pseudo-likelihood, 0 at best, went from -\d+\.\d+ to -\d+\.\d+ in 2 epochs; knowing nothing would give -44\.36\.$/,
    );
  });

  it("tell which of a text classifier's trials was the best", async () => {
    const s = await fresh();
    const built = s
      .input("sample:birdstrikes")
      .xy({ x: ["wildlife_species"], y: "wildlife_size" })
      .textClassifier({ max_trials: 2, random_state: 0 });
    expect(await did(built)).toBe(
      'Built "textClassifier" to tell wildlife_size from wildlife_species, with 2 trials at most; it has learnt nothing yet.',
    );
    expect(await did(built.train({ epochs: 1 }))).toMatch(
      /^"textClassifier" tried 2 models on wildlife_species; the best was .+, right in \d+(\.\d+)?% of the texts held out of it\. The weakest was right in \d+(\.\d+)?%\.$/,
    );
  });

  it("tell of every block something, from its docs and what changed", async () => {
    for (const block of allBlocks) {
      if (block.explain?.did) continue;
      const after = sourceFrame("", [{ name: "a", type: "number" }], 3);
      const told = explanationOf(
        {
          block: { id: 2, code: block.code, name: block.name },
          args: { n: 1 },
          before: sourceFrame("", [], 0),
          after,
          output: undefined,
          report: undefined,
        },
        ["Mind."],
      );
      expect(told, block.code).toMatchObject({ block: 2, title: `${block.name} (${block.code})`, notices: ["Mind."] });
      expect(told.did, block.code).toEqual(["Made a table of 3 rows and 1 column.", "It was asked for: n 1."]);
      expect(told.why.length, block.code).toBeGreaterThan(20);
    }
    const s = await fresh();
    const chain = s.input("sample:weather").dates("date", { drop: true });
    expect(await did(chain)).toBe(
      'Gone: date.\nNew: date_year, date_month, date_day, date_dayofweek.\nIt was asked for: index "date", drop true.',
    );
  });

  it("show as text, HTML and Markdown, whatever the data is called", async () => {
    const s = await fresh();
    const path = join(home, "evil.csv");
    writeFileSync(path, '"<img src=x onerror=alert(1)>","[a](b) $x$ `c`"\n1,\n3,4\n');
    await s.input(path).missing({ strategy: "mean" });
    const told = await s.explain();
    expect(toText(told[viewOf]())).toContain("Block 2: missing (DP_2)");
    expect(await toHtml(told[viewOf]())).not.toContain("<img");
    const markdown = told.markdown();
    expect(markdown).toMatch(/^\*\*Block 2: missing \(DP\\_2\)\*\*\n\nFilled 1 gap in /);
    expect(markdown).not.toMatch(/<img|[^\\]\[a|[^\\]`c|[^\\]\$x/);
    expect(String(told)).toMatch(/\nWhy: Most models can't compute with gaps\./);
  });
});
