import { freshNames } from "../../core/names.ts";
import { typeOf } from "../../plan/check.ts";
import { type CallExpr, columnsRead, type Expr, isOfOneRow } from "../../plan/expr.ts";
import { functions } from "../../plan/functions.ts";
import { col, join, made, type Sql, sql } from "../sql.ts";

/** Rows, the expressions by which they are grouped, and what is asked of each group. */
export interface Grouped {
  readonly rows: Sql;
  readonly by: readonly Expr[];
  readonly outputs: readonly Expr[];
}

/**
 * The same, where what is worked out several times for a row is a column of the rows.
 *
 * DuckDB's own optimizer for that is off, see `openInstance`. What stands in a branch alone stays there: few rows may
 * come to it.
 */
export function once({ rows, by, outputs }: Grouped, depth = 0): Grouped {
  const parts = repeated([...by, ...outputs.flatMap(ofRows)]);
  if (parts.length === 0) return { rows, by, outputs };
  const taken = [...by, ...outputs].flatMap(columnsRead);
  const names = freshNames(
    parts.map((_, k) => `once_${depth}_${k}`),
    taken,
  );
  // A part may hold others that repeat within it.
  const inner = once({ rows, by: parts, outputs: [] }, depth + 1);
  const cells = inner.by.map((part, k) => sql`${made(part)} AS ${col(names[k])}`);
  const columns = new Map(
    parts.map((part, k): [string, Expr] => [JSON.stringify(part), { column: names[k], type: typeOf(part) }]),
  );
  const keys = by.map((key) => replaced(key, columns));
  const keyed = new Map(by.map((key, k) => [JSON.stringify(key), keys[k]]));
  return {
    rows: sql`SELECT *, ${join(cells)} FROM (${inner.rows})`,
    by: keys,
    outputs: outputs.map((output) => overGroups(output, keyed, columns)),
  };
}

/** What aggregates within an expression are given of each row. */
function ofRows(expr: Expr): readonly Expr[] {
  if (!("call" in expr)) return [];
  return isAggregate(expr) ? expr.args : expr.args.flatMap(ofRows);
}

function isAggregate({ call, over }: CallExpr): boolean {
  return functions[call].kind === "aggregate" && !over;
}

/** The largest parts that are worked out for every row, and more than once. */
function repeated(exprs: readonly Expr[]): CallExpr[] {
  const seen = new Map<string, { times: number; isAlways: boolean }>();
  const count = (expr: Expr, isAlways: boolean): void => {
    if (!("call" in expr)) return;
    const key = JSON.stringify(expr);
    const known = seen.get(key);
    seen.set(key, { times: (known?.times ?? 0) + 1, isAlways: isAlways || known?.isAlways === true });
    const isBranch = expr.call === "choose" || expr.call === "coalesce";
    for (const [k, each] of expr.args.entries()) count(each, isAlways && (k === 0 || !isBranch));
  };
  for (const expr of exprs) count(expr, true);
  const found = new Map<string, CallExpr>();
  const find = (expr: Expr): void => {
    if (!("call" in expr)) return;
    const key = JSON.stringify(expr);
    const { times, isAlways } = seen.get(key) as { times: number; isAlways: boolean };
    if (times > 1 && isAlways && isOfOneRow(expr) && columnsRead(expr).length > 0) found.set(key, expr);
    else for (const each of expr.args) find(each);
  };
  for (const expr of exprs) find(expr);
  return [...found.values()];
}

function replaced(expr: Expr, columns: ReadonlyMap<string, Expr>): Expr {
  if (!("call" in expr)) return expr;
  return columns.get(JSON.stringify(expr)) ?? { ...expr, args: expr.args.map((each) => replaced(each, columns)) };
}

/** An expression over groups: what they are alike in is a column, and so is what aggregates take of the rows. */
function overGroups(expr: Expr, keys: ReadonlyMap<string, Expr>, columns: ReadonlyMap<string, Expr>): Expr {
  const key = keys.get(JSON.stringify(expr));
  if (key) return key;
  if (!("call" in expr)) return expr;
  const within = (each: Expr) => (isAggregate(expr) ? replaced(each, columns) : overGroups(each, keys, columns));
  return { ...expr, args: expr.args.map(within) };
}
