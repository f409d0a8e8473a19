import { expect, it } from "vitest";
import { byName } from "../../src/registry/index.ts";
import { Lab, type Link } from "../support/lab.ts";

const lab = new Lab();

const classes: readonly Link[] = [
  ["input", { dburl: "sample:iris" }],
  ["xy", { y: "species" }],
];
const numbers: readonly Link[] = [
  ["input", { dburl: "sample:iris" }],
  ["drop", { columns: ["species"] }],
  ["xy", { y: "petal_width" }],
];
const split: Link = ["split", { test_size: 0.3, random_state: 0 }];

const blocks: readonly { helper: string; links: readonly Link[]; args?: Record<string, unknown> }[] = [
  { helper: "logistic", links: classes },
  { helper: "knn", links: classes },
  { helper: "naiveBayes", links: classes },
  { helper: "treeClassifier", links: classes },
  { helper: "forestClassifier", links: classes, args: { n_estimators: 5 } },
  { helper: "svm", links: classes },
  { helper: "kernelSvm", links: classes, args: { probability: true } },
  { helper: "linear", links: numbers },
  { helper: "simpleLinear", links: [...numbers.slice(0, 2), ["xy", { x: "petal_length", y: "petal_width" }]] },
  { helper: "polynomial", links: numbers },
  { helper: "treeRegressor", links: numbers },
  { helper: "forestRegressor", links: numbers, args: { n_estimators: 5 } },
  { helper: "svr", links: numbers },
  { helper: "pca", links: classes },
  { helper: "scale", links: classes, args: { scaler: "robust" } },
  { helper: "missing", links: classes, args: { strategy: "median" } },
  { helper: "describe", links: numbers },
  { helper: "correlations", links: numbers },
  { helper: "uniques", links: numbers },
];

// What a block reads may be kept for the next one; if one changed it, it would see something else the second time.
it.each(blocks)(
  "$helper sees the same when it runs again, with a split and without",
  async ({ helper, links, args }) => {
    for (const chain of [links, [...links, split]]) {
      const { id } = await lab.project();
      const parent = chain.length;
      for (const [k, link] of chain.entries()) await lab.block(id, k + 1, k, link);
      const seen: string[] = [];
      // Models of three blocks would be told apart by their names.
      const named = "model_name" in (byName(helper)?.args ?? {}) ? { ...args, model_name: "m" } : args;
      for (let k = 1; k <= 3; k++) {
        const view = await lab.view(await lab.block(id, parent + k, parent, [helper, named]));
        seen.push(view.replace(/^! .*is replaced[\s\S]*?\n\n/, ""));
      }
      expect(seen[1]).toBe(seen[0]);
      expect(seen[2]).toBe(seen[0]);
    }
  },
);
