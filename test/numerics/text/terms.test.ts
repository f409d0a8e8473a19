import { describe, expect, it } from "vitest";
import { RandomState } from "../../../src/numerics/random.ts";
import { type TermOptions, termCounts, termsOf } from "../../../src/numerics/text/terms.ts";

/** Texts of every kind of letter, long ones and empty ones, in which words come again. */
function texts(n: number): string[] {
  const random = new RandomState(5);
  const letters = ["a", "B", "c", "_", "7", "é", "É", "ß", "Σ", "İ", "数", "𝒳", "'", "\0"];
  const pick = (from: readonly string[]) => from[Math.floor(from.length * random.uniform())];
  const ascii = letters.slice(0, 5);
  const word = (from: readonly string[]) =>
    Array.from({ length: 1 + Math.floor(4 * random.uniform()) }, () => pick(from)).join("");
  const pool = [...Array.from({ length: 40 }, () => word(letters)), ...Array.from({ length: 6000 }, () => word(ascii))];
  return Array.from({ length: n }, (_, k) => {
    const own = k % 3 ? pool.slice(40) : pool;
    const count = k % 50 === 0 ? 300 : Math.floor(9 * random.uniform());
    return Array.from({ length: count }, () => pick(random.uniform() < 0.5 ? own.slice(0, 30) : own)).join(" ");
  });
}

describe("termCounts", () => {
  it.each<TermOptions>([
    { lowercase: true, ngrams: [1, 1], stopWords: [] },
    { lowercase: false, ngrams: [1, 3], stopWords: [] },
    { lowercase: true, ngrams: [2, 2], stopWords: ["aa", "éé", "bb"] },
    { lowercase: true, ngrams: [1, 2], stopWords: "english" },
  ])("counts what termsOf cuts out: %j", (options) => {
    const all = texts(700);
    const seen = Int32Array.from({ length: all.length }, (_, i) => i);
    const found = termCounts({ ...options, texts: all, seen, minDf: 1, maxDf: 1, maxFeatures: null });
    const cut = termsOf(options);
    const expected = all.map((text) => {
      const counts = new Map<string, number>();
      for (const term of cut(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
      return Object.fromEntries(counts);
    });
    const made = all.map((_, i) => {
      const row: [string, number][] = [];
      for (let at = found.start[i]; at < found.start[i + 1]; at++) {
        if (at > found.start[i]) expect(found.columns[at]).toBeGreaterThan(found.columns[at - 1]);
        row.push([found.terms[found.columns[at]], found.values[at]]);
      }
      return Object.fromEntries(row);
    });
    expect(made).toEqual(expected);
    const documents = found.terms.map((term) => expected.filter((row) => Object.hasOwn(row, term)).length);
    expect([...found.documents]).toEqual(documents);
    expect(found.terms.length).toBeGreaterThan(300);
  });

  it("takes a word of a million letters", () => {
    const long = "x".repeat(1_000_000);
    const seen = Int32Array.of(0, 1);
    const input = {
      lowercase: true,
      ngrams: [1, 1],
      stopWords: [],
      seen,
      minDf: 1,
      maxDf: 1,
      maxFeatures: null,
    } as const;
    const { terms, values } = termCounts({ ...input, texts: [`${long} aa ${long}`, `é${long}`] });
    expect(terms.map((term) => term.length)).toEqual([2, 1_000_000, 1_000_001]);
    expect([...values]).toEqual([1, 2, 1]);
  });
});
