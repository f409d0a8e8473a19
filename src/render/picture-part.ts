/** Elements that end a line. */
const lines = /^(?:h\d|p|div|figure|figcaption|br|tr|li|table|ul|ol|section)$/;

/** Elements whose words are no text. */
const silent = /^(?:style|script|title)$/;

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" };

/** The largest picture in a piece of HTML, as SVG, and the words before and behind it, a line each: a title, a legend. */
export function picturePart(html: string): { svg: string | null; before: string[]; behind: string[] } {
  let words = "";
  let depth = 0;
  let isSilent = false;
  let start = 0;
  let best = { area: -1, from: 0, to: 0, at: 0 };
  for (const { 0: piece, 1: slash, 2: tag = "", index } of html.matchAll(
    /<(\/?)([a-z][\w-]*)(?![\w-])[^<>]*>|[^<]+|</gi,
  )) {
    const name = tag.toLowerCase();
    if (name === "svg" && slash === "") {
      if (depth++ === 0) start = index;
    } else if (name === "svg") {
      const area = areaOf(html.slice(start, html.indexOf(">", start)));
      const end = index + piece.length;
      if (--depth === 0 && area > best.area) best = { area, from: start, to: end, at: words.length };
      depth = Math.max(0, depth);
    } else if (silent.test(name)) isSilent = slash === "" && !piece.endsWith("/>");
    else if (depth > 0 || isSilent) continue;
    else if (tag === "") words += piece;
    else words += lines.test(name) ? "\n" : slash === "" ? "" : "  ";
  }
  const [before, behind] = [words.slice(0, best.at), words.slice(best.at)].map(linesOf);
  return { svg: best.area < 0 ? null : html.slice(best.from, best.to), before, behind };
}

/** The area that an opening tag asks for; a tag that says nothing is taken for a picture. */
function areaOf(tag: string): number {
  const side = (name: string) => Number.parseFloat(tag.split(` ${name}="`, 2)[1] ?? "300");
  return side("width") * side("height") || 0;
}

function linesOf(words: string): string[] {
  return words
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => entities[name])
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
