import { typeOf } from "../../plan/check.ts";
import type { Expr } from "../../plan/expr.ts";
import { type FunctionName, functions } from "../../plan/functions.ts";
import { type Objection, type Refusal, refusals } from "../refusal.ts";
import { numbers } from "./functions/numbers.ts";
import { tests } from "./functions/tests.ts";
import { texts } from "./functions/texts.ts";

type Why = Omit<Refusal, "call">;

const before = "Work it out in the table before input.";

const noDates: Why = {
  message: "ONNX has no dates",
  cure: "Work their parts out in the table before input, or leave the column out with drop (DP_6).",
};

const noTexts: Why = { message: "ONNX's runtimes have no such operator for texts", cure: before };

const noTerms: Why = {
  message: "ONNX has no operator that takes a text apart into words",
  cure: "Leave the text out with drop (DP_6).",
};

const noGaps: Why = {
  message: "it looks at the rows around, and ONNX sees each row alone",
  cure: 'Fill gaps with strategy "mean", "median", "mode" or "constant".',
};

const noNumberInText: Why = { message: "ONNX has no operator that finds a number in a text", cure: before };

const noHash: Why = {
  message: "ONNX has no md5",
  cure: 'Encode with type: "onehot", "label", "binary" or "target".',
};

/** What ONNX has no operators for, where more can be said than by the function's group. */
const refused: Partial<Readonly<Record<FunctionName, Why>>> = {
  hash32: noHash,
  readDate: noDates,
  readNumber: noNumberInText,
  unitOf: noNumberInText,
  previous: noGaps,
  next: noGaps,
  interpolate: noGaps,
};

const byGroup: Readonly<Record<string, Why>> = { dates: noDates, text: noTexts, hidden: noTerms };

/** Why pieces of an expression can't be written; empty where all can. */
export function can(expr: Expr): Refusal[] {
  return refusals(expr, objections);
}

const isWritten = (name: FunctionName) => name in numbers || name in tests || name in texts;

function whyNot(name: FunctionName): Why {
  const { kind, group } = functions[name];
  const isAlong = kind === "row" ? undefined : { ...noGaps, cure: before };
  return refused[name] ?? isAlong ?? byGroup[group] ?? { message: "ONNX has no such operator", cure: before };
}

const isText = (expr: Expr) => typeOf(expr) === "string";

const numbersAlone: Objection = ({ args }) => (args.some(isText) ? noTexts : null);

const readAsNumber: Objection = ({ args: [x] }) =>
  isText(x)
    ? {
        message: "ONNX's runtimes stop at a text that is no number",
        cure: 'Read the column as numbers, as in input(file, { types: { age: "number" } }).',
      }
    : null;

const noDigits: Objection = ({ args: [, digits] }) =>
  digits && "value" in digits && digits.value !== 0
    ? { message: "ONNX rounds to whole numbers alone", cure: "Leave the digits out." }
    : null;

const asWords: Objection = ({ args: [x] }) =>
  ["integer", "number"].includes(typeOf(x))
    ? { message: "ONNX writes numbers as texts otherwise", cure: before }
    : null;

const noEmptyText: Objection = ({ args }) =>
  args.some((each) => ("value" in each && each.value === "") || ("list" in each && each.list.includes("")))
    ? {
        message: "an empty text is a missing one in ONNX",
        cure: 'Ask for missing cells by isMissing(…), and write another text, such as "none".',
      }
    : null;

/** Texts are compared with constants. */
const wordsAlone: Objection = (call) =>
  call.args.some(isText) && !call.args.some((each) => "value" in each) ? noTexts : noEmptyText(call);

const objections: Partial<Record<FunctionName, Objection>> = {
  ...Object.fromEntries(
    (Object.keys(functions) as FunctionName[])
      .filter((name) => !isWritten(name))
      .map((name) => [name, () => whyNot(name)]),
  ),
  equal: wordsAlone,
  notEqual: wordsAlone,
  oneOf: noEmptyText,
  less: numbersAlone,
  lessEqual: numbersAlone,
  greater: numbersAlone,
  greaterEqual: numbersAlone,
  least: numbersAlone,
  greatest: numbersAlone,
  add: numbersAlone,
  number: readAsNumber,
  integer: readAsNumber,
  boolean: readAsNumber,
  round: noDigits,
  text: asWords,
  written: asWords,
  choose: noEmptyText,
  coalesce: noEmptyText,
};
