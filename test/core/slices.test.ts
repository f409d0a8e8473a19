import { describe, expect, it } from "vitest";
import { resolveSlice } from "../../src/core/slices.ts";

const names = ["id", "name", "age", "the city", "0"];
const resolve = (slice: Parameters<typeof resolveSlice>[0]) => resolveSlice(slice, names, 10);

describe("a slice", () => {
  it.each([
    ["0:3", names, [0, 3]],
    [":", names, null],
    ["-3:", names, [7, 10]],
    ["5:2", names, [5, 5]],
    ["0:100, :", names, [0, 10]],
    [":, 0:2", ["id", "name"], null],
    ["2:4, name:the city", ["name", "age"], [2, 4]],
    [':, name:"the city"', ["name", "age"], null],
    ["3, age", ["age"], [3, 4]],
    ["-1, -1", ["0"], [9, 10]],
    ["id:age", ["id", "name"], null],
    ["the city", ["the city"], null],
    [-2, ["the city"], null],
    [["age", 0, "age"], ["age", "id"], null],
  ] as const)("%j selects columns and rows, ends exclusive", (slice, columns, rows) => {
    expect(resolve(slice)).toEqual({ columns, rows });
  });

  it("is read in a moment however long it is, and whatever it is made of", () => {
    const started = performance.now();
    for (const unit of [" ", ",", ":", '"', '\\"', ',"', " :", "-", "a"]) {
      expect(() => resolveSlice(`${unit.repeat(300_000)}z`, ["a", "b"], 3), unit).toThrow(/slice|column/);
    }
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("takes a column's name before an index that looks the same", () => {
    expect(resolve("0").columns).toEqual(["0"]);
    expect(resolve(0).columns).toEqual(["id"]);
  });

  it.each([
    ["agee", /"agee".*Did you mean "age"/s],
    [9, /column index 9 is outside the table, which has 5 columns \(0 to 4\)/],
    [-6, /column index -6 is outside/],
    ["a,b,c", /has 3 parts/],
    ["0:4:2, :", /has a step/],
    ["name:age, :", /rows are selected by whole numbers/],
    [":, age:age", /selects no column/],
  ] as const)("%j is refused in one sentence", (slice, sentence) => {
    expect(() => resolve(slice)).toThrow(sentence);
  });
});
