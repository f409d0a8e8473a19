import { type CallExpr, call, type Expr, partsOf, type ValueExpr, value } from "../../plan/expr.ts";
import { doubles, sql } from "../sql.ts";
import { writeExpression } from "./expressions.ts";

/**
 * The same aggregates, where several quantiles of the same numbers are found in one go.
 *
 * DuckDB 1.5 keeps and sorts a copy of the numbers for each quantile_cont, and one alone for a list of shares.
 */
export function quantilesTogether(exprs: readonly Expr[]): Expr[] {
  const shares = new Map<string, number[]>();
  for (const expr of exprs) {
    for (const part of partsOf(expr)) {
      const asked = quantileIn(part);
      if (!asked) continue;
      const known = shares.get(asked.of) ?? [];
      if (!known.includes(asked.share)) known.push(asked.share);
      shares.set(asked.of, known);
    }
  }
  if (![...shares.values()].some((each) => each.length > 1)) return [...exprs];
  return exprs.map((expr) => replaced(expr, shares));
}

/** What a part asks a quantile of, and which. */
function quantileIn(part: Expr): { readonly call: CallExpr; readonly of: string; readonly share: number } | null {
  if (!("call" in part) || part.over || (part.call !== "quantile" && part.call !== "median")) return null;
  const share = part.call === "median" ? 0.5 : Number((part.args[1] as ValueExpr).value);
  return { call: part, of: JSON.stringify(part.args[0]), share };
}

function replaced(expr: Expr, shares: ReadonlyMap<string, readonly number[]>): Expr {
  if (!("call" in expr)) return expr;
  const asked = quantileIn(expr);
  const all = asked && shares.get(asked.of);
  if (!asked || !all || all.length < 2) return { ...expr, args: expr.args.map((each) => replaced(each, shares)) };
  const x = writeExpression(asked.call.args[0]);
  // A part of a list is a number to who reads the expression, as the quantile was.
  const list = sql`list_transform(quantile_cont(CAST(${x} AS DOUBLE), ${doubles(all)}), lambda q: nullif(q, 'nan'::DOUBLE))`;
  return call("partOf", list, value(all.indexOf(asked.share)));
}
