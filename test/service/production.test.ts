import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { Lab, someone } from "../support/lab.ts";
import { ownTemporaryFolder } from "../support/temporary.ts";

const folder = ownTemporaryFolder();
const lab = new Lab();
const csv = `size,city,y\n${Array.from({ length: 40 }, (_, k) => `${k % 7 === 0 ? "" : k},${k % 3 ? "Lagos" : "Aba"},${k > 20 ? "big" : "small"}`).join("\n")}\n`;

/** A fitted chain with a prediction at its end; answers the prediction's record. */
async function flow() {
  return await lab.last(
    csv,
    ["xy", { y: "y" }],
    ["split", { random_state: 1 }],
    ["missing", { strategy: "mean", columns: ["size"] }],
    ["encode", { columns: ["city"] }],
    ["scale"],
    ["logistic", { model_name: "m" }],
    ["ML_CN_1_P", { model_name: "m", test_data: "x_test_url" }],
  );
}

describe("production", () => {
  it("predicts raw new rows through every fitted step, whatever their form, and stores nothing", async () => {
    const record = await flow();
    const service = await lab.service;
    const before = lab.files();
    const rows = [
      { city: "Lagos", size: 2 },
      { size: 39, city: "Aba" },
      { size: null, city: "Kano" },
    ];
    const found = await service.produce(someone, record.id, rows);
    expect(found.y_pred.slice(0, 2)).toEqual(["small", "big"]);
    expect(found.y_proba?.[0]).toEqual({ p_big: expect.any(Number), p_small: expect.any(Number) });
    const columns = { size: [2, 39, null], city: ["Lagos", "Aba", "Kano"] };
    expect(await service.produce(someone, record.id, columns)).toEqual(found);
    expect((await service.produce(someone, record.id, rows[1])).y_pred).toEqual(["big"]);
    for (const size of ["", "NA", null]) {
      const empty = await service.produce(someone, record.id, [{ size, city: "Kano" }]);
      expect([empty.y_pred[0], empty.y_proba?.[0]]).toEqual([found.y_pred[2], found.y_proba?.[2]]);
    }
    expect(found.notices).toEqual([
      'predict (ML_CN_1_P): Kano of column "city" is not among what encode (block 5) learnt and became all zeros.',
    ]);
    expect(lab.files()).toBe(before);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    [[], 400, /data must hold 1 to 100,000 rows, got 0/],
    ["rows", 400, /data must be rows as objects/],
    [[1, 2], 400, /data must be rows as objects.*got 1/],
    [{ size: [1], city: ["a", "b"] }, 400, /as long as each other, got 1 and 2/],
    [[{ size: 3 }], 422, /lack what the model needs: city/],
    [[{}], 400, /rows of data are empty; give each what the chain began with, such as size, city, y\.$/],
    [[{ size: 2, city: 2 ** 53 }], 400, /city of row 0 is a whole number beyond 2\^53.*send it as a text/],
    [[{ size: "huge", city: "Aba" }], 422, /size/],
  ])("refuses %j in one sentence", async (data, status, sentence) => {
    const record = await flow();
    const failure = await (await lab.service).produce(someone, record.id, data).then(
      () => Promise.reject(new Error("it was not refused")),
      (error: { status: number; message: string }) => error,
    );
    expect([failure.status, failure.message]).toEqual([status, expect.stringMatching(sentence)]);
    expect(failure.message).not.toContain(tmpdir());
  });

  it("wants the record of a prediction, of the caller's own", async () => {
    const service = await lab.service;
    const record = await lab.last(csv);
    await expect(service.produce(someone, record.id, [{}])).rejects.toThrow(
      /is a record of input \(DP_1\); give the id of a prediction/,
    );
    await expect(service.produce({ ...someone, owner: "other" }, record.id, [{}])).rejects.toThrow(
      /belongs to another key/,
    );
  });
});
