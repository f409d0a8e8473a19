import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, cell, column, type Frame } from "../../core/frame.ts";
import { count, listed, quoted } from "../../core/names.ts";
import { call, type Expr, column as named, value } from "../../plan/expr.ts";
import { type Decimal, firstNumber, gaps } from "../../plan/forms.ts";
import { addStep, type Output } from "../../plan/node.ts";

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
  const [text, digits] = [named("text", "string"), named("digits", "string")];
  const written = call("written", cell(column(frame, name)));
  const step = (outputs: Readonly<Record<string, Expr>>) => ({
    block: block.id,
    name: "digits",
    outputs: Object.entries(outputs).map(([made, expr]): Output => ({ column: { name: made, type: "string" }, expr })),
  });
  const ifLike = (form: string) => call("choose", call("matches", digits, value(`^(?:${form})$`)), text, value(null));
  const texts = step({ text: written, digits: call("extract", written, value(firstNumber), value(2)) });
  const telling = step({
    points: ifLike(evidence("point")),
    commas: ifLike(evidence("comma")),
    grouped: ifLike(thousands),
  });
  // Those that tell are columns, so that each text is looked into once, and shown by the reading that counts them.
  const each = telling.outputs.map((output) => named(output.column.name, "string"));
  const found = await tables.aggregate(addStep(addStep(frame.relation, texts), telling), {}, [
    ...each.map((of) => call("count", of)),
    ...each.map((of) => call("first", of)),
  ]);
  const [points, commas, grouped] = found.map(Number);
  const [point, comma, thousand] = found.slice(each.length).map(String);
  if (points > 0 && commas > 0) {
    throw new DataError(
      `${who}: column ${quoted(name)} writes decimals with a point in ${count(points, "cell")}, such as ${quoted(point)}, and with a comma in ${count(commas, "cell")}, such as ${quoted(comma)}, so nobody can tell its numbers. Write them one way before they are read, or use "onehot" or "label".`,
      { code: "mixed_decimals", got: [point, comma], expected: "one way of writing" },
    );
  }
  const read = (way: string, example: string) =>
    context.notice(`${who}: numbers of ${listed([name])} were read with ${way}, as in ${quoted(example)}.`);
  if (commas > 0) read("decimals after a comma", comma);
  else if (grouped > 0) read("marks between thousands", thousand);
  return commas > 0 ? "comma" : "point";
}
