import { typeOf } from "../../plan/check.ts";
import { type Expr, rowColumn } from "../../plan/expr.ts";
import { type FunctionName, functions } from "../../plan/functions.ts";
import { opaqueRefusal, type Refusal, refusals, refusing } from "../refusal.ts";
import { aggregates } from "./functions/aggregates.ts";
import { casts } from "./functions/casts.ts";
import { codes } from "./functions/codes.ts";
import { dates } from "./functions/dates.ts";
import { numbers } from "./functions/numbers.ts";
import { operators } from "./functions/operators.ts";
import { objections, refused } from "./functions/refused.ts";
import { texts } from "./functions/texts.ts";
import { windows } from "./functions/windows.ts";
import {
  type Argument,
  atom,
  dtypeOf,
  isColumn,
  listText,
  literal,
  type Piece,
  type Write,
  type Writer,
} from "./functions/writing.ts";
import type { HelperName } from "./helpers.ts";
import { pythonConstant, pythonText } from "./literals.ts";

/** An expression of Python, and the helper functions that it calls. */
export interface Python {
  readonly text: string;
  readonly helpers: readonly HelperName[];
}

/**
 * Writes a checked expression as one of Python, over a DataFrame `df` with pandas 3 and numpy (as `pd` and `np`).
 *
 * Columns are of `dtypes`, the index counts the rows. It answers a Series, or a scalar where the expression reads no row
 * of its own (constants, aggregates). What differs from the other engines: `round` with digits is numpy's own, infinite
 * where the number times ten to the digits is, and so are roots of -inf, which are missing; texts joined to a constant
 * that ends in NUL lose it; sums of whole numbers beyond 2^63 wrap; rolling windows take infinity for
 * missing; letters in capitals are Python's, so that ß is SS; last digits of means and deviations.
 */
export function writeExpression(expr: Expr): Python {
  const used = new Set<HelperName>();
  const { text } = new PythonWriter(used).write(expr);
  return { text, helpers: [...used] };
}

/** Why pandas can't work a checked expression out; empty where it can. */
export function can(expr: Expr): Refusal[] {
  return refusals(expr, objections);
}

class PythonWriter implements Writer {
  readonly #used: Set<HelperName>;

  constructor(used: Set<HelperName>) {
    this.#used = used;
  }

  /** The name of a helper, which the script then holds. */
  helper(name: HelperName): string {
    this.#used.add(name);
    return name;
  }

  write(expr: Expr): Piece {
    if ("column" in expr && expr.column === rowColumn) return atom("pd.Series(df.index, index=df.index)");
    if ("column" in expr) return atom(`df[${pythonText(expr.column)}]`);
    if ("value" in expr) return literal(pythonConstant(expr));
    if ("list" in expr) return atom(listText(expr));
    if ("parts" in expr) throw new TypeError(opaqueRefusal.message);
    if ("artifact" in expr) throw new TypeError(`${refused.dots.message}.`);
    const type = typeOf(expr);
    const args = expr.args.map(
      (arg): Argument => ({ expr: arg, type: typeOf(arg), piece: this.write(arg), isColumn: isColumn(arg) }),
    );
    const { kind, missing } = functions[expr.call];
    if (kind === "row" && missing === "spreads" && args.some(isNull)) {
      return isColumn(expr) ? atom(`pd.Series(pd.NA, index=df.index, dtype="${dtypeOf(type)}")`) : atom("pd.NA");
    }
    return writers[expr.call](args, expr, type, this);
  }
}

function isNull({ expr }: Argument): boolean {
  return "value" in expr && expr.value === null;
}

/** Each function of the language in pandas. */
const writers: Readonly<Record<FunctionName, Write>> = {
  ...operators,
  ...numbers,
  ...texts,
  ...dates,
  ...casts,
  ...aggregates,
  ...windows,
  ...codes,
  ...refusing(refused),
};
