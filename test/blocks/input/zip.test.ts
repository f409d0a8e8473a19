import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { BlocklabError } from "../../../src/core/errors.ts";
import { toHtml } from "../../../src/render/html.ts";
import { Lab, someone } from "../../support/lab.ts";
import { greyPng, plainPng, pngClaiming } from "../../support/pictures.ts";
import { ownTemporaryFolder } from "../../support/temporary.ts";
import { packedZeros, type ZipFile, zipClaiming, zipOf } from "../../support/zip.ts";

const folder = ownTemporaryFolder();
const lab = new Lab();
const red = await plainPng(4, 4, "#ff0000");
const blue = await plainPng(8, 6, "#0000ff");
const grey = await greyPng([
  [0, 51],
  [102, 255],
]);
const folders: ZipFile[] = [
  { path: "pets/dog/b.png", content: blue },
  { path: "pets/cat/a.png", content: red },
  { path: "pets/cat/deep/c.png", content: grey },
  { path: "__MACOSX/pets/cat/._a.png", content: "x" },
  { path: "pets/.DS_Store", content: "x" },
];
let names = 0;

async function run(files: readonly ZipFile[] | Buffer, more: Record<string, unknown> = {}) {
  const { id } = await lab.project();
  const dburl = lab.file(Buffer.isBuffer(files) ? files : zipOf(files), `z${++names}.zip`);
  return await lab.block(id, 1, 0, [
    "input",
    { dburl, file_type: "zip", method: "img_class_folder", target_size: [2, 2], ...more },
  ]);
}

async function refusal(...args: Parameters<typeof run>): Promise<BlocklabError> {
  return await run(...args).then(
    () => Promise.reject(new Error("it was not refused")),
    (error: BlocklabError) => error,
  );
}

async function tensors(record: { dataset_url: string | null }, name = "image"): Promise<number[][]> {
  const { header, rows } = await lab.table(record.dataset_url);
  return rows.map((row) => JSON.parse(String(row[header.indexOf(name)])));
}

describe("input (DP_1) from a zip of pictures", () => {
  it("takes folders for classes and decodes pictures to tensors, rows first", async () => {
    const record = await run(folders);
    const { header, types, rows } = await lab.table(record.dataset_url);
    expect([header, types]).toEqual([
      ["file", "image", "label"],
      ["string", "tensor", "string"],
    ]);
    expect(rows.map(([file, , label]) => [file, label])).toEqual([
      ["cat/a.png", "cat"],
      ["cat/deep/c.png", "cat"],
      ["dog/b.png", "dog"],
    ]);
    expect(await tensors(record)).toEqual([
      [1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0],
      [0, 0, 0, 0.2, 0.2, 0.2, 0.4, 0.4, 0.4, 1, 1, 1],
      [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1],
    ]);
    expect((await lab.table(record.x_value_url)).header).toEqual(["image"]);
    expect((await lab.table(record.y_value_url)).header).toEqual(["label"]);
    expect(record.notices).toBeUndefined();
  });

  it("labels as the class mode says", async () => {
    const labels = async (class_mode: string) => {
      const { header, rows, types } = await lab.table((await run(folders, { class_mode })).y_value_url);
      return { header, rows, types };
    };
    expect(await labels("categorical")).toEqual({
      header: ["label_cat", "label_dog"],
      types: ["integer", "integer"],
      rows: [
        [1, 0],
        [1, 0],
        [0, 1],
      ],
    });
    expect(await labels("sparse")).toEqual({ header: ["label"], types: ["integer"], rows: [[0], [0], [1]] });
    expect((await labels("binary")).rows).toEqual([[0], [0], [1]]);
    expect((await labels("raw")).rows).toEqual([["cat"], ["cat"], ["dog"]]);
    expect((await labels("input")).header).toEqual(["image"]);
    const third = [...folders, { path: "pets/owl/d.png", content: red }];
    const error = await refusal(third, { class_mode: "binary" });
    expect([error.status, error.message]).toEqual([
      422,
      'input (DP_1): class_mode "binary" is for two classes, got 3 classes: cat, dog, owl. Use "sparse" or "categorical".',
    ]);
  });

  it("reads pictures and targets that a CSV file names", async () => {
    const files: ZipFile[] = [
      {
        path: "data/list.csv",
        content: "name,price,day,kind\nb.png,2.5,2026-01-02,x\na.png,,2026-02-03,y\ngone.png,1,2026-02-03,y\n",
      },
      { path: "data/img/a.png", content: red },
      { path: "data/img/b.png", content: blue },
    ];
    const args = { method: "img_csv", csv_path: "data/list.csv", images_path: "data/img", image_files_column: "name" };
    const all = await run(files, args);
    const { header, types, rows } = await lab.table(all.dataset_url);
    expect([header, types]).toEqual([
      ["name", "image", "price", "day", "kind"],
      ["string", "tensor", "number", "datetime", "string"],
    ]);
    expect(rows.map((row) => row.filter((_, k) => k !== 1))).toEqual([
      ["b.png", 2.5, "2026-01-02 00:00:00", "x"],
      ["a.png", null, "2026-02-03 00:00:00", "y"],
    ]);
    expect((await lab.table(all.y_value_url)).header).toEqual(["price", "day", "kind"]);
    expect(all.notices).toEqual(['input (DP_1): 1 picture skipped: "gone.png" is not in the zip.']);
    const one = await run(files, { ...args, y_columns: ["kind"], class_mode: "categorical" });
    expect((await lab.table(one.y_value_url)).header).toEqual(["kind_x", "kind_y"]);
    expect((await lab.table(one.dataset_url)).header).toEqual(["name", "image", "price", "day", "kind_x", "kind_y"]);
    expect((await refusal(files, { ...args, class_mode: "sparse" })).message).toMatch(
      /labels by one column, got 3 target columns/,
    );
    expect((await refusal(files, { ...args, csv_path: "lists.csv" })).message).toMatch(
      /"lists.csv" is not in .* CSV files there: "?data\/list.csv"?\./,
    );
    expect((await refusal(files, { ...args, image_files_column: "nam" })).message).toMatch(/Did you mean "name"\?/);
    expect((await refusal(files, { ...args, y_columns: ["prize"] })).message).toMatch(/Did you mean "price"\?/);
    expect((await refusal(files, { ...args, images_path: "data/imgs" })).message).toMatch(/Did you mean "data\/img"\?/);
    const deep = [
      { path: "l.csv", content: "f,y\nimg/a.png,1\n" },
      { path: "img/a.png", content: red },
    ];
    expect((await refusal(deep, { method: "img_csv", csv_path: "l.csv", image_files_column: "f" })).message).toMatch(
      /column "f" holds "img\/a\.png", but names must be of files in one folder/,
    );
  });

  it("turns pictures upright, puts white under transparency, and keeps 0 to 255 on demand", async () => {
    const clear = await sharp({
      create: { width: 2, height: 2, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    })
      .png()
      .toBuffer();
    const halves = await sharp(await greyPng([[0, 255]]))
      .toColourspace("srgb")
      .withMetadata({ orientation: 3 })
      .png()
      .toBuffer();
    const record = await run(
      [
        { path: "a/1.png", content: clear },
        { path: "a/2.png", content: halves },
      ],
      { rescale: false, target_size: [1, 2] },
    );
    expect(await tensors(record)).toEqual([
      [255, 255, 255, 255, 255, 255],
      [255, 255, 255, 0, 0, 0],
    ]);
  });

  it("names pictures that can't be decoded and skips them, never black", async () => {
    const cut = (
      await sharp({
        create: {
          width: 64,
          height: 64,
          channels: 3,
          background: "#888",
          noise: { type: "gaussian", mean: 128, sigma: 50 },
        },
      })
        .jpeg()
        .toBuffer()
    ).subarray(0, 900);
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>';
    const record = await run([
      ...folders,
      { path: "pets/cat/cut.jpg", content: cut },
      { path: "pets/cat/empty.png", content: "" },
      { path: "pets/cat/fake.png", content: svg },
      { path: "pets/cat/lies.png", content: red, declared: red.length - 9 },
      { path: "pets/notes.txt", content: "hello" },
    ]);
    expect((await lab.table(record.dataset_url)).rows.length).toBe(3);
    const said = record.notices?.join("\n") ?? "";
    expect(said).toMatch(/4 pictures skipped: "pets\/cat\/cut\.jpg" can't be decoded \(/);
    expect(said).toMatch(/"pets\/cat\/empty\.png" is empty; "pets\/cat\/fake\.png" is no picture of a known kind/);
    expect(said).toMatch(/"pets\/cat\/lies\.png" is damaged \(/);
    expect(said).toMatch(/1 file left out as no pictures: "?pets\/notes\.txt"?/);
    const none = await refusal([{ path: "a/x.png", content: "no picture" }]);
    expect([none.status, none.message]).toMatchObject([
      422,
      expect.stringMatching(/of 1 picture in "z\d+\.zip" none can be read/),
    ]);
  });

  it("refuses archives made to harm, each in one sentence", async () => {
    const say = async (...args: Parameters<typeof run>) => {
      const error = await refusal(...args);
      expect(error.message.split(/(?<=\.) /).length).toBeLessThan(3);
      return `${error.status} ${error.message}`;
    };
    expect(await say(zipClaiming(1_000_000))).toMatch(
      /^422 .* holds 1,000,000 files, more than the 250,000 that are read\.$/,
    );
    expect(await say([{ path: "a/zeros.png", content: Buffer.alloc(1000), declared: 4_000_000_000 }])).toMatch(
      /"a\/zeros\.png" in .* unpacks to 3,815 MB; a picture may have 64\.$/,
    );
    expect(await say([{ path: "a/zeros.png", content: Buffer.alloc(10 * 2 ** 20), declared: 1000 }])).toMatch(
      /^422 .*of 1 picture in .* none can be read/,
    );
    expect(await say([...folders, { path: "pets/more.zip", content: zipOf(folders) }])).toMatch(
      /^422 .*holds another archive, "pets\/more\.zip"/,
    );
    expect(await say([{ path: "../../etc/a.png", content: red }])).toMatch(
      /^422 .*holds a path that leads out of it, "\.\.\/\.\.\/etc\/a\.png"\.$/,
    );
    expect(await say([{ path: "/etc/a.png", content: red }])).toMatch(/holds a path that leads out of it/);
    expect(await say([{ path: "a\\..\\..\\b.png", content: red }])).toMatch(/holds a path that leads out of it/);
    expect(await say([{ path: "a/b.png", content: red, encrypted: true }])).toMatch(/is encrypted/);
    expect(await say([{ path: "a/huge.png", content: pngClaiming(red, 100_000, 100_000) }])).toMatch(
      /^422 input \(DP_1\): "a\/huge\.png" has 100,000 × 100,000 pixels, more than the 100 million that are decoded\.$/,
    );
    expect(await say(Buffer.from("not a zip at all"))).toMatch(/^422 .*is not a zip archive, or a damaged one/);
    expect(await say(zipOf(folders).subarray(0, 300))).toMatch(/^422 .*is not a zip archive, or a damaged one/);
    expect(await say([])).toMatch(/^422 .*holds no pictures/);
    expect(await say([{ path: "a.png", content: red }])).toMatch(/^422 .*"a\.png" lies in no class folder/);
    expect(existsSync("/etc/a.png")).toBe(false);
  });

  it("reads no further than a picture says that it goes, though ten gigabytes of zeros follow", async () => {
    const packed = packedZeros(10 * 2 ** 30);
    const before = process.memoryUsage().rss;
    for (const declared of [1000, 60 * 2 ** 20]) {
      const error = await refusal([{ path: "a/zeros.png", content: "", packed, declared }]);
      expect(error.message).toMatch(/of 1 picture in .* none can be read: "a\/zeros\.png" is /);
    }
    expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(500);
  });

  it("asks for what it needs", async () => {
    expect((await refusal(folders, { method: null })).message).toBe(
      'input (DP_1) with file_type "zip" needs method: "img_class_folder" or "img_csv".',
    );
    expect((await refusal(folders, { target_size: null })).message).toMatch(
      /needs target_size: \[length, width\] in pixels, each 1 to 4,096\.$/,
    );
    expect((await refusal(folders, { target_size: [100_000, 100_000] })).status).toBe(400);
    expect((await refusal(folders, { target_size: [5] })).message).toMatch(/got \[5\]\.$/);
    expect((await refusal(folders, { method: "img_csv" })).message).toMatch(/with method "img_csv" needs csv_path/);
    expect((await run(folders, { target_size: null, targe_size: [3, 3, 3] })).block_id).toBe(1);
  });

  it("leaves no file behind", async () => {
    await run(folders);
    await refusal([{ path: "a/x.png", content: "no picture" }]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("keeps shapes through a split, Parquet and .npy", async () => {
    const { id } = await lab.project();
    const first = await lab.block(id, 1, 0, [
      "input",
      { dburl: "sample:shapes", method: "img_class_folder", target_size: [8, 6] },
    ]);
    const split = await lab.block(id, 2, 1, ["split", { test_size: 0.25, random_state: 0 }]);
    const service = await lab.service;
    const artifact = someone.artifactIn(split.x_test_url as string) as string;
    const { columns, total } = await service.table(someone, artifact, { limit: 0 });
    expect([columns, total]).toEqual([[{ name: "image", type: "tensor", shape: [8, 6, 3] }], 30]);
    const npy = readFileSync((await service.file(someone, artifact, "npy")).path);
    expect(npy.subarray(10, 90).toString("latin1")).toContain("'<f4', 'fortran_order': False, 'shape': (30, 8, 6, 3)");
    expect(npy.length % 64).toBe((30 * 8 * 6 * 3 * 4) % 64);
    const again = await lab.block(id, 3, 0, ["input", { dburl: first.dataset_url as string }]);
    const reread = await service.table(someone, someone.artifactIn(again.dataset_url as string) as string, {
      limit: 2,
    });
    expect(reread.columns[1]).toEqual({ name: "image", type: "tensor", shape: [8, 6, 3] });
    const firstRows = await service.table(someone, someone.artifactIn(first.dataset_url as string) as string, {
      limit: 2,
    });
    expect(reread.rows).toEqual(firstRows.rows);
    await service.file(someone, artifact, "arrow");
  });

  it("shows a table and a few pictures", async () => {
    const { id } = await lab.project();
    const args = { dburl: "sample:shapes", method: "img_class_folder", target_size: [16, 16] };
    const record = await lab.block(id, 1, 0, ["input", args]);
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "shapes.zip: 120 rows, 3 columns.

      file           image                     label
      string         tensor ○X                 string ●Y
      ─────────────  ────────────────────────  ─────────
      circle/01.png  16×16×3, 0.0863 to 1      circle
      circle/02.png  16×16×3, 0.0235 to 0.973  circle
      circle/03.png  16×16×3, 0.0941 to 1      circle
      circle/04.png  16×16×3, 0.0627 to 0.969  circle
      circle/05.png  16×16×3, 0 to 1           circle
      120 rows × 3 columns

      Pictures: circle, circle, circle, square, square, square, triangle, triangle and
      112 more"
    `);
    const html = await toHtml(await (await lab.service).view(someone, record.id));
    const pictures = [...html.matchAll(/<img alt="(\w+)" [^>]*src="data:image\/png;base64,([^"]+)"/g)];
    expect(pictures.map(([, label]) => label)).toEqual([
      "circle",
      "circle",
      "circle",
      "square",
      "square",
      "square",
      "triangle",
      "triangle",
    ]);
    const drawn = await sharp(Buffer.from(pictures[0][2], "base64")).metadata();
    expect([drawn.format, drawn.width, drawn.height]).toEqual(["png", 16, 16]);
  });

  it("reads the sample exactly, pixel by pixel", async () => {
    const { id } = await lab.project();
    const zip = fileURLToPath(new URL("../../../samples/triangle.png", import.meta.url));
    const record = await lab.block(id, 1, 0, ["image", { image_url: zip, target_size: [128, 128], rescale: false }]);
    const expected = await sharp(zip).removeAlpha().toColourspace("srgb").raw().toBuffer();
    expect((await tensors(record))[0]).toEqual([...expected]);
  });
});
