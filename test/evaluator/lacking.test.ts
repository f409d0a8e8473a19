import { describe, expect, it } from "vitest";
import { lacking } from "../../src/core/foreign-names.ts";
import { lackingWords, lookedAt } from "../../src/evaluator/lacking.ts";

describe("a cell that looks at a property that is not there", () => {
  it("is one that ends in names behind a name, awaited or not", () => {
    expect(lookedAt("let a = 1; r.species")).toEqual({ name: "r", path: ["species"] });
    expect(lookedAt('await r.dataset["odd name"]')).toEqual({ name: "r", path: ["dataset", "odd name"] });
    expect(lookedAt("r.dataset[0] // first")).toEqual({ name: "r", path: ["dataset", "0"] });
    expect(lookedAt("const a: number = 1; r.x")).toEqual({ name: "r", path: ["x"] });
    for (const code of ["r", "f().x", "r[key]", "r.x = 1", "const a = r.x", "r.x +", ""]) {
      expect(lookedAt(code), code).toBeNull();
    }
  });

  it("is told by the first value of ours that lacks it, and by no other value", () => {
    const table = { rows: 1, [lacking]: (name: string) => `no ${name}` };
    const result = { dataset: table, output: undefined, [lacking]: (name: string) => `nor ${name}` };
    expect(lackingWords(result, ["species"])).toBe("nor species");
    expect(lackingWords(result, ["dataset", "species"])).toBe("no species");
    expect(lackingWords(result, ["output"])).toBeNull();
    expect(lackingWords({ a: 1 }, ["b"])).toBeNull();
    expect(lackingWords(null, ["b"])).toBeNull();
  });
});
