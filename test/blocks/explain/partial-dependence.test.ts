import { describe, expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();

const towns = ["Lagos", "Accra", "Kano"];
const table = `age,town,size,kind,y\n${Array.from({ length: 90 }, (_, k) => {
  const [age, town, size] = [(k * 37) % 61, k % 3, ((k * 53) % 29) / 7];
  const y = 2 * age + 30 * town + size * size + (age > 30 ? 10 * size : 0);
  return [age, towns[town], size, y > 90 ? "q" : y > 60 && town === 1 ? "r" : "p", y].join(",");
}).join("\n")}\n`;

const steps = (target: "kind" | "y"): Link[] => [
  ["drop", { columns: [target === "y" ? "kind" : "y"] }],
  ["encode", { columns: ["town"], type: "onehot" }],
  ["scale", { columns: ["age", "size"] }],
  ["xy", { y: target }],
];

interface Partial {
  readonly explained: string;
  readonly rows: number;
  readonly columns: readonly { readonly column: string; readonly values: readonly unknown[] }[];
  readonly average: readonly { readonly class?: string; readonly values: readonly number[] }[];
  readonly partial_url: string;
  readonly ice_url?: string;
}

const drawn = async (links: readonly Link[], args: Record<string, unknown>) => {
  const record = await lab.last(table, ...links, ["partialDependence", args]);
  return { record, found: output<Partial>(record) };
};

const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 7));

// The reference values are those of partial_dependence(pipeline, X, method="brute") of scikit-learn 1.9.1, where X has
// the columns as they are here and pipeline is make_pipeline(ColumnTransformer([("o", OneHotEncoder(), ["town"]), ("s",
// StandardScaler(), ["age", "size"])]), PolynomialFeatures(2), LinearRegression()), or GaussianNB() for kind.
describe("is scikit-learn's of a pipeline, by the column before its preparation", () => {
  const numbers: Link[] = [...steps("y"), ["polynomial", { degree: 2 }]];

  it("for numbers between two quantiles, and for single rows", async () => {
    const { found } = await drawn(numbers, { columns: "age", grid_resolution: 7, percentiles: [0.1, 0.8], ice: 90 });
    expect(found.columns).toEqual([{ column: "age", values: close([5.42, 12.61, 19.8, 26.99, 34.18, 41.37, 48.56]) }]);
    expect(found.average).toEqual([
      {
        values: close([
          44.09828745825682, 61.519575879764325, 79.13163289835012, 96.93445851401424, 114.92805272675659,
          133.11241553657732, 151.4875469434763,
        ]),
      },
    ]);
    const { header, rows } = await lab.table(found.ice_url);
    expect(header).toEqual(["row", "age", "answer"]);
    expect(rows).toHaveLength(90 * 7);
    expect(rows.slice(0, 14).map(([row]) => row)).toEqual([...new Array(7).fill(0), ...new Array(7).fill(1)]);
    expect(rows.slice(0, 14).map((row) => Number(row[2]))).toEqual(
      close([
        11.761673043547333, 25.44264396686461, 39.31438348726019, 53.37689160473408, 67.63016831928626,
        82.07421363091673, 96.70902753962551, 47.90018956200942, 68.11344198361519, 88.51746300229924,
        109.11225261806159, 129.89781083090224, 150.8741376408212, 172.04123304781845,
      ]),
    );
  });

  it("for numbers beyond whole numbers of 64 bits", async () => {
    const huge = `a,y\n${Array.from({ length: 12 }, (_, k) => `${k + 1}e150,${k}`).join("\n")}\n`;
    const record = await lab.last(huge, ["xy", { y: "y" }], ["linear"], ["partialDependence", { columns: ["a"] }]);
    const { rows } = await lab.table(output<{ partial_url: string }>(record).partial_url);
    expect(rows[0][0]).toBeGreaterThan(1e149);
  });

  it("for a category that was encoded", async () => {
    const { found, record } = await drawn(numbers, { columns: "town" });
    expect(found.columns).toEqual([{ column: "town", values: ["Accra", "Kano", "Lagos"] }]);
    expect(found.average[0].values).toEqual(close([105.37178347356742, 134.94724192105957, 75.01037855854942]));
    const { header, rows } = await lab.table(found.partial_url);
    expect(header).toEqual(["town", "average"]);
    expect(rows[1]).toEqual(["Kano", expect.closeTo(134.94724192105957, 7)]);
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "Model polynomial, y: the mean answer for 90 rows, with town set to the same
      value in all of them.

      It goes from 75.01 at Lagos to 134.9 at Kano.

      y by town: partial dependence
      n = 3, mean y from 75.0 to 134.9
      Accra  ███████████████████████████████████████████████████▌                105.4
      Kano   ██████████████████████████████████████████████████████████████████  134.9
      Lagos  ████████████████████████████████████▋                                75.0"
    `);
  });

  it("for two columns", async () => {
    const { found, record } = await drawn(numbers, { columns: ["town", "size"], grid_resolution: 4 });
    expect(found.columns[1].values).toEqual(close([0.13, 1.3723809523809525, 2.6147619047619046, 3.857142857142857]));
    expect(found.average[0].values).toEqual(
      close([
        91.83819196722175, 98.48738218501772, 109.17917615114487, 123.91357386560317, 121.08759418259783,
        127.95322423830174, 138.86145804233686, 153.81229559470313, 60.43829922010121, 67.77684948046073,
        79.1580034891514, 94.58176124617322,
      ]),
    );
    const { header, rows } = await lab.table(found.partial_url);
    expect(header).toEqual(["town", "size", "average"]);
    expect(rows[5].slice(0, 2)).toEqual(["Kano", expect.closeTo(1.3723809523809525, 9)]);
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "Model polynomial, y: the mean answer for 90 rows, with town, size set to the
      same value in all of them.

      It goes from 60.44 at Lagos and 0.13 to 153.8 at Kano and 3.857.

      y by town and size: partial dependence
      3 × 4 cells, n = 12, from 60.4 to 153.8; rows: town; columns: size
             0.13 1.372 2.615 3.857
      Accra  91.8  98.5 109.2 123.9
      Kano  121.1 128.0 138.9 153.8
      Lagos  60.4  67.8  79.2  94.6"
    `);
  });

  it("for the probability of each class, or of one", async () => {
    const classes: Link[] = [...steps("kind"), ["naiveBayes"]];
    const { found } = await drawn(classes, { columns: ["size"], grid_resolution: 4 });
    const expected = [
      [0.2498874042380522, 0.24340305504465695, 0.22990068776558345, 0.20954382572478483],
      [0.47446020458548, 0.48045568096873814, 0.4949177774525432, 0.5175474793317851],
      [0.2756523911764678, 0.2761412639866049, 0.27518153478187335, 0.27290869494342995],
    ];
    expect(found.average).toEqual(["p", "q", "r"].map((label, k) => ({ class: label, values: close(expected[k]) })));
    const { header, rows } = await lab.table(found.partial_url);
    expect(header).toEqual(["size", "class", "average"]);
    expect(rows).toHaveLength(12);
    const one = await drawn(classes, { columns: ["size"], grid_resolution: 4, class: "r" });
    expect(one.found.explained).toBe("probability of r");
    expect(one.found.average).toEqual([{ values: close(expected[2]) }]);
    expect((await lab.table(one.found.ice_url)).rows).toHaveLength(50 * 4);
  });
});

describe("follows a column to where it was read", () => {
  const answer = async (links: readonly Link[], args: Record<string, unknown>) => (await drawn(links, args)).found;

  it("past a block that leaves rows out", async () => {
    const links: Link[] = [...steps("y"), ["filter", { where: "y > 20" }], ["treeRegressor", { max_depth: 3 }]];
    expect((await answer(links, { columns: "town" })).columns[0].values).toEqual(["Accra", "Kano", "Lagos"]);
  });

  it("as a date whose parts the model learnt from", async () => {
    const days = `day,y\n${Array.from({ length: 40 }, (_, k) => `2024-0${1 + (k % 4)}-1${k % 9},${k % 4}`).join("\n")}\n`;
    const record = await lab.last(
      days,
      ["dates", { column: "day", drop: true }],
      ["xy", { y: "y" }],
      ["treeRegressor"],
      ["partialDependence", { columns: "day", grid_resolution: 5, ice: 3 }],
    );
    const { columns, average } = output<Partial>(record);
    expect(columns[0]).toMatchObject({ column: "day", values: { length: 5 } });
    expect(String(columns[0].values[0])).toMatch(/^2024-01-1/);
    expect(average[0].values[0]).toBeLessThan(average[0].values[4]);
    expect(await lab.view(record)).toContain("2024-01-1");
  });

  it("and tells dummies by their names where it was forgotten", async () => {
    const links: Link[] = [...steps("y"), ["sort", { by: ["y"] }], ["polynomial", { degree: 2 }]];
    const { columns, average } = await answer(links, { columns: "town" });
    expect(columns[0].values).toEqual(["Accra", "Kano", "Lagos"]);
    expect(average[0].values).toEqual(close([105.37178347356742, 134.94724192105957, 75.01037855854942]));
  });

  it("of text and missing cells that the model takes as they are", async () => {
    const gaps = table.replace("\n37,Accra", "\n,Accra");
    const record = await lab.last(
      gaps,
      ["drop", { columns: ["kind"] }],
      ["xy", { y: "y" }],
      ["boost", { max_iter: 20, min_samples_leaf: 5 }],
      ["partialDependence", { columns: "town" }],
    );
    const [{ values }] = output<Partial>(record).average;
    // Each town adds 30 to the one before: Lagos, Accra, Kano.
    expect(values[0] - values[2]).toBeGreaterThan(15);
    expect(values[1] - values[0]).toBeGreaterThan(15);
  });
});

it("averages over some rows, those of a file, or those that the model learnt from", async () => {
  const links: Link[] = [
    ...steps("y"),
    ["split", { test_size: 30, random_state: 0 }],
    ["treeRegressor", { max_depth: 3 }],
  ];
  const rows = async (args: Record<string, unknown>) => (await drawn(links, { columns: "age", ...args })).found.rows;
  expect(await rows({})).toBe(30);
  expect(await rows({ test_data: "x_train_url" })).toBe(60);
  expect(await rows({ rows: 4 })).toBe(4);
  expect(await rows({ test_data: lab.file("age,town,size\n5,Accra,1\n50,Kano,2\n") })).toBe(2);
});

it("draws a line with faint ones behind it, in 80 columns", async () => {
  const { record } = await drawn([...steps("y"), ["treeRegressor", { max_depth: 3 }]], { columns: "age", ice: 8 });
  const view = await lab.view(record);
  expect(view).toContain("The faint lines are 8 single rows.");
  for (const line of view.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  expect(view).toMatchInlineSnapshot(`
    "Model treeRegressor, y: the mean answer for 90 rows, with age set to the same
    value in all of them.

    It goes from 47.06 at 0 to 153 at 43. The faint lines are 8 single rows.

    y by age: partial dependence
    n = 90 rows, 61 points
    y
    194 ┤                                                     ⡜⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉
        │                                                     ⡇
        │                                                    ⢸
        │                                      ⢀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡜╭─────────────────────
        │                                      ╭──────────────╯
        │                                      │
        │                                     ⢠│⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉
    105 ┤                                     ⢸│
        │                ⡤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠼│
        │               ⢰⠁   ╭─────────────────╯
        │               ⡎╭───╯                ⢸
        │⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠁│   ⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣸
        │────────────────╯  ⢰⠁
        │                   ⡞
     16 ┤⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣠⠃
        └───────────────────────────────────────────────────────────────────────────
         0                                  age                                   60"
  `);
});

it("says what it can't take", async () => {
  const tree: Link[] = [...steps("y"), ["treeRegressor"]];
  const message = async (links: readonly Link[], args: Record<string, unknown>) =>
    (await lab.failure(table, ...links, ["partialDependence", args])).message;
  expect(await message(tree, { columns: "agee" })).toBe(
    'partialDependence (BL_PDP): the model learnt from no column "agee". Did you mean "age"? Columns: age, town, size.',
  );
  expect(await message(tree, { columns: ["age", "age"] })).toBe(
    "partialDependence (BL_PDP): name one column, or two that differ; got age, age.",
  );
  expect(await message(tree, { columns: "age", percentiles: [0.5, 0.5] })).toBe(
    "partialDependence (BL_PDP): percentiles must be two shares, the smaller first, got [0.5, 0.5].",
  );
  expect(await message(tree, { columns: "age", grid_resolution: 2, percentiles: [0, 0.001] })).toMatch(
    /^partialDependence \(BL_PDP\): the quantiles 0 and 0\.001 of "age" are the same number\. Set them farther apart/,
  );
  expect(await message([["xy", { y: "kind" }]], { columns: "age" })).toMatch(
    /there is no model of numbers or classes in this chain yet/,
  );
});
