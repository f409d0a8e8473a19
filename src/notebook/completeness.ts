import type { Completeness } from "./evaluator.ts";
import { CellSyntaxError, transpile } from "./transpile.ts";

const closers: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Is the text a whole cell? Decided by its brackets and quotes first, then by parsing it. */
export function completeness(code: string): Completeness {
  const open = unclosed(code);
  if (open !== null) return { status: "incomplete", indent: "  ".repeat(open) };
  if (/(?:[=+\-*/%&|^,?:.(<]|=>|&&|\|\||\?\?)\s*$/.test(code) && !/(?:\+\+|--)\s*$/.test(code)) {
    return { status: "incomplete", indent: indentOf(code) };
  }
  try {
    transpile(code);
    return { status: "complete" };
  } catch (error) {
    const isUnfinished = error instanceof CellSyntaxError && (error.isUnfinished || endsWithHead(code));
    return isUnfinished ? { status: "incomplete", indent: `${indentOf(code)}  ` } : { status: "invalid" };
  }
}

/** `if (x)`, `else`, `for (…)` alone still lack their body. */
function endsWithHead(code: string): boolean {
  const last = code.trim().split("\n").at(-1)?.trim() ?? "";
  return /^(?:\}?\s*else\s*)?(?:if|for|while)\b.*\)$/.test(last) || /(?:^|\s)(?:else|do|try|finally)$/.test(last);
}

function indentOf(code: string): string {
  return /^[ \t]*/.exec(code.split("\n").at(-1) ?? "")?.[0] ?? "";
}

/**
 * How many brackets are open at the end (an open template or comment counts as one); null when none is.
 *
 * A slash begins a regular expression where an operand is expected, as far as the letter before it tells.
 */
function unclosed(code: string): number | null {
  const stack: string[] = [];
  let i = 0;
  let before = "";
  while (i < code.length) {
    const letter = code[i];
    const two = code.slice(i, i + 2);
    if (stack.at(-1) === "`") {
      if (letter === "\\") i++;
      else if (letter === "`") stack.pop();
      else if (two === "${") {
        stack.push("}");
        i++;
      }
      i++;
      continue;
    }
    if (two === "//") {
      const end = code.indexOf("\n", i);
      i = end < 0 ? code.length : end;
      continue;
    }
    if (two === "/*") {
      const end = code.indexOf("*/", i + 2);
      if (end < 0) return stack.length + 1;
      i = end + 2;
      continue;
    }
    if (letter === '"' || letter === "'") i = endOf(code, i, letter);
    else if (letter === "/" && /^$|[=([{,;:!&|?+\-*%<>~^]/.test(before)) i = endOf(code, i, "/");
    else if (letter === "`") stack.push("`");
    else if (closers[letter]) stack.push(closers[letter]);
    else if (letter === stack.at(-1)) stack.pop();
    if (!/\s/.test(letter)) before = letter;
    i++;
  }
  return stack.length > 0 ? stack.length : null;
}

/** The place of the closing quote, or the end of the line when there is none. */
function endOf(code: string, start: number, quote: string): number {
  for (let i = start + 1; i < code.length; i++) {
    if (code[i] === "\\") i++;
    else if (code[i] === quote) return i;
    else if (code[i] === "\n") return quote === "/" ? start : i - 1;
  }
  return quote === "/" ? start : code.length;
}
