import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { inline, toPictureLines } from "../../src/render/graphics.ts";
import { graphicsOf } from "../../src/render/graphics-kinds.ts";
import { toPng, toText } from "../../src/render/index.ts";
import { toSixel } from "../../src/render/sixel.ts";
import { greyPng } from "../support/pictures.ts";
import { drawSixels } from "../support/sixels.ts";

const chart = {
  kind: "points",
  title: "mass by \u001b[2Jlength",
  x: { title: "length", type: "number" },
  y: { title: "mass", type: "number" },
  series: [
    { name: "a", x: [1, 2, 3, null], y: [10, 20, 30, 4] },
    { name: "b", x: [1, 2], y: [5, 5] },
  ],
} as const;

describe("pictures in a terminal", () => {
  const png = Buffer.from("\u0089PNG\r\n\u001a\n", "latin1");

  it("go to kitty in pieces that make a whole PNG, without asking for an answer", async () => {
    const lines = await toPictureLines({ kind: "chart", chart }, { width: 60, colour: true }, { graphics: "kitty" });
    expect(lines).toHaveLength(1);
    const pieces = [...lines[0].matchAll(/\u001b_G([^;]*);([A-Za-z0-9+/=]*)\u001b\\/g)];
    expect(pieces.map((piece) => piece[0]).join("")).toBe(lines[0]);
    expect(pieces[0][1]).toMatch(/^a=T,f=100,q=2,c=\d+,m=1$/);
    expect(pieces.slice(1).map((piece) => piece[1])).toEqual([...pieces.slice(2).map(() => "m=1"), "m=0"]);
    expect(Math.max(...pieces.map((piece) => piece[2].length))).toBeLessThanOrEqual(4096);
    const bytes = Buffer.from(pieces.map((piece) => piece[2]).join(""), "base64");
    expect(bytes.subarray(0, 8)).toEqual(png);
    expect(bytes.subarray(-8, -4).toString("latin1")).toBe("IEND");
  });

  it("go to iTerm2 inline, with their size", () => {
    expect(inline(png.toString("base64"), 40, "iterm")).toBe(
      `\u001b]1337;File=inline=1;size=8;width=40;preserveAspectRatio=1:${png.toString("base64")}\u0007`,
    );
  });

  it("go to a terminal that draws sixels pixel for pixel, however many rows there are", async () => {
    const rows = Array.from({ length: 7 }, (_, y) => Array.from({ length: 8 }, (_, x) => ((x + y) % 5) * 51));
    const drawn = drawSixels(await toSixel(await greyPng(rows), 8));
    expect([drawn.width, drawn.height, drawn.colours]).toEqual([8, 7, 5]);
    for (const [y, row] of rows.entries())
      for (const [x, value] of row.entries()) expect(drawn.at(x, y)).toEqual([value, value, value]);
  });

  it("go there as wide as their columns, in colours that are right", async () => {
    const view = { kind: "chart", chart } as const;
    const options = { width: 40, colour: true };
    const [sixels, ...more] = await toPictureLines(view, options, { graphics: "sixel", columnPixels: 12 });
    expect(more).toEqual([]);
    const drawn = drawSixels(sixels);
    expect(drawn.width).toBe(40 * 12);
    const { png } = await toPng(chart, 2);
    const wanted = sharp(png).flatten({ background: "white" }).resize({ width: drawn.width }).removeAlpha().raw();
    const { data, info } = await wanted.toBuffer({ resolveWithObject: true });
    expect(drawn.height).toBe(info.height);
    let squares = 0;
    for (let k = 0; k < data.length; k++) {
      const pixel = Math.floor(k / 3);
      const value = drawn.at(pixel % info.width, Math.floor(pixel / info.width))[k % 3];
      squares += (value - data[k]) ** 2;
    }
    expect(Math.sqrt(squares / data.length)).toBeLessThan(4);
    // A terminal that doesn't tell how wide its letters are.
    const [unasked] = await toPictureLines(view, options, { graphics: "sixel" });
    expect(drawSixels(unasked).width).toBe(400);
  });

  it("go there without what is transparent, at any width", async () => {
    const clear = await sharp({ create: { width: 9, height: 3, channels: 4, background: "#ff000000" } })
      .png()
      .toBuffer();
    for (const width of [1, 5, 9, 33]) {
      const drawn = drawSixels(await toSixel(clear, width));
      expect(drawn.width).toBe(Math.max(4, Math.floor(width / 4) * 4));
      for (let x = 0; x < drawn.width; x++) expect(drawn.at(x, 0)).toEqual([255, 255, 255]);
    }
    const high = await sharp({ create: { width: 10, height: 9_000, channels: 3, background: "black" } })
      .png()
      .toBuffer();
    expect(drawSixels(await toSixel(high, 20)).height).toBe(4_096);
  });

  it("leave text as it is, and are never wider than the terminal", async () => {
    const images = {
      kind: "images",
      items: [{ png: "AAAA", width: 2000, height: 9, label: "\u001b[2J" }],
      total: 3,
    } as const;
    const view = { kind: "stack", views: [{ kind: "text", text: "before" }, images] } as const;
    expect(await toPictureLines(view, { width: 30, colour: false }, { graphics: "kitty" })).toEqual([
      "before",
      "",
      "\u001b_Ga=T,f=100,q=2,c=30,m=0;AAAA\u001b\\",
      "␛[2J",
      "and 2 more",
    ]);
  });

  it("are shown where the terminal says that it can", () => {
    expect(graphicsOf({ TERM: "xterm-kitty" })).toBe("kitty");
    expect(graphicsOf({ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" })).toBe("iterm");
    expect(graphicsOf({ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" })).toBe("iterm");
    expect(graphicsOf({ TERM: "xterm-ghostty" })).toBe("kitty");
    expect(graphicsOf({ TERM: "foot" })).toBe("sixel");
    expect(graphicsOf({ TERM: "xterm-256color" })).toBe(null);
    expect(graphicsOf({ TERM: "tmux-256color", KITTY_WINDOW_ID: "1", TMUX: "/tmp/tmux" })).toBe(null);
  });
});

describe("charts in words", () => {
  const spoken = (view: Parameters<typeof toText>[0]) => toText(view, { spoken: true, unicode: false });

  it("say ranges, means and how y goes with x", () => {
    expect(spoken({ kind: "chart", chart })).toBe(
      [
        "Chart: mass by \\x1b[2Jlength.",
        "n = 5, 1 without a value not shown.",
        "length from 1 to 3; mass from 5 to 30.",
        "a: 3 points, mass from 10 to 30, mean 20, correlation 1.00.",
        "b: 2 points, mass from 5 to 5, mean 5.",
      ].join("\n"),
    );
    expect(spoken({ kind: "chart", chart: { ...chart, kind: "lines" } })).toContain(
      "a: from 10 at 1 to 30 at 3, mass from 10 to 30.",
    );
  });

  it("say shares, bars and the largest cells", () => {
    const slices = [
      { label: "x", value: 1 },
      { label: "y", value: 3 },
    ];
    expect(spoken({ kind: "chart", chart: { kind: "pie", title: "t", slices } })).toMatch(
      /x: 1, 25\.0%\.\ny: 3, 75\.0%\./,
    );
    expect(spoken({ kind: "chart", chart: { kind: "bars", title: "t", value: "gain", bars: slices } })).toMatch(
      /gain:\nx: 1\.\ny: 3\./,
    );
    const grid = { kind: "heatmap", title: "t", rows: ["r"], columns: ["p", "q"], scale: "sequential" } as const;
    expect(spoken({ kind: "chart", chart: { ...grid, values: [[1, 2]] } })).toMatch(
      /1 rows by 2 columns, the largest first\.\nr, q: 2\.\nr, p: 1\./,
    );
  });
});
