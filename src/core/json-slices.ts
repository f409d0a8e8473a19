import { setImmediate as turn } from "node:timers/promises";
import type { Json } from "./record.ts";

/** How long the thread may be kept before others have their turn. */
const sliceMs = 20;

/** Letters of a piece, and of the parts of a text that are read at once. */
const pieceLetters = 1 << 18;

/** A value as JSON.stringify writes it, piece by piece, with turns for others between the lists of a large one. */
export async function* jsonSlices(value: Json): AsyncGenerator<string> {
  let piece = "";
  let since = performance.now();
  for (const part of partsOf(value)) {
    piece += part;
    if (piece.length >= pieceLetters) {
      yield piece;
      piece = "";
    }
    if (performance.now() - since < sliceMs) continue;
    await turn();
    since = performance.now();
  }
  yield piece;
}

/** The value of a JSON text without blanks, as JSON.parse reads it, with turns for others between the parts of a large one. */
export async function parseInSlices(text: string): Promise<unknown> {
  let since = performance.now();
  let at = 0;
  const read = async (): Promise<unknown> => {
    if (performance.now() - since >= sliceMs) {
      await turn();
      since = performance.now();
    }
    const opening = text[at];
    const end = nearEnd(text, at);
    if (end !== null || (opening !== "[" && opening !== "{")) {
      const from = at;
      at = end ?? text.length;
      return JSON.parse(text.slice(from, at));
    }
    const list: unknown[] = [];
    const fields: [string, unknown][] = [];
    do {
      at++;
      if (opening === "{") {
        const name = text.slice(at, endOfText(text, at));
        at += name.length + 1;
        fields.push([JSON.parse(name), await read()]);
      } else list.push(await read());
    } while (text[at] === ",");
    if (text[at++] !== (opening === "[" ? "]" : "}")) throw new SyntaxError("A JSON text is cut off.");
    return opening === "[" ? list : Object.fromEntries(fields);
  };
  return await read();
}

/** Where the value that begins at `from` ends, unless that is a list or an object of more letters than a piece. */
function nearEnd(text: string, from: number): number | null {
  const opening = text[from];
  if (opening === '"') return endOfText(text, from);
  if (opening !== "[" && opening !== "{") {
    let end = from;
    while (end < text.length && !",]}".includes(text[end])) end++;
    return end;
  }
  const near = text.slice(from, from + pieceLetters);
  const marks = /["[\]{}]/g;
  let depth = 0;
  for (let mark = marks.exec(near); mark; mark = marks.exec(near)) {
    const [letter] = mark;
    if (letter === '"') marks.lastIndex = endOfText(text, from + mark.index) - from;
    else if (letter === "[" || letter === "{") depth++;
    else if (--depth === 0) return from + marks.lastIndex;
  }
  return null;
}

/** Where the text in quotes ends that begins at `from`. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); ; at = text.indexOf('"', at + 1)) {
    if (at < 0) return text.length;
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
}

/** Lists of numbers and texts are a part each. */
function* partsOf(value: Json | undefined): Generator<string> {
  if (Array.isArray(value) && value.some((item) => typeof item === "object" && item !== null)) {
    for (const [k, item] of value.entries()) {
      yield k === 0 ? "[" : ",";
      yield* partsOf(item as Json);
    }
    yield "]";
  } else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
    yield "{";
    for (const [k, [name, inner]] of fields.entries()) {
      yield `${k > 0 ? "," : ""}${JSON.stringify(name)}:`;
      yield* partsOf(inner as Json);
    }
    yield "}";
  } else yield JSON.stringify(value) ?? "null";
}
