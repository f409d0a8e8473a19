import { expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();

interface Answer {
  readonly spec: { readonly data: { readonly values: readonly object[] } };
  readonly points: number;
  readonly rows: number;
  readonly columns: readonly { readonly name: string; readonly missing: number; readonly share: number }[];
  readonly stretches: readonly { readonly from: number; readonly to: number }[];
  readonly gaps: readonly { readonly name: string; readonly missing: readonly number[] }[];
}

const holes = `a,b,"c ""<b>"\n${Array.from({ length: 100 }, (_, k) => `${k >= 20 && k < 40 ? "" : k},${k % 4 === 0 ? "" : "x"},1`).join("\n")}\n`;

it("counts missing cells by column and stretch of rows", async () => {
  const record = await lab.last(holes, ["gaps"]);
  const { rows, columns, stretches, gaps, points } = output<Answer>(record);
  expect(rows).toBe(100);
  expect(columns).toEqual([
    { name: "a", missing: 20, share: 0.2 },
    { name: "b", missing: 25, share: 0.25 },
    { name: 'c "<b>', missing: 0, share: 0 },
  ]);
  expect([stretches.length, stretches[0], stretches.at(-1)]).toEqual([40, { from: 0, to: 3 }, { from: 98, to: 100 }]);
  const of = (name: string) => gaps.find((each) => each.name === name)?.missing ?? [];
  for (const [name, isHole] of [
    ["a", (k: number) => k >= 20 && k < 40],
    ["b", (k: number) => k % 4 === 0],
  ] as const) {
    const known = stretches.map(
      ({ from, to }) => Array.from({ length: to - from }, (_, k) => from + k).filter(isHole).length,
    );
    expect(of(name)).toEqual(known);
  }
  expect(points).toBe(of("a").filter(Boolean).length + of("b").filter(Boolean).length);
  expect(await lab.view(record)).toMatchInlineSnapshot(`
    "missing cells
    45 missing cells in 100 rows
    a │        ████████                        │ 20  20.0%
    b │▃▅ ▅▃ ▃ ▃▅ ▅▃ ▃ ▃▅ ▅▃ ▃ ▃▅ ▅▃ ▃ ▃▅ ▅▃ ▃ │ 25  25.0%
    From the first row to the last, up to 3 rows each letter: ▁ few, █ all missing.

    Without gaps: "c \\"<b>"."
  `);
});

it("looks at the rows of a filtered table, and at columns that were asked for", async () => {
  const record = await lab.last(holes, ["slice", { from: 20, to: 40 }], ["gaps", { columns: ["a", "b"] }]);
  const { rows, columns, stretches } = output<Answer>(record);
  expect([rows, columns.map(({ missing }) => missing), stretches.length]).toEqual([20, [20, 5], 20]);
});

it("draws the gaps of each part of the rows, over stretches of the whole table", async () => {
  const csv = `k,a\n${Array.from({ length: 80 }, (_, k) => `${k % 2 ? "odd" : "even"},${k % 4 === 1 || k < 2 ? "" : k}`).join("\n")}\n`;
  const record = await lab.last(csv, ["gaps", { facet: "k" }]);
  const { columns, gaps, stretches } = output<Answer>(record);
  expect(columns).toMatchObject([{ missing: 0 }, { name: "a", missing: 21 }]);
  expect(gaps).toMatchObject([
    { name: "a", facet: "even" },
    { name: "a", facet: "odd" },
  ]);
  const counted = (isOdd: boolean) =>
    stretches.map(
      ({ from, to }) =>
        Array.from({ length: to - from }, (_, k) => from + k).filter(
          (k) => (k % 2 === 1) === isOdd && (k % 4 === 1 || k < 2),
        ).length,
    );
  expect(gaps.map(({ missing }) => missing)).toEqual([counted(false), counted(true)]);
  // Of the two rows of a stretch one is odd, so the share that is missing is all or nothing.
  expect(await lab.view(record)).toMatchInlineSnapshot(`
    "missing cells by k
    a picture for each k
    even
    1 missing cell in 40 rows
    a │█                                       │ 1   2.5%
    From the first row to the last, up to 2 rows each letter: ▁ few, █ all missing.
    odd
    20 missing cells in 40 rows
    a │█ █ █ █ █ █ █ █ █ █ █ █ █ █ █ █ █ █ █ █ │ 20  50.0%
    From the first row to the last, up to 2 rows each letter: ▁ few, █ all missing.

    Without gaps: k."
  `);
  const whole = await lab.last("k,a\nx,1\ny,2\n", ["gaps", { facet: "k" }]);
  expect(await lab.view(whole)).not.toMatch(/a picture for each/);
});

it("says that nothing is missing", async () => {
  const record = await lab.last("a,b\n1,2\n3,4\n", ["gaps"]);
  expect(output<Answer>(record)).toMatchObject({ points: 0, gaps: [] });
  expect(await lab.view(record)).toMatch(/^✓ No cell is missing in 2 rows and 2 columns\./);
});

it("draws the columns with most gaps of very many", async () => {
  const names = Array.from({ length: 1000 }, (_, k) => `c${k}`);
  const row = (i: number) => names.map((_, k) => (i * 1000 < k ? "" : "1")).join(",");
  const record = await lab.last(`${names.join(",")}\n${[0, 0.5, 1].map(row).join("\n")}\n`, ["gaps"]);
  expect(output<Answer>(record).gaps).toHaveLength(60);
  expect(output<Answer>(record).gaps[0]?.name).toBe("c501");
  expect(record.notices).toEqual([
    "gaps (BL_GAPS): the 60 columns with most gaps are drawn, of 999 columns with gaps.",
  ]);
});

it("refuses a table without rows and an unknown column", async () => {
  const empty = await lab.failure("a,b\n", ["gaps"]);
  expect([empty.status, empty.message]).toEqual([
    422,
    "gaps (BL_GAPS): the table has no rows, so there is nothing to draw.",
  ]);
  const unknown = await lab.failure(holes, ["gaps", { columns: "aa" }]);
  expect([unknown.status, unknown.message]).toEqual([
    400,
    expect.stringMatching(/column "aa" is not in the table\. Did you mean "a"\?/),
  ]);
});
