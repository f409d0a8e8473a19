import { typeOf } from "../../plan/check.ts";
import { type Expr, partsOf } from "../../plan/expr.ts";
import { type FunctionName, functions } from "../../plan/functions.ts";
import { common, type ValueType } from "../../plan/types.ts";
import { opaqueRefusal, type Refusal, refusals } from "../refusal.ts";
import { col, raw, type Sql } from "../sql.ts";
import { type Argument, bounded, type Writer } from "../sql-calls.ts";
import { aggregates } from "./functions/aggregates.ts";
import { casts } from "./functions/casts.ts";
import { codes } from "./functions/codes.ts";
import { dates } from "./functions/dates.ts";
import { numbers } from "./functions/numbers.ts";
import { operators } from "./functions/operators.ts";
import { objections, refused, refusing } from "./functions/refused.ts";
import { texts } from "./functions/texts.ts";
import { windows } from "./functions/windows.ts";
import { arrayOf, constant, storedTypes } from "./functions/writing.ts";

/**
 * Writes a checked expression as SQL for Postgres 16 and later.
 *
 * Columns are of `storedTypes`, without NaN. Texts compare by code point, whatever the database's collation. Three things
 * differ from the other engines. A sum, product, quotient or aggregate of numbers beyond 1.8e308, or nearer to 0 than
 * 5e-324, is Postgres' error "value out of range" (22003), since it has no arithmetic without it. Powers, logarithms,
 * means and deviations may differ in the last digits, and so may a remainder of numbers with a fraction. Capital letters
 * are ICU's: that of ß is SS.
 */
export function writeExpression(expr: Expr): Sql {
  if ("column" in expr) return col(expr.column);
  if ("value" in expr) return constant(expr);
  if ("list" in expr) return arrayOf(expr);
  if ("parts" in expr) throw new TypeError(opaqueRefusal.message);
  if ("artifact" in expr) throw new TypeError(`${refused.dots.message}.`);
  const around = { call: expr, type: typeOf(expr) };
  return bounded(writers[expr.call](argumentsOf(expr), around), around);
}

/** Why Postgres can't work a checked expression out; empty where it can. */
export function can(expr: Expr): Refusal[] {
  const nul = [...partsOf(expr)].flatMap((part): Refusal[] =>
    "call" in part && part.args.some(holdsNul)
      ? [{ call: part.call, message: "Postgres' texts hold no letter NUL (\\0)", cure: "Leave it out of the text." }]
      : [],
  );
  return [...nul, ...refusals(expr, objections)];
}

function holdsNul(expr: Expr): boolean {
  const constants = "value" in expr ? [expr.value] : "list" in expr ? expr.list : [];
  return constants.some((each) => typeof each === "string" && each.includes("\0"));
}

/** Arguments in SQL; one that is missing has the type that its parameter wants, as Postgres must know it. */
function argumentsOf(expr: Extract<Expr, { call: FunctionName }>): Argument[] {
  const { parameters } = functions[expr.call].signature;
  const kindAt = (k: number) => parameters[Math.min(k, parameters.length - 1)]?.kind;
  const among = (kind: string) =>
    expr.args.reduce<ValueType>(
      (all, arg, k) => (kindAt(k) === kind ? (common(all, typeOf(arg)) ?? all) : all),
      "missing",
    );
  return expr.args.map((arg, k) => {
    const type = typeOf(arg);
    const kind = kindAt(k);
    if ("list" in arg || type !== "missing") return { sql: writeExpression(arg), type, expr: arg };
    const wanted = kind === "T" || kind === "N" ? among(kind) : kind;
    const stored = storedTypes[wanted as keyof typeof storedTypes] ?? (kind === "N" ? "bigint" : "text");
    return { sql: raw(`NULL::${stored}`), type, expr: arg };
  });
}

/** Each function of the language in Postgres' SQL. */
const writers: Readonly<Record<FunctionName, Writer>> = {
  ...operators,
  ...numbers,
  ...texts,
  ...dates,
  ...casts,
  ...aggregates,
  ...windows,
  ...codes,
  ...refusing,
};
