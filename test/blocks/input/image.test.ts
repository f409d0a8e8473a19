import { describe, expect, it } from "vitest";
import type { BlocklabError } from "../../../src/core/errors.ts";
import { Lab } from "../../support/lab.ts";
import { greyPng, plainPng, pngClaiming } from "../../support/pictures.ts";

const lab = new Lab();
const grey = lab.file(
  await greyPng([
    [0, 51, 102],
    [153, 204, 255],
  ]),
  "grey.png",
);

async function run(args: Record<string, unknown>) {
  const { id } = await lab.project();
  return await lab.block(id, 1, 0, ["DP_ITN", args]);
}

async function refusal(args: Record<string, unknown>): Promise<BlocklabError> {
  return await run(args).then(
    () => Promise.reject(new Error("it was not refused")),
    (error: BlocklabError) => error,
  );
}

describe("image (DP_ITN)", () => {
  it("answers rows × columns × 3 colours, from 0 to 1 unless told otherwise", async () => {
    const record = await run({ image_url: grey, target_size: [2, 3] });
    const { header, types, rows } = await lab.table(record.dataset_url);
    expect([header, types, rows]).toEqual([
      ["image"],
      ["tensor"],
      [["[0, 0, 0, 0.2, 0.2, 0.2, 0.4, 0.4, 0.4, 0.6, 0.6, 0.6, 0.8, 0.8, 0.8, 1, 1, 1]"]],
    ]);
    const raw = await lab.table((await run({ image_url: grey, targe_size: [2, 3], rescale: "false" })).dataset_url);
    expect(raw.rows[0][0]).toMatch(/^\[0, 0, 0, 51, 51, 51, 102/);
  });

  it("stretches to the target size, length first", async () => {
    const record = await run({ image_url: grey, target_size: [4, 1] });
    const service = await lab.service;
    const frame = await service.table(
      { owner: "someone", url: (a) => a, artifactIn: (u) => u },
      String(record.dataset_url).replace(/^test:/, ""),
    );
    expect(frame.columns).toEqual([{ name: "image", type: "tensor", shape: [4, 1, 3] }]);
    expect(JSON.parse(String(frame.rows[0][0])).length).toBe(12);
  });

  it("runs anew when the picture changed", async () => {
    const { id } = await lab.project();
    const path = lab.file(await plainPng(2, 2, "#f00"), "changing.png");
    const args = { image_url: path, target_size: [1, 1] };
    const first = await lab.block(id, 1, 0, ["image", args]);
    expect((await lab.block(id, 1, 0, ["image", args])).id).toBe(first.id);
    lab.file(await plainPng(20, 2, "#00f"), "changing.png");
    expect((await lab.table((await lab.block(id, 1, 0, ["image", args])).dataset_url)).rows).toEqual([["[0, 0, 1]"]]);
  });

  it("refuses what is no picture, too many pixels, and a missing file", async () => {
    const text = await refusal({ image_url: lab.file("hello", "a.png"), target_size: [2, 2] });
    expect([text.status, text.message]).toEqual([
      422,
      'image (DP_ITN): "a.png" is no picture of a known kind (jpeg, png, gif, webp, tiff, avif).',
    ]);
    const huge = lab.file(pngClaiming(await plainPng(2, 2, "#fff"), 100_000, 100_000), "huge.png");
    const large = await refusal({ image_url: huge, target_size: [2, 2] });
    expect([large.status, large.message]).toEqual([
      422,
      'image (DP_ITN): "huge.png" has 100,000 × 100,000 pixels, more than the 100 million that are decoded.',
    ]);
    const missing = await refusal({ image_url: `${lab.home}/gray.png`, target_size: [2, 2] });
    expect([missing.status, missing.message]).toMatchObject([
      400,
      expect.stringMatching(/^image \(DP_ITN\): there is no file .* Did you mean "grey\.png"\?$/),
    ]);
    expect((await refusal({ image_url: grey, target_size: [0, 2] })).message).toBe(
      "image (DP_ITN): target_size must be [length, width] in pixels, each 1 to 4,096, got [0,2].",
    );
    expect((await refusal({ image_url: grey })).message).toMatch(/^image \(DP_ITN\) needs target_size/);
  });

  it("shows its shape and range", async () => {
    expect(await lab.view(await run({ image_url: grey, target_size: [2, 3] }))).toMatchInlineSnapshot(`
      "grey.png as an array of 2 × 3 × 3.

      image
      tensor
      ─────────────
      2×3×3, 0 to 1"
    `);
  });
});
