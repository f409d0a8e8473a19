import type { Completeness } from "./evaluator.ts";
import { stripTypes } from "./strip.ts";
import { CellSyntaxError } from "./syntax.ts";
import { checkSyntax } from "./transpile.ts";

const closers: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Is the text a whole cell? What can't be parsed is unfinished when the fault is that it ends. */
export function completeness(code: string): Completeness {
  try {
    checkSyntax(code);
    return endsWithSignature(code) ? { status: "incomplete", indent: indentOf(code) } : { status: "complete" };
  } catch (error) {
    const open = unclosed(code);
    if (open === "wrong") return { status: "invalid" };
    if (open > 0) return { status: "incomplete", indent: "  ".repeat(open) };
    const isUnfinished = error instanceof CellSyntaxError && error.isUnfinished;
    if (!isUnfinished) return { status: "invalid" };
    return { status: "incomplete", indent: indentOf(code) + (lacksBody(code) ? "  " : "") };
  }
}

/** `function f(): void` could be an overload's signature, which is stripped; while typing it lacks its body. */
function endsWithSignature(code: string): boolean {
  const last = code.slice(Math.max(code.lastIndexOf(";"), code.lastIndexOf("{")) + 1);
  if (!/\bfunction\b/.test(last)) return false;
  const kept = stripTypes(code)?.trimEnd().length ?? code.length;
  const rest = code.slice(kept);
  const end = rest.slice(Math.max(0, rest.lastIndexOf(";")));
  return /(?:^|[;}\n])[^\S\n]*(?:export\s+)?(?:async\s+)?function\b/.test(end);
}

/** `if (x)`, `else`, `for (…)`, `=>` alone still lack their body. */
function lacksBody(code: string): boolean {
  const last = code.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return /^(?:\}?\s*else\s*)?(?:if|for|while)\b.*\)$/.test(last) || /(?:(?:^|[\s}])(?:else|do)|=>)$/.test(last);
}

function indentOf(code: string): string {
  return /^[ \t]*/.exec(code.split("\n").at(-1) ?? "")?.[0] ?? "";
}

/**
 * How many brackets are open at the end (an open template or comment counts as one); "wrong" when one
 * is closed that was not open, or a string does not end on its line.
 *
 * A slash begins a regular expression where an operand is expected, as far as the code before it tells.
 */
function unclosed(code: string): number | "wrong" {
  const stack: string[] = [];
  let i = 0;
  while (i < code.length) {
    const letter = code[i];
    const two = code.slice(i, i + 2);
    if (stack.at(-1) === "`") {
      if (letter === "\\") i++;
      else if (letter === "`") stack.pop();
      else if (two === "${") stack.push("}");
      i += two === "${" ? 2 : 1;
    } else if (two === "//") {
      const end = code.indexOf("\n", i);
      i = end < 0 ? code.length : end;
    } else if (two === "/*") {
      const end = code.indexOf("*/", i + 2);
      if (end < 0) return stack.length + 1;
      i = end + 2;
    } else if (letter === '"' || letter === "'" || (letter === "/" && expectsOperand(code.slice(0, i)))) {
      const end = endOf(code, i, letter);
      if (end < 0) return "wrong";
      i = end + 1;
    } else {
      if (letter === "`" || closers[letter]) stack.push(closers[letter] ?? "`");
      else if (/[)\]}]/.test(letter) && letter !== stack.pop()) return "wrong";
      i++;
    }
  }
  return stack.length;
}

function expectsOperand(before: string): boolean {
  return /(?:^|[=([{,;:!&|?+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield))\s*$/.test(
    before,
  );
}

/** The place of the closing quote; -1 when the line ends before it. */
function endOf(code: string, start: number, quote: string): number {
  let inClass = false;
  for (let i = start + 1; i < code.length; i++) {
    const letter = code[i];
    if (letter === "\\") i++;
    else if (letter === "\n") return -1;
    else if (quote === "/" && letter === "[") inClass = true;
    else if (inClass && letter === "]") inClass = false;
    else if (letter === quote && !inClass) return i;
  }
  return -1;
}
