import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "k,shop,v\n1,b,2\n2,a,\n3,,1\n4,B,2\n5,a,inf\n6,é,-inf\n";

/** The keys in their new order. */
async function order(by: unknown, text = csv): Promise<unknown[]> {
  return await lab.column(await lab.last(text, ["sort", { by }]), "k");
}

describe("sort (BL_SORT)", () => {
  it.each([
    [["v"], [6, 3, 1, 4, 5, 2]],
    [["-v"], [5, 1, 4, 3, 6, 2]],
    [["shop"], [4, 2, 5, 1, 6, 3]],
    [
      ["-shop", "-k"],
      [6, 1, 5, 2, 4, 3],
    ],
    [2, [6, 3, 1, 4, 5, 2]],
  ])("by %j, equals in their order and missing cells last", async (by, keys) => {
    expect(await order(by)).toEqual(keys);
  });

  it("takes -0 for 0, and the name of a column that begins with a minus", async () => {
    expect(await order("v", "k,v\n1,0.0\n2,-0.0\n3,-1\n4,-0.0\n")).toEqual([3, 1, 2, 4]);
    expect(await order("-v", "k,-v\n1,3\n2,1\n")).toEqual([2, 1]);
    expect(await order("--v", "k,-v\n1,1\n2,3\n")).toEqual([2, 1]);
  });

  it("takes an empty table, and a column of gaps", async () => {
    expect(await order("k", "k,v\n")).toEqual([]);
    expect(await order("-v", "k,v\n1,\n2,\n")).toEqual([1, 2]);
  });

  it("leaves rows on their side of a split, in an order of their own, and roles to their columns", async () => {
    const rows = Array.from({ length: 12 }, (_, k) => `${k},${(k * 5) % 12}`).join("\n");
    const chain = (...more: ["sort", { by: string }][]) =>
      lab.last(`k,y\n${rows}\n`, ["xy", { y: "y" }], ["split", { random_state: 0 }], ...more);
    const [before, after] = [await chain(), await chain(["sort", { by: "-k" }])];
    for (const side of ["x_train_url", "x_test_url", "y_train_url", "y_test_url"] as const) {
      const cells = async (url: string | null | undefined) => (await lab.table(url)).rows.flat().map(Number);
      expect((await cells(after[side])).sort((a, b) => a - b)).toEqual(
        (await cells(before[side])).sort((a, b) => a - b),
      );
    }
    expect((await lab.table(after.dataset_url)).rows.map(([k]) => k)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it.each([
    [{ by: [] }, /by names no column\. Give one, as in sort\("age"\)/],
    [{ by: "-shp" }, /column "shp" is not in the table\. Did you mean "shop"/],
    [{ by: [7] }, /column index 7 is outside the table/],
    [{}, /needs by/],
  ])("refuses %j", async (args, words) => {
    const { status, message } = await lab.failure(csv, ["sort", args]);
    expect([status, message]).toEqual([400, expect.stringMatching(words)]);
  });

  it("shows by what", async () => {
    expect(await lab.view(await lab.last(csv, ["sort", { by: ["shop", "-v"] }]))).toMatchInlineSnapshot(`
      "Sorted by shop, "v (descending)".

            k  shop         v
      integer  string  number
      ───────  ──────  ──────
            4  B            2
            5  a          inf
            2  a            ·
            1  b            2
            6  é         -inf
      6 rows × 3 columns, missing: shop 1, v 1"
    `);
  });
});
