import type { ListExpr } from "../../../plan/expr.ts";
import type { FunctionName } from "../../../plan/functions.ts";
import { divided, opposite } from "./operators.ts";
import {
  asDouble,
  atom,
  binding,
  chained,
  cutOff,
  forEach,
  infix,
  inType,
  isConstant,
  listText,
  numberOf,
  type Write,
  within,
} from "./writing.ts";

/** A function of numpy that takes a column or a number. */
const ufunc =
  (name: string): Write =>
  ([x]) =>
    atom(`np.${name}(${asDouble(x).piece.text})`);

/** The same of a number, where whole ones are their own answer. */
const unlessWhole =
  (name: string): Write =>
  ([x], _, type) =>
    type === "integer" ? x.piece : atom(`np.${name}(${x.piece.text})`);

/** The logarithm of 0 is missing, not infinite. */
const logarithm =
  (name: string): Write =>
  ([x]) =>
    chained(asDouble(x), (column) => `np.${name}(${column}).mask(lambda log: log == -np.inf)`);

/** The least or greatest; of texts and dates by Python's own, which compares texts by code point. */
const extreme =
  (name: "minimum" | "maximum", word: "min" | "max"): Write =>
  (args, _, type, writer) => {
    if (args.length === 1) return args[0].piece;
    if (type !== "integer" && type !== "number") return forEach(writer, type, word, args);
    const [first, ...others] = args.map((arg) => inType(arg, type).piece.text);
    return atom(others.reduce((made, other) => `np.${name}(${made}, ${other})`, first));
  };

const clipped: Write = (args, _, type, writer) => {
  const [x, low, high] = args.map((arg) => inType(arg, type));
  if (isConstant(low) && isConstant(high) && numberOf(low) <= numberOf(high)) {
    return chained(x, (column) => `${column}.clip(${low.piece.text}, ${high.piece.text})`);
  }
  return forEach(writer, type, "lambda x, low, high: low if x < low else high if x > high else x", [x, low, high]);
};

const rounded: Write = ([x, digits], _, type) => {
  const places = digits ? numberOf(digits) : 0;
  if (type === "integer" && places >= 0) return x.piece;
  return chained(asDouble(x), (column) => {
    const made = `${column}.round(${places === 0 ? "" : Math.max(-308, Math.min(places, 292))})`;
    return type === "integer" ? cutOff(made) : made;
  });
};

const intervals: Write = ([x, edges, labels]) => {
  if ((labels.expr as ListExpr).list.length === 0)
    return chained(x, (column) => `${column}.where(lambda x: x.isna()).astype("string[python]")`);
  return chained(
    asDouble(x),
    (column) =>
      `pd.cut(${column}, ${listText(edges.expr as ListExpr)}, labels=${listText(labels.expr as ListExpr)}, ordered=False).astype("string[python]")`,
  );
};

/** Functions of numbers. */
export const numbers = {
  abs: opposite("", "abs"),
  sign: ([x], _, type) =>
    type === "integer" ? chained(x, (column) => `np.sign(${column})`) : atom(`np.sign(${x.piece.text})`),
  ceil: unlessWhole("ceil"),
  floor: unlessWhole("floor"),
  trunc: unlessWhole("trunc"),
  round: rounded,
  sqrt: ufunc("sqrt"),
  exp: ufunc("exp"),
  ln: logarithm("log"),
  log10: logarithm("log10"),
  log2: logarithm("log2"),
  clip: clipped,
  least: extreme("minimum", "min"),
  greatest: extreme("maximum", "max"),
  bin: ([x, width]) =>
    infix(
      "*",
      binding.product,
      atom(`np.floor(${divided([asDouble(x), asDouble(width)]).text})`),
      asDouble(width).piece,
    ),
  cut: intervals,
  isFinite: ufunc("isfinite"),
  sigmoid: ([x]) => ({ text: `1 / (1 + np.exp(-${within(asDouble(x).piece, binding.sign)}))`, binds: binding.product }),
} satisfies Partial<Record<FunctionName, Write>>;
