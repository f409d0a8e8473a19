import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { embeddedLink } from "../../src/client/embedded.ts";
import { viewOf } from "../../src/core/view.ts";
import { toHtml, toText } from "../../src/render/index.ts";
import { Session } from "../../src/session/index.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-card-"));
const session = new Session(() => embeddedLink({ home: join(home, "data"), threads: 0 }));

afterAll(async () => {
  await session.close();
  rmSync(home, { recursive: true, force: true });
});

const leaky = () =>
  session
    .input("sample:penguins")
    .missing({ strategy: "drop" })
    .describe()
    .xy({ x: ["island", "bill_length_mm", "body_mass_g"], y: "species" })
    .encode({ columns: ["island"] })
    .split({ test_size: 0.25, random_state: 0 })
    .treeClassifier({ max_depth: 3, random_state: 0 });

it("tells data, preparation, split, scores, importance and leaks, and how it was made", async () => {
  await session.project("whole");
  const card = await (await leaky()).card();
  expect(card.markdown()).toMatchInlineSnapshot(`
    "# Model card: treeClassifier

    ## Model

    | what | value |
    | --- | --- |
    | name | treeClassifier |
    | made by | treeClassifier (ML\\_CN\\_6), block 7 |
    | tells | species |

    It looks at 5 features: island\\_Biscoe, island\\_Dream, island\\_Torgersen, bill\\_length\\_mm, body\\_mass\\_g.

    Learnt to tell species, 3 classes, from 5 features of 249 training rows; it is kept as "treeClassifier". What weighs most (feature importances): bill\\_length\\_mm (0.4962), island\\_Biscoe (0.4186) and island\\_Dream (0.06626).

    A tree asks one question after the other and can be read by anyone. Left to grow it learns its rows by heart; max\\_depth keeps it honest.

    ## Data

    Read 344 rows and 7 columns from penguins.csv: 3 of text, 2 of numbers and 2 of whole numbers.

    ## Preparation

    - missing (DP\\_2): Dropped 11 rows with a gap, 3.2% of 344; 333 are left.
    - xy (DP\\_FSP): Features: island, bill\\_length\\_mm, body\\_mass\\_g. Target: species, classes, so classifiers fit.
    - encode (DP\\_3): Put 3 columns of 0 and 1 in the place of island: island\\_Biscoe, island\\_Dream, island\\_Torgersen. The categories are those of all 333 rows. The rows are not split yet, so rows that may become test rows had their say; a later split will call that a leak.

    ## Split

    Put 84 rows aside for testing, 25.2% of 333; the other 249 train. They were drawn with seed 0, which always draws the same rows.

    ## Scores

    | metric | on 84 test rows |
    | --- | ---: |
    | accuracy | 0.9524 |
    | precision | 0.9536 |
    | recall | 0.9524 |
    | f1 | 0.9524 |
    | roc\\_auc | 0.9551 |
    | log\\_loss | 1.36 |

    Model "treeClassifier" is right on 80 of 84 test rows (accuracy 0.9524); always saying "Adelie" would be right on 42 (50%). What it mixes up most: "Gentoo" taken for "Adelie", 2 times. Of two rows, one of a class and one not, it ranks the right one higher in 95.5% of cases (roc\\_auc); 50% would be chance.

    | class | precision | recall | f1 | rows |
    | --- | ---: | ---: | ---: | ---: |
    | Adelie | 0.9318 | 0.9762 | 0.9535 | 42 |
    | Chinstrap | 1 | 0.9286 | 0.963 | 14 |
    | Gentoo | 0.963 | 0.9286 | 0.9455 | 28 |
    | macro avg | 0.9649 | 0.9444 | 0.954 | 84 |
    | weighted avg | 0.9536 | 0.9524 | 0.9524 | 84 |

    ## Importance

    | column | fall of accuracy when a column is shuffled |
    | --- | ---: |
    | bill\\_length\\_mm | 0.2857 |
    | island | 0.281 |
    | body\\_mass\\_g | 0.1619 |

    ## To mind

    > Block 6, split (DP\\_4): Leakage: encode (DP\\_3, block 5: island) learnt from rows that are test rows now, so scores on them may flatter. Split first, then fit.

    ## How it was made

    \`\`\`ts
    import { session } from "blocklab";

    await session
      .input("sample:penguins")
      .missing("drop")
      .describe()
      .xy({ x_boundaries: ["island", "bill_length_mm", "body_mass_g"], y_boundaries: "species" })
      .encode({ columns: ["island"] })
      .split({ test_size: 0.25, random_state: 0 })
      .treeClassifier({ max_depth: 3 });
    \`\`\`
    "
  `);
  const view = toText(await card[viewOf](), { width: 80 });
  for (const line of view.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  expect(view.replace(/\s+/g, " ")).toContain(
    "! Block 6, split (DP_4): Leakage: encode (DP_3, block 5: island) learnt from rows",
  );
  expect(await toHtml(await card[viewOf]())).toContain("Model card: treeClassifier");
});

it("has the scores and the importance that metrics() answers", async () => {
  await session.project("scores");
  const model = await leaky();
  const card = await model.card({ importance: 3 });
  const { accuracy, importance } = (await model.metrics({ importance: 3 })).output as {
    accuracy: number;
    importance: { feature: string; mean: number }[];
  };
  expect(card.markdown()).toContain(`| accuracy | ${Number(accuracy.toPrecision(4))} |`);
  const [first] = importance.toSorted((a, b) => b.mean - a.mean);
  expect(first.mean).toBeGreaterThan(0);
  expect(card.markdown()).toContain(
    `| ${first.feature.replaceAll("_", "\\_")} | ${Number(first.mean.toPrecision(4))} |`,
  );
  expect((await model.card({ importance: 0 })).markdown()).not.toContain("## Importance");
});

it("judges a model once, and leaves the session where it is", async () => {
  await session.project("once");
  await leaky();
  await session.card();
  const blocks = (await session.blocks()).length;
  expect(blocks).toBe(8);
  await session.card();
  expect((await session.blocks()).length).toBe(blocks);
  expect((await session.predict()).record.parent_id).toBe(7);
});

it("says that scores of rows it has learnt from flatter, and that no leak was told", async () => {
  await session.project("all rows");
  const card = await session
    .input("sample:iris")
    .xy({ y: "petal_width" })
    .drop("species")
    .linear()
    .then((m) => m.card());
  expect(card.markdown()).toContain("No rows were put aside, so its scores are those of rows it has learnt from");
  expect(card.markdown()).toContain("on 150 rows, which it has learnt from");
  expect(card.markdown()).toContain("No block told of a leak, or of anything else to mind.");
  expect(card.markdown()).toContain("fall of r2");
});

it("escapes what comes of the data, and keeps code as it is", async () => {
  await session.project("hostile");
  const file = join(home, "odd.csv");
  const label = '<img src=x onerror="alert(1)">';
  const rows = Array.from({ length: 12 }, (_, k) => `${k},"${(k < 6 ? label : "a|b`*c").replaceAll('"', '""')}"`);
  writeFileSync(file, `"[x](y) \`\`\`",kind\n${rows.join("\n")}\n`);
  const model = session.input(file).xy({ y: "kind" }).treeClassifier({ random_state: 0 });
  const card = await (await model).card({ importance: 1 });
  expect(card.html()).not.toContain("<img");
  expect(card.html()).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;");
  const [words] = card.markdown().split("## How it was made");
  expect(words).not.toMatch(/<img|\[x\]\(y\)|[^\\]\|b/);
  expect(words).toContain("a\\|b\\`\\*c");
});

it("is written as Markdown and as a page that loads nothing", async () => {
  await session.project("whole");
  const card = await session.card();
  await card.save(join(home, "card.md"));
  await card.save(join(home, "card.html"));
  expect(readFileSync(join(home, "card.md"), "utf8")).toBe(card.markdown());
  const page = readFileSync(join(home, "card.html"), "utf8");
  expect(page).toContain("default-src 'none'");
  expect(page).not.toMatch(/<script|src=|href=/);
  await expect(card.save(join(home, "card.pdf"))).rejects.toThrow(
    /^save: a card's file must end in \.md or \.html, got/,
  );
});

it("names a model, or says which there are", async () => {
  await session.project("names");
  await session.input("sample:iris").xy({ y: "species" }).knn({ model_name: "near" }).naiveBayes().kmeans();
  expect((await session.card()).name).toBe("kmeans");
  expect((await session.card({ model_name: "naiveBayes", importance: 0 })).name).toBe("naiveBayes");
  expect((await session.card({ model_name: "near", importance: 0 })).name).toBe("near");
  await expect(session.card({ model_name: "far" })).rejects.toThrow(
    'card: there is no model "far" in this project. Models: near, naiveBayes, kmeans.',
  );
  await expect(session.card({ model_name: "kmeans", importance: 3 })).rejects.toThrow(
    'card: importance is how much worse a model tells its target without a column, and clusterings such as "kmeans" have no target. Leave it out.',
  );
  await expect(session.card({ importance: -1 })).rejects.toThrow(
    "card: importance must be a whole number from 0 to 1000, got -1.",
  );
  await session.project("none");
  await expect(session.input("sample:iris").then((table) => table.card())).rejects.toThrow(
    /^card: there is no model in this chain yet that metrics\(\) judges;/,
  );
});

it("tells of a clustering: arguments, sizes, scores and notices", async () => {
  await session.project("clusters");
  const found = await session
    .input("sample:penguins")
    .missing({ strategy: "drop" })
    .select(["species", "bill_length_mm", "bill_depth_mm"])
    .scale()
    .kmeans({ n_clusters: 3, random_state: 0 });
  const card = await found.card();
  const [head] = card.markdown().split("## How it was made");
  expect(head).toMatchInlineSnapshot(`
    "# Model card: kmeans

    ## Model

    | what | value |
    | --- | --- |
    | name | kmeans |
    | made by | kmeans (ML\\_CG\\_2), block 5 |
    | tells | which cluster a row is in |

    It looks at 2 features: bill\\_length\\_mm, bill\\_depth\\_mm.

    Found 3 clusters in 333 rows by 2 features; kept as "kmeans". The smallest has 65 rows, the largest 148. Each row's cluster is in the new column "cluster".

    It finds groups that nobody has named, round and of like size, and is fast. Scale the features first; how many groups there are is yours to say, and its picture of several numbers helps.

    ## Arguments

    | argument | value |
    | --- | --- |
    | n\\_clusters | 3 |
    | init | k-means++ |
    | n\\_init | auto |
    | max\\_iter | 300 |
    | tol | 0.0001 |
    | random\\_state | 0 |

    ## Clusters

    | cluster | rows | share |
    | --- | ---: | --- |
    | 2 | 148 | 44.4% |
    | 1 | 120 | 36% |
    | 0 | 65 | 19.5% |

    Inertia: 183.1, on the rows that it learnt from.

    ## Data

    Read 344 rows and 7 columns from penguins.csv: 3 of text, 2 of numbers and 2 of whole numbers.

    ## Preparation

    - missing (DP\\_2): Dropped 11 rows with a gap, 3.2% of 344; 333 are left.
    - select (BL\\_SELECT): Kept 3 of 7 columns, in this order: species, bill\\_length\\_mm, bill\\_depth\\_mm. Left out: island, flipper\\_length\\_mm, body\\_mass\\_g, sex.
    - scale (DP\\_5): Brought bill\\_length\\_mm, bill\\_depth\\_mm to a common scale (standard). bill\\_length\\_mm, for one: its mean 43.99 becomes 0, its deviation 5.46 becomes 1. Measured on all 333 rows. The rows are not split yet, so rows that may become test rows had their say; a later split will call that a leak.

    ## Split

    No rows were put aside, so its scores are those of rows it has learnt from, and flatter.

    ## Scores

    | metric | on 333 rows, which it has learnt from |
    | --- | ---: |
    | silhouette | 0.5215 |
    | davies\\_bouldin | 0.6675 |
    | calinski\\_harabasz | 435 |
    | n\\_clusters | 3 |

    Rows of "kmeans" are nearer to their own cluster than to the next one by 0.5215 on average, of 1 at most (silhouette, 333 rows).

    ## To mind

    > Block 4, scale (DP\\_5): species is not numeric and stayed as before.
    >
    > Block 5, kmeans (ML\\_CG\\_2): nothing says which columns count, so it goes by all numbers, and species is left out. Choose with xy (DP\\_FSP), as in xy(\\{ x: \\[...\\] \\}).

    "
  `);
  // The sizes are those of the column that it made, and the scores those of metrics().
  const sizes = new Map<unknown, number>();
  for (const { cluster } of await found.dataset.rows()) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
  for (const [cluster, rows] of sizes) expect(head).toContain(`| ${cluster} | ${rows} |`);
  const { silhouette } = (await found.metrics()).output as { silhouette: number };
  expect(head).toContain(`| silhouette | ${Number(silhouette.toPrecision(4))} |`);
  expect(card.html()).toContain("<h2>Clusters</h2>");
  expect(toText(await card[viewOf](), { width: 80 })).toContain("Clusters");
});

const measured = () => session.input("sample:iris").drop("species").scale();
const others = {
  dbscan: async () => await measured().dbscan(),
  hdbscan: async () => await measured().hdbscan(),
  gaussianMixture: async () => await measured().gaussianMixture({ n_components: 3 }),
  hierarchical: async () => await measured().hierarchical(),
  isolationForest: async () => await measured().isolationForest(),
};

it.each(Object.entries(others))("tells of %s", async (name, make) => {
  await session.project(`card of ${name}`);
  const card = (await (await make()).card()).markdown();
  expect(card).toContain(`# Model card: ${name}`);
  expect(card).toContain("It looks at 4 features: sepal\\_length, sepal\\_width, petal\\_length, petal\\_width.");
  const [, sizes] = card.split(name === "isolationForest" ? "## Outliers" : "## Clusters");
  const rows = sizes.split("##")[0].match(/\| (\d+) \| [\d.]+% \|/g) as string[];
  expect(rows.reduce((sum, row) => sum + Number(row.split("|")[1]), 0)).toBe(150);
  expect(card).toContain("| silhouette |");
  expect(card).not.toContain("## Importance");
});

it("tells of a neural network, with the importance of columns", async () => {
  await session.project("network");
  const net = await session
    .input("sample:iris")
    .xy({ y: "species" })
    .split({ random_state: 0 })
    .scale()
    .ann([8])
    .train({ epochs: 5, random_state: 0 });
  const card = (await net.card({ importance: 2 })).markdown();
  expect(card).toMatch(/## Importance\n\n\| .*fall of accuracy when a column is shuffled/);
  expect(card).toContain("| petal\\_length |");
  const judged = await net.metrics({ importance: 2 });
  expect((judged.output as { importance: unknown[] }).importance).toHaveLength(4);
  await expect(net.metrics({ importance: 2, test_data: "x_test_url" })).rejects.toThrow(
    "evaluate (DL_ANN_E): importance is worked out on the model's own rows, so it can't stand beside test_data.",
  );
});
