import type { Token } from "./highlight.ts";

/** How the prompt is coloured: for a light or a dark terminal, or not at all; "auto" suits both. */
export type Theme = "auto" | "light" | "dark" | "none";

/** What `:theme` takes. */
export const themes: readonly Theme[] = ["light", "dark", "none", "auto"];

const plain = { plain: undefined, keyword: undefined, string: undefined, number: undefined, comment: undefined };

const palettes: Readonly<Record<Theme, Readonly<Record<Token["kind"], string | undefined>>>> = {
  auto: { ...plain, keyword: "magenta", string: "green", number: "yellow", comment: "gray" },
  light: { ...plain, keyword: "#8700af", string: "#005f00", number: "#875f00", comment: "#6c6c6c" },
  dark: { ...plain, keyword: "#d787ff", string: "#87d787", number: "#ffd787", comment: "#9e9e9e" },
  none: plain,
};

/** The colour of a stretch of code; undefined for the terminal's own. */
export function colourOf(kind: Token["kind"], theme: Theme): string | undefined {
  return palettes[theme][kind];
}
