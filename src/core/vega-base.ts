import { distinct } from "./marks.ts";
import type { Json } from "./record.ts";
import { visible } from "./visible.ts";

/** A Vega-Lite specification, as plain JSON. */
export interface VegaLiteSpec {
  readonly [key: string]: Json | undefined;
}

/** Colours of middle lightness, legible on white and on black: the background is left open. The first are told apart best. */
export const palette = [
  ...["#3b82c4", "#e0762f", "#3a9d5d", "#d6507a", "#8b6fd1", "#1fa3a8", "#b0892a", "#8a8f98"],
  ...["#b53a3a", "#7aa62c", "#56b0ee", "#c044b8", "#8a5a3c", "#5fc39b", "#4d5bbd", "#ef8f80"],
];

/** For words and axes, legible on white and on black. */
export const grey = "#808080";
const faint = "rgba(128,128,128,0.25)";

const config: VegaLiteSpec = {
  // A label on each mark would double a picture's size, and vega-lite 6.5 makes it of titles in an expression
  // where a backslash ends the string. The axes, the legend and the whole keep theirs.
  mark: { aria: false },
  view: { stroke: faint },
  range: { category: palette },
  axis: {
    labelColor: grey,
    titleColor: grey,
    domainColor: grey,
    tickColor: grey,
    gridColor: faint,
    labelLimit: 160,
    titleLimit: 320,
  },
  legend: { labelColor: grey, titleColor: grey, labelLimit: 160, titleLimit: 160 },
  header: { labelColor: grey, titleColor: grey, labelLimit: 180 },
  title: { color: grey, subtitleColor: grey, anchor: "start", limit: 460 },
};

/**
 * A title or label from data, made visible and safe to hand to Vega.
 *
 * Vega 5 and 6 look titles up in plain objects, so that one named "constructor" ends in an error.
 */
export function label(text: string): string {
  // Not every font has the pictures of control characters, so these are spelt out.
  const seen = visible(text, false);
  return seen in {} || seen === "then" ? `${seen} ` : seen;
}

/** Characters that a line of a title has room for, and lines at most. */
const titleRoom = 52;
const titleLines = 3;

/** A long title as lines of about one length, broken at blanks; a short one as it is. */
function inLines(title: string): string | string[] {
  if (title.length <= titleRoom) return title;
  for (let wanted = Math.ceil(title.length / titleRoom); wanted <= titleLines; wanted++) {
    for (let room = Math.ceil(title.length / wanted); room <= titleRoom; room++) {
      const lines = brokenAt(title, room);
      if (lines.length <= wanted) return lines;
    }
  }
  const lines = brokenAt(title, titleRoom);
  return [...lines.slice(0, titleLines - 1), lines.slice(titleLines - 1).join(" ")].filter((line) => line !== "");
}

function brokenAt(title: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of title.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A specification with its title and the house's colours. */
export function whole(title: string, subtitle: string, parts: VegaLiteSpec): VegaLiteSpec {
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v5.json",
    description: label(`${title}, ${subtitle}`),
    title: { text: inLines(label(title)), subtitle: label(subtitle) },
    background: "transparent",
    ...parts,
    config,
  };
}

/** A picture without what stands around it: the line below its title, and its parts. */
export interface Drawn {
  readonly subtitle: string;
  readonly parts: VegaLiteSpec;
}

/** What stands for a chart without marks. */
export function emptyParts(subtitle: string): Drawn {
  return {
    subtitle,
    parts: {
      width: 420,
      height: 80,
      data: { values: [{ t: "nothing to draw" }] },
      mark: { type: "text", color: grey },
      encoding: { text: { field: "t", type: "nominal" } },
    },
  };
}

/**
 * The titles of a tooltip's rows, safe to be keys of the object that Vega makes of them.
 *
 * Vega-Lite (5.6 to 6.5) writes them into an expression with their quotes escaped but not their
 * backslashes, so `\"` would end the string and the rest be run as code: backslashes are doubled here, until
 * it does so itself. The tooltip's renderer takes "image" and "title" for a picture and a heading; equal keys
 * would swallow each other.
 */
export function tipTitles(titles: readonly (readonly [title: string, fallback: string])[]): string[] {
  const safe = titles.map(([title, fallback]) => {
    const text = label(title) || fallback;
    return text === "image" || text === "title" ? `${text} ` : text.replaceAll("\\", "\\\\");
  });
  return distinct(safe);
}
