import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();

/** What groups come to, by their key. */
async function groups(csv: string, columns: Record<string, string>) {
  const record = await lab.last(csv, ["summarize", { by: ["g"], columns }]);
  return (await lab.table(record.dataset_url)).rows;
}

describe("sums of doubles in groups", () => {
  it("are exact in any order of rows", async () => {
    const cells = Array.from({ length: 60_000 }, (_, k) => `${k % 3},${Math.sin(k) * 10 ** ((k * 7) % 5)}`);
    const columns = { s: "sum(x)", m: "mean(x)", d: "std(x)", v: "variance(x)" };
    const there = await groups(`g,x\n${cells.join("\n")}\n`, columns);
    const back = await groups(`g,x\n${cells.toReversed().join("\n")}\n`, columns);
    expect(back).toEqual(there);
    const own = cells.map((each) => each.split(",").map(Number)).filter(([g]) => g === 0);
    const mean = own.reduce((sum, [, x]) => sum + x, 0) / own.length;
    const variance = own.reduce((sum, [, x]) => sum + (x - mean) ** 2, 0) / (own.length - 1);
    const [, sum, m, d, v] = there[0] as number[];
    expect(sum / own.length / mean).toBeCloseTo(1, 9);
    expect([m / mean, d / Math.sqrt(variance), v / variance]).toEqual([1, 1, 1].map((each) => expect.closeTo(each, 9)));
  });

  it("keep every bit of a small group beside a large one", async () => {
    const csv = "g,x\na,1e300\na,1e300\nb,0.1\nb,0.2\nc,3e-9\nd,1e-280\nd,2e-280\ne,\nf,5.5\nf,5.5\n";
    expect(await groups(csv, { s: "sum(x)", m: "mean(x)", d: "std(x)" })).toEqual([
      ["a", 2e300, 1e300, 0],
      ["b", 0.1 + 0.2, (0.1 + 0.2) / 2, expect.closeTo(0.07071067811865475, 16)],
      ["c", 3e-9, 3e-9, null],
      ["d", 3e-280, 1.5e-280, expect.closeTo(7.0710678118e-281, 290)],
      ["e", null, null, null],
      ["f", 11, 5.5, 0],
    ]);
  });

  it("take infinity, whole numbers and a spread far from zero", async () => {
    expect(
      await groups("g,x\na,inf\na,1\nb,2.5\nb,-inf\nb,inf\nc,1.5\n", { s: "sum(x)", m: "mean(x)", d: "std(x)" }),
    ).toEqual([
      ["a", Infinity, Infinity, null],
      ["b", null, null, null],
      ["c", 1.5, 1.5, null],
    ]);
    const far = "g,x\na,1700000000000\na,1700000000001\na,1700000000002\nb,5\nb,6\n";
    expect(await groups(far, { s: "sum(x)", m: "mean(x)", d: "std(x)" })).toEqual([
      ["a", 5100000000003, 1700000000001, 1],
      ["b", 11, 5.5, expect.closeTo(Math.SQRT1_2, 15)],
    ]);
  });

  it("answer an empty table, and all rows as one group", async () => {
    const all = { columns: { s: "sum(x)", m: "mean(x)", d: "std(x)", n: "count()" } };
    const rows = async (csv: string) => (await lab.table((await lab.last(csv, ["summarize", all])).dataset_url)).rows;
    expect(await rows("x\n")).toEqual([[null, null, null, 0]]);
    expect(await rows("x\n1.5\n2.5\n")).toEqual([[4, 2, Math.SQRT1_2, 2]]);
  });
});
