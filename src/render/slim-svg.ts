import { createHash } from "node:crypto";

const tag = /<(\w+)((?: [\w:-]+="[^"<>]*")*)( ?\/?)>/g;
const attribute = / ([\w:-]+)="([^"<>]*)"/g;

type Attributes = Map<string, string>;

/** Fewer equal shapes than this in a row are not worth a name. */
const leastShapes = 4;

/**
 * Vega's SVG in a quarter of the space, as good to look at.
 *
 * What says nothing is left out, places are rounded to tenths of a pixel, and equal shapes in a row are drawn
 * as markers. Ids are made of what they stand for: where several pictures stand on a page, equal ids mean equal things.
 */
export function slimSvg(svg: string): string {
  const lean = svg.replace(tag, (whole, name: string, text: string, end: string) => {
    const attributes = attributesOf(text);
    if (name === "path" && /^(?:M0,0h0v0h0Z)?$/.test(attributes.get("d") ?? " ")) return "";
    if (name !== "path" && name !== "line" && name !== "rect" && name !== "text" && name !== "g") return whole;
    for (const place of ["d", "transform"]) {
      const numbers = attributes.get(place);
      if (numbers !== undefined) attributes.set(place, rounded(numbers));
    }
    if (name !== "g") attributes.delete("aria-hidden");
    // The whole says it once.
    if (attributes.get("font-family") === "sans-serif") attributes.delete("font-family");
    attributes.delete("pointer-events");
    if (attributes.get("opacity") === "1") attributes.delete("opacity");
    if (!attributes.has("stroke")) attributes.delete("stroke-width");
    return `<${name}${textOf(attributes)}${end.trim()}>`;
  });
  return withOwnIds(withSharedShapes(lean)).replace("<svg ", `<svg font-family="sans-serif" `);
}

function attributesOf(text: string): Attributes {
  return new Map(Array.from(text.matchAll(attribute), ([, key, value]) => [key, value]));
}

function textOf(attributes: Attributes): string {
  return Array.from(attributes, ([key, value]) => ` ${key}="${value}"`).join("");
}

function rounded(numbers: string): string {
  return numbers.replace(/(?<!\d)-?\d+\.\d+(?:e[+-]?\d+)?/g, (number) =>
    String(Number(Number(number).toFixed(1)) || 0),
  );
}

/** Marks that differ in their place alone become markers along one line, a few letters each. */
function withSharedShapes(svg: string): string {
  const markers = new Map<string, string>();
  const drawn = svg.replace(/(?:<path(?: [\w:-]+="[^"<>]*")*\/>){4,}/g, (run) => {
    const marks = Array.from(run.matchAll(tag), ([whole, , text]) => markOf(whole, attributesOf(text)));
    const groups: Mark[][] = [];
    for (const mark of marks) {
      const last = groups.at(-1);
      if (last && last[0].shape === mark.shape) last.push(mark);
      else groups.push([mark]);
    }
    return groups.map((group) => lineOf(group, markers)).join("");
  });
  if (markers.size === 0) return svg;
  return drawn.replace(/<\/svg>\s*$/, `<defs>${[...markers.values()].join("")}</defs></svg>`);
}

interface Mark {
  readonly whole: string;
  /** What it looks like, at 0,0; empty where it can't be shared. */
  readonly shape: string;
  readonly place: string;
}

function markOf(whole: string, attributes: Attributes): Mark {
  const place = /^translate\(([-\d.]+,[-\d.]+)\)$/.exec(attributes.get("transform") ?? "")?.[1];
  if (place === undefined || attributes.has("aria-label")) return { whole, shape: "", place: "" };
  attributes.delete("transform");
  return { whole, shape: `<path${textOf(attributes)}/>`, place };
}

function lineOf(marks: readonly Mark[], markers: Map<string, string>): string {
  const [{ shape }] = marks;
  if (shape === "" || marks.length < leastShapes) return marks.map(({ whole }) => whole).join("");
  const id = `m${named(shape)}`;
  markers.set(id, `<marker id="${id}" markerUnits="userSpaceOnUse" overflow="visible" fill="none">${shape}</marker>`);
  const at = ["start", "mid", "end"].map((end) => ` marker-${end}="url(#${id})"`).join("");
  // resvg 2.6 draws no markers along a line without any paint.
  return `<path fill="#000" fill-opacity="0"${at} d="M${marks.map(({ place }) => place).join(" ")}"/>`;
}

/** Gradients and clips get ids of what they are: Vega counts them, and every picture begins anew. */
function withOwnIds(svg: string): string {
  const ids = new Map<string, string>();
  for (const [whole, kind, id] of svg.matchAll(/<(linearGradient|radialGradient|clipPath) id="(\w+)"[^>]*>.*?<\/\1>/g))
    ids.set(id, `${kind[0]}${named(whole.replace(id, ""))}`);
  if (ids.size === 0) return svg;
  const renamed = (text: string) => text.replace(/( id="|="url\(#)(\w+)/g, (_, lead, id) => lead + (ids.get(id) ?? id));
  return svg.replace(/<\w[^<>]*>/g, renamed);
}

function named(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 5);
}
