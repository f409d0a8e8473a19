import { describe, expect, it } from "vitest";
import { stack, text, type View } from "../../src/core/view.ts";
import { type Output, writeNotebook } from "../../src/notebooks/ipynb.ts";
import { toOutput } from "../../src/notebooks/outputs.ts";
import { toBundle, toBundles, toHtml, toPng } from "../../src/render/index.ts";
import { hostile, penguins, scatter } from "./examples.ts";

const chart = { kind: "chart", chart: scatter } as const;

describe("MIME bundles", () => {
  it("gives a table as HTML and text", async () => {
    const { data, metadata } = await toBundle(penguins);
    expect(Object.keys(data)).toEqual(["text/html", "text/plain"]);
    expect(metadata).toEqual({});
    expect(data["text/plain"]).toContain("344 rows × 7 columns");
  });

  it("gives a chart as Vega-Lite and one picture, and no HTML, which would win", async () => {
    for (const view of [chart, { kind: "stack", views: [chart] } as const]) {
      const { data, metadata } = await toBundle(view);
      expect(Object.keys(data)).toEqual(["application/vnd.vegalite.v5+json", "image/svg+xml", "text/plain"]);
      expect(metadata).toEqual({});
    }
  });

  it("keeps a picture of very many marks as PNG", async () => {
    const x = Array.from({ length: 5000 }, (_, k) => k);
    const series = ["a", "b"].map((name) => ({ name, x, y: x.map((k) => Math.sin(k * k)) }));
    const { data, metadata } = await toBundle({ kind: "chart", chart: { ...scatter, series } });
    expect(Object.keys(data)).toEqual(["application/vnd.vegalite.v5+json", "image/png", "text/plain"]);
    const png = Buffer.from(String(data["image/png"]), "base64");
    const size = metadata["image/png"] as { width: number; height: number };
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect(Math.abs(png.readUInt32BE(16) - 2 * size.width)).toBeLessThanOrEqual(1);
  });

  it("splits a stack so that its charts stay alive", async () => {
    const view = stack(text("one"), stack(penguins, chart), chart, text("two"));
    const kinds = (await toBundles(view)).map(({ data }) => Object.keys(data)[0]);
    expect(kinds).toEqual([
      "text/html",
      "application/vnd.vegalite.v5+json",
      "application/vnd.vegalite.v5+json",
      "text/html",
    ]);
    const { data } = await toBundle(view);
    expect(data["text/html"]).toContain('src="data:image/svg+xml;base64,');
    expect(data["text/html"]).toContain("penguins");
  });

  it("gives no bundle for nothing", async () => {
    expect(await toBundles({ kind: "stack", views: [] })).toEqual([]);
  });

  it("says a picture's size in pixels", async () => {
    const one = await toPng(scatter, 1);
    const two = await toPng(scatter);
    expect(Math.abs(two.width - 2 * one.width)).toBeLessThanOrEqual(1);
    expect(Buffer.from(one.png).readUInt32BE(16)).toBe(one.width);
  });
});

/** How long a view is in a notebook's file, beside one that has nothing to show. */
async function sizeOf(view: View): Promise<number> {
  const text = (outputs: Output[]) =>
    writeNotebook({
      cells: [{ cell_type: "code", source: "", metadata: {}, outputs }],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
    });
  return text((await toBundles(view)).map((bundle) => toOutput(bundle, 1))).length - text([]).length;
}

describe("stored in a notebook", () => {
  it("a scatter of 342 points in three colours stays under 60 kB", async () => {
    const series = ["Adelie", "Chinstrap", "Gentoo"].map((name, s) => {
      const at = Array.from({ length: 114 }, (_, k) => 32 + ((k * 7 + s * 31) % 270) / 10);
      return { name, x: at, y: at.map((x, k) => Math.round(130 + 80 * Math.abs(Math.sin(x + k))) / 10) };
    });
    expect(await sizeOf({ kind: "chart", chart: { ...scatter, series, colour: "species" } })).toBeLessThan(60_000);
  });

  it("a preview of 40 columns stays under 15 kB, and says no style in each cell", async () => {
    const columns = Array.from({ length: 40 }, (_, k) => ({
      name: `a column ${k}`,
      type: k % 3 === 0 ? ("string" as const) : ("number" as const),
    }));
    const rows = Array.from({ length: 5 }, (_, i) =>
      columns.map(({ type }, k) => (type === "string" ? `a word ${k}` : (i + 1) * k * 1.37)),
    );
    const view = { kind: "table", columns, rows, total: 1000 } as const;
    expect(await sizeOf(view)).toBeLessThan(15_000);
    const html = await toHtml(view);
    expect(html).not.toContain("<style");
    expect(html).toMatch(/<td>[\d.]+<\/td>/);
  });
});

describe("HTML", () => {
  it("lets nothing from the data become markup", async () => {
    const bad = `<img src=x onerror="alert(1)">'&\x1b`;
    const html = await toHtml(
      stack(hostile, text(bad, "warning"), {
        kind: "facts",
        title: bad,
        items: [{ label: bad, value: bad, note: bad }],
      }),
    );
    const tags = new Set([...html.matchAll(/<\/?([a-z0-9]+)/g)].map((match) => match[1]));
    expect([...tags].sort()).toEqual(["div", "i", "span", "table", "tbody", "td", "th", "thead", "tr"]);
    expect(html).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39;&amp;\\x1b");
    expect(html).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  it("draws counts as small bars with their numbers in words, and marks what is missing", async () => {
    const html = await toHtml({
      kind: "table",
      columns: [
        { name: "shape", type: "text", bars: true },
        { name: "missing", type: "integer", alarm: true },
      ],
      rows: [
        ["4 0 16", 7],
        ['1 "><script>', 0],
      ],
    });
    expect(html).toContain('aria-label="counts in 3 equal parts: 4, 0, 16"');
    expect(html).toContain('<rect x="0" y="12" width="7" height="4"/><rect x="8" y="16" width="7" height="0"/>');
    // What is left of them where tags are stripped.
    expect(html.replaceAll(/<[^>]*>/g, "")).toMatch(/shape.*▂ █.*7/);
    expect(html).toMatch(/font-weight:600[^>]*>7</);
    expect(html).toMatch(/opacity:\.75[^>]*>–</);
    expect(html).not.toContain("script");
  });

  it("folds a tree without a script, and lets none of its words become markup", async () => {
    const bad = `<img src=x onerror="alert(1)">`;
    const root = { label: bad, rest: bad, branches: [{ when: bad, then: { label: bad, note: bad } }] };
    const html = await toHtml({ kind: "tree", title: bad, root });
    const tags = new Set([...html.matchAll(/<\/?([a-z0-9]+)/g)].map((match) => match[1]));
    expect([...tags].sort()).toEqual(["details", "div", "span", "summary"]);
    expect(html.match(/&lt;img/g)).toHaveLength(6);
  });

  it("folds text away, and links to nothing but web addresses", async () => {
    const bad = `</pre><script>"'`;
    const items = ["https://a.b/c?d=1&e=2", "javascript:alert(1)", "blocklab:///x", 'http://a"onclick="b'];
    const html = await toHtml(
      stack(
        { kind: "facts", items: items.map((href) => ({ label: "at", value: bad, href })) },
        { kind: "folded", title: bad, text: `{\n\t"a": ${bad}\n}` },
      ),
    );
    expect([...html.matchAll(/<a ([^>]*)>/g)].map((match) => match[1])).toEqual([
      'href="https://a.b/c?d=1&amp;e=2" rel="noopener" target="_blank"',
      'href="http://a&quot;onclick=&quot;b" rel="noopener" target="_blank"',
    ]);
    expect(html).toMatch(/<details><summary[^>]*>&lt;\/pre&gt;[\s\S]*<\/summary><pre[^>]*>\{\n {2}&quot;a&quot;/);
    expect(html).not.toContain("<script");
  });

  it("keeps a chart's title inside its attribute", async () => {
    const html = await toHtml({ kind: "chart", chart: { ...scatter, title: '" onload="alert(1)' } });
    expect(html).toContain('alt="&quot; onload=&quot;alert(1)"');
  });
});
