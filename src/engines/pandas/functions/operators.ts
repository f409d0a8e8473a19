import type { FunctionName } from "../../../plan/functions.ts";
import {
  type Argument,
  asColumn,
  asDouble,
  atom,
  binding,
  infix,
  inType,
  isColumn,
  isConstant,
  numberOf,
  type Piece,
  type Write,
  within,
} from "./writing.ts";

const arithmetic =
  (sign: string, binds: number, name: string): Write =>
  ([a, b], _, type, writer) => {
    if (type === "integer") return atom(`${writer.helper("whole")}(np.${name}, ${a.piece.text}, ${b.piece.text})`);
    if (a.isColumn || b.isColumn) return infix(sign, binds, a.piece, b.piece);
    return atom(`np.${name}(${asDouble(a).piece.text}, ${asDouble(b).piece.text})`);
  };

/** A number with the other sign, or without one. */
export const opposite =
  (sign: string, name: string): Write =>
  ([x], _, type, writer) => {
    if (type === "integer") return atom(`${writer.helper("whole")}(np.${name}, ${x.piece.text})`);
    return sign
      ? { text: `-${within(x.piece, binding.sign)}`, binds: binding.sign }
      : atom(`np.${name}(${x.piece.text})`);
  };

const comparison =
  (sign: string): Write =>
  ([a, b], _, __, writer) => {
    const made = infix(sign, binding.compare, { ...a.piece, binds: a.piece.binds - 0.5 }, b.piece);
    if (a.type !== "datetime") return made;
    return atom(`${writer.helper("known")}(${made.text}, ${a.piece.text}, ${b.piece.text})`);
  };

const logic =
  (sign: string, binds: number): Write =>
  ([a, b]) =>
    infix(sign, binds, a.piece, b.piece);

function powered([a, b]: readonly Argument[]): Piece {
  const [x, y] = [asDouble(a), asDouble(b)];
  if (!x.isColumn && !y.isColumn) return atom(`np.power(${x.piece.text}, ${y.piece.text})`);
  // Python's ** binds to the right.
  const made: Piece = {
    text: `${within(x.piece, binding.power + 1)} ** ${within(y.piece, binding.power)}`,
    binds: binding.power,
  };
  // To pandas a missing cell to the power of 0 is 1, and so is 1 to the power of a missing one.
  const isSafe = (isConstant(b) && numberOf(b) !== 0) || (isConstant(a) && numberOf(a) !== 1);
  if (isSafe) return made;
  const there = [x, y].filter((each) => each.isColumn).map((each) => `${within(each.piece, binding.atom)}.notna()`);
  return atom(`(${made.text}).where(${there.join(" & ")})`);
}

/** A quotient of two numbers. */
export function divided([a, b]: readonly Argument[]): Piece {
  if (a.isColumn || b.isColumn) return infix("/", binding.product, a.piece, b.piece);
  return atom(`np.divide(${asDouble(a).piece.text}, ${asDouble(b).piece.text})`);
}

const remainder: Write = ([a, b], _, type) => {
  if (type === "number") return atom(`np.fmod(${asDouble(a).piece.text}, ${asDouble(b).piece.text})`);
  // To numpy a whole number has a remainder by 0.
  const left = `np.fmod(${a.piece.text}, ${b.piece.text})`;
  if (isConstant(b) && numberOf(b) !== 0) return atom(left);
  if (b.isColumn) return atom(`np.fmod(${asColumn(a)}, ${within(b.piece, binding.atom)}.replace(0, pd.NA))`);
  return atom(`(${left} if ${within(b.piece, binding.compare)} != 0 else pd.NA)`);
};

const choice: Write = ([when, then, otherwise], _, type) => {
  const [yes, no] = [inType(then, type), inType(otherwise, type)];
  if (![when, then, otherwise].some((each) => each.isColumn)) {
    const condition = isConstant(when)
      ? when.piece.text
      : `pd.notna(${when.piece.text}) and ${within(when.piece, binding.compare)}`;
    return { text: `(${yes.piece.text} if ${condition} else ${no.piece.text})`, binds: binding.atom };
  }
  return atom(
    `${asColumn(yes, type)}.where(${when.isColumn ? when.piece.text : asColumn(when, "boolean")}, ${no.piece.text})`,
  );
};

const filled: Write = (args, call, type) => {
  const [first, ...others] = args.map((arg) => inType(arg, type));
  if (!isColumn(call)) {
    return [first, ...others]
      .map((arg) => arg.piece)
      .reduceRight((rest, { text }) => atom(`(${text} if pd.notna(${text}) else ${rest.text})`));
  }
  return atom(others.reduce((made, other) => `${made}.fillna(${other.piece.text})`, asColumn(first, type)));
};

/** Operators, conditions and choices. */
export const operators = {
  add: arithmetic("+", binding.sum, "add"),
  subtract: arithmetic("-", binding.sum, "subtract"),
  multiply: arithmetic("*", binding.product, "multiply"),
  divide: divided,
  modulo: remainder,
  power: powered,
  negate: opposite("-", "negative"),
  equal: comparison("=="),
  notEqual: comparison("!="),
  less: comparison("<"),
  lessEqual: comparison("<="),
  greater: comparison(">"),
  greaterEqual: comparison(">="),
  and: logic("&", binding.and),
  or: logic("|", binding.or),
  not: ([x]) =>
    x.isColumn
      ? { text: `~${within(x.piece, binding.sign)}`, binds: binding.sign }
      : infix("^", binding.xor, x.piece, atom("True")),
  oneOf: ([x, list], _, __, writer) =>
    x.isColumn
      ? atom(`${writer.helper("known")}(${within(x.piece, binding.atom)}.isin(${list.piece.text}), ${x.piece.text})`)
      : atom(
          `${writer.helper("known")}(${within(x.piece, binding.compare + 1)} in ${list.piece.text}, ${x.piece.text})`,
        ),
  choose: choice,
  coalesce: filled,
} satisfies Partial<Record<FunctionName, Write>>;
