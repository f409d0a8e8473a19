import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { lz4Frame } from "../../../../src/engines/duckdb/ingest/lz4.ts";
import { Lab } from "../../../support/lab.ts";

const lab = new Lab();
const folder = fileURLToPath(new URL("./arrow/", import.meta.url));

/** What a file is read as: types by name, rows, notices. */
async function read(file: string, args: Record<string, unknown> = {}) {
  const { id } = await lab.project();
  const dburl = file.includes("/") ? file : join(folder, file);
  const record = await lab.block(id, 1, 0, ["input", { dburl, ...args }]);
  const { header, types, rows } = await lab.table(record.dataset_url);
  return { types: Object.fromEntries(header.map((name, k) => [name, types[k]])), rows, notices: record.notices };
}

describe("an Arrow file", () => {
  it("is read as a Parquet file of the same table", async () => {
    const [arrow, stream, parquet] = await Promise.all([
      read("types.arrow"),
      read("types.arrows"),
      read("types.parquet"),
    ]);
    const byColumn = ({ types, rows }: typeof arrow) =>
      Object.fromEntries(Object.entries(types).map(([name, type], k) => [name, [type, ...rows.map((row) => row[k])]]));
    // Parquet has no type for "all missing", and DuckDB takes its file for integers.
    const missing = ["string", null, null, null, null, null];
    expect(byColumn(arrow)).toEqual({ ...byColumn(parquet), missing });
    expect(stream).toEqual(arrow);
    expect(arrow.notices?.map((each) => each.replace("Arrow", "Parquet"))).toEqual(parquet.notices);
    expect(arrow.notices).toContainEqual(expect.stringMatching(/u64_large holds numbers of more digits/));
  });

  it("may hold what Parquet does not: halves, durations, days in milliseconds, long decimals, lists of one length", async () => {
    const { types, rows, notices } = await read("more.arrow");
    expect(types).toEqual({
      half: "number",
      duration: "integer",
      day_ms: "datetime",
      decimal_256: "number",
      pair: "tensor",
    });
    expect(rows).toEqual([
      [1, 0, "2020-01-02", 1.25, "[1, 2]"],
      [2, null, null, null, "[1, 1]"],
      [0.5, 3, "1900-01-01", -2.5, "[0, 3]"],
    ]);
    expect(notices).toEqual(["input (DP_1): column duration is of durations and was read as milliseconds."]);
  });

  it("of pandas and of polars is read, with views, categories and compressed batches", async () => {
    expect((await read("pandas.feather")).rows).toEqual([
      [1, "x", "2020-01-01 00:00:00"],
      [2, "y", "2021-01-01 00:00:00"],
    ]);
    expect(await read("polars.arrow")).toEqual({
      types: {
        n: "integer",
        text: "string",
        category: "string",
        enum: "string",
        day: "datetime",
        pair: "tensor",
        decimal: "number",
      },
      rows: [
        [1, "short", "u", "u", "2020-01-01", "[1, 2]", 1.5],
        [2, "a text that is longer than twelve", "v", "v", "2020-01-01", "[3, 4]", 2.5],
        [null, null, "u", "u", "2020-01-01", "[5, 6]", null],
      ],
    });
    const lz4 = await read("lz4.feather");
    expect(lz4).toEqual(await read("zstd.feather"));
    expect(lz4.rows).toEqual(Array.from({ length: 1000 }, (_, i) => [i, i % 10 === 0 ? null : String(i % 7)]));
  });

  it("is known by its content, whatever its name and file_type say", async () => {
    const odd = join(lab.home, "rows.csv");
    copyFileSync(join(folder, "types.arrows"), odd);
    expect(await read(odd)).toEqual(await read("types.arrow"));
    expect((await read("types.parquet", { file_type: "csv" })).types.i8).toBe("integer");
    expect((await read("pandas.feather", { file_type: "feather", types: { n: "string" } })).rows[0][0]).toBe("1");
  });

  it("that can't be read is refused in a sentence", async () => {
    await expect(read("version-1.feather")).rejects.toMatchObject({
      status: 422,
      message: expect.stringMatching(
        /^input \(DP_1\): "version-1.feather" is of Feather's first version, .* df\.to_feather/,
      ),
    });
    const whole = readFileSync(join(folder, "types.arrow"));
    for (const bytes of [
      whole.subarray(0, 3000),
      whole.subarray(0, 20),
      Buffer.concat([whole.subarray(0, 600), Buffer.alloc(9000)]),
    ]) {
      await expect(read(lab.file(bytes, "cut.arrow"))).rejects.toMatchObject({
        status: 422,
        message: 'input (DP_1): "cut.arrow" can\'t be read as arrow: it is damaged, or was cut off.',
      });
    }
    await expect(read(lab.file("a,b\n1,2\n", "no.arrow"))).rejects.toMatchObject({
      status: 422,
      message: 'input (DP_1): "no.arrow" can\'t be read as arrow: it begins like no file or stream of Arrow.',
    });
  });

  it("leaves nothing behind where its parts were", async () => {
    const before = lab.files();
    await read("types.arrow");
    await read("version-1.feather").catch(() => undefined);
    expect(lab.files()).toBe(before + 1);
  });
});

describe("an LZ4 frame", () => {
  // "aaaaaaaaaab" as one block of a literal, a copy that overlaps with itself, and the rest.
  const block = [0x15, 0x61, 1, 0, 0x10, 0x62];
  const frame = (blocks: readonly (readonly number[])[]) =>
    Uint8Array.from([
      0x04,
      0x22,
      0x4d,
      0x18,
      0x40,
      0x40,
      0,
      ...blocks.flatMap((each) => [each.length, 0, 0, 0, ...each]),
      0,
      0,
      0,
      0,
    ]);

  it("holds literals and copies, which may overlap with what they write", () => {
    expect(Buffer.from(lz4Frame(frame([block]))).toString()).toBe("aaaaaaaaaab");
  });

  it("that ends early, or copies from before its beginning, is refused", () => {
    expect(() => lz4Frame(frame([[0x15, 0x61, 9, 0, 0x10, 0x62]]))).toThrow("before its beginning");
    expect(() => lz4Frame(frame([block]).subarray(0, 12))).toThrow("ends early");
    expect(() => lz4Frame(frame([[0x50, 0x61]]))).toThrow("ends early");
    expect(() => lz4Frame(new Uint8Array(9))).toThrow("no LZ4 frame");
  });
});
