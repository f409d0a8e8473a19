import type { BlockContext } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { didYouMean, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";

/** A part of a specification. */
export type Part = { readonly [key: string]: Json | undefined };

export const marks = [
  "arc",
  "area",
  "bar",
  "boxplot",
  "circle",
  "errorband",
  "errorbar",
  "line",
  "point",
  "rect",
  "rule",
  "square",
  "text",
  "tick",
  "trail",
] as const;

export const channels = [
  "x",
  "y",
  "x2",
  "y2",
  "xOffset",
  "yOffset",
  "xError",
  "yError",
  "xError2",
  "yError2",
  "theta",
  "theta2",
  "radius",
  "radius2",
  "color",
  "fill",
  "stroke",
  "opacity",
  "fillOpacity",
  "strokeOpacity",
  "size",
  "strokeWidth",
  "strokeDash",
  "shape",
  "angle",
  "detail",
  "order",
  "text",
  "tooltip",
  "row",
  "column",
  "facet",
] as const;

/** What a key may not be, and why: what loads something, and what is code. */
const refused: Readonly<Record<string, string>> = {
  data: "the rows are the block's own; leave data out",
  datasets: "the rows are the block's own; leave datasets out",
  url: "nothing is loaded for a picture; leave url out",
  href: "pictures hold no links; leave href out",
  lookup: "nothing is loaded for a picture; join tables with join before",
  expr: "no code is run for a picture; make the column with derive before",
  signal: "no code is run for a picture; leave signals out",
  signals: "no code is run for a picture; leave signals out",
  expression: "no code is run for a picture; make the column with derive before",
  calculate: "no code is run for a picture; make the column with derive before",
  labelExpr: "no code is run for a picture; use format",
  usermeta: "nothing but a picture is drawn; leave usermeta out",
  // Vega-Lite 6.5 writes titles into the code of such labels, where a backslash ends the text.
  aria: "marks have no labels of their own; leave aria out",
  element: "a picture reaches no element of the page; leave element out",
};

/** Keys whose text Vega writes into its own code without escaping it. */
const written = /^(?:type|timeUnit|aggregate|op|name|param|interpolate)$|[fF]ormat(?:Type)?$/;

/** Texts that describe events: one with a condition in brackets is code. */
const events = new Set(["on", "clear", "zoom", "translate", "toggle"]);

/** Longer specifications than any that a person writes. */
const longest = 200_000;

/** Refuses whatever in a specification would load something or run code, wherever it stands. */
export function refuseCode(spec: Part, context: Pick<BlockContext, "block">): void {
  const length = JSON.stringify(spec).length;
  if (length > longest) throw broken(context, "spec", `it is longer than ${longest} letters`, length);
  walk(spec, "spec", context);
}

function walk(part: Json | undefined, path: string, context: Pick<BlockContext, "block">): void {
  if (Array.isArray(part)) {
    for (const [k, item] of part.entries()) walk(item, `${path}[${k}]`, context);
    return;
  }
  if (typeof part !== "object" || part === null) return;
  for (const [key, value] of Object.entries(part as Part)) {
    const at = `${path}.${key}`;
    if (Object.hasOwn(refused, key)) throw broken(context, at, refused[key], key);
    if ((key === "test" || key === "filter") && typeof value === "string")
      throw broken(
        context,
        at,
        `no code is run for a picture; write it as { field, gt: 3 } and the like, or use filter before`,
        value,
      );
    if (typeof value === "string") {
      if (written.test(key) && /["'`\\]/.test(value))
        throw broken(context, at, "it may hold no quote or backslash", value);
      if (/ormatType$/.test(key)) known(value, ["number", "time"], at, context);
      if (events.has(key) && /\[/.test(value)) throw broken(context, at, "conditions of events are code", value);
    }
    walk(value, at, context);
  }
}

/** A word among those that are known; another one is answered with the nearest. */
export function known<T extends string>(
  word: Json | undefined,
  among: readonly T[],
  path: string,
  context: Pick<BlockContext, "block">,
): T {
  const found = among.find((each) => each === word);
  if (found !== undefined) return found;
  const text = typeof word === "string" ? word : JSON.stringify(word ?? null);
  throw new ArgsError(
    `${who(context)}: ${path} ${quoted(text)} is not known here.${didYouMean(text, among)} Known: ${among.join(", ")}.`,
    { path, got: text.slice(0, 80), expected: [...among] },
  );
}

/** An error in the specification, in one sentence. */
export function broken(
  context: Pick<BlockContext, "block">,
  path: string,
  rule: string,
  got: Json | undefined,
): ArgsError {
  return new ArgsError(`${who(context)}: ${path} is not taken: ${rule}${rule.endsWith("?") ? "" : "."}`, {
    path,
    got: typeof got === "string" ? got.slice(0, 80) : (JSON.stringify(got ?? null) ?? "").slice(0, 80),
  });
}

/** The block, as it is called in messages. */
export function who({ block }: Pick<BlockContext, "block">): string {
  return `${block.name} (${block.code})`;
}

/** Is it an object with keys? */
export function isPart(value: Json | undefined): value is Part {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
