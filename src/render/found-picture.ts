import type { Bundle } from "./bundle.ts";
import type { TextOptions } from "./pen.ts";
import { specSvg } from "./picture.ts";
import { picturePart } from "./picture-part.ts";
import { standaloneSvg, svgLines } from "./svg-text.ts";
import { toLines } from "./text.ts";

/** A picture that other libraries made: an element of a page, such as an Observable Plot, or a Vega-Lite specification. */
export type FoundPicture =
  | { readonly kind: "svg"; readonly markup: string }
  | { readonly kind: "html"; readonly markup: string }
  | { readonly kind: "spec"; readonly spec: Readonly<Record<string, unknown>> };

/** Larger pictures are left to the front end. */
const longest = 5_000_000;

/** The picture that a value is; null for all else. */
export function foundPicture(value: unknown): FoundPicture | null {
  if (typeof value !== "object" || value === null) return null;
  const { nodeType, outerHTML, tagName, $schema } = value as Readonly<Record<string, unknown>>;
  if (nodeType === 1 && typeof outerHTML === "string")
    return { kind: String(tagName).toLowerCase() === "svg" ? "svg" : "html", markup: outerHTML };
  if (typeof $schema === "string" && /\/schema\/vega-lite\//.test($schema))
    return { kind: "spec", spec: value as Readonly<Record<string, unknown>> };
  return null;
}

/** The picture as Jupyter shows it. */
export async function foundBundle(found: FoundPicture): Promise<Bundle> {
  const words = { "text/plain": (await foundLines(found, { width: 80, colour: false })).join("\n") };
  if (found.kind === "svg") return { data: { "image/svg+xml": standaloneSvg(found.markup), ...words }, metadata: {} };
  if (found.kind === "html") return { data: { "text/html": found.markup, ...words }, metadata: {} };
  const svg = await specPicture(found.spec);
  const still = svg === null ? {} : { "image/svg+xml": svg };
  return { data: { "application/vnd.vegalite.v5+json": found.spec, ...still, ...words }, metadata: {} };
}

/** The picture as lines for a terminal, the words of a page around it. */
export async function foundLines(found: FoundPicture, options: TextOptions): Promise<string[]> {
  const { svg, before, behind } = await partsOf(found);
  const words = (lines: readonly string[]) => lines.flatMap((text) => toLines({ kind: "text", text }, options));
  const picture = svg === null || options.spoken ? null : await svgLines(svg, options).catch(() => null);
  const lines = [...words(before), ...(picture ?? []), ...words(behind)];
  if (lines.some((line) => line !== "")) return lines;
  return words([{ svg: "An SVG picture.", html: "An HTML element.", spec: "A Vega-Lite chart." }[found.kind]]);
}

interface Parts {
  readonly svg: string | null;
  readonly before: readonly string[];
  readonly behind: readonly string[];
}

async function partsOf(found: FoundPicture): Promise<Parts> {
  if (found.kind === "html") return picturePart(found.markup.slice(0, longest));
  const svg =
    found.kind === "spec" ? await specPicture(found.spec) : found.markup.length > longest ? null : found.markup;
  return { svg, before: [], behind: [] };
}

/** The picture of a specification as SVG; null where there is none, or it would have to load something or run code. */
async function specPicture(spec: object): Promise<string | null> {
  try {
    const json = JSON.stringify(spec);
    const isPlain = !/"(?:url|expr|signal|signals|calculate|labelExpr|lookup|update)":|"(?:test|filter)":"/.test(json);
    return isPlain && json.length <= longest ? await specSvg(JSON.parse(json)) : null;
  } catch {
    return null;
  }
}
