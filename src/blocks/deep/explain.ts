import type { Finished } from "../../core/block.ts";
import { type BlockExplain, percent, plain, theRows } from "../../core/explanation.ts";
import { count, listed, quoted } from "../../core/names.ts";
import type { TrainReport } from "./rbm-view.ts";

const whyRbm =
  "A restricted Boltzmann machine learns, without any target, which features tend to be on together; its hidden units are features that a simple model can learn more from.";

/** DL_RBM_I in words. */
export const explainRbm: BlockExplain = {
  why: `${whyRbm} Building it says how large it is; training comes next.`,
  did({ report }: Finished) {
    const { name, features } = report as { name: string; features: number };
    return [`Built ${quoted(name)} for ${count(features, "feature")}; it has learnt nothing yet.`];
  },
};

/** DL_RBM_T in words. */
export const explainRbmTraining: BlockExplain = {
  why: whyRbm,
  did({ report }: Finished) {
    const { model, from, features, hidden, curve } = report as TrainReport;
    const [first, last] = [curve[0], curve[curve.length - 1]];
    return [
      `${quoted(model)} learnt to tell ${count(features, "feature")} in ${count(hidden, "hidden unit")}, from ${theRows(from)}.`,
      `Its pseudo-likelihood, 0 at best, went from ${plain(first)} to ${plain(last)} in ${count(curve.length, "epoch")}; knowing nothing would give ${plain(-features * Math.LN2)}.`,
    ];
  },
};

const whyText =
  "Nobody knows before which way of counting words and which model suits a collection of texts; so several are tried and judged on texts held out of them.";

/** A_DL_TXC_I in words. */
export const explainTextClassifier: BlockExplain = {
  why: `${whyText} Building it says how many may be tried; training comes next.`,
  did({ report }: Finished) {
    const { name, maxTrials, feature, target } = report as Record<"name" | "feature" | "target", string> & {
      maxTrials: number;
    };
    return [
      `Built ${quoted(name)} to tell ${listed([String(target)])} from ${listed([feature])}, with ${count(maxTrials, "trial")} at most; it has learnt nothing yet.`,
    ];
  },
};

/** A_DL_TXC_T in words. */
export const explainTextTraining: BlockExplain = {
  why: whyText,
  did({ report }: Finished) {
    const { name, board, best, feature } = report as {
      name: string;
      board: readonly { readonly candidate: string; readonly accuracy: number | null }[];
      best: number;
      feature: string;
    };
    const { candidate, accuracy } = board[best - 1];
    const scores = board.flatMap((each) => (each.accuracy === null ? [] : [each.accuracy]));
    const others = scores.length > 1 ? ` The weakest was right in ${percent(Math.min(...scores))}.` : "";
    return [
      `${quoted(name)} tried ${count(board.length, "model")} on ${listed([feature])}; the best was ${candidate}, right in ${percent(accuracy ?? 0)} of the texts held out of it.${others}`,
    ];
  },
};
