import type { BlockContext } from "../../core/block.ts";
import { asWords } from "../../core/cast.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, cell, column, type Frame } from "../../core/frame.ts";
import { count, freshNames, quoted } from "../../core/names.ts";
import { call, type Expr, value } from "../../plan/expr.ts";
import type { Output } from "../../plan/node.ts";
import { type Encoded, type Encoding, isCategory, labelCode } from "./categories.ts";
import { decimalOf, numberIn } from "./number-text.ts";

/** The columns that take the place of an encoded one, under names that are not taken. */
export function outputsFor(
  frame: Frame,
  name: string,
  type: Exclude<Encoding, "extract_numbers">,
  learnt: Encoded["categories"],
  taken: readonly string[],
): Output[] {
  const of = column(frame, name);
  switch (type) {
    case "label":
      return [{ column: { name, type: "number", integer: true }, expr: labelCode(of, learnt) }];
    case "binary":
      return bitOutputs(of, learnt, taken);
    case "hash":
      return [{ column: { name, type: "number", integer: true }, expr: call("hash32", asWords(of)) }];
    default:
      return oneHotOutputs(of, learnt, taken);
  }
}

/** Cells without a number become missing, which is said; a column without any is refused. */
async function expectNumbers(frame: Frame, name: string, read: Expr, context: BlockContext): Promise<void> {
  const counts = [call("count", cell(column(frame, name))), call("count", read)];
  const [present, readable] = await context.tables.aggregate(frame.relation, {}, counts);
  const lost = Number(present) - Number(readable);
  if (lost > 0 && Number(readable) === 0) {
    throw new DataError(
      `encode (DP_3): no cell of column ${quoted(name)} holds a number to extract. Use "onehot" or "label".`,
      { got: name },
    );
  }
  if (lost === 0) return;
  const held = `${count(lost, "cell")} of column ${quoted(name)} ${lost === 1 ? "holds" : "hold"}`;
  context.notice(`encode (DP_3): ${held} no number and became missing.`);
}

/** The column of the first number in each text, written as the whole column writes its numbers. */
export async function numberOutput(frame: Frame, name: string, context: BlockContext): Promise<Output> {
  const read = numberIn(column(frame, name), await decimalOf(frame, name, context, "encode (DP_3)"));
  await expectNumbers(frame, name, read, context);
  return { column: { name, type: "number" }, expr: read };
}

function oneHotOutputs(of: Column, categories: Encoded["categories"], taken: readonly string[]): Output[] {
  const made = freshNames(
    categories.map((category) => `${of.name}_${category}`),
    taken,
  );
  return categories.map((category, k) => ({
    column: { name: made[k], type: "number", integer: true },
    expr: call("choose", isCategory(of, category), value(1), value(0)),
  }));
}

/** The bits of the label's code, the highest first, as many as the greatest code has. */
function bitOutputs(of: Column, categories: Encoded["categories"], taken: readonly string[]): Output[] {
  const bits = Math.max(1, Math.ceil(Math.log2(Math.max(2, categories.length))));
  const made = freshNames(
    Array.from({ length: bits }, (_, k) => `${of.name}_${k}`),
    taken,
  );
  const code = labelCode(of, categories);
  return made.map((fresh, k) => ({
    column: { name: fresh, type: "number", integer: true },
    expr: call("bitAt", code, value(bits - 1 - k)),
  }));
}
