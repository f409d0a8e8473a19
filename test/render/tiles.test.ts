import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { TilesView } from "../../src/core/view.ts";
import { toBundle, toLines, toText } from "../../src/render/index.ts";

const cross: TilesView = {
  kind: "tiles",
  title: "weights",
  rows: 3,
  columns: 2,
  scale: "diverging",
  tiles: [
    [0, 2, -2, 0, 1, 1],
    [5, 5, 5, -5, -5, -5],
  ],
  total: 40,
};

/** Half-blocks of a line with their colours, upper over lower. */
function blocks(line: string): string[] {
  return [...line.matchAll(/\x1b\[38;5;(\d+)(?:;48;5;(\d+))?m(.)/gu)].map(
    ([, upper, lower, letter]) => `${letter}${upper}/${lower ?? "-"}`,
  );
}

describe("tiles", () => {
  it("stand side by side in a terminal, two rows of cells a line, each on its own scale", () => {
    const lines = toLines(cross, { width: 40, colour: true });
    expect(lines.slice(0, -2).join(" ")).toContain("the first 2 of 40, each 3 × 2");
    const [upper, lower] = lines.slice(-2).map(blocks);
    const [paper, red, blue, light] = [255, 124, 25, 210];
    expect(upper).toEqual([`▀${paper}/${blue}`, `▀${red}/${paper}`, `▀${red}/${red}`, `▀${red}/${blue}`]);
    expect(lower).toEqual([`▀${light}/-`, `▀${light}/-`, `▀${blue}/-`, `▀${blue}/-`]);
  });

  it("are legible without colour", () => {
    expect(toText(cross)).toMatchInlineSnapshot(`
      "weights: the first 2 of 40, each 3 × 2, on a scale of its own; from # far below
      0 over blank to @ far above
      =% @
      %% ##"
    `);
    const ramp: TilesView = { ...cross, scale: "sequential", tiles: [[0, 0, 1, 1, 2, 2]], total: 1 };
    expect(toText(ramp, { unicode: false }).split("\n").slice(-2)).toEqual(["::", "@@"]);
  });

  it("that are wider than a screen allows are made smaller, and many are counted", () => {
    const large: TilesView = { ...cross, rows: 40, columns: 40, tiles: Array(50).fill(Array(1600).fill(1)), total: 50 };
    const lines = toText(large).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.length).toBeLessThan(40);
    expect(lines[0]).toMatch(/the first \d+ of 50, each 40 × 40/);
  });

  it("are one picture in a notebook, with sharp cells and nothing between them", async () => {
    const { data } = await toBundle({ ...cross, title: `<b onclick="x">` });
    const html = data["text/html"] as string;
    expect(html).not.toContain("<b onclick");
    expect(html).toContain("image-rendering:pixelated");
    const [, base64] = /src="data:image\/png;base64,([^"]+)"/.exec(html) ?? [];
    const { data: pixels, info } = await sharp(Buffer.from(base64, "base64"))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, info.channels]).toEqual([5, 3, 4]);
    const pixel = (i: number, j: number) => [...pixels.subarray(4 * (5 * i + j), 4 * (5 * i + j) + 4)];
    expect(pixel(0, 0)).toEqual([247, 247, 247, 255]);
    expect(pixel(0, 1)).toEqual([178, 24, 43, 255]);
    expect(pixel(1, 0)).toEqual([33, 102, 172, 255]);
    expect(pixel(0, 2)[3]).toBe(0);
    expect(pixel(2, 4)).toEqual([33, 102, 172, 255]);
  });
});
