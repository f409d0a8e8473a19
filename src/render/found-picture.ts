import type { Bundle } from "./bundle.ts";
import type { TextOptions } from "./pen.ts";
import { specSvg } from "./picture.ts";
import { svgLines } from "./svg-text.ts";
import { toText } from "./text.ts";

/** A picture that other libraries made: an element of a page, such as an Observable Plot, or a Vega-Lite specification. */
export type FoundPicture =
  | { readonly kind: "svg"; readonly markup: string }
  | { readonly kind: "html"; readonly markup: string; readonly words: string }
  | { readonly kind: "spec"; readonly spec: Readonly<Record<string, unknown>> };

/** Larger pictures are left to the front end. */
const longest = 5_000_000;

/** The picture that a value is; null for all else. */
export function foundPicture(value: unknown): FoundPicture | null {
  if (typeof value !== "object" || value === null) return null;
  const { nodeType, outerHTML, tagName, textContent, $schema } = value as Readonly<Record<string, unknown>>;
  if (nodeType === 1 && typeof outerHTML === "string") {
    if (String(tagName).toLowerCase() === "svg") return { kind: "svg", markup: outerHTML };
    return { kind: "html", markup: outerHTML, words: String(textContent ?? "") };
  }
  if (typeof $schema === "string" && /\/schema\/vega-lite\//.test($schema))
    return { kind: "spec", spec: value as Readonly<Record<string, unknown>> };
  return null;
}

/** The picture as Jupyter shows it. */
export async function foundBundle(found: FoundPicture): Promise<Bundle> {
  const words = { "text/plain": (await foundLines(found, { width: 80, colour: false })).join("\n") };
  if (found.kind === "svg") return { data: { "image/svg+xml": found.markup, ...words }, metadata: {} };
  if (found.kind === "html") return { data: { "text/html": found.markup, ...words }, metadata: {} };
  const svg = await drawn(found);
  const still = svg === null ? {} : { "image/svg+xml": svg };
  return { data: { "application/vnd.vegalite.v5+json": found.spec, ...still, ...words }, metadata: {} };
}

/** The picture as lines for a terminal. */
export async function foundLines(found: FoundPicture, options: TextOptions): Promise<string[]> {
  const svg = await drawn(found);
  const lines = svg === null || options.spoken ? null : await svgLines(svg, options).catch(() => null);
  if (lines) return lines;
  const text = found.kind === "html" ? found.words.trim() : "";
  const name = { svg: "An SVG picture", html: "An HTML element", spec: "A Vega-Lite chart" }[found.kind];
  return toText({ kind: "text", text: text || `${name}.` }, options).split("\n");
}

/** The picture as SVG; null where there is none, or it would have to load something or run code. */
async function drawn(found: FoundPicture): Promise<string | null> {
  if (found.kind === "svg") return found.markup.length > longest ? null : found.markup;
  if (found.kind === "html") {
    const page = found.markup.slice(0, longest);
    const start = page.search(/<svg\b/);
    const end = page.indexOf("</svg>", start);
    return start < 0 || end < 0 ? null : page.slice(start, end + "</svg>".length);
  }
  try {
    const json = JSON.stringify(found.spec);
    const isPlain = !/"(?:url|expr|signal|signals|calculate|labelExpr|lookup|update)":|"(?:test|filter)":"/.test(json);
    return isPlain && json.length <= longest ? await specSvg(JSON.parse(json)) : null;
  } catch {
    return null;
  }
}
