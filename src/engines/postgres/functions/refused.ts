import type { FunctionName } from "../../../plan/functions.ts";
import { alwaysRefused, type Objection, type Refused } from "../../refusal.ts";
import { patternObjection } from "../patterns.ts";

const noProperties = {
  message: "Postgres' regular expressions know no \\p{…}, by which words are told from numbers",
  cure: "Take the number out by extract(…), or take the rows out first, by collect().",
};

const noTerms = {
  message: "Postgres counts no words",
  cure: "Take the rows out first, by collect().",
} as const;

/** What Postgres has no words for. */
export const refused = {
  endSigma: noTerms,
  words: noTerms,
  phrases: noTerms,
  counted: noTerms,
  placesOf: noTerms,
  weighted: noTerms,
  norm: noTerms,
  scaled: noTerms,
  previous: {
    message: "Postgres finds no nearest cell that is there within a window",
    cure: "Take the rows out first, by collect().",
  },
  next: {
    message: "Postgres finds no nearest cell that is there within a window",
    cure: "Take the rows out first, by collect().",
  },
  interpolate: {
    message: "Postgres finds no nearest cells that are there within a window",
    cure: "Take the rows out first, by collect().",
  },
  dots: {
    message: "Postgres can't read the file in which the numbers are that a block learnt",
    cure: "Take the rows out first, by collect().",
  },
  readDate: {
    message: "Postgres can't try the many forms that dates are written in",
    cure: "Write dates as 2026-01-31 and read them by date(…), or take the rows out first, by collect().",
  },
  readNumber: noProperties,
  unitOf: noProperties,
} as const satisfies Partial<Refused<FunctionName>>;

/** Aggregates that Postgres works out for a group, and not beside the rows of one. */
const notOver: Objection = ({ call, over: along }) =>
  along
    ? {
        message: `Postgres has no ${call} beside the rows of a group`,
        cure: "Work it out by summarize, and join it to the rows.",
      }
    : null;

const badPattern: Objection = (call) => patternObjection(call);

/** What there is against a call. */
export const objections: Partial<Record<FunctionName, Objection>> = {
  ...alwaysRefused(refused),
  countDistinct: notOver,
  median: notOver,
  quantile: notOver,
  mode: notOver,
  sortedSum: notOver,
  matches: badPattern,
  extract: badPattern,
};
