import { describe, expect, it } from "vitest";
import { toText } from "../../../src/render/index.ts";
import { Lab, type Link, output, someone } from "../../support/lab.ts";

const lab = new Lab();

/** Three heaps of ten rows each, and which one each row is of. */
const csv = `a,b,kind\n${Array.from({ length: 30 }, (_, k) => {
  const heap = k % 3;
  return `${heap * 10 + ((k * 7) % 5) / 10},${(heap === 1 ? 8 : 0) + ((k * 3) % 7) / 10},${["x", "y", "z"][heap]}`;
}).join("\n")}\n`;

const roles: Link = ["xy", { y: "kind" }];
const both = [
  ["kmeans", "ML_CG_2"],
  ["hierarchical", "ML_CG_1"],
] as const;

describe.each(both)("%s (%s)", (name, code) => {
  const who = `${name} (${code})`;
  const three: Link = [name, { n_clusters: 3 }];

  it("finds heaps, tells how well, and shows them", async () => {
    const records = await lab.chain(csv, roles, three, [`${code}_M`, { model_name: name }]);
    const metrics = output<Record<string, number>>(records[3]);
    expect(Object.keys(metrics)).toEqual([
      "silhouette",
      "davies_bouldin",
      "calinski_harabasz",
      "n_clusters",
      "ari",
      "nmi",
      "n",
      "on",
    ]);
    expect(metrics).toMatchObject({ ari: 1, nmi: expect.closeTo(1, 9), n_clusters: 3, n: 30, on: "all" });
    expect(metrics.silhouette).toBeGreaterThan(0.9);
    for (const record of records.slice(2)) expect(await lab.view(record)).toMatchSnapshot();
  });

  it("adds a column of clusters, which is no feature, and predicts the same ones", async () => {
    const records = await lab.chain(csv, roles, three, [`${code}_P`, { model_name: name }]);
    const { header, rows, types } = await lab.table(records[2].dataset_url);
    expect(header).toEqual(["a", "b", "kind", "cluster"]);
    expect(types[3]).toBe("integer");
    const clusters = rows.map((row) => row[3]);
    expect(new Set(clusters)).toEqual(new Set([0, 1, 2]));
    expect(rows.every((row, i) => row[3] === rows[i % 3][3])).toBe(true);
    expect((await lab.table(records[2].x_value_url)).header).toEqual(["a", "b"]);
    const predicted = await lab.table(output<{ y_pred_url: string }>(records[3]).y_pred_url);
    expect(predicted.types).toEqual(["integer"]);
    expect(predicted.rows.map(([value]) => value)).toEqual(clusters);
    expect(await lab.view(records[3])).toMatch(/predicted cluster/);
  });

  it("makes whole numbers for what follows, as text too", async () => {
    const twice: Link = ["derive", { columns: { name: "`c${cluster}`" } }];
    const record = await lab.last(csv, roles, three, twice, ["counts", { index: "name" }]);
    expect(await lab.view(record)).toMatch(/c0 .*\n.*c1 .*\n.*c2 /);
  });

  it("needs no roles: it goes by the numbers, says what it left out, and not by another's clusters", async () => {
    const records = await lab.chain(csv, three, [name, { n_clusters: 2 }], [`${code}_P`, { model_name: `${name}-2` }]);
    expect(records[1].notices?.[0]).toBe(
      `${who}: nothing says which columns count, so it goes by all numbers, and kind is left out. Choose with xy (DP_FSP), as in xy({ x: [...] }).`,
    );
    expect((await lab.table(records[2].dataset_url)).header).toEqual(["a", "b", "kind", "cluster", "cluster_1"]);
    expect(await lab.view(records[2])).toMatch(/2 clusters from 2 features/);
    expect((await lab.table(output<{ y_pred_url: string }>(records[3]).y_pred_url)).rows).toHaveLength(30);
  });

  it("learns from training rows alone, is judged on test rows, and gives new rows their cluster", async () => {
    const records = await lab.chain(csv, roles, ["split", { random_state: 2 }], three, [
      `${code}_M`,
      { model_name: name },
    ]);
    expect(output(records[4])).toMatchObject({ on: "test", n: 8, ari: 1 });
    const all = await lab.column(records[3], "cluster");
    const fresh = lab.file("kind,b,a\nx,0.2,0.1\nz,0.3,20.1\n");
    const predicted = await lab.block(records[3].project, 9, records[3].block_id, [
      `${code}_P`,
      { model_name: name, test_data: fresh },
    ]);
    const { rows } = await lab.table(output<{ y_pred_url: string }>(predicted).y_pred_url);
    expect(rows.map(([value]) => value)).toEqual([all[0], all[2]]);
  });

  it("refuses what it can't group, in a sentence", async () => {
    const failure = async (...links: Link[]) => {
      const { status, message } = await lab.failure("a,t,y\n1,p,u\n,q,v\n", ...links);
      return [status, message];
    };
    expect(await failure(["xy", { x: ["a"] }], three)).toEqual([
      422,
      `${who}: features must be complete, but a has missing cells. Fill them with missing (DP_2).`,
    ]);
    expect(await failure(["xy", { x: ["t"] }], three)).toEqual([
      422,
      `${who}: features must be numbers, but t is not. Encode with encode (DP_3) or drop with drop (DP_6).`,
    ]);
    expect(await failure(["drop", { columns: ["a"] }], three)).toEqual([
      422,
      `${who}: it groups rows by numbers, and no column holds any. Make numbers of text with encode (DP_3), or of dates with dates (DP_PDT).`,
    ]);
    const many = await lab.failure("a\n1\n2\n", [name, { n_clusters: 3 }]);
    expect([many.status, many.message]).toEqual([422, `${who}: n_clusters must be between 1 and 2 (rows), got 3.`]);
    const unknown = await lab.failure(csv, roles, three, [`${code}_M`, { model_name: name, metric: "silhouete" }]);
    expect(unknown.message).toMatch(/there is no metric "silhouete"\. Did you mean "silhouette"\?/);
  });

  it("is defined for one cluster, one row each, and rows that are all the same", async () => {
    const judge: Link = [`${code}_M`, { model_name: name }];
    const one = output(await lab.last(csv, roles, [name, { n_clusters: 1 }], judge));
    expect(one).toMatchObject({ silhouette: null, n_clusters: 1, ari: 0 });
    const each = output(await lab.last("a\n1\n5\n9\n", [name, { n_clusters: 3 }], judge));
    expect(each).toMatchObject({ silhouette: null, n_clusters: 3 });
    const same = await lab.last("a\n1\n1\n1\n1\n", [name, { n_clusters: 1 }], judge);
    expect(output(same)).toMatchObject({ n_clusters: 1 });
  });
});

it("shows what several numbers leave of a table of more columns than rows, as the model does of one of them", async () => {
  const names = Array.from({ length: 40 }, (_, j) => `c${j}`);
  const rows = Array.from({ length: 24 }, (_, i) => names.map((_, j) => Math.sin(i * i + 7 * j) + (i % 3)).join());
  const record = await lab.last(`${names.join()}\n${rows.join("\n")}\n`, ["kmeans", { n_clusters: 4 }]);
  const view = await (await lab.service).view(someone, record.id);
  const [, inertia] = /add up to (\S+) \(inertia\)/.exec(toText(view))!;
  const [, y] = /"title":"inertia".*?"y":(\[[^\]]*\])/.exec(JSON.stringify(view))!;
  const elbow = JSON.parse(y) as number[];
  expect(elbow).toHaveLength(10);
  expect(Number(elbow[3].toPrecision(6))).toBe(Number(inertia));
});

it("says that fewer clusters than asked for have rows", async () => {
  const record = await lab.last("a\n1\n1\n2\n2\n", ["kmeans", { n_clusters: 3 }]);
  expect(record.notices?.at(-1)).toMatch(/only 2 clusters of 3 have rows/);
});

it("joins by any linkage, up to a distance too, and refuses what does not fit together", async () => {
  for (const linkage of ["complete", "average", "single"]) {
    for (const metric of ["euclidean", "manhattan"]) {
      const judged = output<{ ari: number }>(
        await lab.last(
          csv,
          roles,
          ["hierarchical", { n_clusters: 3, linkage, metric }],
          ["ML_CG_1_M", { model_name: "hierarchical" }],
        ),
      );
      expect(judged.ari, `${linkage} ${metric}`).toBe(1);
    }
  }
  const cut = await lab.last(csv, roles, ["hierarchical", { distance_threshold: 5, linkage: "single" }]);
  expect(await lab.view(cut)).toMatch(/3 clusters from 2 features/);
  const wrong = await lab.failure(csv, roles, ["hierarchical", { metric: "manhattan" }]);
  expect([wrong.status, wrong.message]).toEqual([400, expect.stringContaining('metric must be "euclidean"')]);
  for (const linkage of ["ward", "single"]) {
    const huge = await lab.failure("a\n1e200\n-1e200\n3e200\n", ["hierarchical", { n_clusters: 2, linkage }]);
    expect([huge.status, huge.message]).toEqual([422, expect.stringContaining("the numbers are too large")]);
  }
});

/** The heaps, and a row far from all. */
const lonely = `${csv.trimEnd()}\n500,500,x\n`;

describe("dbscan (ML_CG_3)", () => {
  const dense: Link = ["dbscan", { eps: 1.5 }];

  it("finds heaps without their number, leaves a lonely row out, tells how well, and shows them", async () => {
    const records = await lab.chain(lonely, roles, dense, ["ML_CG_3_M", { model_name: "dbscan" }]);
    const metrics = output<Record<string, number>>(records[3]);
    expect(metrics).toMatchObject({ n_clusters: 3, n_noise: 1, n: 31, on: "all" });
    expect(metrics.silhouette).toBeGreaterThan(0.9);
    const { rows, header } = await lab.table(records[2].dataset_url);
    expect(header).toEqual(["a", "b", "kind", "cluster"]);
    expect(rows.map((row) => row[3])).toEqual([...Array.from({ length: 30 }, (_, i) => i % 3), -1]);
    for (const record of records.slice(2)) expect(await lab.view(record)).toMatchSnapshot();
  });

  it("predicts what it found, and of new rows those that a core row is near", async () => {
    const records = await lab.chain(lonely, roles, ["split", { random_state: 2 }], dense, [
      "ML_CG_3_P",
      { model_name: "dbscan", test_data: "dataset_url" },
    ]);
    const all = await lab.column(records[3], "cluster");
    const predicted = await lab.table(output<{ y_pred_url: string }>(records[4]).y_pred_url);
    expect(predicted.rows.map(([value]) => value)).toEqual(all);
    const fresh = lab.file("kind,b,a\nx,0.2,0.1\nz,0.3,20.1\nz,0.3,100\n");
    const asked = await lab.block(records[3].project, 9, records[3].block_id, [
      "ML_CG_3_P",
      { model_name: "dbscan", test_data: fresh },
    ]);
    const { rows } = await lab.table(output<{ y_pred_url: string }>(asked).y_pred_url);
    expect(rows.map(([value]) => value)).toEqual([all[0], all[2], -1]);
  });

  it("says that all rows are noise, and which distance would do", async () => {
    const record = await lab.last(csv, roles, ["dbscan", { eps: 0.01 }]);
    expect(record.notices?.at(-1)).toMatch(
      /^dbscan \(ML_CG_3\): all rows are noise, since none has 5 rows within 0\.01; half of them have so many within 0\.\d+, so take a larger eps\.$/,
    );
    expect(await lab.column(record, "cluster")).toEqual(Array.from({ length: 30 }, () => -1));
    expect(await lab.view(record)).toMatch(/0 clusters from 2 features/);
    const few = await lab.last("a\n1\n", ["dbscan", {}]);
    expect(few.notices?.at(-1)).toMatch(/all rows are noise, since min_samples is 5 and there is but 1 row\./);
    const judged = await lab.last("a\n1\n", ["dbscan", {}], ["ML_CG_3_M", { model_name: "dbscan" }]);
    expect(output(judged)).toMatchObject({ silhouette: null, n_clusters: 0, n_noise: 1 });
  });

  it("refuses what it can't group, in a sentence", async () => {
    const missing = await lab.failure("a\n1\n\n2\n", ["xy", { x: ["a"] }], ["dbscan", {}]);
    expect(missing.status).toBe(422);
    const text = await lab.failure("t\np\nq\n", ["dbscan", {}]);
    expect(text.message).toMatch(/^dbscan \(ML_CG_3\): it groups rows by numbers, and no column holds any\./);
    const none = await lab.failure(csv, ["dbscan", { eps: 0 }]);
    expect(none.status).toBe(400);
    const power = await lab.failure(csv, ["dbscan", { eps: 1e-9, metric: "minkowski", p: 60 }]);
    expect([power.status, power.message]).toEqual([
      400,
      "dbscan (ML_CG_3): eps to the power of 60 must be between 5e-324 and 1.7e308, got eps 1e-9.",
    ]);
  });
});

describe("isolationForest (ML_ISF)", () => {
  const forest: Link = ["isolationForest", { contamination: 0.04 }];
  /** Which rows are far off, as a target of two classes. */
  const known = `a,b,odd\n${csv
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.replace(/.$/, "no"))
    .join("\n")}\n500,500,yes\n`;
  const odd: Link = ["xy", { y: "odd" }];

  it("finds a row far from all, tells how well, and shows the most unusual ones", async () => {
    const records = await lab.chain(known, odd, forest, ["ML_ISF_M", { model_name: "isolationForest" }]);
    expect(output(records[3])).toMatchObject({ n_clusters: 2, n_outliers: 2, roc_auc: 1, n: 31, on: "all" });
    const { rows, header } = await lab.table(records[2].dataset_url);
    expect(header).toEqual(["a", "b", "odd", "outlier"]);
    expect(rows[30][3]).toBe(1);
    expect(rows.filter((row) => row[3] === 1)).toHaveLength(2);
    for (const record of records.slice(2)) expect(await lab.view(record)).toMatchSnapshot();
  });

  it("predicts -1 for outliers and 1 for others, each beside its score", async () => {
    const records = await lab.chain(known, odd, ["split", { random_state: 2 }], forest, [
      "ML_ISF_P",
      { model_name: "isolationForest", test_data: "dataset_url" },
    ]);
    const outlier = await lab.column(records[3], "outlier");
    const { header, rows, types } = await lab.table(output<{ y_pred_url: string }>(records[4]).y_pred_url);
    expect([header, types]).toEqual([
      ["y_pred", "score"],
      ["integer", "number"],
    ]);
    expect(rows.map(([label]) => (label === -1 ? 1 : 0))).toEqual(outlier);
    const scores = rows.map(([, score]) => Number(score));
    expect(scores.indexOf(Math.min(...scores))).toBe(30);
    expect(await lab.view(records[4])).toMatch(/score/);
    const fresh = lab.file("b,a,odd\n900,900,yes\n0.2,0.1,no\n");
    const asked = await lab.block(records[3].project, 9, records[3].block_id, [
      "ML_ISF_P",
      { model_name: "isolationForest", test_data: fresh },
    ]);
    const found = await lab.table(output<{ y_pred_url: string }>(asked).y_pred_url);
    expect(found.rows.map(([label]) => label)).toEqual([-1, 1]);
  });

  it("lets scores below -0.5 be outliers without a share, and needs no roles", async () => {
    const record = await lab.last(known, ["isolationForest", {}], ["ML_ISF_P", { model_name: "isolationForest" }]);
    const { rows } = await lab.table(output<{ y_pred_url: string }>(record).y_pred_url);
    expect(rows.every(([label, score]) => (label === -1) === Number(score) < -0.5)).toBe(true);
    const one = await lab.last("a\n1\n", ["isolationForest", {}], ["ML_ISF_M", { model_name: "isolationForest" }]);
    expect(output(one)).toMatchObject({ silhouette: null, n_clusters: 1, n_outliers: 0 });
  });

  it("refuses what does not fit the rows, in a sentence", async () => {
    const wide = await lab.failure(known, odd, ["isolationForest", { max_features: 3 }]);
    expect([wide.status, wide.message]).toEqual([
      422,
      "isolationForest (ML_ISF): max_features must be a share up to 1, or a count up to 2 (features), got 3.",
    ]);
    const few = await lab.failure(known, odd, ["isolationForest", { max_samples: 0.001 }]);
    expect([few.status, few.message]).toEqual([
      422,
      "isolationForest (ML_ISF): max_samples must be a count, or a share that comes to a row of 31, got 0.001.",
    ]);
    const more = await lab.last(known, odd, ["isolationForest", { max_samples: 500 }]);
    expect(more.notices?.at(-1)).toMatch(/max_samples is 500, and there are 31 rows, so each tree takes all\./);
    const missing = await lab.failure("a,b\n1,2\n,3\n", ["xy", { x: ["a"] }], ["isolationForest", {}]);
    expect(missing.status).toBe(422);
  });
});

describe("hdbscan (BL_HDBSCAN)", () => {
  const dense: Link = ["hdbscan", {}];

  it("finds heaps without distance or number, leaves a lonely row out, and shows them", async () => {
    const predict: Link = ["BL_HDBSCAN_P", { model_name: "hdbscan", test_data: "dataset_url" }];
    const records = await lab.chain(lonely, roles, dense, ["BL_HDBSCAN_M", { model_name: "hdbscan" }], predict);
    expect(output(records[3])).toMatchObject({ n_clusters: 3, n_noise: 1, n: 31, on: "all" });
    const all = await lab.column(records[2], "cluster");
    expect([all[30], new Set(all.slice(0, 30)).size]).toEqual([-1, 3]);
    expect(all.slice(0, 30).every((label, i) => label === all[i % 3])).toBe(true);
    const { header, rows } = await lab.table(output<{ y_pred_url: string }>(records[4]).y_pred_url);
    expect(header).toEqual(["y_pred", "probability"]);
    expect(rows.map(([label]) => label)).toEqual(all);
    expect(rows.every(([label, sure]) => (Number(label) < 0 ? sure === 0 : Number(sure) > 0.3))).toBe(true);
    for (const record of records.slice(2)) expect(await lab.view(record)).toMatchSnapshot();
  });

  it("learns from training rows alone, and gives new rows the cluster that they lie in", async () => {
    const records = await lab.chain(lonely, roles, ["split", { random_state: 2 }], dense, [
      "BL_HDBSCAN_M",
      { model_name: "hdbscan" },
    ]);
    expect(output(records[4])).toMatchObject({ on: "test", n_clusters: 3 });
    const all = await lab.column(records[3], "cluster");
    const fresh = lab.file("kind,b,a\nx,0.2,0.1\nz,0.3,20.1\nz,0.3,100\n");
    const asked = await lab.block(records[3].project, 9, records[3].block_id, [
      "BL_HDBSCAN_P",
      { model_name: "hdbscan", test_data: fresh },
    ]);
    const { rows } = await lab.table(output<{ y_pred_url: string }>(asked).y_pred_url);
    expect(rows.map(([value]) => value)).toEqual([all[0], all[2], -1]);
  });

  it("says that all rows are noise, and refuses what it can't group, in a sentence", async () => {
    const record = await lab.last(csv, roles, ["hdbscan", { min_cluster_size: 20 }]);
    expect(record.notices?.at(-1)).toMatch(/all rows are noise: no two parts of 20 rows lie apart\./);
    const few = await lab.failure("a\n1\n5\n", ["hdbscan", { min_samples: 3 }]);
    expect([few.status, few.message]).toEqual([
      422,
      "hdbscan (BL_HDBSCAN): min_samples must be at most the number of rows, and there are 2 rows, got 3.",
    ]);
    const huge = await lab.failure("a\n1e200\n-1e200\n3e200\n", ["hdbscan", { min_cluster_size: 2 }]);
    expect(huge.message).toMatch(/the numbers are too large/);
  });
});
