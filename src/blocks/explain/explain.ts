import type { Finished } from "../../core/block.ts";
import { type BlockExplain, plain, series } from "../../core/explanation.ts";
import { count, listed, quoted } from "../../core/names.ts";
import type { ShapReport } from "./shap-view.ts";

/** SHAP values in words: what moves answers most, and how sure that is. */
export const explainShap: BlockExplain = {
  why: "A score says how often a model is right, not why it says what it says. Each column's share in an answer shows what it goes by: whether that makes sense, and whether it leans on a column that it will not have later.",
  did({ report }: Finished) {
    const { model, quantity, rows, method, error, columns, sizes, one } = report as ShapReport;
    const largest = Array.from(columns.keys())
      .sort((a, b) => sizes[b] - sizes[a])
      .slice(0, 3)
      .map((j) => `${listed([columns[j]])} (${plain(sizes[j])})`);
    const what = one ? `row ${one.row}` : count(rows, "row");
    return [
      `Model ${quoted(model)} was explained on ${what}: what each column adds to ${quantity}.`,
      `What does most, on average: ${series(largest)}.`,
      method === "kernel" && error > 0
        ? `The shares were found by asking the model, and are off by ${plain(error)} on average (a standard error).`
        : "The shares are exact.",
    ];
  },
};
