import { describe, expect, it } from "vitest";
import { Lab, type Link } from "../support/lab.ts";

const lab = new Lab();

const hostile = [
  '"; DROP TABLE t; --',
  "__proto__",
  "constructor",
  "<img src=x onerror=alert(1)>",
  "\u001b[31mred\u001b[0m",
  "two\nlines",
  "$1 ' %s",
];
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** A CSV of so many rows under the hostile names, and a column `y` behind them. */
function table(cell: (row: number, column: number) => string | number, rows = 24): string {
  const lines = Array.from({ length: rows }, (_, i) => [...hostile.map((_, j) => cell(i, j)), i].join(","));
  return `${[...hostile, "y"].map(quoted).join(",")}\n${lines.join("\n")}\n`;
}

const numbers = table((i, j) => (i * 7 + j * 3) % 11);
const words = table((i, j) => quoted((i + j) % 3 === 0 ? hostile[j] : `b${(i + j) % 3}`));
const holes = table((i, j) => ((i + j) % 4 === 0 ? "" : i + j));
const formats = ["2026-03-04", "03/04/2026", "4 Mar 2026", '"March 4, 2026"', "04.03.2026"];
const days = table((i) => formats[i % 5]);
const roles = ["xy", { y: "y" }] as const;

/** Each block once with such a name, and the values that must come out in the column of that name. */
const uses = (name: string): [string, string, readonly Link[]][] => [
  ["reorder", numbers, [["reorder", { column: name, position: -1, dataset: true }]]],
  ["dropDuplicates", numbers, [["dropDuplicates", { columns: [name] }]]],
  ["duplicates", numbers, [["duplicates", { columns: [name] }]]],
  ["dates", days, [["dates", { index: name, drop: true }]]],
  ["timesteps", numbers, [["timesteps", { index: name, lookback: 3 }]]],
  ["reshape", numbers, [["reshape", { data: "dataset", dimensions: [-1, 8] }]]],
  ["astype", numbers, [["astype", { columns: [name], type: "str" }]]],
  ["pie", words, [["pie", { dataset: name }]]],
  ["histogram", words, [["histogram", { x: "y", color: name, facet: name, title: name }]]],
  ["bar", words, [["bar", { x: name, color: name, facet: name, horizontal: true }]]],
  ["area", words, [["area", { x: name, y: "y", color: name, facet: name, title: name }]]],
  ["density", numbers, [["density", { x: name, bandwidth: 2, title: name }]]],
  ["box", words, [["box", { y: "y", x: name, facet: name }]]],
  ["scatter", numbers, [["scatter", { x: "y", y: name }]]],
  ["compareScatter", numbers, [["compareScatter", { xvalue: name, yvalue: "y", avalue: "y", is_grid: true }]]],
  ...["onehot", "label", "binary", "target", "hash"].map((type): [string, string, Link[]] => [
    type,
    words,
    [roles, ["encode", { xvalue: { encode: true, encoding_type: type, index: name }, save_name: name }]],
  ]),
  ...["mean", "median", "mode", "ffill", "bfill", "linear", "drop", "drop_columns"].map(
    (strategy): [string, string, Link[]] => [strategy, holes, [["missing", { strategy, columns: [name] }]]],
  ),
  ...["standard", "minmax", "robust", "maxabs"].map((scaler): [string, string, Link[]] => [
    scaler,
    numbers,
    [["scale", { scaler, columns: [name], save_name: name }]],
  ]),
];

const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

describe("columns with hostile names", () => {
  // All names stand in each table, and two of them in the arguments; which two differs from block to block.
  const cases = uses("").flatMap(([block], k) =>
    [0, 3].map((more) => [block, hostile[(k + more) % hostile.length], k] as const),
  );

  it.each(cases)("go through %s and are shown harmlessly: %j", async (block, name, k) => {
    const [, csv, links] = uses(name)[k];
    const record = await lab.last(csv, ...links);
    const { header, rows } = await lab.table(record.dataset_url);
    expect(rows.length).toBeGreaterThan(0);
    if (block !== "reshape") expect(header.some((each) => each.includes(name))).toBe(block !== "drop_columns");
    const seen = await lab.view(record);
    expect(seen).not.toMatch(controls);
    for (const line of seen.split("\n")) expect([...line].length).toBeLessThanOrEqual(80);
    for (const notice of record.notices ?? []) expect(notice).not.toMatch(/[\u0000-\u001f]/);
    if (record.output) expect(JSON.parse(record.output)).toBeTypeOf("object");
  });

  it.each(hostile)("are refused in one harmless sentence: %j", async (name) => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(words) }]);
    await lab.block(id, 2, 0, ["input", { dburl: lab.file("a,b\n1,2\n") }]);
    const links: readonly (readonly [parent: number, ...Link])[] = [
      [1, "scale", { columns: [name] }],
      [1, "missing", { strategy: "mean", columns: [name] }],
      [1, "astype", { columns: [name], type: "int" }],
      [1, "dates", { index: name }],
      [1, "timesteps", { index: name, lookback: 2 }],
      [1, "scale", { load_name: name }],
      [2, "encode", { columns: [name] }],
      [2, "reorder", { column: name, position: 0 }],
      [2, "pie", { dataset: name }],
    ];
    for (const [parent, ...link] of links) {
      const failure = await lab.block(id, 3, parent, link).then(
        () => Promise.reject(new Error(`${link[0]} did not fail`)),
        (error: { status: number; message: string }) => error,
      );
      expect([400, 422]).toContain(failure.status);
      expect(failure.message).not.toMatch(/[\u0000-\u001f]/);
      expect(failure.message).toContain(JSON.stringify(name));
    }
  });
});

/** Every block on tables that hold next to nothing: what comes out, or the one sentence that says why not. */
describe.each([
  ["without rows", "a,b,c,y\n"],
  ["of one row", "a,b,c,y\n1,2026-03-04,x,5\n"],
  ["with columns that are missing throughout", "a,b,c,y\n,,,1\n,,,2\n,,,3\n"],
])("a table %s", (_, csv) => {
  const links: readonly (readonly [string, ...Link[]])[] = [
    ["reorder", ["reorder", { column: "c", position: 0 }]],
    ["dropDuplicates", ["dropDuplicates"]],
    ["duplicates", ["duplicates"]],
    ["timesteps", ["timesteps", { index: "a", lookback: 1 }]],
    ["reshape", ["drop", { columns: ["b", "c"] }], ["reshape", { data: "dataset", dimensions: [-1, 2] }]],
    ["pie", ["pie", { dataset: "c" }]],
    ["compareScatter", ["compareScatter", { xvalue: "a", yvalue: "y", bvalue: "a" }]],
    ...["a", "b", "c"].map((index): [string, Link] => [`dates ${index}`, ["dates", { index }]]),
    ...["int", "float", "str", "bool", "datetime", "category"].map((type): [string, Link] => [
      type,
      ["astype", { columns: ["a"], type }],
    ]),
    ...["onehot", "label", "binary", "target", "hash", "extract_numbers"].map((type): [string, Link, Link] => [
      type,
      roles,
      ["encode", { columns: ["c"], type }],
    ]),
    ...["mean", "median", "mode", "drop", "drop_columns", "ffill", "bfill", "linear"].map(
      (strategy): [string, Link] => [strategy, ["missing", { strategy }]],
    ),
    ...["standard", "minmax", "robust", "maxabs"].map((scaler): [string, Link] => [scaler, ["scale", { scaler }]]),
  ];

  it("gives every block something to answer, or to refuse in one sentence", async () => {
    const answers: string[] = [];
    for (const [name, ...chain] of links) {
      const answer = await lab.last(csv, ...chain).then(
        async (record) => {
          expect(await lab.view(record)).not.toMatch(/NaN|undefined/);
          return JSON.stringify((await lab.table(record.dataset_url)).rows[0] ?? []);
        },
        (error: { status: number; message: string }) => {
          expect([400, 422], error.message).toContain(error.status);
          return error.message;
        },
      );
      answers.push(`${name}: ${answer}`);
    }
    expect(answers).toMatchSnapshot();
  });
});

describe("a million rows", () => {
  const rows = 1_000_000;
  const at = 900_000;
  const csv = `f,d\n${Array.from({ length: rows }, (_, k) => (k === at ? "oops,soon" : `${k % 97},${formats[k % 3]}`)).join("\n")}\n`;

  it("name the one cell that can't be cast or read, by its row and value", { timeout: 60_000 }, async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv) }]);
    const failing = async (type: string, column: string) =>
      await lab.block(id, 2, 1, ["astype", { type, columns: [column] }]).catch((error: Error) => error);
    expect(await failing("float", "f")).toMatchObject({
      status: 422,
      message: `astype (DP_ASP): 1 cell of column "f" can't be cast to float, the first in row ${at}: "oops". Mend or drop them first.`,
    });
    expect(await failing("datetime", "d")).toMatchObject({
      status: 422,
      message: `astype (DP_ASP): 1 cell of column "d" can't be cast to datetime, the first in row ${at}: "soon". Mend or drop them first.`,
    });
    const read = await lab.block(id, 2, 1, ["dates", { index: "d" }]);
    expect(read.notices).toContain(
      `dates (DP_PDT): 1 cell of column "d" can't be read as dates and became missing, the first in row ${at}: "soon".`,
    );
  });
});
