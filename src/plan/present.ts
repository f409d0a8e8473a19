import { typeOf } from "./check.ts";
import type { CallExpr, Expr } from "./expr.ts";
import type { FunctionName } from "./functions.ts";
import { leadingTo, passedOn } from "./lineage.ts";
import type { Output, Relation } from "./node.ts";

/**
 * Which of these columns of a plan lack no cell, by what the expressions say; `isFull` tells it of the file's own.
 *
 * Of the others nothing is said: 0 / 0 is missing, and whole numbers run over, so somebody has to look.
 */
export function presentColumns(
  relation: Relation,
  names: readonly string[],
  isFull: (name: string) => boolean,
): ReadonlySet<string> {
  const { steps, read } = leadingTo(relation.steps, new Set(names));
  let present: ReadonlySet<string> = new Set([...(read ?? names)].filter(isFull));
  for (const { outputs } of steps) {
    const before = present;
    present = new Set(outputs.filter((output) => isMadePresent(output, before)).map(({ column }) => column.name));
  }
  return new Set(names.filter((name) => present.has(name)));
}

function isMadePresent(output: Output, before: ReadonlySet<string>): boolean {
  const passed = passedOn(output);
  if (passed !== null) return before.has(passed);
  const { expr, own, match, entry } = output;
  // A place that the lists of a sparse row lack is 0.
  if (entry) return true;
  return expr !== undefined && !own && !match && isPresent(expr, before);
}

/** Is an expression's cell there in each row, where those of some columns are? */
function isPresent(expr: Expr, columns: ReadonlySet<string>): boolean {
  if ("column" in expr) return columns.has(expr.column);
  if ("value" in expr) return expr.value !== null;
  if ("list" in expr) return !expr.list.includes(null);
  if (!("call" in expr)) return false;
  if (expr.call === "isMissing") return true;
  if (expr.call === "coalesce") return expr.args.some((arg) => isPresent(arg, columns));
  // What is missing is not true.
  const args = expr.call === "choose" ? expr.args.slice(1) : expr.args;
  return (expr.call === "choose" || answersAlways(expr)) && args.every((arg) => isPresent(arg, columns));
}

const conditions: readonly FunctionName[] = [
  ...(["equal", "notEqual", "less", "lessEqual", "greater", "greaterEqual", "oneOf", "and", "or", "not"] as const),
  "isFinite",
];

const ofNumbers: readonly FunctionName[] = ["negate", "abs", "sign", "ceil", "floor", "trunc", "round"];

/** Is a function's answer there wherever its arguments are? Whole numbers may run over, and infinity less infinity is none. */
function answersAlways(expr: CallExpr): boolean {
  if (conditions.includes(expr.call)) return true;
  if (typeOf(expr) !== "number") return false;
  // A text may say no number.
  if (expr.call === "number") return ["number", "integer", "boolean"].includes(typeOf(expr.args[0]));
  const [a, b] = expr.args.map(finiteConstant);
  if (expr.call === "add" || expr.call === "subtract") return a !== null || b !== null;
  if (expr.call === "multiply") return Boolean(a || b);
  return expr.call === "divide" ? Boolean(b) : ofNumbers.includes(expr.call);
}

function finiteConstant(expr: Expr): number | null {
  const number = "value" in expr && expr.value !== null ? Number(expr.value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}
