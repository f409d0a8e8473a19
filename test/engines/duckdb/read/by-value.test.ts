import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Duck } from "../../../../src/engines/duckdb/index.ts";
import { lookAtNumbers, readClasses, readNumbers } from "../../../../src/engines/duckdb/read/read.ts";
import { groupsByValue } from "../../../../src/engines/duckdb/read/ways.ts";
import { wholeSums } from "../../../../src/engines/duckdb/read/whole-sums.ts";
import { selectFrom } from "../../../../src/engines/duckdb/select.ts";
import { writeColumns } from "../../../../src/engines/duckdb/write.ts";
import { col, literal, sql } from "../../../../src/engines/sql.ts";
import { call, column, type Expr, value } from "../../../../src/plan/expr.ts";
import { soleSources } from "../../../../src/plan/lineage.ts";
import { addStep, type Output, type Relation } from "../../../../src/plan/node.ts";

const rows = 180_001;
const folder = mkdtempSync(join(tmpdir(), "blocklab-by-value-"));
const duck = new Duck({ spillTo: join(folder, "spill"), path: (id) => join(folder, id) });

/** Texts that would break SQL pasted together, and one that hardly any row has. */
const texts = ["plain", "", `it's "quoted"; DROP`, "line\nbreak", "ünï"];
const number = (name: string, expr?: Expr): Output => ({ column: { name, type: "number" }, ...(expr ? { expr } : {}) });
const whole = (name: string, expr: Expr): Output => ({ column: { name, type: "number", integer: true }, expr });
const t = column("t", "string");
const a = column("a", "number");
const isText = (text: string) => call("choose", call("equal", t, value(text)), value(1), value(0));
const places = [0, 1, 2, 3, 4];

const encoded = addStep(
  { artifact: "table", steps: [] },
  {
    block: 1,
    name: "encode",
    outputs: [
      number("a"),
      ...texts.map((text, k) => whole(`t${k}`, isText(text))),
      whole("bits", call("choose", call("isMissing", t), value(null), value(7))),
      ...places.map((k) => whole(`many${k}`, call("add", call("length", column("many", "string")), value(k)))),
    ],
  },
);
const scaled = addStep(encoded, {
  block: 2,
  name: "scale",
  outputs: encoded.steps[0]!.outputs.map(({ column: { name } }) =>
    number(name, call("divide", call("subtract", column(name, "number"), value(0.3)), value(0.7))),
  ),
});
const columns = encoded.steps[0]!.outputs.map(({ column }) => column.name);
const split = { artifact: "split", train: 0, test: 0 };

beforeAll(async () => {
  const list = texts.map(literal).join(", ");
  const text = `CASE WHEN i % 11 = 4 THEN NULL WHEN i % 1000 = 7 THEN ${literal(texts[4]!)} ELSE list_extract([${list}], 1 + (i * 7919 % 13 % 4)::INTEGER) END`;
  const write = (name: string, select: string) =>
    duck.run(`COPY (SELECT ${select} FROM range(${rows}) t(i)) TO '${join(folder, name)}' (FORMAT parquet)`);
  await write("table", `i / 7 AS a, ${text} AS t, 'v' || (i % 300) AS many`);
  // Rows train in the opposite order, and one of ten does neither.
  const subset = "CASE WHEN i % 10 = 0 THEN 2 WHEN i % 10 < 8 THEN 0 ELSE 1 END";
  await write(
    "split",
    `${subset} AS "fold", (count(*) OVER (PARTITION BY ${subset}) - row_number() OVER (PARTITION BY ${subset} ORDER BY i))::INTEGER AS "pos"`,
  );
  const found = await duck.rows(sql`SELECT "fold", count(*) FROM read_parquet(${join(folder, "split")}) GROUP BY 1`);
  const sizes = new Map(found.map(([each, n]) => [Number(each), Number(n)]));
  Object.assign(split, { train: sizes.get(0), test: sizes.get(1) });
});

afterAll(async () => {
  await duck.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What SQL says of a column, row after row. */
async function bySql(relation: Relation, name: string, subset?: "train" | "test"): Promise<Float64Array> {
  const selected = selectFrom(relation, { columns: [name], ...(subset ? { subset, split } : {}) });
  const found = await duck.rows(sql`SELECT CAST(${col(name)} AS DOUBLE) FROM (${selected})`);
  return Float64Array.from(found, ([cell]) => (cell === null ? Number.NaN : Number(cell)));
}

describe("columns that a plan makes of a text column with few values", () => {
  it("are told from the others", async () => {
    const { groups, plain } = await groupsByValue(duck, scaled, columns, null);
    expect(plain.map((k) => columns[k])).toEqual(["a", ...places.map((k) => `many${k}`)]);
    expect(groups).toMatchObject([{ source: "t", at: [1, 2, 3, 4, 5, 6] }]);
    expect([...groups[0]!.values].sort()).toEqual([...texts, null].sort());
    expect(groups[0]!.values.at(-1)).toBe(null);
    expect(groups[0]!.counts.reduce((sum, n) => sum + n, 0)).toBe(rows);
  });

  it.each(["train", "test"] as const)("are the numbers that SQL makes, in the order of the %s rows", async (subset) => {
    const read = await lookAtNumbers(duck, scaled, { columns, subset, split });
    expect(read.n).toBe(split[subset]);
    for (const [k, name] of columns.entries()) {
      expect(read.data.subarray(k * read.n, (k + 1) * read.n)).toEqual(await bySql(scaled, name, subset));
    }
  });

  it("are so in the table's order, and into memory that others used", async () => {
    const memory = new Float64Array(rows * columns.length).fill(77);
    const read = await readNumbers(duck, encoded, { columns }, undefined, memory);
    expect(read.data.buffer).toBe(memory.buffer);
    for (const [k, name] of columns.entries()) {
      expect(read.data.subarray(k * rows, (k + 1) * rows)).toEqual(await bySql(encoded, name));
    }
  });

  it.each([null, Uint8Array.from({ length: rows }, (_, row) => (row % 3 === 0 && row % 1000 !== 7 ? 1 : 0))])(
    "add up to what SQL adds up, for all rows and for some",
    async (members) => {
      const names = columns.slice(1);
      const sums = await wholeSums(duck, encoded, names, members);
      for (const [k, name] of names.entries()) {
        const numbers = (await bySql(encoded, name)).filter((_, row) => !members || members[row] === 1);
        const known = numbers.filter((each) => !Number.isNaN(each));
        const sum = (values: Float64Array) => values.reduce((total, each) => total + each, 0);
        expect(sums[k]).toEqual({
          n: known.length,
          min: known.reduce((least, each) => Math.min(least, each), Infinity),
          max: known.reduce((most, each) => Math.max(most, each), -Infinity),
          sum: sum(known),
          squares: sum(known.map((each) => each * each)),
        });
      }
    },
  );
});

describe("the sole source of a column", () => {
  const source = (output: Output, step: object = {}) =>
    soleSources({ artifact: "table", steps: [{ block: 1, name: "any", outputs: [output], ...step }] }, ["x"])[0];

  it("is the file's column, through steps that rename and compute", () => {
    expect(source(number("x"))).toBe("x");
    expect(source(number("x", t))).toBe("t");
    expect(source(number("x", call("concat", t, t)))).toBe("t");
    expect(soleSources(scaled, ["t0", "a", "no such column"])).toEqual(["t", "a", null]);
  });

  it("is none where other columns, other rows or the row's number have a part in it", () => {
    expect(source(number("x", call("concat", t, call("text", a))))).toBe(null);
    expect(source(number("x", { ...call("rowNumber"), over: { by: [], order: [] } }))).toBe(null);
    expect(source(number("x", { ...call("lead", a, value(1)), over: { by: [], order: [] } }))).toBe(null);
    expect(source(number("x", value(1)))).toBe(null);
    const own = { gaps: "gaps", fills: "values", isWhole: true };
    expect(source({ ...number("x", call("add", a, value(1))), own })).toBe(null);
    expect(source({ ...number("x"), own })).toBe(null);
    expect(source(number("x", a), { sideTable: { artifact: "list" } })).toBe("a");
    expect(source(number("x"), { rows: 5 })).toBe(null);
    expect(source({ ...number("x"), entry: { terms: "t", weights: "w", at: 0 } })).toBe(null);
  });
});

it.each([5, 40, 300])("tells %i classes apart, whatever their names are", async (n) => {
  const names = [...texts, "nul\0letter"].concat(Array.from({ length: n - 6 }, (_, k) => `class ${k}`)).slice(0, n);
  const artifact = `classes-${n}`;
  const values = [...names, null, names[0]!];
  await writeColumns(duck, [{ column: { name: "c", type: "string" }, values }], join(folder, artifact));
  const { codes } = await readClasses(duck, { artifact, steps: [] }, "c", { labels: names });
  expect([...codes]).toEqual([...names.keys(), -1, 0]);
  const some = await readClasses(duck, { artifact, steps: [] }, "c", { labels: names.slice(1) });
  expect([...some.codes]).toEqual([...names.keys(), 0].map((k) => k - 1).toSpliced(n, 0, -1));
});
