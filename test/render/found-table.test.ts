import { tableFromArrays, tableFromJSON } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { foundTable, toHtml, toText } from "../../src/render/index.ts";

const shown = (value: unknown) => toText(foundTable(value)!);

describe("tables of a program", () => {
  it("shows an array of objects by the columns of all of them, what a row lacks as missing", () => {
    const rows = [
      { a: 1, b: "x", when: new Date("2024-01-31") },
      { a: 2.5, more: { deep: { deeper: { deepest: [1] } } }, big: 2n ** 70n },
      { a: Number.NaN, b: "two\nlines", more: [1, 2, 3] },
    ];
    expect(shown(rows)).toMatchInlineSnapshot(`
      "     a  b          when        more                                       big
      number  string     datetime                                           integer
      ──────  ─────────  ──────────  ──────────────────────  ──────────────────────
         1.0  x          2024-01-31  ·                                            ·
         2.5  ·          ·           { deep: { deeper: [Ob…  1180591620717411303424
         NaN  two⏎lines  ·           [ 1, 2, 3 ]                                  ·"
    `);
  });

  it("shows a few rows more than a head whole, and of more the first ten with their number", () => {
    const rows = (n: number) => Array.from({ length: n }, (_, i) => ({ i }));
    expect(foundTable(rows(20))?.rows).toHaveLength(20);
    expect(shown(rows(21))).toMatch(/\n +9\n21 rows × 1 column$/);
  });

  it("asks the first rows alone of a huge array, and the first columns alone of wide rows", () => {
    const rows = Array.from({ length: 1_000 }, () => ({ a: 1 }));
    // A hole, which is no row, behind those that are asked.
    rows.length = 2 ** 32 - 1;
    expect(foundTable(rows)).toMatchObject({ total: 2 ** 32 - 1, columns: [{ name: "a" }] });
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, k) => [`c${k}`, k]));
    expect(foundTable([wide])).toMatchObject({ title: "200 columns of 300", columns: { length: 200 } });
    expect(shown([{ wide }])).toContain("{ 300 fields }");
    expect(shown([{ long: "x".repeat(10 ** 6) }]).length).toBeLessThan(300);
  });

  it("runs no getter and no proxy of a program's", () => {
    const fail = () => {
      throw new Error("ran");
    };
    const traps = { get: fail, ownKeys: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail };
    const row = {
      a: 1,
      get b() {
        return fail();
      },
    };
    expect(shown([row])).toContain("[Getter]");
    expect(foundTable([new Proxy({}, traps)])).toBeNull();
    expect(foundTable(new Proxy([], traps))).toBeNull();
    expect(shown([{ a: new Proxy({ x: 1 }, traps) }])).toContain("{ x: 1 }");
  });

  it("makes hostile cells and names harmless", async () => {
    const rows = [{ "<b>\u001b[2J": "<script>\u001b]0;x\u0007" }, { "<b>\u001b[2J": { toString: "</td>" } }];
    expect(shown(rows)).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(await toHtml(foundTable(rows)!)).not.toMatch(/<b>|<script>|<\/td>'|\u001b/);
  });

  it("takes nothing else for a table", () => {
    class Point {
      x = 1;
    }
    const others = [[], [1, 2], [{}], [{ a: 1 }, 2], [[1]], [null], [new Point()], [new Date()], { a: [1] }, "a", null];
    for (const value of others) expect(foundTable(value)).toBeNull();
    const lookalike = { columnNames: () => ["a"], array: () => [], numRows: () => 1, objects: () => null };
    expect(foundTable(lookalike)).toBeNull();
    expect(foundTable({ schema: { fields: [{}] }, getChildAt: () => null, numRows: 3 })).toBeNull();
  });

  it("shows tables of Arrow", () => {
    expect(
      shown(
        tableFromJSON([
          { a: 1, s: { x: 1 }, t: new Date(0) },
          { a: null, s: { x: 2 }, t: null },
        ]),
      ),
    ).toMatchInlineSnapshot(`
      "      a  s         t
      integer            datetime
      ───────  ────────  ──────────
            1  { x: 1 }  1970-01-01
            ·  { x: 2 }  ·"
    `);
    expect(shown(tableFromArrays({ v: new Float64Array(1_000_000) }))).toMatch(/\n1,000,000 rows × 1 column$/);
    expect(shown(tableFromArrays({ v: new Float64Array(0) }))).toContain("(no rows)");
  });

  it("shows tables of Arquero as they are sorted and filtered", () => {
    // As Arquero's own answers: no more of a table is asked.
    const table = {
      columnNames: () => ["b", "a"],
      array: () => [],
      numRows: () => 30,
      objects: ({ limit }: { limit: number }) => Array.from({ length: limit }, (_, i) => ({ a: 30 - i, b: "x" })),
    };
    expect(foundTable(table)).toMatchObject({
      columns: [{ name: "b" }, { name: "a" }],
      total: 30,
      rows: { length: 10 },
    });
    expect(foundTable(table)?.rows[0]).toEqual(["x", 30]);
  });
});
