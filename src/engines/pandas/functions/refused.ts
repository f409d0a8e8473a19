import type { ValueExpr } from "../../../plan/expr.ts";
import type { FunctionName } from "../../../plan/functions.ts";
import { readPattern } from "../../../plan/pattern.ts";
import { alwaysRefused, type Objection, type Refused } from "../../refusal.ts";

const noArrays = {
  message: "pandas has no cells that hold arrays",
  cure: "Work it out with numpy, as in df[names].to_numpy() @ weights.",
};

const noProperties = {
  message: "Python's regular expressions know no \\p{…}, by which words are told from numbers",
  cure: "Take the number out by extract(…), and make it one by number(…).",
};

const noTerms = {
  message: "pandas counts no words",
  cure: "Count them with scikit-learn's CountVectorizer or TfidfVectorizer.",
};

/** What pandas has no words for. */
export const refused = {
  vector: noArrays,
  dot: noArrays,
  dots: noArrays,
  partOf: noArrays,
  endSigma: noTerms,
  words: noTerms,
  phrases: noTerms,
  counted: noTerms,
  placesOf: noTerms,
  weighted: noTerms,
  norm: noTerms,
  scaled: noTerms,
  readDate: {
    message: "pandas reads other forms of dates",
    cure: "Write dates as 2026-01-31 and read them by date(…), or by pd.to_datetime with their format.",
  },
  readNumber: noProperties,
  unitOf: noProperties,
} as const satisfies Partial<Refused<FunctionName>>;

const patternObjection: Objection = ({ args }) => {
  const { pieces } = readPattern(String((args[1] as ValueExpr).value));
  if (pieces.some((piece) => "property" in piece)) {
    return { message: "Python's regular expressions know no \\p{…}", cure: "Name the letters, as in [a-zäöü]." };
  }
  const isOdd = pieces.some((piece) => "class" in piece && piece.isInBrackets && /[DWS]/.test(piece.class));
  return isOdd
    ? {
        message: "digits, words and white space are those of ASCII, which Python can't turn round within brackets",
        cure: "Write an alternative, as in (?:\\D|x).",
      }
    : null;
};

/** What there is against a call. */
export const objections: Partial<Record<FunctionName, Objection>> = {
  ...alwaysRefused(refused),
  matches: patternObjection,
  extract: patternObjection,
};
