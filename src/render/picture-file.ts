import type { Chart } from "../core/chart.ts";
import { toVegaLite } from "../core/vega-lite.ts";
import { escapeHtml } from "./escape.ts";
import { toPng, toSvg } from "./picture.ts";
import { toText } from "./text.ts";

/** Charts as the content of a file; of several, SVG and PNG draw the first. */
export async function pictureFile(
  charts: readonly Chart[],
  format: "svg" | "png" | "html" | "json",
): Promise<string | Uint8Array> {
  switch (format) {
    case "svg":
      return await toSvg(charts[0]);
    case "png":
      return (await toPng(charts[0])).png;
    case "json":
      return `${JSON.stringify(toVegaLite(charts[0]), null, 1)}\n`;
    case "html":
      return await page(charts);
  }
}

/** A page that loads nothing and runs nothing: the pictures, and behind each its words and its specification. */
async function page(charts: readonly Chart[]): Promise<string> {
  const figures: string[] = [];
  for (const chart of charts) {
    // As an image, so that the ids within one picture are not those of another.
    const svg = Buffer.from(await toSvg(chart), "utf8").toString("base64");
    const spec = JSON.stringify(toVegaLite(chart), null, 1);
    figures.push(
      [
        `<figure><img alt="${escapeHtml(chart.title)}" src="data:image/svg+xml;base64,${svg}">`,
        `<details><summary>As text</summary><pre>${lines(toText({ kind: "chart", chart }))}</pre></details>`,
        `<details><summary>Vega-Lite specification</summary><pre>${lines(spec)}</pre></details></figure>`,
      ].join("\n"),
    );
  }
  const style =
    "body{font-family:system-ui,sans-serif;margin:2em;color-scheme:light dark}figure{margin:0 0 2em}img{max-width:100%}pre{overflow:auto}";
  return [
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">`,
    `<title>${escapeHtml(charts[0].title)}</title><style>${style}</style></head>`,
    `<body>\n${figures.join("\n")}\n</body></html>\n`,
  ].join("\n");
}

function lines(text: string): string {
  return text.split("\n").map(escapeHtml).join("\n");
}
