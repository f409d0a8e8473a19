import { expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";
import { rowsOf, trained } from "./scored.ts";

const lab = new Lab();

interface Threshold {
  readonly class: string;
  readonly usual: Readonly<Record<string, number>>;
  readonly best: Readonly<Record<string, number>>;
  readonly cheapest?: Readonly<Record<string, number | null>>;
  readonly thresholds_url: string;
}

const tried = async (classes: 2 | 3, args = {}) => {
  const record = await lab.last(rowsOf(classes), ...trained, ["threshold", args]);
  return { record, found: output<Threshold>(record) };
};

const close = (value: number) => expect.closeTo(value, 9);

it("counts as precision_recall_curve, and takes the threshold with the best F1", async () => {
  const { found } = await tried(2);
  expect(found.class).toBe("yes");
  expect(found.best).toEqual({
    ...{ threshold: close(0.43625657371690135), precision: 0.78125, recall: close(25 / 28), f1: close(5 / 6) },
    ...{ flagged: close(32 / 90), false_positive: 7, false_negative: 3 },
  });
  const { header, rows } = await lab.table(found.thresholds_url);
  expect(header.slice(0, 5)).toEqual(["threshold", "precision", "recall", "f1", "flagged"]);
  expect(rows).toHaveLength(90);
  const [first, second, last] = [rows[0], rows[1], rows[89]];
  expect(first.slice(1, 3)).toEqual([close(28 / 90), 1]);
  expect(second.slice(0, 3)).toEqual([close(7.477754814301082e-8), close(28 / 89), 1]);
  expect(last.slice(0, 3)).toEqual([close(0.9458138322340673), 1, close(1 / 28)]);
  for (const row of rows) expect(row.slice(5).reduce((sum: number, each) => sum + Number(each), 0)).toBe(90);
});

it("takes the threshold whose mistakes cost least", async () => {
  const { found, record } = await tried(2, { costs: { false_positive: 1, false_negative: 5 } });
  expect(found.cheapest).toMatchObject({ threshold: close(0.15368770722949926), cost: 14 });
  expect(found.usual).toMatchObject({ threshold: 0.5, cost: 32 });
  const { header, rows } = await lab.table(found.thresholds_url);
  const at = (name: string) => rows.map((row) => Number(row[header.indexOf(name)]));
  expect(Math.min(...at("cost"))).toBe(14);
  const view = await lab.view(record);
  for (const line of view.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  expect(view.split("\n\n").slice(0, 3).join("\n\n")).toMatchInlineSnapshot(`
    "! Model naiveBayes, probability of yes, judged on all 90 rows, which it was
      trained on.

                threshold  precision  recall     f1  flagged  cost
    ──────────  ─────────  ─────────  ──────  ─────  ───────  ────
    one half        0.500      0.767   0.821  0.793    0.333    32
    best F1         0.436      0.781   0.893  0.833    0.356    22
    least cost      0.154      0.667   1.000  0.800    0.467    14

    It was found on these rows, so judge it by others before you rely on it."
  `);
});

it("flags nothing where that costs least", async () => {
  // The row with the highest probability is none of the class.
  const test_data = lab.file("age,size,kind\n60,4,no\n1,0,no\n30,2,yes\n");
  const { found, record } = await tried(2, { test_data, costs: { false_positive: 10, false_negative: 1 } });
  expect(found.cheapest).toMatchObject({ threshold: null, precision: null, recall: 0, flagged: 0, cost: 1 });
  expect(await lab.view(record)).toContain("Mistakes cost least if nothing is flagged at all.");
});

it("asks which of several classes is looked for", async () => {
  expect((await tried(3, { class: "maybe" })).found.class).toBe("maybe");
  const message = async (csv: string, args = {}) => (await lab.failure(csv, ...trained, ["threshold", args])).message;
  expect(await message(rowsOf(3))).toBe(
    'threshold (BL_THRESHOLD): "kind" has 3 classes, so say which is looked for, as in class: "maybe". Classes: maybe, no, yes.',
  );
  const later = lab.file("age,size,kind\n60,4,no\n1,0,no\n");
  expect(await message(rowsOf(2), { test_data: later })).toBe(
    'threshold (BL_THRESHOLD): none of the 2 rows is "yes", so there is nothing to tell apart.',
  );
  expect(await message(rowsOf(2), { costs: { false_positive: 1 } })).toMatch(/costs/);
});

it("names classes without their control letters where it must be told one", async () => {
  const csv = `a,y\n${Array.from({ length: 30 }, (_, k) => `${k},"${["\u001b[31mred", "two words", "c"][k % 3]}"`).join("\n")}\n`;
  const { message } = await lab.failure(csv, ["xy", { y: "y" }], ["naiveBayes"], ["threshold"]);
  expect(message).toContain('Classes: "\\u001b[31mred", c, "two words".');
  const unknown = await lab.failure(csv, ["xy", { y: "y" }], ["naiveBayes"], ["shap", { class: "d" }]);
  expect(unknown.message).not.toContain("\u001b");
});
