import { readSignature, type Signature } from "./signature.ts";

/**
 * What a function looks at: the cells of one row, all rows of a group (one answer for the group), or the rows around
 * one, in order (an answer for each row).
 */
export type FunctionKind = "row" | "aggregate" | "window";

/** What missing arguments do: any one makes the answer missing, or as the function's help says. */
export type Missing = "spreads" | "own";

/** A function of the expression language, as every engine has to know it. */
export interface FunctionSpec {
  readonly kind: FunctionKind;
  /** Under which heading `help("expressions")` lists it; operators have signs, and `hidden` ones are for blocks alone. */
  readonly group: Group;
  readonly signature: Signature;
  readonly missing: Missing;
  /** What it answers, in one sentence. */
  readonly help: string;
  /** How an operator is written. */
  readonly sign?: string;
}

export type Group =
  | "operators"
  | "numbers"
  | "text"
  | "dates"
  | "missing"
  | "casts"
  | "aggregates"
  | "windows"
  | "hidden";

type Row = readonly [signature: string, help: string, more?: { readonly sign?: string; readonly missing?: Missing }];

function group<Names extends string>(
  name: Group,
  kind: FunctionKind,
  rows: Readonly<Record<Names, Row>>,
): Readonly<Record<Names, FunctionSpec>> {
  // Aggregates and windows pass missing cells over, each in its own way.
  const usual: Missing = kind === "row" ? "spreads" : "own";
  const entries = Object.entries<Row>(rows).map(([key, [signature, help, more]]): [string, FunctionSpec] => [
    key,
    { kind, group: name, signature: readSignature(signature), missing: usual, help, ...more },
  ]);
  // A cast because Object.fromEntries forgets the keys.
  return Object.fromEntries(entries) as Record<Names, FunctionSpec>;
}

const operators = group("operators", "row", {
  add: [
    "a: N, b: N => N",
    "The sum; of texts, one behind the other. A whole number beyond 2^63 is missing.",
    { sign: "+" },
  ],
  subtract: ["a: N, b: N => N", "The difference.", { sign: "-" }],
  multiply: ["a: N, b: N => N", "The product.", { sign: "*" }],
  divide: ["a: number, b: number => number", "The quotient: x / 0 is infinite, 0 / 0 missing.", { sign: "/" }],
  modulo: [
    "a: N, b: N => N",
    "What is left of a division, with the sign of the left side; missing for 0.",
    { sign: "%" },
  ],
  power: ["a: number, b: number => number", "The power; missing where it is no real number.", { sign: "**" }],
  negate: ["x: N => N", "The number with the other sign.", { sign: "-" }],
  equal: ["a: T, b: T => boolean", "Are both the same?", { sign: "==" }],
  notEqual: ["a: T, b: T => boolean", "Do they differ?", { sign: "!=" }],
  less: ["a: T, b: T => boolean", "Is the left side less? Text compares by code point.", { sign: "<" }],
  lessEqual: ["a: T, b: T => boolean", "Is the left side less, or the same?", { sign: "<=" }],
  greater: ["a: T, b: T => boolean", "Is the left side greater?", { sign: ">" }],
  greaterEqual: ["a: T, b: T => boolean", "Is the left side greater, or the same?", { sign: ">=" }],
  and: [
    "a: boolean, b: boolean => boolean",
    "Are both true? False where one is, whatever the other.",
    { sign: "&&", missing: "own" },
  ],
  or: [
    "a: boolean, b: boolean => boolean",
    "Is one of them true? True where one is, whatever the other.",
    { sign: "||", missing: "own" },
  ],
  not: ["x: boolean => boolean", "The opposite.", { sign: "!" }],
  oneOf: ["x: T, list: list => boolean", "Is it one of these constants?", { sign: "[…].includes(x)" }],
  choose: [
    "when: boolean, then: T, otherwise: T => T",
    "The second where the first is true, else the third.",
    { sign: "? :", missing: "own" },
  ],
  coalesce: ["x: T, ...others: T => T", "The first that is not missing.", { sign: "??", missing: "own" }],
});

const numbers = group("numbers", "row", {
  abs: ["x: N => N", "The number without its sign."],
  sign: ["x: N => N", "-1, 0 or 1."],
  ceil: ["x: N => N", "The next whole number above."],
  floor: ["x: N => N", "The next whole number below."],
  trunc: ["x: N => N", "The whole part."],
  round: [
    "x: N, digits?: whole => N",
    "Rounded to so many digits behind the point (default 0); ties go to the even one, as in numpy.",
  ],
  sqrt: ["x: number => number", "The square root; missing below 0."],
  exp: ["x: number => number", "e to the power of x."],
  ln: ["x: number => number", "The natural logarithm; missing at 0 and below."],
  log10: ["x: number => number", "The logarithm to base 10; missing at 0 and below."],
  log2: ["x: number => number", "The logarithm to base 2; missing at 0 and below."],
  clip: ["x: N, low: N, high: N => N", "Brought between low and high."],
  least: ["x: T, ...others: T => T", "The least of the arguments; missing where one is."],
  greatest: ["x: T, ...others: T => T", "The greatest of the arguments; missing where one is."],
  bin: ["x: number, width: number => number", "The lower end of the bin of that width in which x lies."],
  cut: [
    "x: number, edges: numbers, labels: strings => string",
    "The label of the interval in which x lies, each open below and closed above; missing outside.",
  ],
  isFinite: ["x: number => boolean", "Is it neither infinite nor missing?"],
});

const texts = group("text", "row", {
  lower: ["x: string => string", "In small letters."],
  upper: ["x: string => string", "In capital letters."],
  trim: ["x: string => string", "Without white space at both ends."],
  length: ["x: string => integer", "How many characters."],
  startsWith: ["x: string, part: string => boolean", "Does it begin with this?"],
  endsWith: ["x: string, part: string => boolean", "Does it end with this?"],
  includes: ["x: string, part: string => boolean", "Does it hold this?"],
  replace: ["x: string, part: string, by: string => string", "With every occurrence replaced."],
  replaceFirst: [
    "x: string, part: string, by: string => string",
    "With the first occurrence replaced; x.replace(part, by).",
  ],
  matches: [
    "x: string, pattern: pattern => boolean",
    "Does a part of it match the regular expression (RE2: no look-around)?",
  ],
  extract: [
    "x: string, pattern: pattern, group?: whole => string",
    "What the regular expression's group matches (default: its first, or all where it has none); missing without a match.",
  ],
  split: [
    "x: string, by: string, k: whole => string",
    "The k-th part between separators, from 0, negative from the end; missing where there is none.",
  ],
  slice: [
    "x: string, from: integer, to?: integer => string",
    "The characters from one place up to another, negative from the end.",
  ],
  concat: ["...parts: any => string", "All parts one behind the other."],
});

const dates = group("dates", "row", {
  year: ["x: datetime => integer", "The year."],
  quarter: ["x: datetime => integer", "The quarter of the year, 1 to 4."],
  month: ["x: datetime => integer", "The month, 1 to 12."],
  day: ["x: datetime => integer", "The day of the month."],
  hour: ["x: datetime => integer", "The hour, 0 to 23."],
  minute: ["x: datetime => integer", "The minute."],
  second: ["x: datetime => integer", "The second."],
  weekday: ["x: datetime => integer", "The day of the week: Monday 0 to Sunday 6."],
  date: [
    "x: any => datetime",
    "Text as a date, such as 2026-01-31 or 2026-01-31 12:30:00; missing where it is none. The block astype reads other forms.",
  ],
  dateTrunc: [
    "x: datetime, unit: unit => datetime",
    "The begin of the second, minute, hour, day, week (Monday), month, quarter or year.",
  ],
  dateDiff: ["from: datetime, to: datetime, unit: unit => integer", "How many whole units lie between two dates."],
});

const missing = group("missing", "row", {
  isMissing: ["x: any => boolean", "Is it missing? Also written x == null.", { missing: "own" }],
});

const casts = group("casts", "row", {
  number: ["x: any => number", "As a number; missing where it can't be read as one."],
  integer: ["x: any => integer", "As a whole number, cut off behind the point; missing where it can't be read as one."],
  text: ["x: any => string", "As text."],
  boolean: [
    "x: any => boolean",
    "As true or false: 1, t, true, y, yes and 0, f, false, n, no; numbers other than 0 are true.",
  ],
});

const aggregates = group("aggregates", "aggregate", {
  count: ["x?: any => integer", "How many rows; with an argument, how many cells are there."],
  countDistinct: ["x: any => integer", "How many values differ."],
  sum: ["x: N => N", "The sum; missing where there is no cell."],
  mean: ["x: number => number", "The mean."],
  median: ["x: number => number", "The median."],
  quantile: ["x: number, q: share => number", "The q-quantile, between two values on the straight line."],
  min: ["x: T => T", "The least value."],
  max: ["x: T => T", "The greatest value."],
  std: ["x: number => number", "The standard deviation (n - 1); missing below two cells."],
  variance: ["x: number => number", "The variance (n - 1); missing below two cells."],
  first: ["x: T => T", "The first cell, in the table's order, that is there."],
  last: ["x: T => T", "The last cell, in the table's order, that is there."],
  mode: ["x: T => T", "The most frequent value; of several the least."],
  any: ["x: boolean => boolean", "Is one of them true?"],
  all: ["x: boolean => boolean", "Are all of them true?"],
  corr: ["x: number, y: number => number", "Pearson's correlation over rows that have both."],
});

const windows = group("windows", "window", {
  rowNumber: [" => integer", "The row's place in its group, from 1."],
  rank: [
    "x?: any => integer",
    "The place of the value among those of its group, or of the row in the order; equals take the least place.",
  ],
  denseRank: ["x?: any => integer", "The same without gaps."],
  ntile: ["k: count => integer", "Which of k parts of equal size the row lies in, from 1."],
  lag: ["x: T, k?: count => T", "The cell k rows before (default 1)."],
  lead: ["x: T, k?: count => T", "The cell k rows after (default 1)."],
  cumsum: ["x: N => N", "The sum up to the row; missing at a missing cell, and on behind it."],
  cummean: ["x: number => number", "The mean up to the row."],
  cummin: ["x: N => N", "The least up to the row."],
  cummax: ["x: N => N", "The greatest up to the row."],
  rollingSum: ["x: number, n: count => number", "The sum of the last n rows; missing until there are n cells."],
  rollingMean: ["x: number, n: count => number", "The mean of the last n rows; missing until there are n cells."],
  rollingMin: ["x: number, n: count => number", "The least of the last n rows; missing until there are n cells."],
  rollingMax: ["x: number, n: count => number", "The greatest of the last n rows; missing until there are n cells."],
  rollingStd: [
    "x: number, n: count => number",
    "The standard deviation (n - 1) of the last n rows; missing until there are n cells.",
  ],
  pctChange: ["x: number => number", "The change against the row before, as a share of it."],
  previous: ["x: T => T", "The cell, or the nearest one before it that is there."],
  next: ["x: T => T", "The cell, or the nearest one after it that is there."],
});

const own = { missing: "own" } as const;

/** What the blocks' own steps are made of; people have no use for it. */
const hidden = {
  ...group("hidden", "row", {
    written: ["x: any => string", "As the table engine writes it: 2.0, true."],
    byteLength: ["x: string => integer", "How many bytes the text takes as UTF-8."],
    hash32: ["x: any => integer", "The third quarter of the md5 of what is written, as a number of 32 bits."],
    readDate: [
      "x: any, first: strings => datetime",
      "Text as a date in any of many forms, brought to UTC; first says whether the day or the month comes first, or, with neither, that the year must.",
    ],
    readNumber: [
      "x: any, decimal: strings => number",
      "The first number in a text, with sign, marks between thousands and exponent; decimal says whether a point or a comma stands before decimals.",
    ],
    unitOf: [
      "x: any => string",
      "What stands in a text besides its first number, in small letters; missing where the text begins otherwise.",
    ],
    placeOf: ["x: any, among: list => integer", "The place among constants, from 0; -1 for another one."],
    itemAt: ["place: integer, items: numbers => number", "The number at a place, from 0; missing where there is none."],
    bitAt: ["x: integer, k: whole => integer", "A bit of a whole number, the lowest at 0; of a negative number 0."],
    vector: ["...x: number => tensor", "Numbers of one row, one behind the other; missing where one is."],
    dot: ["x: tensor, weights: numbers => number", "The sum of products with constants."],
    dots: ["x: tensor, lists: file => tensor", "The sums of products with each of the lists of a file."],
    partOf: ["x: tensor, k: whole => number", "The number at a place of an array, from 0."],
    endSigma: ["x: string => string", "With ς for each Σ that ends a word."],
    words: ["x: string, without: strings => tensor", "Its words of two letters and more, but for these."],
    phrases: [
      "words: tensor, least: count, most: count => tensor",
      "From so many to so many words that follow each other, as one text each.",
    ],
    counted: ["x: tensor, among: strings => tensor", "How often each of these texts is in a list, by its place.", own],
    placesOf: ["counts: tensor => tensor", "The places of texts that were counted, ascending."],
    weighted: [
      "counts: tensor, how: strings, idf: numbers => tensor",
      'Counts as numbers, "binary" ones as 1, "sublinear" ones as 1 + ln(n), times what stands for the text in idf, if anything.',
    ],
    norm: [
      "x: tensor, how: strings => number",
      'The length of an array of numbers, "l1" or "l2"; missing of an empty one.',
    ],
    scaled: ["x: tensor, by: number => tensor", "The numbers divided by another one."],
    sigmoid: ["x: number => number", "1 / (1 + exp(-x))."],
  }),
  ...group("hidden", "aggregate", {
    sortedSum: [
      "x: number => number",
      "The sum from the least to the greatest: to the last digit the same in any order.",
    ],
  }),
  ...group("hidden", "window", {
    interpolate: [
      "x: N => number",
      "On the straight line between the nearest cells that are there; behind the last one its value.",
    ],
  }),
};

/** All functions of the language, by name. */
export const functions = {
  ...operators,
  ...numbers,
  ...texts,
  ...dates,
  ...missing,
  ...casts,
  ...aggregates,
  ...windows,
  ...hidden,
};

export type FunctionName = keyof typeof functions;

/** The names that people may call: operators have signs, but for the two that read well as words. */
export const callable: readonly FunctionName[] = namesOf().filter(
  (name) => !["operators", "hidden"].includes(functions[name].group) || name === "coalesce",
);

function namesOf(): FunctionName[] {
  // A cast because Object.keys forgets them.
  return Object.keys(functions) as FunctionName[];
}

/** Other names of a function: JavaScript's own for the same thing. */
export const synonyms: Readonly<Record<string, FunctionName>> = {
  pow: "power",
  toLowerCase: "lower",
  toUpperCase: "upper",
  replaceAll: "replace",
  "Math.abs": "abs",
  "Math.sign": "sign",
  "Math.ceil": "ceil",
  "Math.floor": "floor",
  "Math.trunc": "trunc",
  "Math.round": "round",
  "Math.sqrt": "sqrt",
  "Math.exp": "exp",
  "Math.log": "ln",
  "Math.log10": "log10",
  "Math.log2": "log2",
  "Math.pow": "power",
  "Math.min": "least",
  "Math.max": "greatest",
  Number: "number",
  String: "text",
  Boolean: "boolean",
};

/** Units of time, the shortest first. */
export const units = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"] as const;

/** The letters that `trim` takes off: those that are white space to JavaScript. */
export const whiteSpace =
  "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";
