import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tableFromArrays } from "apache-arrow";
import { afterAll, describe, expect, it } from "vitest";
import { viewOf } from "../../src/core/view.ts";
import { createSession } from "../../src/index.ts";
import { toText } from "../../src/render/index.ts";
import type { Result } from "../../src/session/index.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-predictions-"));
const session = createSession({ home });

afterAll(async () => {
  await session.close();
  rmSync(home, { recursive: true, force: true });
});

const penguins = session.input("sample:penguins").missing("drop");
const model = penguins
  .branch()
  .xy({ y: "species" })
  .encode({ columns: ["island", "sex"] })
  .split({ random_state: 0 })
  .logistic();
const one = { island: "Dream", bill_length_mm: 39, bill_depth_mm: 18, flipper_length_mm: 181, body_mass_g: 3750 };
const rows = [
  { ...one, sex: "male", code: 7 },
  {
    ...one,
    island: "Biscoe",
    bill_length_mm: 48,
    bill_depth_mm: 14,
    flipper_length_mm: 220,
    body_mass_g: 5000,
    sex: "female",
    code: 8,
  },
];
const answers = async (result: Result) => await result.y_pred.column("y_pred");

describe("predict", () => {
  it("takes rows of the program in every form that input takes", async () => {
    const columns = Object.fromEntries(
      Object.keys(rows[0]).map((name) => [name, rows.map((row) => row[name as "sex"])]),
    );
    const forms = [rows, columns, tableFromArrays(columns), session.at((await penguins).block).input(rows)];
    const found = await Promise.all(forms.map(async (test_data) => await answers(await model.predict({ test_data }))));
    expect(found).toEqual(forms.map(() => ["Adelie", "Gentoo"]));
  });

  it("takes rows as they were when it was called, and their other columns with it", async () => {
    const own = rows.map((row) => ({ ...row }));
    const chain = model.predict({ test_data: own, row_id: true, columns: ["code", "island"] });
    own.pop();
    expect(await (await chain).y_pred.rows()).toEqual([
      { row_id: 0, code: 7, island: "Dream", y_pred: "Adelie" },
      { row_id: 1, code: 8, island: "Biscoe", y_pred: "Gentoo" },
    ]);
  });

  it("takes a result and a table of another block", async () => {
    const some = await penguins.slice(0, 5);
    expect(await answers(await model.predict({ test_data: some }))).toEqual(Array(5).fill("Adelie"));
    expect(await answers(await model.predict({ test_data: some.dataset }))).toEqual(Array(5).fill("Adelie"));
  });

  it("says what rows must be", () => {
    expect(() => model.predict({ test_data: [1, 2] as unknown as object[] })).toThrow(
      /^predict: rows must be objects, but row 1 is number "1"/,
    );
    expect(() => model.predict({ test_data: new Map() as unknown as object[] })).toThrow(/^predict: there are no rows/);
  });
});

describe("predictions", () => {
  it("are joined back to the rows of the table", async () => {
    const predicted = await model.predict({ row_id: true });
    const joined = await penguins
      .derive({ columns: { row_id: "rowNumber() - 1" } })
      .join(predicted.y_pred, { on: "row_id", how: "left" });
    const { species, y_pred } = await joined.dataset.columns(["species", "y_pred"]);
    const answered = (y_pred as (string | null)[]).flatMap((each, row) => (each === null ? [] : [row]));
    expect(answered).toHaveLength(84);
    const right = answered.filter((row) => (y_pred as string[])[row] === (species as string[])[row]).length;
    const { accuracy } = (await model.metrics()).output as { accuracy: number };
    expect(right / 84).toBeCloseTo(accuracy, 12);
  });

  it("have shares beside them, and say so where there are none", async () => {
    const predicted = await model.predict({ row_id: true });
    expect((await predicted.y_proba.shape()).columns.map(({ name }) => name)).toEqual([
      "row_id",
      "p_Adelie",
      "p_Chinstrap",
      "p_Gentoo",
    ]);
    const plain = await penguins;
    expect(() => plain.y_proba).toThrow(/has no y_proba: predict classes first/);
  });

  it("are written in Python with the rows' numbers and columns", async () => {
    const predicted = await model.predict({ row_id: true, columns: ["bill_length_mm"] });
    const script = await predicted.code({ as: "python" });
    expect(script).toContain('predictions = df.loc[test, ["bill_length_mm"]].assign(y_pred=y_pred)');
    expect(script).toContain('predictions.insert(0, "row_id", df.index.get_indexer(test))');
    const gone = await (await model.predict({ columns: ["island"] })).code({ as: "python" });
    expect(gone).toContain("it writes island, which the table does not have any more");
  });
});

describe("join", () => {
  it("takes rows, columns and a table of the program", async () => {
    const notes = [
      { island: "Dream", note: "far" },
      { island: "Biscoe", note: "near" },
    ];
    const columns = { island: ["Dream", "Biscoe"], note: ["far", "near"] };
    const some = penguins.slice(0, 60);
    const found = await (await some.join(notes, { on: ["island"] })).dataset.column("note");
    expect(new Set(found)).toEqual(new Set(["far", "near"]));
    expect(await (await some.join(columns, { on: ["island"] })).dataset.column("note")).toEqual(found);
    const arrow = tableFromArrays(columns);
    expect(await (await some.join({ other: arrow, on: ["island"] })).dataset.column("note")).toEqual(found);
    expect(toText(await (await some.join(notes, { on: ["island"] }))[viewOf](), { width: 80 })).toContain(
      "Joined with the given table (inner)",
    );
  });
});
