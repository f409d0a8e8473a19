import { typeOf } from "../../../plan/check.ts";
import type { ListExpr } from "../../../plan/expr.ts";
import type { FunctionName } from "../../../plan/functions.ts";
import { numbersIn, type Write } from "./writing.ts";

/** A text as it is, and "true" and "false". */
const words: Write = ([x], writer) => {
  if (typeOf(x) !== "boolean") return writer.text(x);
  const isFalse = writer.where(writer.isFalse(x), writer.string("false"), writer.string(""));
  return writer.where(writer.isTrue(x), writer.string("true"), isFalse);
};

const intervals: Write = ([x, edges, labels], writer) => {
  const [number, ends] = [writer.number(x), numbersIn(edges)];
  const names = (labels as ListExpr).list.map(String);
  return names.reduceRight((others, name, k) => {
    const isAbove = writer.nodes.add("Greater", [number, writer.double(ends[k])]);
    const isBelow = writer.nodes.add("LessOrEqual", [number, writer.double(ends[k + 1])]);
    return writer.where(writer.nodes.add("And", [isAbove, isBelow]), writer.string(name), others);
  }, writer.string(""));
};

/** Functions that answer texts. */
export const texts: Partial<Readonly<Record<FunctionName, Write>>> = {
  choose: ([when, then, otherwise], writer) =>
    writer.where(writer.isTrue(when), writer.text(then), writer.text(otherwise)),
  coalesce: (args, writer) =>
    args
      .map((each) => writer.text(each))
      .reduceRight((rest, text, k) => writer.where(writer.isMissing(args[k]), rest, text)),
  cut: intervals,
  text: words,
  written: words,
};
