import { formatNumbers } from "../numbers.ts";
import type { Pen } from "../pen.ts";
import { cut, pad, widthOf } from "../words.ts";

/** Lines of a name, a strip along a common axis, and a number. */
export interface Strips {
  /** Names as they came, and the share of the width that they may take. */
  readonly names: readonly string[];
  readonly most: number;
  readonly notes: readonly string[];
  /** What the notes are. */
  readonly noteTitle?: string;
  /** Where the axis begins and ends, to so many digits, and what lies along it. */
  readonly ends: readonly [number, number];
  readonly digits: number;
  readonly title: string;
}

/** The lines, with the axis below. Where there is no room for numbers, the strips alone remain. */
export function stripLines(strips: Strips, pen: Pen, draw: (k: number, room: number) => string): string[] {
  const { notes, noteTitle = "" } = strips;
  const dots = pen.pick("…", "..");
  const names = strips.names.map((name) => cut(pen.safe(name) || "(empty)", Math.floor(pen.width * strips.most), dots));
  const lead = Math.max(...names.map(widthOf));
  const last = Math.max(...notes.map(widthOf), widthOf(noteTitle));
  const isNarrow = pen.width - lead - last - 4 < 8;
  const room = Math.max(4, pen.width - lead - 2 - (isNarrow ? 0 : last + 2));
  const indent = " ".repeat(lead + 2);
  const line = (name: string, strip: string, note: string) =>
    `${pad(name, lead)}  ${strip}${isNarrow ? "" : `  ${pad(note, last, "right")}`}`;
  const [from, to] = formatNumbers(strips.ends, strips.digits);
  const between = Math.max(0, room - widthOf(from) - widthOf(to));
  const title = pen.safe(strips.title);
  // The title stands between the ends where there is room, else below them.
  const below = between >= widthOf(title) + 2 ? [] : [pad(cut(title, room, dots), room, "centre").trimEnd()];
  const middle = below.length === 0 ? pad(title, between, "centre") : " ".repeat(between);
  return [
    ...(noteTitle === "" || isNarrow ? [] : [pen.quiet(line("", " ".repeat(room), pen.safe(noteTitle)))]),
    ...names.map((name, k) => line(name, draw(k, room), notes[k])),
    pen.quiet(`${indent}${pen.pick("└", "+")}${pen.pick("─", "-").repeat(room - 2)}${pen.pick("┘", "+")}`),
    ...[`${from}${middle}${to}`, ...below].map((each) => pen.quiet(cut(`${indent}${each}`, pen.width, dots))),
  ];
}
