import { readdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createService, type Service } from "../../../src/service/index.ts";
import { Lab, someone } from "../../support/lab.ts";
import { ownTemporaryFolder } from "../../support/temporary.ts";
import { packedZeros, zipOf } from "../../support/zip.ts";

const lab = new Lab();
const csv = "a,b\n1,x\n2,y\n";
const json = '[{"a": 1}, {"a": null}]';

async function read(content: Uint8Array, name: string, more: Record<string, unknown> = {}) {
  const { id } = await lab.project();
  const dburl = lab.file(content, `${id}-${name}`);
  const record = await lab.block(id, 1, 0, ["input", { dburl, ...more }]);
  return await lab.table(record.dataset_url);
}

const folder = ownTemporaryFolder();

function left(): string[] {
  return readdirSync(folder);
}

describe("input (DP_1) from a packed file", () => {
  it.each([
    ["gzip", "rows.csv.gz", gzipSync(csv)],
    [
      "gzip in two members, as split and joined",
      "rows.csv.gz",
      Buffer.concat([gzipSync("a,b\n1,x\n"), gzipSync("2,y\n")]),
    ],
    ["Zstandard", "rows.csv.zst", zstdCompressSync(csv)],
    ["gzip under a name that does not say so", "rows.csv", gzipSync(csv)],
    [
      "a zip of one table",
      "rows.zip",
      zipOf([
        { path: "a/rows.csv", content: csv },
        { path: "__MACOSX/a/._rows.csv", content: "x" },
      ]),
    ],
  ])("reads %s", async (_packing, name, content) => {
    const before = left();
    expect((await read(content, name)).rows).toEqual([
      [1, "x"],
      [2, "y"],
    ]);
    expect(left()).toEqual(before);
  });

  it("reads JSON by the ending before that of the packing", async () => {
    expect((await read(gzipSync(json), "rows.json.gz")).rows).toEqual([[1], [null]]);
    expect((await read(zipOf([{ path: "r.json", content: json }]), "rows.zip")).rows).toEqual([[1], [null]]);
  });

  const two = zipOf([
    { path: "test.csv", content: "a\n1\n" },
    { path: "train.csv", content: csv },
    { path: "readme.md", content: "x" },
  ]);

  it("reads the table of a zip that csv_path names", async () => {
    expect((await read(two, "kaggle.zip", { csv_path: "train.csv" })).rows).toHaveLength(2);
  });

  const tar = Buffer.alloc(1024);
  tar.write("rows.csv");
  tar.write("ustar", 257);

  it.each([
    ["cut.csv.gz", gzipSync(csv.repeat(1000)).subarray(0, 40), {}, /is a damaged gzip file: unexpected end of file\.$/],
    [
      "rows.csv.gz",
      Buffer.concat([gzipSync(csv).subarray(0, 14), Buffer.alloc(40, 7)]),
      {},
      /is a damaged gzip file: /,
    ],
    ["rows.csv.zst", zstdCompressSync(csv).subarray(0, 12), {}, /is a damaged Zstandard file: /],
    [
      "rows.csv.bz2",
      Buffer.from("BZh91AY&SY"),
      {},
      /is packed by bzip2, which is not read; unpack it, or pack it by gzip\.$/,
    ],
    [
      "rows.tar.gz",
      gzipSync(tar),
      {},
      /holds a tar archive, which is not read; unpack it, and give one of its files\.$/,
    ],
    [
      "kaggle.zip",
      two,
      {},
      /holds 2 tables, "test.csv" and "train.csv"; csv_path says which, such as csv_path: "test.csv"\.$/,
    ],
    [
      "kaggle.zip",
      two,
      { csv_path: "trian.csv" },
      /holds no table "trian.csv"\. Did you mean "train.csv"\? Tables in it: "test.csv" and "train.csv"\.$/,
    ],
    ["none.zip", zipOf([{ path: "readme.md", content: "x" }]), {}, /with file_type "zip" needs method/],
  ])("refuses %s in one sentence, and leaves nothing behind", async (name, content, args, message) => {
    const before = left();
    await expect(read(content, name, args)).rejects.toMatchObject({
      message,
      status: expect.toSatisfy((status) => status === 400 || status === 422),
    });
    expect(left()).toEqual(before);
  });
});

describe("a quota", () => {
  let service: Service;
  beforeAll(async () => {
    service = await createService({ home: join(lab.home, "small"), threads: 0, quota: 1_000_000 });
  });
  afterAll(() => service.close());

  it("holds for what comes out of a packed file", async () => {
    const { id } = await service.createProject(someone, "p");
    const before = left();
    for (const [name, content] of [
      ["bomb.csv.gz", gzipSync(Buffer.alloc(50_000_000, "1\n"))],
      ["bomb.zip", zipOf([{ path: "bomb.csv", content: "", packed: packedZeros(2 ** 26), declared: 2 ** 26 }])],
    ] as const) {
      const args = { dburl: lab.file(content, name) };
      const request = { project_id: id, block_id: 1, parent_id: 0, function_code: "DP_1", args };
      await expect(service.run(someone, request)).rejects.toMatchObject({ status: 413, detail: { code: "quota" } });
    }
    expect(left()).toEqual(before);
  });
});
