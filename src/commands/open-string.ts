/** A string that is still being typed, and the call it is an argument of. */
export interface OpenString {
  /** The called method: `xy` in `session.xy({ y: "spe`. */
  readonly call: string;
  /** The option it belongs to: `y` there; null for a value that stands alone. */
  readonly argument: string | null;
  readonly quote: string;
  /** What has been typed of it. */
  readonly typed: string;
}

/** The string at the cursor that is open and an argument of a method's call; null when there is none. */
export function openString(code: string, cursor: number): OpenString | null {
  const before = code.slice(0, cursor);
  const { brackets, string } = scan(before);
  return string === null || before[string] === "`" ? null : callAround(before, brackets, string);
}

/** The method whose call is open at the cursor: `missing` in `session.missing({ strategy: "mean", `. */
export function openCall(code: string, cursor: number): string | null {
  const before = code.slice(0, cursor);
  const { brackets } = scan(before);
  const open = brackets.findLast((at) => before[at] === "(");
  return open === undefined ? null : calledAt(before, open);
}

/** The brackets that are open at the end of a text, and the string, by their places. */
function scan(before: string): { readonly brackets: readonly number[]; readonly string: number | null } {
  const brackets: number[] = [];
  let at = 0;
  while (at < before.length) {
    const letter = before[at];
    if (letter === '"' || letter === "'" || letter === "`") {
      const end = endOfString(before, at);
      if (end === null) return { brackets, string: at };
      at = end;
    } else if (before.startsWith("//", at)) at = after(before, "\n", at);
    else if (before.startsWith("/*", at)) at = after(before, "*/", at + 2);
    else {
      if ("([{".includes(letter)) brackets.push(at);
      else if (")]}".includes(letter)) brackets.pop();
      at++;
    }
  }
  return { brackets, string: null };
}

function calledAt(before: string, bracket: number): string | null {
  return /\.\s*([\w$]+)\s*$/.exec(before.slice(0, bracket))?.[1] ?? null;
}

/** The place behind the string's closing quote; null while it is open. */
function endOfString(text: string, start: number): number | null {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === text[start]) return at + 1;
    // A quote that isn't closed on its line was none, or is a fault; either way it ends there.
    else if (text[at] === "\n" && text[start] !== "`") return at;
  }
  return null;
}

function after(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from);
  return found < 0 ? text.length : found + end.length;
}

function callAround(before: string, brackets: readonly number[], start: number): OpenString | null {
  const open = brackets.findLastIndex((at) => before[at] === "(");
  const call = open < 0 ? null : calledAt(before, brackets[open]);
  if (call === null) return null;
  const options = brackets.slice(open).findLast((at) => before[at] === "{");
  const own = options === undefined ? "" : before.slice(options + 1, start);
  const argument = /([\w$]+)["']?\s*:\s*(?:\[[^\]{]*)?$/.exec(own.slice(-2000))?.[1] ?? null;
  return { call, argument, quote: before[start], typed: before.slice(start + 1) };
}
