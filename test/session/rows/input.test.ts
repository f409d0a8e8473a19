import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tableFromArrays } from "apache-arrow";
import { afterAll, describe, expect, it } from "vitest";
import { arrowStream } from "../../../src/client/arrow-file.ts";
import { embeddedLink } from "../../../src/client/embedded.ts";
import { httpLink } from "../../../src/client/http.ts";
import type { Cell } from "../../../src/core/view.ts";
import { serve } from "../../../src/server/serve.ts";
import { type Result, Session } from "../../../src/session/index.ts";
import type { AnyTable } from "../../../src/session/rows/any-table.ts";
import { packed } from "../../../src/session/rows/send.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-rows-"));
const session = new Session(() => embeddedLink({ home: join(home, "data"), threads: 0 }));

afterAll(async () => {
  await session.close();
  rmSync(home, { recursive: true, force: true });
});

/** Types by name, and rows. */
async function told(result: Result) {
  const { columns } = await result.dataset.shape();
  return {
    types: Object.fromEntries(columns.map(({ name, type, integer }) => [name, integer ? "integer" : type])),
    rows: (await result.dataset.rows()).map((row) => Object.values(row)),
  };
}

const given = async (table: AnyTable) => await told(await session.input(table));

/** The URL that a block's record holds. */
async function urlOf(result: Result): Promise<string> {
  const { args } = await (await session.link).request(result.record.id);
  return String(args?.dburl);
}

describe("input of rows", () => {
  it("takes objects, with the types that JSON of them has; a key that a row lacks is missing there", async () => {
    const rows = [
      { a: 1, b: "x", day: "2024-01-31" },
      { a: 2.5, b: null, c: true, day: undefined },
      { c: false, b: "#%ü\n", at: "2024-01-31 10:00:00" },
    ];
    expect(await given(rows)).toEqual({
      types: { a: "number", b: "string", day: "datetime", c: "boolean", at: "datetime" },
      rows: [
        [1, "x", "2024-01-31", null, null],
        [2.5, null, null, true, null],
        [null, "#%ü\n", null, false, "2024-01-31 10:00:00"],
      ],
    });
  });

  it("takes columns, typed arrays, dates, bigints, NaN, and lists of rows", async () => {
    const columns = {
      x: Float64Array.of(1, Number.NaN, Number.POSITIVE_INFINITY),
      y: Int8Array.of(1, 2, 3),
      big: [1n, 2n ** 60n, null],
      when: [new Date(0), new Date(Number.NaN), new Date(1234)],
    };
    expect(await given(columns)).toEqual({
      types: { x: "number", y: "integer", big: "integer", when: "datetime" },
      rows: [
        [1, 1, 1, "1970-01-01 00:00:00"],
        [null, 2, String(2n ** 60n), null],
        [Number.POSITIVE_INFINITY, 3, null, "1970-01-01 00:00:01.234"],
      ],
    });
    expect(
      (
        await given(
          new Set([
            [1, "a"],
            [2, "b"],
          ]),
        )
      ).rows,
    ).toEqual([
      [1, "a"],
      [2, "b"],
    ]);
    expect(await given({ a: [], b: [] })).toEqual({ types: { a: "string", b: "string" }, rows: [] });
  });

  it("takes tables of Arrow, whichever copy of it, and of Arquero", async () => {
    const arrays = { a: Float64Array.of(1, 2), s: ["x", "y"], d: [new Date(0), null] };
    const expected = {
      types: { a: "number", s: "string", d: "datetime" },
      rows: [
        [1, "x", "1970-01-01 00:00:00"],
        [2, "y", null],
      ],
    };
    expect(await given(tableFromArrays(arrays))).toEqual(expected);
    const other = createRequire(import.meta.url)("apache-arrow") as { tableFromArrays: typeof tableFromArrays };
    expect(await given(other.tableFromArrays(arrays))).toEqual(expected);
    // What a table of Arquero answers, as far as it is asked.
    const arquero = { columnNames: () => Object.keys(arrays), array: (name: string) => arrays[name as "a"] };
    expect(await given(arquero)).toEqual(expected);
  });

  it("takes a result, its table, or a chain", async () => {
    const first = await session.input([{ a: 1 }, { a: 2 }]);
    const expected = { types: { a: "integer" }, rows: [[1], [2]] };
    expect(await given(first)).toEqual(expected);
    expect(await given(first.dataset)).toEqual(expected);
    expect(await given(session.input([{ a: 1 }, { a: 2 }]))).toEqual(expected);
    expect(await told(await session.input({ dburl: [{ a: 1 }], types: { a: "string" } }))).toEqual({
      types: { a: "string" },
      rows: [["1"]],
    });
  });

  it("says what became of values that no column holds as they are", async () => {
    const result = await session.input([
      { id: 2n ** 63n, n: 1, mixed: 1, nested: { a: [1, 2n ** 60n] }, toString: "own" },
      { id: 1, n: "NA", mixed: "x", nested: [1] },
    ]);
    expect(await told(result)).toEqual({
      types: { id: "string", n: "integer", mixed: "string", nested: "string", toString: "string" },
      rows: [
        [String(2n ** 63n), 1, "1", '{"a":[1,1152921504606846976]}', "own"],
        ["1", null, "x", "[1]", null],
      ],
    });
    expect(result.notices).toEqual([
      "input (DP_1): column id holds numbers of more digits than are kept exactly, so it was kept as text.",
      'input (DP_1): column n holds "NA" or the like in 1 cell among numbers; now missing.',
      "input (DP_1): column nested holds objects or arrays, which were kept as JSON text; give their fields as columns of their own to work with them.",
    ]);
  });

  it("makes odd, repeated and empty names as those of files are", async () => {
    const { types, rows } = await given([{ "": 1, a: 2, A: 3, ["__proto__"]: 4, "odd name": 5, "a\0": "x\0y" }]);
    expect(Object.keys(types)).toHaveLength(6);
    expect(Object.keys(types)).toEqual(["column_1", "a", "A_1", "__proto__", "odd name", "a␀"]);
    expect(rows[0].at(-1)).toBe("x\0y");
  });

  it("is read as a JSON file of the same rows, small or large", async () => {
    let seed = 7;
    const draw = (n: number) => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return seed % n;
    };
    const makers: readonly (() => unknown)[] = [
      () => draw(9) - 4,
      () => draw(9) / 4,
      () => draw(2) === 1,
      () => ["a", "", "NA", "é", "7"][draw(5)],
      () => ["2024-02-29", "2023-12-31", "1900-01-01"][draw(3)],
      () => ["2024-02-29", "2023-02-29"][draw(2)],
      () => ["2024-02-29 23:59:59", "0099-01-01 00:00:00"][draw(2)],
      () => [1, 2.5, "NA"][draw(3)],
      () => [1, true, "x"][draw(3)],
      () => 2 ** 53 + 2 * draw(9),
      () => 1e300,
      () => ["12:30", "2024-01-02T03:04:05Z", "1e5"][draw(3)],
    ];
    const link = await session.link;
    const project = (await session.current()).id;
    for (let trial = 0; trial < 6; trial++) {
      const width = 1 + draw(makers.length);
      const columns = Array.from({ length: width }, () => makers[draw(makers.length)]);
      const rows = Array.from({ length: 1 + draw(12) }, () =>
        Object.fromEntries(columns.map((make, k) => [`k${"abcdefghijkl"[k]}`, draw(5) === 0 ? null : make()])),
      );
      const file = join(home, `t${trial}.json`);
      writeFileSync(file, JSON.stringify(rows));
      const { columns: sent, remarks } = packed(rows);
      const url = await link.upload({ name: "rows", content: await arrowStream(sent, remarks), project });
      const expected = await told(await session.input(file));
      // All missing, which is no type; JSON's own reader makes it text, too.
      expect(await told(await session.input(url)), JSON.stringify(rows)).toEqual(expected);
      expect(await given(rows), JSON.stringify(rows)).toEqual(expected);
    }
  });

  it("keeps rows that can be read again: in the URL where they are few, else once in a file of the project", async () => {
    const few = await session.input([{ a: 1, b: "x" }]);
    expect(await urlOf(few)).toBe('data:application/json,[{"a":1,"b":"x"}]');
    expect(await few.code()).toContain(`.input([{ a: 1, b: "x" }])`);
    const many = Array.from({ length: 5000 }, (_, i) => ({ i }));
    const [one, two] = [await session.input(many), await session.input(many)];
    expect(await urlOf(two)).toBe(await urlOf(one));
    expect((await readdir(join(home, "data", "uploads"))).length).toBeGreaterThan(0);
    expect(await told(await session.input(await urlOf(one)))).toEqual(await told(one));
  });

  it("goes with its project", async () => {
    const own = new Session(() => session.link);
    const { app_id } = await own.project("rows that go");
    const files = async () => (await readdir(join(home, "data", "uploads"))).length;
    const before = await files();
    await own.input({ only: Float64Array.from({ length: 4000 }, (_, i) => i / 3) });
    expect(await files()).toBe(before + 1);
    await (await session.link).deleteProject(app_id);
    expect(await files()).toBe(before);
  });

  it.each([
    [[], /^input \(DP_1\): there are no rows, so there are no columns; an empty table names them/],
    [[{}, {}], /the 2 rows have no fields/],
    [
      [1, 2],
      /rows must be objects, but row 1 is number "1"; one column alone is an object of it, as in input\(\{ value: \[1, 2, 3\] \}\)/,
    ],
    [[{ a: 1 }, null], /row 2 is null/],
    [[{ a: () => 1 }], /column "a" holds a function, which is no value of a table/],
    [{ a: [1], b: [1, 2] }, /columns must be of one length, but "a" has 1 value and "b" 2/],
  ] as const)("refuses %j in a sentence", (rows, message) => {
    expect(() => session.input(rows as never)).toThrow(message);
  });

  it("takes large rows", { timeout: 60_000 }, async () => {
    const rows = Array.from({ length: 200_000 }, (_, i) => ({
      id: i,
      x: i / 7,
      name: `n${i % 1000}`,
      ok: i % 3 === 0,
    }));
    const result = await session.input(rows);
    const cells = await result.dataset.column("x");
    expect([cells.length, cells[199_999]]).toEqual([200_000, 199_999 / 7] satisfies Cell[]);
  });
});

describe("input of rows over HTTP", () => {
  it("takes one request where the rows are few, and two where they are many", async () => {
    const write = process.stdout.write;
    process.stdout.write = (() => true) as typeof write;
    const serving = await serve({ port: 0, home: join(home, "served"), key: "k", threads: 0 }).finally(() => {
      process.stdout.write = write;
    });
    const link = httpLink({ url: serving.url, key: "k" });
    const remote = new Session(async () => link);
    try {
      const { columns, rows } = {
        columns: ["a", "when"],
        rows: [
          { a: 1, when: new Date(5) },
          { a: null, when: null },
        ],
      };
      const small = await remote.input(rows);
      expect((await small.dataset.shape()).columns.map(({ name }) => name)).toEqual(columns);
      expect(await small.dataset.rows()).toEqual([
        { a: 1, when: "1970-01-01 00:00:00.005" },
        { a: null, when: null },
      ]);
      const many = Array.from({ length: 30_000 }, (_, i) => ({ i, text: `text ${i}` }));
      const large = await remote.input(many);
      expect(await large.dataset.rows()).toEqual(many);
      const again = await remote.input(large.dataset);
      expect((await again.dataset.shape()).rows).toBe(30_000);
    } finally {
      await remote.close();
      await serving.close();
    }
  });
});
