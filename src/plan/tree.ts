import { type Expression, parseExpressionAt, tokenizer, tokTypes } from "acorn";
import { limits, tooDeep, tooLong } from "./limits.ts";
import { Refusal } from "./problem.ts";

/** The tree of JavaScript that a text is: a function, or a formula. Refused where it is none, or more than one. */
export function treeOf(text: string): Expression {
  if (text.length > limits.letters) throw tooLong(text.length);
  if (/\{\s*\[native code\]\s*\}\s*$/.test(text)) {
    throw new Refusal({
      code: "syntax",
      message: "a function of JavaScript itself, or a bound one, has no text that could be read",
      cure: "Write an arrow function, as in d => sqrt(d.age).",
    });
  }
  if (text.trim() === "") throw new Refusal({ code: "syntax", message: "the expression is empty" });
  return parsed(text);
}

function parsed(text: string): Expression {
  try {
    const tree = parseExpressionAt(text, 0, { ecmaVersion: 2022 });
    const rest = tokenizer(text.slice(tree.end), { ecmaVersion: 2022 }).getToken();
    // A semicolon ends a line by habit.
    if (rest.type === tokTypes.eof || /^[\s;]*$/.test(text.slice(tree.end))) return tree;
    const start = tree.end + rest.start;
    if (tree.type === "CallExpression" && rest.type === tokTypes.braceL) {
      throw new Refusal({
        code: "syntax",
        message: "a method can't be read",
        cure: "Write an arrow function, as in d => d.age > 30.",
        span: { start, end: text.length },
      });
    }
    throw new Refusal({
      code: "syntax",
      message: "the expression ends, and more comes behind it",
      span: { start, end: text.length },
    });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // Acorn answers a text nested too deeply by running out of stack.
    if (error instanceof RangeError || /stack space/.test(messageOf(error))) throw tooDeep();
    const { pos } = error as { readonly pos?: number };
    const start = Math.min(pos ?? 0, text.length);
    const reason = messageOf(error)
      .replace(/(?<!\s)\s*\(\d+:\d+\)$/, "")
      .toLowerCase();
    throw new Refusal({
      code: "syntax",
      message: `can't be read: ${reason}`,
      span: { start, end: Math.min(start + 1, text.length) },
    });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}
