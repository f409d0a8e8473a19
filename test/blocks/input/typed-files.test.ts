import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();

/** What a JSON text is read as: types by name, rows, notices. */
async function read(text: string, args: Record<string, unknown> = {}) {
  const { id } = await lab.project();
  const dburl = lab.file(text, `t${id}.json`);
  const record = await lab.block(id, 1, 0, ["input", { dburl, ...args }]);
  const { header, types, rows } = await lab.table(record.dataset_url);
  const named = Object.fromEntries(header.map((name, k) => [name, types[k]]));
  return { types: named, rows, notices: record.notices };
}

describe("numbers in JSON", () => {
  it("beyond 64 bits are text, so that ids stay apart, and says so", async () => {
    const long = [9223372036854775808n, 9223372036854775809n, 123456789012345678901234567890123456789012n];
    const { types, rows, notices } = await read(`[${long.map((id) => `{"id": ${id}, "n": 1}`).join(",")}]`);
    expect([types, rows.map(([id]) => id)]).toEqual([{ id: "string", n: "integer" }, long.map(String)]);
    expect(notices).toEqual([
      'input (DP_1): column id holds numbers of more digits than are kept exactly, so it was kept as text; types: { "id": "number" } reads the nearest floats.',
    ]);
    const { id } = await lab.project();
    await lab.block(id, 1, 0, [
      "input",
      { dburl: lab.file(`[${long.map((n) => `{"id": ${n}}`).join(",")}]`, "l.json") },
    ]);
    const left = await lab.block(id, 2, 1, ["dropDuplicates", { columns: ["id"] }]);
    expect((await lab.table(left.dataset_url)).rows).toHaveLength(3);
  });

  it("beyond 2^53 keep their digits in records and in columns, and beside fractions it is told that they don't", async () => {
    const ids = ["9007199254740993", "9007199254740992"];
    for (const text of [`[{"a": ${ids[0]}}, {"a": ${ids[1]}}]`, `{"a": [${ids}]}`]) {
      expect(await read(text)).toEqual({ types: { a: "integer" }, rows: ids.map((id) => [id]), notices: undefined });
    }
    const { types, notices } = await read(`[{"a": 1.5}, {"a": ${ids[0]}}]`);
    expect([types, notices]).toEqual([
      { a: "number" },
      [expect.stringMatching(/beyond 2\^53, which became the nearest/)],
    ]);
    expect(await read(`[{"a": 1.5}, {"a": ${ids[0]}}]`, { types: { a: "string" } })).toMatchObject({
      rows: [["1.5"], [ids[0]]],
    });
  });

  it("that are NaN are missing, in records and in columns, and infinite ones stay", async () => {
    for (const text of ['[{"a": 1.5}, {"a": NaN}, {"a": -Infinity}]', '{"a": [1.5, NaN, -Infinity]}']) {
      expect((await read(text)).rows).toEqual([[1.5], [null], [-Infinity]]);
    }
    expect((await read('{"a": ["NaN, \\" Infinity", NaN]}')).rows).toEqual([['NaN, " Infinity'], [null]]);
  });
});

describe("JSON records behind the first 20,480", () => {
  const many = Array.from({ length: 20_500 }, (_, a) => JSON.stringify({ a })).join("\n");

  it.each([
    ["a fraction", '{"a": 2.5}', { a: "number" }, [2.5]],
    ["a text", '{"a": "x"}', { a: "string" }, ["x"]],
    ["true", '{"a": true}', { a: "string" }, ["true"]],
    ["a long number", '{"a": 9223372036854775808}', { a: "string" }, ["9223372036854775808"]],
    ["a key of its own", '{"a": 1, "b": 5}', { a: "integer", b: "integer" }, [1, 5]],
  ])("decide as well, such as one with %s", async (_, last, types, row) => {
    const found = await read(`${many}\n${last}\n`);
    expect([found.types, found.rows.at(-1), found.rows.length]).toEqual([types, row, 20_501]);
  });
});

describe("words for a missing cell", () => {
  it("are text in a column of text, which is told, and missing where na_values says so", async () => {
    const text = '[{"land": "NA", "n": 1}, {"land": "ZA", "n": -999}]';
    expect(await read(text)).toMatchObject({
      rows: [
        ["NA", 1],
        ["ZA", -999],
      ],
      notices: [
        'input (DP_1): column land holds "NA" in 1 cell, which is text in JSON; na_values: ["NA"] reads it as missing.',
      ],
    });
    expect(await read(text, { na_values: ["NA", "-999"] })).toEqual({
      types: { land: "string", n: "integer" },
      rows: [
        [null, 1],
        ["ZA", null],
      ],
      notices: undefined,
    });
  });

  it.each([
    ['[{"a": 1}, {"a": ""}]', "integer", 1],
    ['[{"a": 1.5}, {"a": "NA"}]', "number", 1.5],
    ['[{"a": true}, {"a": "null"}]', "boolean", true],
  ])("are missing among numbers, or true and false: %s", async (text, type, value) => {
    const { types, rows, notices } = await read(text);
    expect([types, rows]).toEqual([{ a: type }, [[value], [null]]]);
    expect(notices).toEqual([expect.stringMatching(/or the like in 1 cell among .*; now missing\.$/)]);
  });
});

describe("Parquet from elsewhere", () => {
  const odd = lab.file(readFileSync(new URL("odd.parquet", import.meta.url)), "odd.parquet");
  const chain = async (...links: Parameters<Lab["block"]>[3][]) => {
    const { id } = await lab.project();
    const records = [await lab.block(id, 1, 0, ["input", { dburl: odd }])];
    for (const [k, link] of links.entries()) records.push(await lab.block(id, k + 2, k + 1, link));
    return records;
  };

  it("has NaN as missing for everybody: info, describe, missing and a model", async () => {
    const [record, info, filled, scaled] = await chain(
      ["info"],
      ["missing", { strategy: "mean", columns: ["f", "f32"] }],
      ["scale", { boundaries: ["f", "f32"] }],
    );
    expect(await lab.column(record, "f")).toEqual([1.5, null, null, 4.5]);
    const { columns } = output<{ columns: { name: string; missing: number }[] }>(info);
    expect(columns.slice(0, 3).map(({ missing }) => missing)).toEqual([2, 1, 1]);
    expect(await lab.column(filled, "f")).toEqual([1.5, 3, 3, 4.5]);
    expect(await lab.column(filled, "f32")).toEqual([1, 2, 2, 3]);
    expect((await lab.column(scaled, "f")).every((value) => Number.isFinite(value))).toBe(true);
  });

  it("keeps what doubles would round as text, smaller numbers as numbers, infinity, and names the nameless", async () => {
    const [record] = await chain();
    const { header, types, rows } = await lab.table(record.dataset_url);
    expect(Object.fromEntries(header.map((name, k) => [name, [types[k], rows[0][k], rows[1][k]]]))).toEqual({
      f: ["number", 1.5, null],
      f32: ["number", 1, null],
      inf: ["number", 1, Infinity],
      u64: ["string", "18446744073709551615", "18446744073709551614"],
      small: ["integer", 1, 2],
      wide: ["string", "12345678901234567890123.45", "12345678901234567890123.46"],
      price: ["number", 1.1, 2.2],
      column_8: ["integer", 1, 2],
      garage: ["string", "NA", "x"],
    });
    expect(record.notices?.map((each) => each.replace(/^.*?column (\S+) holds (\S+).*$/, "$1 $2"))).toEqual([
      "u64 numbers",
      "wide numbers",
      'garage "NA"',
    ]);
  });

  it("takes types and na_values, and says which cell is not of the type", async () => {
    const { id } = await lab.project();
    const run = (args: Record<string, unknown>) => lab.block(id, 1, 0, ["input", { dburl: odd, ...args }]);
    const record = await run({ types: { u64: "number", small: "string" }, na_values: ["NA", "2"] });
    const { header, types } = await lab.table(record.dataset_url);
    expect([types[header.indexOf("u64")], types[header.indexOf("small")]]).toEqual(["number", "string"]);
    expect(await lab.column(record, "garage")).toEqual([null, "x", "", "y"]);
    expect(await lab.column(record, "small")).toEqual(["1", null, null, "3"]);
    await expect(run({ types: { f: "int" } })).rejects.toThrow(/column "f" has "1\.5", which is not bigint/);
    await expect(run({ types: { nope: "int" } })).rejects.toThrow(/types names column "nope", which the file does not/);
  });
});

describe("JSON in other encodings", () => {
  const text = '[{"who": "Zoë", "n": 1},{"who": "Łukasz", "n": 2}]';
  const rows = [
    ["Zoë", 1],
    ["Łukasz", 2],
  ];
  const wide = (each: string) => Buffer.from(each, "utf16le");

  async function readBytes(bytes: Uint8Array, args: Record<string, unknown> = {}) {
    const { id } = await lab.project();
    const record = await lab.block(id, 1, 0, ["input", { dburl: lab.file(bytes, `wide${id}.json`), ...args }]);
    return { ...(await lab.table(record.dataset_url)), notices: record.notices };
  }

  it.each([
    ["UTF-16", wide(text)],
    ["UTF-16 with a mark", wide(`\uFEFF${text}`)],
    ["UTF-16, its other order", wide(text).swap16()],
    ["UTF-16, its other order with a mark", wide(`\uFEFF${text}`).swap16()],
    ["UTF-16, a record a line", wide('{"who": "Zoë", "n": 1}\n{"who": "Łukasz", "n": 2}\n')],
    ["UTF-16, columns", wide('{"who": ["Zoë", "Łukasz"], "n": [1, 2]}')],
    ["UTF-8 with a mark", Buffer.from(`\uFEFF${text}`)],
  ])("%s is read", async (_, bytes) => {
    expect(await readBytes(bytes)).toMatchObject({ header: ["who", "n"], rows, notices: undefined });
  });

  it("takes the name of one, and tells what it guessed", async () => {
    const bytes = Buffer.from('[{"who": "Zo\u00eb"}]', "latin1");
    const { rows: guessed, notices } = await readBytes(bytes);
    expect([guessed, notices]).toEqual([
      [["Zoë"]],
      [expect.stringMatching(/is not UTF-8; it was read as Windows-1252/)],
    ]);
    expect(await readBytes(bytes, { encoding: "latin-1" })).toMatchObject({ rows: [["Zoë"]], notices: undefined });
  });

  it("has columns with long names, and named types, which take no 1_000", async () => {
    const name = "n".repeat(70_000);
    expect((await readBytes(Buffer.from(JSON.stringify({ [name]: [1, 2] })))).rows).toEqual([[1], [2]]);
    for (const type of ["number", "int"])
      await expect(readBytes(Buffer.from('[{"a": "5"},{"a": "1_000"}]'), { types: { a: type } })).rejects.toMatchObject(
        {
          status: 422,
          message: expect.stringContaining('column "a" has "1_000"'),
        },
      );
  });
});
