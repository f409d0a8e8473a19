import { describe, expect, it } from "vitest";
import type { BlocklabError } from "../../../src/core/errors.ts";
import { Lab } from "../../support/lab.ts";
import { workbook, workbookParts } from "../../support/workbook.ts";
import { zipOf } from "../../support/zip.ts";

const lab = new Lab();
let names = 0;

async function run(bytes: Buffer, more: Record<string, unknown> = {}) {
  const { id } = await lab.project();
  return await lab.block(id, 1, 0, ["input", { dburl: lab.file(bytes, `w${++names}.xlsx`), ...more }]);
}

async function refusal(...args: Parameters<typeof run>): Promise<string> {
  return await run(...args).then(
    () => Promise.reject(new Error("it was not refused")),
    (error: BlocklabError) => `${error.status} ${error.message}`,
  );
}

describe("input (DP_1) from an Excel workbook", () => {
  it("reads numbers, texts, booleans, dates and formulas' results", async () => {
    const book = workbook({
      Sales: [
        ["n", "x", "word", "yes", "day", "at", "long", "amount", "mixed"],
        [
          1,
          0.5,
          "a & <b>",
          true,
          { s: 1, v: "46024" },
          { s: 2, v: "46024.125" },
          { s: 3, v: "1.5" },
          { s: 4, v: "2" },
          1,
        ],
        [null, { v: "2.25" }, "NA", false, null, { s: 2, v: "46025" }, null, null, "one"],
        [3, null, { t: "str", v: "x_x000D_y" }, null, { s: 1, v: "1" }, null, null, null, { t: "e", v: "#DIV/0!" }],
        [],
        [
          { v: "9007199254740991" },
          null,
          { t: "inlineStr", v: "in" },
          null,
          { s: 1, v: "61" },
          null,
          null,
          null,
          { t: "e", v: "#N/A" },
        ],
      ],
    });
    const record = await run(book);
    expect(await lab.table(record.dataset_url)).toEqual({
      header: ["n", "x", "word", "yes", "day", "at", "long", "amount", "mixed"],
      types: ["integer", "number", "string", "boolean", "datetime", "datetime", "number", "integer", "string"],
      rows: [
        [1, 0.5, "a & <b>", true, "2026-01-02", "2026-01-02 03:00:00", 1.5, 2, "1"],
        [null, 2.25, null, false, null, "2026-01-03 00:00:00", null, null, "one"],
        [3, null, "x\ry", null, "1900-01-01", null, null, null, null],
        [9007199254740991, null, "in", null, "1900-03-01", null, null, null, null],
      ],
    });
    expect(record.notices).toEqual([
      "input (DP_1): 1 cell held an Excel error such as #DIV/0!; now missing.",
      "input (DP_1): 1 blank row left out.",
    ]);
  });

  it("takes the first sheet or the one named, and says that there are others", async () => {
    const book = workbook({ One: [["a"], [1]], Two: [["b"], [2]] });
    const first = await run(book);
    expect((await lab.table(first.dataset_url)).header).toEqual(["a"]);
    expect(first.notices).toEqual(['input (DP_1): read sheet "One"; there are others: Two.']);
    expect((await lab.table((await run(book, { sheet: "Two" })).dataset_url)).rows).toEqual([[2]]);
    expect(await refusal(book, { sheet: "To" })).toMatch(
      /^400 .*sheet "To" is not in "w\d+\.xlsx"\. Did you mean "Two"\? Sheets: One, Two\.$/,
    );
  });

  it("does without a header, names what a header leaves open, and takes rows wider than the first", async () => {
    expect((await lab.table((await run(workbook({ S: [[1, 2], [3]] }))).dataset_url)).header).toEqual([
      "column_1",
      "column_2",
    ]);
    const wide = await lab.table(
      (
        await run(
          workbook({
            S: [
              ["a", null, "a"],
              [1, 2, 3, 4],
            ],
          }),
        )
      ).dataset_url,
    );
    expect([wide.header, wide.rows]).toEqual([["a", "column_2", "a_1", "column_4"], [[1, 2, 3, 4]]]);
    const years = workbook({
      S: [
        ["k", 2025],
        ["x", 1],
      ],
    });
    expect((await lab.table((await run(years, { header: true })).dataset_url)).header).toEqual(["k", "2025"]);
    const old = await run(workbook({ S: [["d"], [{ s: 1, v: "0" }]] }, true));
    expect((await lab.table(old.dataset_url)).rows).toEqual([["1904-01-01"]]);
  });

  it("keeps to the caller's types and missing texts", async () => {
    const book = workbook({
      S: [
        ["zip", "x"],
        [1234, "-"],
        [5, 7],
      ],
    });
    const { types, rows } = await lab.table(
      (await run(book, { types: { zip: "string" }, na_values: ["-"] })).dataset_url,
    );
    expect([types, rows]).toEqual([
      ["string", "integer"],
      [
        ["1234", null],
        ["5", 7],
      ],
    ]);
    expect(await refusal(book, { types: { x: "number" } })).toBe(
      '422 input (DP_1): column "x" has 1 cell that is not double.',
    );
    expect(await refusal(book, { types: { y: "number" } })).toMatch(
      /^422 .*which the sheet does not have\. Columns: zip, x\.$/,
    );
  });

  it("takes numbers above numbers for names where text or an empty first name says so, and tells a doubt", async () => {
    const years = workbook({
      One: [
        ["Country", 1960, 1961],
        ["Aruba", 54211, 55438],
      ],
    });
    const record = await run(years);
    expect((await lab.table(record.dataset_url)).header).toEqual(["Country", "1960", "1961"]);
    expect(record.notices).toEqual([
      `input (DP_1): the first line of "One", "Country, 1960, 1961", was taken for the columns' names; header: false takes it for data.`,
    ]);
    const table = async (...rows: Parameters<typeof workbook>[0][string]) =>
      await lab.table((await run(workbook({ One: rows }))).dataset_url);
    expect((await table(["id", 1], [5, 7])).header).toEqual(["id", "1"]);
    expect((await table([null, 0, 1], [0, 1.5, 2.5])).header).toEqual(["column_1", "0", "1"]);
    expect((await table([5.1, "setosa"], [4.9, "setosa"])).rows).toHaveLength(2);
  });

  it("keeps integers exact up to 64 bits, and beyond as text", async () => {
    const ids = ["9007199254740993", "9223372036854775807"].map((v) => [{ v }]);
    const exact = await run(workbook({ One: [["id"], ...ids] }));
    expect(await lab.table(exact.dataset_url)).toMatchObject({ types: ["integer"], rows: ids.map(([{ v }]) => [v]) });
    const record = await run(
      workbook({ One: [["id"], [{ v: "12345678901234567890" }], [{ v: "12345678901234567891" }]] }),
    );
    expect((await lab.table(record.dataset_url)).rows).toEqual([["12345678901234567890"], ["12345678901234567891"]]);
    expect(record.notices).toEqual([
      expect.stringMatching(/column id holds numbers of more digits than are kept exactly, so it was kept as text/),
    ]);
  });

  it("says how to leave a title out, leaves it out, and tells of merged cells", async () => {
    const rows = [["Report of 2024", null, null], [], ["shop", "month", "units"], ["A", 1, 5], [null, 2, 6]];
    const parts = workbookParts({ One: rows }).map(({ path, content }) => ({
      path,
      content: String(content).replace(
        "</worksheet>",
        '<mergeCells count="2"><mergeCell ref="A1:C1"/><mergeCell ref="A4:A5"/></mergeCells></worksheet>',
      ),
    }));
    const record = await run(zipOf(parts));
    expect(record.notices?.[0]).toBe(
      'input (DP_1): the first line of "One" names 1 of 3 columns; if it is a title, skip_rows: 2 begins at line 3.',
    );
    const skipped = await run(zipOf(parts), { skip_rows: 2 });
    expect((await lab.table(skipped.dataset_url)).rows).toEqual([
      ["A", 1, 5],
      [null, 2, 6],
    ]);
    expect(skipped.notices).toEqual([
      'input (DP_1): 1 merged area has its value in its first cell alone, the others are missing; missing({ strategy: "ffill" }) fills downwards.',
    ]);
  });

  it("reads many rows in order", async () => {
    const rows = Array.from({ length: 30_000 }, (_, k) => [k, k % 2 ? "odd" : "even"]);
    const read = await lab.table((await run(workbook({ S: [["k", "word"], ...rows] }))).dataset_url);
    expect(read.rows).toEqual(rows);
  });

  it("refuses what is no workbook, or a damaged or empty one", async () => {
    expect(await refusal(Buffer.from("d0cf11e0a1b11ae1ffff", "hex"))).toMatch(
      /^422 .*is an old \.xls workbook or one with a password; save it as \.xlsx without one\.$/,
    );
    expect(await refusal(Buffer.from("a,b\n1,2\n"))).toMatch(/^422 .*is not a zip archive/);
    expect(await refusal(zipOf([{ path: "a.txt", content: "x" }]))).toMatch(
      /^422 .*is a zip archive, but no Excel workbook\.$/,
    );
    expect(await refusal(workbook({ S: [] }))).toMatch(/^422 .*sheet "S" of "w\d+\.xlsx" is empty\.$/);
    const parts = workbookParts({ S: [["a"], [1]] });
    const broken = (content: string) =>
      zipOf(parts.map((part) => (part.path.endsWith("sheet1.xml") ? { path: part.path, content } : part)));
    expect(await refusal(broken("<worksheet><sheetData><row>"))).toMatch(/^422 .*is a damaged workbook: /);
    const laughs =
      '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><worksheet><sheetData><row><c t="str"><v>&b;</v></c></row></sheetData></worksheet>';
    expect(await refusal(broken(laughs))).toMatch(/^422 .*is a damaged workbook: /);
    expect(
      await refusal(broken('<worksheet><sheetData><row><c r="ZZZ1"><v>1</v></c></row></sheetData></worksheet>')),
    ).toMatch(/^422 .*it has a cell at "ZZZ1"\.$/);
    const lying = zipOf(parts.map((part) => (part.path.endsWith("sheet1.xml") ? { ...part, declared: 20 } : part)));
    expect(await refusal(lying)).toMatch(/^422 .*is a damaged workbook: too many bytes in the stream\.$/);
  });
});
