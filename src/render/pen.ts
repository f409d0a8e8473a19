import { visible } from "../core/visible.ts";

/** How text output is drawn. */
export interface TextOptions {
  /** Columns of the terminal (at least 20). */
  readonly width: number;
  /** May ANSI colours be used? Everything stays legible without. */
  readonly colour: boolean;
  /** May box drawing and braille be used? (default true) */
  readonly unicode?: boolean;
  /** Are charts told in words, for a screen reader? (default false) */
  readonly spoken?: boolean;
  /** The terminal's background; colours that suit both when it is not known. */
  readonly theme?: "light" | "dark";
}

/** Draws words with or without colour; the one thing in the house that writes ANSI. */
export interface Pen {
  readonly width: number;
  readonly colour: boolean;
  readonly unicode: boolean;
  readonly spoken: boolean;
  bold(words: string): string;
  quiet(words: string): string;
  good(words: string): string;
  warning(words: string): string;
  accent(words: string): string;
  /** The colour of the k-th series. */
  series(k: number, words: string): string;
  /** A background by size: -1 to 1 when diverging, else 0 to 1. */
  tint(share: number, diverging: boolean, words: string): string;
  /** One half-block: two cells of a heatmap, one over the other; null is empty. */
  halves(top: number | null, bottom: number | null, diverging: boolean): string;
  /** Text from data, made harmless. */
  safe(words: string): string;
  /** The first where unicode may be used, else the second. */
  pick(unicode: string, ascii: string): string;
}

const seriesColours = {
  dark: [75, 215, 114, 204, 141, 80, 222, 250],
  light: [26, 166, 28, 161, 91, 30, 94, 240],
  unknown: [33, 172, 35, 197, 135, 37, 136, 245],
};

/** How many series colours can tell apart. */
export const colourCount = seriesColours.unknown.length;

const blues = [153, 110, 74, 31, 25];
const reds = [224, 217, 210, 167, 124];
const paper = 255;

/** A pen for a terminal of this kind. */
export function penFor(options: TextOptions): Pen {
  const { colour, unicode = true, theme = "unknown", spoken = false } = options;
  const sgr = (code: string) => (words: string) => (colour && words ? `\x1b[${code}m${words}\x1b[0m` : words);
  const palette = seriesColours[theme];
  return {
    width: Math.max(20, Math.floor(options.width) || 80),
    colour,
    unicode,
    spoken,
    bold: sgr("1"),
    quiet: sgr("2"),
    good: sgr("32"),
    warning: sgr("33"),
    accent: sgr("36"),
    series: (k, words) => sgr(`38;5;${palette[k % palette.length]}`)(words),
    tint: (share, diverging, words) => {
      const step = stepOf(share, diverging);
      if (step === 0) return words;
      return sgr(`48;5;${colourOf(step)};38;5;${Math.abs(step) > 3 ? 231 : 16}`)(words);
    },
    halves: (top, bottom, diverging) => {
      if (top === null && bottom === null) return " ";
      const upper = top === null ? null : colourOf(stepOf(top, diverging));
      const lower = bottom === null ? null : colourOf(stepOf(bottom, diverging));
      if (upper === null) return sgr(`38;5;${lower}`)("▄");
      return sgr(lower === null ? `38;5;${upper}` : `38;5;${upper};48;5;${lower}`)("▀");
    },
    safe: (words) => visible(words, unicode),
    pick: (rich, ascii) => (unicode ? rich : ascii),
  };
}

/** -5 to 5: how strong the tint is; 0 is none. */
function stepOf(share: number, diverging: boolean): number {
  if (!Number.isFinite(share)) return 0;
  const size = Math.min(1, Math.abs(share));
  const step = size < 0.1 ? 0 : Math.min(5, 1 + Math.floor((size - 0.1) / 0.18));
  return diverging && share > 0 ? step : -step;
}

function colourOf(step: number): number {
  if (step === 0) return paper;
  return step < 0 ? blues[-step - 1] : reds[step - 1];
}
