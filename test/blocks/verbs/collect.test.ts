import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();

/** What comes from a cluster is tested in test/service/cluster-chains.slow.ts. */
describe("collect (BL_COLLECT)", () => {
  it("leaves rows as they are that are here already, however many", async () => {
    const record = await lab.last("k,v\n0,\n1,2\n", ["filter", { where: "v > 1" }], ["collect", { most_rows: 1 }]);
    expect((await lab.table(record.dataset_url)).rows).toEqual([[1, 2]]);
    const all = await lab.last("k,v\n0,\n1,2\n", ["collect", { most_rows: 1 }]);
    expect((await lab.table(all.dataset_url)).rows).toEqual([
      [0, null],
      [1, 2],
    ]);
  });

  it("takes an empty table, columns without a value, roles and a split", async () => {
    expect((await lab.table((await lab.last("a,b\n", ["collect"])).dataset_url)).rows).toEqual([]);
    const record = await lab.last(
      "a,b\n1,\n2,\n3,\n4,\n",
      ["xy", { y: ["a"] }],
      ["split", { random_state: 0 }],
      ["collect"],
    );
    expect(record.x_train_url).toBeTruthy();
  });

  it("refuses a most_rows that is no number of rows", async () => {
    await expect(lab.last("a\n1\n", ["collect", { most_rows: 0 }])).rejects.toThrow(/most_rows must be/);
  });
});
