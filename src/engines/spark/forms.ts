import type { ListExpr } from "../../plan/expr.ts";
import { firstNumber, gaps } from "../../plan/forms.ts";
import { raw, sql } from "../sql.ts";
import type { Writer } from "../sql-calls.ts";
import { written } from "./casts.ts";

/** The first number in a text, in the words that `plan/forms` has for all engines. */
export const readNumber: Writer = ([x, decimal]) => {
  const isPoint = !(decimal.expr as ListExpr).list.includes("comma");
  const [mark, thousand] = isPoint ? [".", ","] : [",", "."];
  const text = written([x]);
  const part = (group: number) => sql`regexp_extract(${text}, ${firstNumber}, ${raw(String(group))})`;
  const match = sql`named_struct('sign', ${part(1)}, 'digits', ${part(2)}, 'exponent', ${part(3)})`;
  const grouped = `\\A\\d{1,3}(?:[${thousand}${gaps}]\\d{3})+(?:[${mark}]\\d+)?\\z`;
  const plain = sql`regexp_extract(n.digits, ${`\\A(?:\\d+(?:[${mark}]\\d+)?|\\.\\d+)`}, 0)`;
  const whole = sql`CASE WHEN n.digits RLIKE ${grouped} THEN regexp_replace(n.digits, ${`[${thousand}${gaps}]`}, '') ELSE ${plain} END`;
  const pointed = isPoint ? whole : sql`replace(${whole}, ',', '.')`;
  const read = sql`try_cast(${pointed} || n.exponent AS DOUBLE)`;
  const isNegative = sql`n.sign <> '' OR ${text} RLIKE ${"\\A\\s*\\([^()\\p{L}]*\\)\\s*\\z"}`;
  const number = sql`CASE WHEN ${isNegative} THEN -${read} ELSE ${read} END`;
  // By a lambda's name a match is looked for once.
  return sql`element_at(transform(array(${match}), n -> ${number}), 1)`;
};

/** What stands in a text besides its first number, such as "kmpl"; missing where the text begins otherwise. */
export const unitOf: Writer = ([x]) => {
  const text = written([x]);
  const begins = sql`${text} RLIKE ${"\\A[\\s$€£¥₹(+−–-]*\\.?\\d"}`;
  // Spark's replace knows no first match alone.
  const rest = sql`regexp_replace(${text}, ${`(?s)\\A(.*?)${firstNumber}(.*)\\z`}, ${"$1$5"})`;
  return sql`CASE WHEN ${begins} THEN lower(trim(${rest})) END`;
};
