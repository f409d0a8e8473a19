/** How a terminal takes pictures: kitty's graphics protocol, iTerm2's inline images, or DEC's sixels. */
export const graphicsKinds = ["kitty", "iterm", "sixel"] as const;

/** One of the ways in which a terminal takes pictures. */
export type Graphics = (typeof graphicsKinds)[number];

/** How a terminal with these variables takes pictures, by what it says of itself; null when it has to be asked. */
export function graphicsOf(env: Readonly<Record<string, string | undefined>>): Graphics | null {
  const { TERM = "", TERM_PROGRAM = "", LC_TERMINAL = "" } = env;
  // A multiplexer stands in between and swallows pictures, unless it answers that it draws sixels itself.
  if (env.TMUX || env.STY || /^(?:screen|tmux)/.test(TERM)) return null;
  if (env.KITTY_WINDOW_ID || /kitty|ghostty/.test(TERM) || TERM_PROGRAM === "ghostty") return "kitty";
  if (Number(env.KONSOLE_VERSION) >= 220400) return "kitty";
  if (/^(?:iTerm\.app|WezTerm|mintty)$/.test(TERM_PROGRAM) || LC_TERMINAL === "iTerm2") return "iterm";
  return /^(?:foot|mlterm|yaft|contour)\b/.test(TERM) ? "sixel" : null;
}
