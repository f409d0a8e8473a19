import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { columnsIn, type FeatureOptions, learnFeatures, makeRows } from "../../../src/numerics/text/features.ts";
import { Cutter, packTexts } from "../../../src/numerics/text/units.ts";
import { Cancelled, quiet } from "../../../src/numerics/types.ts";

const reference = JSON.parse(readFileSync(new URL("../text-reference.json", import.meta.url), "utf8"));
const texts = packTexts([
  "Free prizes, call now! Free free",
  "see you at lunch, at noon",
  "call me at noon",
  "_ü_ 42 naïve x",
  "",
]);
const all = Int32Array.of(0, 1, 2, 3, 4);
const words: FeatureOptions = {
  words: [1, 1],
  letters: null,
  hashBits: null,
  minDf: 1,
  mostColumns: 1e6,
  counts: "plain",
  idf: true,
  norm: "l2",
};

function values(options: FeatureOptions): number[][] {
  const x = makeRows(texts, all, learnFeatures(texts, all, options, quiet), quiet);
  return [...all].map((i) => [...x.values.subarray(x.start[i]!, x.start[i + 1]!)].sort((a, b) => a - b));
}

describe("rows of texts", () => {
  test.each([
    ["plain", words],
    ["pairs", { ...words, words: [1, 2], counts: "sublinear" }],
    ["binary", { ...words, counts: "binary", minDf: 2 }],
  ] as [string, FeatureOptions][])("have the values of scikit-learn's TfidfVectorizer: %s", (name, options) => {
    const theirs = reference.tfidf[name] as number[][];
    const ours = values(options);
    expect(ours.map((row) => row.length)).toEqual(theirs.map((row) => row.length));
    for (const [i, row] of theirs.entries())
      for (const [k, value] of row.entries()) expect(ours[i]![k]).toBeCloseTo(value, 6);
  });

  test("learn from the texts seen alone", () => {
    const features = learnFeatures(texts, Int32Array.of(2), words, quiet);
    expect(columnsIn(features)).toBe(4);
    const x = makeRows(texts, Int32Array.of(0, 3), features, quiet);
    expect([...x.start]).toEqual([0, 1, 1]);
    expect([...x.values]).toEqual([1]);
  });

  test("keep the n-grams of most texts, and sum to one where that is asked", () => {
    const few = { ...words, idf: false, norm: "l1", mostColumns: 3 } as const;
    const features = learnFeatures(texts, all, few, quiet);
    // call, at and noon stand in two texts each.
    expect(columnsIn(features)).toBe(3);
    const x = makeRows(texts, all, features, quiet);
    expect([...x.values.subarray(x.start[2], x.start[3])]).toEqual([1 / 3, 1 / 3, 1 / 3].map(Math.fround));
  });

  test("have a fixed number of columns when hashed", () => {
    const features = learnFeatures(texts, all, { ...words, hashBits: 10 }, quiet);
    expect(columnsIn(features)).toBe(1024);
    expect(values({ ...words, hashBits: 10 })).toEqual(values(words));
    expect(columnsIn(learnFeatures(texts, all, { ...words, hashBits: 10, idf: false }, quiet))).toBe(1024);
  });

  test("refuse texts of which nothing is left, and end when cancelled", () => {
    expect(() => learnFeatures(texts, Int32Array.of(4), words, quiet)).toThrow(
      /no word of two letters stands in any text/,
    );
    const hooks = { ...quiet, cancelled: () => true };
    expect(() => learnFeatures(texts, all, words, hooks)).toThrow(Cancelled);
  });
});

describe("n-grams", () => {
  const count = (text: string, grams: Pick<FeatureOptions, "words" | "letters">) =>
    new Cutter(packTexts([text]), grams).cut(0);

  test("of words come with their neighbours; signs and emojis stand for themselves", () => {
    expect(count("one two three", { words: [1, 3], letters: null })).toBe(6);
    expect(count("天気 🎉 a", { words: [1, 1], letters: null })).toBe(3);
    expect(count("नमस्ते दुनिया", { words: [1, 1], letters: null })).toBe(2);
  });

  test("of letters stay within a piece and its blanks", () => {
    // " ab ": _a ab b_ and _ab ab_, as scikit-learn's char_wb.
    expect(count("ab", { words: null, letters: [2, 3] })).toBe(5);
    expect(count("ab  c\n", { words: null, letters: [2, 3] })).toBe(5 + 3);
    expect(count("", { words: null, letters: [2, 3] })).toBe(0);
  });

  test("are the same wherever they stand", () => {
    const pair = new Cutter(packTexts(["say hello", "hello"]), { words: [1, 1], letters: null });
    pair.cut(0);
    const inside = pair.hashes[1];
    pair.cut(1);
    expect(pair.hashes[0]).toBe(inside);
  });
});
