import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const ready = [["xy", { y: "species" }], ["scale"]] as const;
const layouts = [
  ["tsne", { max_iter: 400 }],
  ["umap", { n_epochs: 50 }],
] as const;
const named = { tsne: "tsne (BL_TSNE)", umap: "umap (BL_UMAP)" };

describe.each(layouts)("%s", (name, args) => {
  const who = named[name];
  const columns = [`${name}1`, `${name}2`];

  it("adds two columns that are no features, and says how far to trust them", async () => {
    const record = await lab.last("sample:iris", ...ready, [name, args]);
    const answer = output<{ columns: string[]; rows: number; trustworthiness: number }>(record);
    expect(answer).toMatchObject({ columns, rows: 150, trustworthiness_rows: 150 });
    expect(answer.trustworthiness).toBeGreaterThan(0.9);
    const { header, types } = await lab.table(record.dataset_url);
    expect(header.slice(-2)).toEqual(columns);
    expect(types.slice(-2)).toEqual(["number", "number"]);
    expect((await lab.table(record.x_value_url)).header).not.toContain(columns[0]);
    const shown = await lab.view(record);
    for (const species of ["setosa", "versicolor", "virginica"]) expect(shown).toContain(`${species} (50)`);
    expect(shown).toContain("Distances between groups, and their sizes, mean little.");
  });

  it("looks at training rows alone, and places no others", async () => {
    const rows = Array.from({ length: 40 }, (_, i) => [i % 7, (i * i) % 11, i % 2 === 0 ? "a" : "b"]);
    const table = (cells: readonly (readonly unknown[])[]) =>
      `p,q,y\n${cells.map((row) => row.join(",")).join("\n")}\n`;
    const small = name === "tsne" ? { perplexity: 5, max_iter: 250 } : { n_neighbors: 5, n_epochs: 20 };
    const chain = [
      ["xy", { y: "y" }],
      ["split", { test_size: 10, shuffle: false }],
      [name, small],
    ] as const;
    const places = async (csv: string) => await lab.column(await lab.last(csv, ...chain), columns[0]);
    const made = await places(table(rows));
    expect(made.slice(30)).toEqual(new Array(10).fill(null));
    expect(made.slice(0, 30)).not.toContain(null);
    const foul = rows.map((row, i) => (i < 30 ? row : [900, -900, row[2]]));
    expect(await places(table(foul))).toEqual(made);
    const other = rows.map((row, i) => (i === 3 ? [6, 10, row[2]] : row));
    expect(await places(table(other))).not.toEqual(made);
  });

  it("tells a later split that it saw all rows, and lets models predict new rows", async () => {
    const records = await lab.chain("sample:iris", ...ready, [name, args], ["split", { random_state: 0 }]);
    expect(records.at(-1)?.notices?.join(" ")).toContain(name);
    const test_data = lab.file("sepal_length,sepal_width,petal_length,petal_width\n5.1,3.5,1.4,0.2\n");
    const record = await lab.last(
      "sample:iris",
      ...ready,
      [name, args],
      ["naiveBayes"],
      ["ML_CN_5_P", { model_name: "naiveBayes", test_data }],
    );
    const { rows } = await lab.table(output<{ y_pred_url: string }>(record).y_pred_url);
    expect(rows[0]).toContain("setosa");
  });

  it("goes by all numbers where nothing says which, and leaves its own columns out", async () => {
    const once = await lab.last("sample:iris", [name, args]);
    expect(once.notices?.join()).toContain(
      `${who}: nothing says which columns count, so it goes by all numbers, and species is left out.`,
    );
    const first = await lab.column(once, columns[0]);
    const twice = await lab.last("sample:iris", [name, args], [name, args]);
    const { header } = await lab.table(twice.dataset_url);
    expect(header).toHaveLength(9);
    expect(await lab.column(twice, header[7])).toEqual(first);
  });

  it("colours by a column: few values each, many numbers in ranges", async () => {
    const byWidth = await lab.view(await lab.last("sample:iris", ...ready, [name, { ...args, color: "sepal_length" }]));
    expect(byWidth).toMatch(/below -\d/);
    expect(byWidth).toMatch(/and above \(\d+\)/);
    const plain = await lab.view(await lab.last("sample:iris", ["drop", { d_columns: ["species"] }], [name, args]));
    expect(plain).not.toContain("species");
  });

  it("refuses in one sentence what it can't lay out", async () => {
    const fails = async (csv: string, more: object = {}) =>
      (await lab.failure(csv, [name, { ...args, ...more }])).message;
    expect(await fails("a,b\n1,x\n2,y\n3,z\n4,x\n")).toBe(
      `${who}: it lays out rows by two features of numbers or more, got 1. Make numbers of text with encode (DP_3).`,
    );
    expect(await fails("a,b\n1,1\n2,1\n3,\n4,1\n")).toMatch(/missing/);
    expect(await fails("a,b\n1,1\n2,1\n3,4\n")).toBe(`${who}: it lays out 4 rows or more, got 3.`);
    const many = name === "tsne" ? { perplexity: 5 } : { n_neighbors: 6 };
    const argument = name === "tsne" ? "perplexity" : "n_neighbors";
    expect(await fails("a,b\n1,1\n2,1\n3,4\n5,6\n", many)).toContain(`${who}: ${argument} must be `);
  });
});

it("umap refuses rows that are to lie farther apart than they spread", async () => {
  expect((await lab.failure("sample:iris", ["umap", { min_dist: 2 }])).message).toBe(
    "umap (BL_UMAP): min_dist must be at most spread (1), got 2.",
  );
});

it("tsne shows digits as text at 80 columns", async () => {
  const record = await lab.last(
    "sample:digits",
    ["filter", { where: "digit < 3" }],
    ["slice", { from: 0, to: 120 }],
    ["xy", { y: "digit" }],
    ["tsne", { perplexity: 10, max_iter: 300 }],
  );
  expect(await lab.view(record)).toMatchSnapshot();
});
