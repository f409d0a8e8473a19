import { describe, expect, it } from "vitest";
import type { Cell } from "../../../src/core/view.ts";
import { fillGaps, type GapsInput } from "../../../src/numerics/statistics/gaps.ts";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();

/** What a strategy should make of a column's cells in some rows, told row by row. */
function filled(column: readonly Cell[], rows: readonly number[], strategy: string): Cell[] {
  const behind = new Map<number, number>();
  for (const [i, row] of rows.toReversed().entries()) {
    const next = rows[rows.length - i];
    behind.set(row, next === undefined ? -1 : column[next] === null ? behind.get(next)! : next);
  }
  let before = -1;
  return rows.map((row) => {
    if (column[row] !== null) before = row;
    const after = behind.get(row)!;
    if (column[row] !== null) return column[row]!;
    if (strategy !== "linear") return column[strategy === "ffill" ? before : after] ?? null;
    if (before < 0 || after < 0) return column[before] ?? null;
    const [a, b] = [Number(column[before]), Number(column[after])];
    return a + ((b - a) * (row - before)) / (after - before);
  });
}

describe("filling along the rows", () => {
  // A short table is written anew; of a long one what fills the holes lies beside it.
  it.each([1, 15_000])("takes over cells of every type as they are, of a table %i times as long", async (times) => {
    const large = "9007199254740993";
    const lines = `,,,,,\n1.5,"it's, ok",2026-01-31,true,${large},1\n,,,,,\n2.5,b,2026-02-01 10:30:00,false,-${large},\n,,,,,3\n`;
    const table = `n,t,d,b,i,values_0\n${lines.repeat(times)}`;
    const before = await lab.table((await lab.last(table)).dataset_url);
    for (const strategy of ["ffill", "bfill"]) {
      const { rows, types } = await lab.table((await lab.last(table, ["missing", { strategy }])).dataset_url);
      expect(types).toEqual(["number", "string", "datetime", "boolean", "integer", "integer"]);
      for (const k of types.keys()) {
        const column = before.rows.map((row) => row[k]!);
        const expected = filled(column, [...column.keys()], strategy);
        expect(rows.map((row) => row[k])).toEqual(expected);
      }
    }
  });

  it.each(["ffill", "bfill", "linear"])("fills a long table by %s, each subset by its own rows", async (strategy) => {
    const rows = 50_000;
    const numbers = Array.from({ length: rows }, (_, k) => ((k * 7919) % 11 < 3 || k < 2 ? null : (k * 31) % 1009));
    const words = numbers.map((_, k) => ((k * 104729) % 13 < 5 ? null : `w${k % 977}`));
    const lines = numbers.map((number, k) => `${k},${number ?? ""},${words[k] ?? ""}`);
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(`k,n,t\n${lines.join("\n")}\n`) }]);
    await lab.block(id, 2, 1, ["xy", { y: "k" }]);
    await lab.block(id, 3, 2, ["split", { test_size: 0.25, random_state: 3 }]);
    const treated = strategy === "linear" ? ["n"] : ["n", "t"];
    const record = await lab.block(id, 4, 3, ["missing", { strategy, columns: treated }]);
    const order = async (url: string | null | undefined) => (await lab.table(url)).rows.flat().map(Number);
    const test = new Set(await order(record.y_test_url));
    expect(test.size).toBe(rows / 4);
    const expected: Cell[][] = Array.from({ length: rows }, (_, k) => [null, words[k]!]);
    for (const isTest of [true, false]) {
      const own = Array.from({ length: rows }, (_, k) => k).filter((k) => test.has(k) === isTest);
      for (const [at, column] of [numbers, words].slice(0, treated.length).entries()) {
        for (const [i, cell] of filled(column, own, strategy).entries()) expected[own[i]!]![at] = cell;
      }
    }
    const all = (await lab.table(record.dataset_url)).rows;
    expect(all.map(([, n, t]) => [n, t])).toEqual(expected);
    const trained = (await lab.table(record.x_train_url)).rows;
    expect(trained).toEqual((await order(record.y_train_url)).map((k) => expected[k]));
    const sum = expected.reduce((total, [n]) => total + Number(n ?? 0), 0);
    const described = JSON.parse((await lab.block(id, 5, 4, ["describe"])).output as string);
    const count = expected.filter(([n]) => n !== null).length;
    expect(described.columns.n).toMatchObject({ count, mean: expect.closeTo(sum / count, 9) });
  });

  it("writes what fills the holes alone, and stays as it is when its own block is replaced", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(`n,t\n${"1,a\n,\n3,c\n".repeat(20_000)}`) }]);
    const before = lab.files();
    await lab.block(id, 2, 1, ["missing", { strategy: "ffill", columns: ["n"] }]);
    expect(lab.files()).toBe(before + 1);
    const later = await lab.block(id, 3, 2, ["reorder", { dataset: true, column: "t", position: 0 }]);
    await lab.block(id, 2, 1, ["missing", { strategy: "bfill" }]);
    expect((await lab.column(later, "n")).slice(0, 4)).toEqual([1, 1, 3, 1]);
  });

  it("finds what fills the gaps of columns, each part by itself", () => {
    const nan = Number.NaN;
    const values = Float64Array.of(nan, 1, nan, nan, 4, nan);
    const fill = (by: GapsInput["by"], parts: Uint8Array | null = null) => {
      const x = { n: 6, d: 2, data: Float64Array.of(...new Float64Array(6), ...values) };
      const [none, { rows, sources, fills }] = fillGaps({ x, counts: [0, 4], by, parts });
      expect(none.rows.length).toBe(0);
      expect([...rows]).toEqual([0, 2, 3, 5]);
      return [[...sources], [...fills]];
    };
    expect(fill("ffill")).toEqual([
      [-1, 1, 1, 4],
      [nan, 1, 1, 4],
    ]);
    expect(fill("bfill")).toEqual([
      [1, 4, 4, -1],
      [1, 4, 4, nan],
    ]);
    expect(fill("linear")).toEqual([
      [-1, 1, 1, 4],
      [nan, 2, 3, 4],
    ]);
    const parts = Uint8Array.of(0, 1, 0, 1, 0, 1);
    expect(fill("ffill", parts)[0]).toEqual([-1, -1, 1, 1]);
    expect(fill("bfill", parts)[0]).toEqual([4, 4, -1, -1]);
  });
});
