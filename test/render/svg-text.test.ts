import { describe, expect, it } from "vitest";
import { foundBundle, foundLines, foundPicture } from "../../src/render/index.ts";

const options = { width: 80, colour: false };
/** As a document in Node makes them: no more of an element is read than this. */
const element = (tagName: string, outerHTML: string) => ({ nodeType: 1, tagName, outerHTML });

const svg = `<svg fill="currentColor" text-anchor="middle" width="240" height="96" viewBox="0 0 240 96">
<g text-anchor="end" transform="translate(-4,0)"><text transform="translate(40,90)">0</text><text transform="translate(40,12)">100</text></g>
<g><rect x="60" y="48" width="48" height="40"><title>not shown</title></rect><rect x="120" y="4" width="48" height="84" fill="steelblue"/></g>
<text transform="translate(84,96)">Lagos &amp; <tspan x="60" dy="0">more</tspan></text>
<text transform="translate(8,48) rotate(-90)">people in thousands</text></svg>`;

describe("pictures of other libraries", () => {
  it("draws an SVG element as dots with its words where they stand", async () => {
    const found = foundPicture(element("svg", svg));
    expect(found?.kind).toBe("svg");
    expect((await foundLines(found!, options)).join("\n")).toMatchInlineSnapshot(`
      "   100              ⣶⣶⣶⣶⣶⣶⣶⣶
                          ⣿⣿⣿⣿⣿⣿⣿⣿
                          ⣿⣿⣿⣿⣿⣿⣿⣿
                          ⣿⣿⣿⣿⣿⣿⣿⣿
                ⣿⣿⣿⣿⣿⣿⣿⣿  ⣿⣿⣿⣿⣿⣿⣿⣿
                ⣿⣿⣿⣿⣿⣿⣿⣿  ⣿⣿⣿⣿⣿⣿⣿⣿
                ⣿⣿⣿⣿⣿⣿⣿⣿  ⣿⣿⣿⣿⣿⣿⣿⣿
           0    ⠛Lagos &  ⠛⠛more⠛⠛
      upright: people in thousands"
    `);
    // A file says what a page says for its elements.
    const file = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"');
    expect(await foundBundle(found!)).toMatchObject({ data: { "image/svg+xml": file } });
    expect(await foundBundle(foundPicture(element("svg", file))!)).toMatchObject({ data: { "image/svg+xml": file } });
  });

  it("draws the SVG in an HTML element, and tells one without in words that steer no terminal", async () => {
    const figure = foundPicture(element("FIGURE", `<figure><h2>T</h2>${svg}</figure>`));
    expect((await foundLines(figure!, options)).join("\n")).toContain("Lagos");
    expect(Object.keys((await foundBundle(figure!)).data)).toEqual(["text/html", "text/plain"]);
    const plain = foundPicture(element("P", "<p>a\u001b[2J &lt;b&gt;<br>c</p>"));
    expect(await foundLines(plain!, options)).toEqual(["a␛[2J <b>", "c"]);
  });

  it("draws the largest picture of a page, with the title and the legend around it", async () => {
    const swatch = (name: string) => `<span><svg width="15" height="15"><rect width="100%"/></svg>${name}</span>`;
    const legend = `<div><style>a > b {}</style>${swatch("Adelie &amp; Gentoo")}${swatch("Chinstrap")}</div>`;
    const figure = `<figure><h2>Bills</h2><h3>of penguins</h3>${legend}${svg}<figcaption>Palmer</figcaption></figure>`;
    const lines = await foundLines(foundPicture(element("FIGURE", figure))!, options);
    expect(lines.slice(0, 3)).toEqual(["Bills", "of penguins", "Adelie & Gentoo  Chinstrap"]);
    expect(lines.join("\n")).toMatch(/⣿⣿⣿⣿/);
    expect(lines.at(-1)).toBe("Palmer");
    for (const odd of ["<svg>".repeat(1000), "</svg>".repeat(1000), "<svg></svg></svg><svg>", "<style>a"])
      expect(await foundLines(foundPicture(element("DIV", odd))!, options)).toEqual(["An HTML element."]);
  });

  it("draws a Vega-Lite specification", async () => {
    const spec = {
      $schema: "https://vega.github.io/schema/vega-lite/v5.json",
      data: { values: [{ a: "x", b: 2 }] },
      mark: "bar",
      encoding: { y: { field: "a", type: "nominal" }, x: { field: "b", type: "quantitative" } },
    };
    const { data } = await foundBundle(foundPicture(spec)!);
    expect(Object.keys(data)).toEqual(["application/vnd.vegalite.v5+json", "image/svg+xml", "text/plain"]);
    expect(data["text/plain"]).toMatch(/⣿⣿⣿/);
    expect(data["text/plain"]).toMatch(/0\.0 .*1\.0/);
  });

  it.each([
    { data: { url: "file:///etc/passwd" } },
    { data: { values: [] }, transform: [{ calculate: "1", as: "a" }] },
    { data: { values: [] }, transform: [{ filter: "true" }] },
    { data: { values: [] }, params: [{ name: "a", expr: "1" }] },
  ])("leaves what loads or computes to the front end: %j", async (part) => {
    const spec = { $schema: "https://vega.github.io/schema/vega-lite/v5.json", mark: "bar", ...part };
    const { data } = await foundBundle(foundPicture(spec)!);
    expect(data).toEqual({ "application/vnd.vegalite.v5+json": spec, "text/plain": "A Vega-Lite chart." });
  });

  it("says what it can't draw, and takes nothing else for a picture", async () => {
    expect(await foundLines(foundPicture(element("svg", "<svg><g></svg>"))!, options)).toEqual(["An SVG picture."]);
    for (const value of [
      null,
      1,
      "<svg/>",
      { mark: "bar" },
      { $schema: "https://json-schema.org" },
      { nodeType: 3 },
      [],
    ])
      expect(foundPicture(value)).toBeNull();
  });
});
