import type { BlockContext } from "../../core/block.ts";
import { countWhere } from "../../core/cast.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, cell, column, type Frame } from "../../core/frame.ts";
import { count, listed, quoted } from "../../core/names.ts";
import { call, type Expr, column as named, value } from "../../plan/expr.ts";
import { type Decimal, firstNumber, gaps } from "../../plan/forms.ts";
import { addStep } from "../../plan/node.ts";

/** Digits that can only be read with this sign before the decimals: 2,5 and 0,125 with a comma, and 1.234,5. */
function evidence(decimal: Decimal): string {
  const [mark, thousand] = decimal === "point" ? ["\\.", ","] : [",", "\\."];
  const decimals = `\\d+${mark}\\d{1,2}|\\d+${mark}\\d{4,}|\\d{4,}${mark}\\d+|0${mark}\\d+`;
  return `${decimals}|\\d{1,3}(?:[${thousand}${gaps}]\\d{3})+${mark}\\d+|\\d{1,3}(?:${thousand}\\d{3}){2,}`;
}

/** Digits in groups of three. */
const thousands = `\\d{1,3}(?:[,${gaps}]\\d{3})+(?:\\.\\d+)?`;

/** The first number in each text of a column, missing where there is none. */
export function numberIn(of: Column, decimal: Decimal): Expr {
  return call("readNumber", cell(of), { list: [decimal] });
}

/**
 * How a column writes its numbers, told by all of its cells; a column that writes them both ways is refused.
 *
 * Where nothing tells, a point is one, and 1,234 is a thousand. That commas were read, and how, is said.
 */
export async function decimalOf(frame: Frame, name: string, context: BlockContext, who: string): Promise<Decimal> {
  const { block, tables } = context;
  const text = call("written", cell(column(frame, name)));
  const relation = addStep(frame.relation, {
    block: block.id,
    name: "digits",
    outputs: [
      { column: { name: "text", type: "string" }, expr: text },
      { column: { name: "digits", type: "string" }, expr: call("extract", text, value(firstNumber), value(2)) },
    ],
  });
  const isLike = (form: string) => call("matches", named("digits", "string"), value(`^(?:${form})$`));
  const forms = [evidence("point"), evidence("comma"), thousands].map(isLike);
  const [points, commas, grouped] = (await tables.aggregate(relation, {}, forms.map(countWhere))).map(Number);
  const first = async (k: number) => {
    const [[, found]] = await tables.find(relation, {}, { where: forms[k], outputs: [named("text")], limit: 1 });
    return String(found);
  };
  if (points > 0 && commas > 0) {
    const [point, comma] = [await first(0), await first(1)];
    throw new DataError(
      `${who}: column ${quoted(name)} writes decimals with a point in ${count(points, "cell")}, such as ${quoted(point)}, and with a comma in ${count(commas, "cell")}, such as ${quoted(comma)}, so nobody can tell its numbers. Write them one way before they are read, or use "onehot" or "label".`,
      { code: "mixed_decimals", got: [point, comma], expected: "one way of writing" },
    );
  }
  const read = (way: string, example: string) =>
    context.notice(`${who}: numbers of ${listed([name])} were read with ${way}, as in ${quoted(example)}.`);
  if (commas > 0) read("decimals after a comma", await first(1));
  else if (grouped > 0) read("marks between thousands", await first(2));
  return commas > 0 ? "comma" : "point";
}
