import { typeOf } from "../../../plan/check.ts";
import type { ListExpr } from "../../../plan/expr.ts";
import type { FunctionName } from "../../../plan/functions.ts";
import { listsIn, numberOf, numbersIn, type Write, type Writer } from "./writing.ts";

/** An operator whose answer is NaN where an operand is. */
const operator =
  (op: string): Write =>
  (args, writer) =>
    writer.nodes.add(
      op,
      args.map((each) => writer.number(each)),
    );

/** One that knows NaN otherwise: to C's pow, NaN to the power of 0 is 1. */
const spreading =
  (op: string, attributes = {}): Write =>
  (args, writer) => {
    const numbers = args.map((each) => writer.number(each));
    return writer.unlessMissing(writer.nodes.add(op, numbers, attributes), numbers);
  };

/** The logarithm of 0 is missing, not infinite. */
const logarithm =
  (base: number): Write =>
  ([x], writer) => {
    const number = writer.number(x);
    const log = writer.nodes.add("Log", [number]);
    const made = base === Math.E ? log : writer.nodes.add("Div", [log, writer.double(Math.log(base))]);
    return writer.where(writer.nodes.add("Greater", [number, writer.double(0)]), made, writer.missing);
  };

const truncated: Write = ([x], writer) => {
  const number = writer.number(x);
  const size = writer.nodes.add("Floor", [writer.nodes.add("Abs", [number])]);
  return writer.nodes.add("Mul", [size, writer.nodes.add("Sign", [number])]);
};

/** Beyond 64 bits there is no whole number. */
const whole: Write = (args, writer) => {
  const made = truncated(args, writer);
  const isOne = writer.nodes.add("Less", [writer.nodes.add("Abs", [made]), writer.double(2 ** 63)]);
  return writer.where(isOne, made, writer.missing);
};

const binned: Write = ([x, width], writer) => {
  const size = writer.number(width);
  return writer.nodes.add("Mul", [
    writer.nodes.add("Floor", [writer.nodes.add("Div", [writer.number(x), size])]),
    size,
  ]);
};

const clipped: Write = ([x, low, high], writer) => {
  const [number, least, most] = [x, low, high].map((each) => writer.number(each));
  const made = writer.nodes.add("Min", [writer.nodes.add("Max", [number, least]), most]);
  return writer.unlessMissing(made, [number, least, most]);
};

/** A number's place among those of a list whose texts are its own: 2 for "2", and none for "two". */
function placeOfNumber(number: string, items: readonly string[], writer: Writer): string {
  const known = items.flatMap((item, k) => (String(Number(item)) === item ? [{ number: Number(item), k }] : []));
  if (known.length === 0) return writer.unlessMissing(writer.double(-1), [number]);
  const among = writer.nodes.constant(
    Float64Array.from(known, (each) => each.number),
    [1, known.length],
  );
  const isItem = writer.as("double", writer.nodes.add("Equal", [number, among]));
  const places = writer.nodes.constant(
    Float64Array.from(known, ({ k }) => k + 1),
    [known.length, 1],
  );
  const place = writer.nodes.add("Sub", [writer.nodes.add("MatMul", [isItem, places]), writer.double(1)]);
  return writer.unlessMissing(place, [number]);
}

const place: Write = ([x, among], writer) => {
  const items = (among as ListExpr).list.map(String);
  if (typeOf(x) !== "string") return placeOfNumber(writer.number(x), items, writer);
  const places = writer.as("double", writer.placesOf(writer.text(x), items));
  return writer.where(writer.isMissing(x), writer.missing, writer.nodes.add("Sub", [places, writer.double(1)]));
};

const item: Write = ([at, items], writer) => {
  const numbers = Float64Array.from(numbersIn(items));
  const index = writer.number(at);
  const isBelow = writer.nodes.add("Less", [index, writer.double(numbers.length)]);
  const isPlace = writer.nodes.add("And", [writer.nodes.add("GreaterOrEqual", [index, writer.double(0)]), isBelow]);
  const safe = writer.as("int64", writer.where(isPlace, index, writer.double(0)));
  return writer.where(isPlace, writer.nodes.add("Gather", [writer.nodes.constant(numbers), safe]), writer.missing);
};

const bit: Write = ([x, k], writer) => {
  const number = writer.number(x);
  const shifted = writer.nodes.add("Floor", [writer.nodes.add("Div", [number, writer.double(2 ** numberOf(k))])]);
  const odd = writer.nodes.add("Mod", [shifted, writer.double(2)], { fmod: { int: 1 } });
  const isBelow = writer.nodes.add("Less", [number, writer.double(0)]);
  return writer.where(isBelow, writer.double(0), odd);
};

/** Functions that answer numbers, or arrays of them. */
export const numbers: Partial<Readonly<Record<FunctionName, Write>>> = {
  add: operator("Add"),
  subtract: operator("Sub"),
  multiply: operator("Mul"),
  divide: operator("Div"),
  modulo: spreading("Mod", { fmod: { int: 1 } }),
  power: spreading("Pow"),
  negate: operator("Neg"),
  abs: operator("Abs"),
  sign: spreading("Sign"),
  ceil: operator("Ceil"),
  floor: operator("Floor"),
  round: ([x], writer) => writer.nodes.add("Round", [writer.number(x)]),
  trunc: truncated,
  sqrt: operator("Sqrt"),
  exp: operator("Exp"),
  sigmoid: operator("Sigmoid"),
  ln: logarithm(Math.E),
  log10: logarithm(10),
  log2: logarithm(2),
  clip: clipped,
  least: spreading("Min"),
  greatest: spreading("Max"),
  bin: binned,
  number: ([x], writer) => writer.number(x),
  integer: whole,
  choose: ([when, then, otherwise], writer) =>
    writer.where(writer.isTrue(when), writer.number(then), writer.number(otherwise)),
  coalesce: (args, writer) =>
    args
      .map((each) => writer.number(each))
      .reduceRight((rest, number) => writer.where(writer.nodes.add("IsNaN", [number]), rest, number)),
  placeOf: place,
  itemAt: item,
  bitAt: bit,
  vector: (args, writer) =>
    writer.nodes.add(
      "Concat",
      args.map((each) => writer.column(each)),
      { axis: { int: 1 } },
    ),
  dot: ([x, weights], writer) => {
    const numbers = Float64Array.from(numbersIn(weights));
    return writer.nodes.add("MatMul", [writer.number(x), writer.nodes.constant(numbers, [numbers.length, 1])]);
  },
  dots: ([x, file], writer) => {
    const lists = listsIn(file, writer);
    const length = lists[0]?.length ?? 0;
    const turned = new Float64Array(lists.length * length);
    for (const [k, list] of lists.entries()) for (let j = 0; j < length; j++) turned[j * lists.length + k] = list[j];
    return writer.nodes.add("MatMul", [writer.number(x), writer.nodes.constant(turned, [length, lists.length])]);
  },
  partOf: ([x, k], writer) => {
    const place = writer.nodes.constant(Int32Array.of(numberOf(k)));
    return writer.nodes.add("Gather", [writer.number(x), place], { axis: { int: 1 } });
  },
};
