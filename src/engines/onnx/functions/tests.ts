import { typeOf } from "../../../plan/check.ts";
import type { Expr, ListExpr, ValueExpr } from "../../../plan/expr.ts";
import type { FunctionName } from "../../../plan/functions.ts";
import { numbersIn, type Write, type Writer } from "./writing.ts";

/** A function that answers true or false. */
interface Test {
  readonly isTrue: Write;
  /** Where it is false; absent where that is all but what is true or missing. */
  readonly isFalse?: Write;
}

/** A comparison of numbers; that of NaN is never true. */
const compared = (op: string): Test => ({
  isTrue: ([a, b], writer) => writer.nodes.add(op, [writer.number(a), writer.number(b)]),
});

const isEqual: Write = ([a, b], writer) => {
  if (typeOf(a) !== "string" && typeOf(b) !== "string") {
    return writer.nodes.add("Equal", [writer.number(a), writer.number(b)]);
  }
  const [of, word] = "value" in b ? [a, b] : [b, a as ValueExpr];
  // A missing cell is like no other.
  return word.value === null ? writer.nodes.constant([false], [1, 1]) : writer.isWord(of, String(word.value));
};

const isUnlike: Write = (args, writer) => {
  const known = args.map((each) => writer.not(writer.isMissing(each)));
  return known.reduce((all, each) => writer.nodes.add("And", [all, each]), writer.not(isEqual(args, writer)));
};

const isAmong: Write = ([x, list], writer) => {
  if (typeOf(x) === "string") {
    const words = (list as ListExpr).list.map(String);
    return writer.not(writer.isPlace(writer.placesOf(writer.text(x), words), 0));
  }
  const items = numbersIn(list);
  const isItem = writer.nodes.add("Equal", [
    writer.number(x),
    writer.nodes.constant(Float64Array.from(items), [1, items.length]),
  ]);
  const axes = writer.nodes.constant(Int32Array.of(1));
  return writer.as("bool", writer.nodes.add("ReduceMax", [writer.as("double", isItem), axes]));
};

const both = (op: "And" | "Or", which: "isTrue" | "isFalse"): Write => {
  return ([a, b], writer) => writer.nodes.add(op, [writer[which](a), writer[which](b)]);
};

/** Functions that answer true, false or missing. */
export const tests: Partial<Readonly<Record<FunctionName, Test>>> = {
  equal: { isTrue: isEqual },
  notEqual: { isTrue: isUnlike, isFalse: isEqual },
  less: compared("Less"),
  lessEqual: compared("LessOrEqual"),
  greater: compared("Greater"),
  greaterEqual: compared("GreaterOrEqual"),
  and: { isTrue: both("And", "isTrue"), isFalse: both("Or", "isFalse") },
  or: { isTrue: both("Or", "isTrue"), isFalse: both("And", "isFalse") },
  not: { isTrue: ([x], writer) => writer.isFalse(x), isFalse: ([x], writer) => writer.isTrue(x) },
  oneOf: { isTrue: isAmong },
  isMissing: {
    isTrue: ([x], writer) => writer.isMissing(x),
    isFalse: ([x], writer) => writer.not(writer.isMissing(x)),
  },
  isFinite: {
    isTrue: ([x], writer) => {
      const number = writer.number(x);
      return writer.not(writer.nodes.add("Or", [writer.nodes.add("IsInf", [number]), writer.isMissing(x)]));
    },
  },
  boolean: { isTrue: ([x], writer) => writer.not(writer.nodes.add("Or", [isZero(x, writer), writer.isMissing(x)])) },
};

function isZero(x: Expr, writer: Writer): string {
  return writer.nodes.add("Equal", [writer.number(x), writer.double(0)]);
}
