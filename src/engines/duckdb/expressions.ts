import { typeOf } from "../../plan/check.ts";
import type { Expr, FileExpr } from "../../plan/expr.ts";
import type { FunctionName } from "../../plan/functions.ts";
import type { ValueType } from "../../plan/types.ts";
import { col, file, type Sql, sql } from "../sql.ts";
import { bounded } from "../sql-calls.ts";
import { aggregates } from "./functions/aggregates.ts";
import { casts } from "./functions/casts.ts";
import { codes } from "./functions/codes.ts";
import { dates } from "./functions/dates.ts";
import { numbers } from "./functions/numbers.ts";
import { operators } from "./functions/operators.ts";
import { terms } from "./functions/terms.ts";
import { texts } from "./functions/texts.ts";
import { windows } from "./functions/windows.ts";
import { arrayOf, type Bracketed, constant, type DuckWriter, levelOf, tight } from "./functions/writing.ts";

/** DuckDB's types of values. */
export const storedTypes: Readonly<Record<Exclude<ValueType, "tensor" | "missing">, string>> = {
  integer: "BIGINT",
  number: "DOUBLE",
  boolean: "BOOLEAN",
  string: "VARCHAR",
  datetime: "TIMESTAMP",
};

/** Writes a checked expression as DuckDB's SQL. It is missing where the language says so, and never raises. */
export function writeExpression(expr: Expr): Sql {
  if ("column" in expr) return col(expr.column);
  if ("value" in expr) return constant(expr);
  if ("list" in expr) return arrayOf(expr);
  if ("parts" in expr) return expr;
  if ("artifact" in expr) return listsOf(expr);
  const args = expr.args.map((arg): Bracketed => {
    const bare = writeExpression(arg);
    return { sql: bracketed(arg, bare), bare, type: typeOf(arg), expr: arg };
  });
  const around = { call: expr, type: typeOf(expr), bracketed };
  return bounded(writers[expr.call](args, around), around);
}

function bracketed(expr: Expr, bare = writeExpression(expr)): Sql {
  return levelOf(expr) < tight ? sql`(${bare})` : bare;
}

/** The lists of a file as a list of them. */
function listsOf({ artifact }: FileExpr): Sql {
  return sql`(SELECT list("items" ORDER BY file_row_number) FROM read_parquet(${file(artifact)}, file_row_number = true))`;
}

/** Each function of the language in DuckDB's SQL. */
const writers: Readonly<Record<FunctionName, DuckWriter>> = {
  ...operators,
  ...numbers,
  ...texts,
  ...dates,
  ...casts,
  ...aggregates,
  ...windows,
  ...codes,
  ...terms,
};
