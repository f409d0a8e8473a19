import { describe, expect, it } from "vitest";
import { Lab, type Link, output, someone } from "../../support/lab.ts";

const lab = new Lab();
const csv = `id,size,city,y\n${Array.from({ length: 12 }, (_, k) => `n${k},${k % 5 === 0 ? "" : k},${k % 3 ? "Lagos" : "Aba"},${k > 6 ? "big" : "small"}`).join("\n")}\n`;
const steps: readonly Link[] = [
  ["xy", { x: ["size", "city"], y: "y" }],
  ["split", { test_size: 4, random_state: 1 }],
  ["missing", { strategy: "mean", columns: ["size"] }],
  ["encode", { columns: ["city"] }],
  ["scale", { columns: ["size"] }],
  ["logistic", { model_name: "m" }],
];

/** The tables that a prediction writes. */
async function predicted(args: object, links: readonly Link[] = steps) {
  const record = await lab.last(csv, ...links, ["ML_CN_1_P", { model_name: "m", test_data: "x_test_url", ...args }]);
  const urls = output<{ y_pred_url: string; y_proba_url: string }>(record);
  return { record, y_pred: await lab.table(urls.y_pred_url), y_proba: await lab.table(urls.y_proba_url) };
}

describe("a file of predictions", () => {
  it("has the answers alone, unless more was asked for", async () => {
    const { y_pred, y_proba } = await predicted({});
    expect([y_pred.header, y_proba.header]).toEqual([["y_pred"], ["p_big", "p_small"]]);
  });

  it("has each row's number in the table on request, with which its rows are found again", async () => {
    const plain = await predicted({});
    const { record, y_pred, y_proba } = await predicted({ row_id: true, columns: ["id"] });
    expect([y_pred.header, y_pred.types]).toEqual([
      ["row_id", "id", "y_pred"],
      ["integer", "string", "string"],
    ]);
    expect(y_pred.rows.map(([row]) => `n${String(row)}`)).toEqual(y_pred.rows.map(([, id]) => id));
    expect(y_pred.rows.map(([, , answer]) => [answer])).toEqual(plain.y_pred.rows);
    expect(y_proba.header).toEqual(["row_id", "p_big", "p_small"]);
    expect(y_proba.rows.map(([row]) => row)).toEqual(y_pred.rows.map(([row]) => row));
    expect(await lab.view(record)).toContain("row_id  id");
  });

  it("numbers the rows of the table that is predicted, where some were left out before", async () => {
    const { y_pred } = await predicted({ test_data: "dataset_url", row_id: true, columns: ["id"] }, [
      ["filter", { where: "id != 'n0' && id != 'n2'" }],
      ...steps,
    ]);
    expect(y_pred.rows.slice(0, 3).map(([row, id]) => [row, id])).toEqual([
      [0, "n1"],
      [1, "n3"],
      [2, "n4"],
    ]);
  });

  it("has columns as the table has them, gone ones as they were last, or the features", async () => {
    const all = await predicted({ columns: "all" });
    expect(all.y_pred.header).toEqual(["id", "size", "city_Aba", "city_Lagos", "y", "y_pred"]);
    const features = await predicted({ columns: "features" });
    expect(features.y_pred.header).toEqual(["size", "city_Aba", "city_Lagos", "y_pred"]);
    const gone = await predicted({ columns: ["city", "id"] });
    expect(gone.y_pred.header).toEqual(["city", "id", "y_pred"]);
    for (const [city, id] of gone.y_pred.rows) {
      expect(city).toBe(Number(String(id).slice(1)) % 3 ? "Lagos" : "Aba");
    }
    const one = await predicted({ columns: "city" });
    expect(one.y_pred.rows.map(([city]) => city)).toEqual(gone.y_pred.rows.map(([city]) => city));
  });

  it("keeps the answer's name where a column has it", async () => {
    const { y_pred } = await predicted({ columns: ["y_pred", "id"] }, [
      ["rename", { names: { y: "y_pred" } }],
      ["xy", { x: ["size", "city"], y: "y_pred" }],
      ...steps.slice(1),
    ]);
    expect(y_pred.header).toEqual(["y_pred_1", "id", "y_pred"]);
  });

  it("has columns of a file's new rows as they came, in types of their own where the chain knows none", async () => {
    const file = lab.file("code,size,note,city,day\n7,3,x,Aba,2020-01-02\n8,NA,y,Lagos,2020-01-03\n");
    const { y_pred } = await predicted({ test_data: file, row_id: true, columns: "all" });
    expect([y_pred.header, y_pred.types]).toEqual([
      ["row_id", "code", "size", "note", "city", "day", "y_pred"],
      ["integer", "integer", "integer", "string", "string", "datetime", "string"],
    ]);
    expect(y_pred.rows.map((row) => row.slice(0, 5))).toEqual([
      [0, 7, 3, "x", "Aba"],
      [1, 8, null, "y", "Lagos"],
    ]);
  });

  it("refuses a column that the rows do not have, with the nearest one", async () => {
    await expect(predicted({ columns: ["idd"] })).rejects.toThrow(
      /column "idd" is not in the predicted rows\. Did you mean "id"\? Columns: id, size, /,
    );
  });

  it("leaves no file behind but the answers", async () => {
    await predicted({});
    const before = lab.files();
    await predicted({});
    const plain = lab.files() - before;
    await predicted({ row_id: true, columns: "all" });
    expect(lab.files() - before - plain).toBe(plain);
  });

  it("is what production answers beside y_pred, with the columns of the rows that came", async () => {
    const { record } = await predicted({ row_id: true, columns: ["size"] });
    const service = await lab.service;
    const { y_pred, y_proba, rows } = await service.produce(someone, record.id, [{ city: "Aba", size: 9 }]);
    expect(y_pred).toHaveLength(1);
    expect(Object.keys(y_proba?.[0] ?? {})).toEqual(["p_big", "p_small"]);
    expect(rows).toEqual([{ row_id: 0, size: 9, y_pred: y_pred[0] }]);
  });

  it("is told in its explanation", async () => {
    const { record } = await predicted({ row_id: true, columns: ["id"] });
    const { did } = await (await lab.service).explain(someone, record.id);
    expect(did).toEqual(['Model "m" answered 4 rows of x_test.', "In the file row_id, id stand before each answer."]);
  });
});
