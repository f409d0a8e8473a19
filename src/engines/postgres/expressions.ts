import { type Expr, partsOf } from "../../plan/expr.ts";
import { type Refusal, refusals, refusing } from "../refusal.ts";
import { raw, type Sql } from "../sql.ts";
import { expressionWriter } from "../sql-calls.ts";
import { aggregates } from "./functions/aggregates.ts";
import { casts } from "./functions/casts.ts";
import { codes } from "./functions/codes.ts";
import { dates } from "./functions/dates.ts";
import { numbers } from "./functions/numbers.ts";
import { operators } from "./functions/operators.ts";
import { objections, refused } from "./functions/refused.ts";
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
export const writeExpression: (expr: Expr) => Sql = expressionWriter({
  constant,
  arrayOf,
  storedTypes,
  missing: (stored) => raw(`NULL::${stored}`),
  writers: {
    ...operators,
    ...numbers,
    ...texts,
    ...dates,
    ...casts,
    ...aggregates,
    ...windows,
    ...codes,
    ...refusing(refused),
  },
  noFile: refused.dots.message,
});

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
