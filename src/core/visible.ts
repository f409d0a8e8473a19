// Controls, line and paragraph separators, zero-width and direction marks (but not U+200C and U+200D,
// which Persian and emoji need), and halves of surrogate pairs.
const unseen =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Text from data with everything made visible that a terminal, a browser or XML would obey or choke on.
 *
 * Escape becomes ␛ and a newline ⏎; without `unicode` they become `\x1b` and `\n`.
 */
export function visible(text: string, unicode = true): string {
  return text.replace(unseen, (letter) => mark(letter.charCodeAt(0), unicode));
}

/** A value as JSON without a letter that a terminal would obey, each written as \\u009b: what a program reads is the same. */
export function harmlessJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.replace(unseen, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function mark(code: number, unicode: boolean): string {
  if (code === 10) return unicode ? "⏎" : "\\n";
  if (unicode && code < 32) return String.fromCharCode(0x2400 + code);
  if (unicode && code === 127) return "␡";
  if (code < 256) return `\\x${code.toString(16).padStart(2, "0")}`;
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

const colours = /(\u001b\[[\d;:]*m)/;

/** Text without anything that moves the cursor or changes the terminal; an open colour ends with it. */
export function harmless(text: string): string {
  const clean = text
    .split("\n")
    .map((line) => {
      const words = line.replace(/\r$/, "").replaceAll("\t", "        ");
      return words
        .split(colours)
        .map((part, k) => (k % 2 === 1 ? part : visible(part)))
        .join("");
    })
    .join("\n");
  return colours.test(clean) ? clean.replace(/\n?$/, "\u001b[0m$&") : clean;
}
