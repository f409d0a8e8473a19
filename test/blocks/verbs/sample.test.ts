import { describe, expect, it } from "vitest";
import { Lab, type Link } from "../../support/lab.ts";

const lab = new Lab();
const csv = `i,g\n${Array.from({ length: 12 }, (_, k) => `${k},${["a", "b", ""][k % 3]}`).join("\n")}\n`;
const drawn = async (args: object) =>
  await lab.column(await lab.last(csv, ["sample", { random_state: 7, ...args }]), "i");

describe("sample (BL_SAMPLE)", () => {
  it("draws the rows that pandas 3 draws", async () => {
    expect(await drawn({ n: 4 })).toEqual([7, 10, 2, 5]);
    expect(await drawn({ frac: 0.5, replace: true })).toEqual([4, 9, 6, 3, 3, 7]);
    expect(await drawn({ n: 2, by: ["g"] })).toEqual([6, 3, 10, 4, 11, 5]);
  });

  it("keeps rows and their copies on their side of a split, and tells a later split of copies", async () => {
    const split: Link[] = [
      ["xy", { x: ["g"], y: "i" }],
      ["split", { random_state: 0 }],
    ];
    const record = await lab.last(csv, ...split, ["sample", { n: 30, replace: true, random_state: 1 }]);
    const [train, test] = await Promise.all([record.y_train_url, record.y_test_url].map((url) => lab.table(url)));
    expect(train.rows.length + test.rows.length).toBe(30);
    expect(train.rows.flat().filter((i) => test.rows.flat().includes(i))).toEqual([]);
    const later = await lab.last(
      csv,
      ["sample", { n: 30, replace: true, random_state: 1 }],
      ["split", { random_state: 0 }],
    );
    expect(later.notices?.length).toBeGreaterThan(0);
  });

  it("takes an empty table, and refuses more than there is", async () => {
    expect((await lab.table((await lab.last("a\n", ["sample", { frac: 0.5 }])).dataset_url)).rows).toEqual([]);
    expect((await lab.failure(csv, ["sample", { n: 13 }])).message).toBe(
      "sample (BL_SAMPLE): the table has 12 rows, so 13 can't be drawn from it; draw fewer, or with replace: true.",
    );
    expect((await lab.failure(csv, ["sample", { n: 5, by: ["g"] }])).status).toBe(422);
    expect((await lab.failure(csv, ["sample", {}])).message).toMatch(/give n, how many rows, or frac/);
    expect((await lab.failure(csv, ["sample", { n: 1, frac: 0.5 }])).status).toBe(400);
    expect((await lab.failure(csv, ["sample", { frac: 1.5 }])).status).toBe(400);
    expect((await lab.failure(csv, ["sample", { n: -1 }])).status).toBe(400);
  });

  it("says how many it drew", async () => {
    expect(await lab.view(await lab.last(csv, ["sample", { n: 2, random_state: 7 }]))).toMatchInlineSnapshot(`
      "Drew 2 rows of 12.

            i  g
      integer  string
      ───────  ──────
            7  b
           10  b"
    `);
  });
});
