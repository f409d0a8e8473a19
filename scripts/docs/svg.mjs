// Charts as SVG whose ids don't depend on what was drawn before.
import { join } from "node:path";
import { root } from "./workshop.mjs";

const { toSvg } = await import(join(root, "dist/render/index.js"));

/** A chart's SVG; `mark` begins its ids, so that several can stand in one picture. */
export async function steadySvg(chart, mark = "") {
  const found = new Map();
  const svg = (await toSvg(chart)).replaceAll(/(\bid="|url\(#)([a-z]+_?)\d+/g, (whole, lead, name) => {
    const id = whole.slice(lead.length);
    if (!found.has(id)) found.set(id, `${mark}${name}${found.size + 1}`);
    return `${lead}${found.get(id)}`;
  });
  return svg.slice(svg.indexOf("<svg"));
}
