import { describe, expect, it } from "vitest";
import { byCode } from "../../src/registry/index.ts";
import { synonymOf } from "../../src/registry/synonyms.ts";
import { validateArgs } from "../../src/registry/validate.ts";
import { toArgs } from "../../src/session/helpers.ts";

describe("words that other tools have for an argument", () => {
  it.each([
    ["DP_1", { path: "a.csv" }, "dburl"],
    ["DP_4", { seed: 1 }, "random_state"],
    ["DP_FSP", { target: "species" }, "y"],
    ["ML_CN_7", { Trees: 10 }, "n_estimators"],
    ["MS_XGBOOST", { n_estimators: 10 }, "max_iter"],
    ["MS_XGBOOST", { eta: 0.1 }, "learning_rate"],
    ["ML_CN_2", { k: 3 }, "n_neighbors"],
    ["ML_CG_2", { k: 3 }, "n_clusters"],
  ])("lead to ours: %s %j", (code, args, word) => {
    expect(() => validateArgs(byCode(code), args)).toThrow(`Did you mean "${word}"?`);
  });

  it("are no names of what every object has, and lead nowhere where a block has no such argument", () => {
    expect(synonymOf("constructor", ["dburl"])).toBeUndefined();
    expect(synonymOf("seed", ["dburl"])).toBeUndefined();
  });

  it("leave the words of a choice without quotes of their own", () => {
    expect(() => validateArgs(byCode("ML_CN_1"), { class_weight: "balance" })).toThrow('Did you mean "balanced"?');
  });

  it("and a number by itself is answered with the argument that takes it", () => {
    expect(() => toArgs(byCode("ML_CG_2"), [3])).toThrow("as in kmeans({ n_clusters: 3 }), got 1 value");
    expect(() => toArgs(byCode("ML_CN_1"), ["l1"])).toThrow("takes an object of arguments, got 1 value");
  });
});
