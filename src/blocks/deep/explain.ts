import type { Finished } from "../../core/block.ts";
import { type BlockExplain, percent, plain, theRows } from "../../core/explanation.ts";
import { count, listed, quoted } from "../../core/names.ts";
import { foundTask } from "../models/explain-models.ts";
import type { ModelReport } from "../models/model-view.ts";
import type { TrainReport } from "./rbm-view.ts";
import type { SomReport } from "./som-view.ts";

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

const whyAnn =
  "Layers of simple units, laid out by hand, can bend to any shape the data has, given rows enough. Scale the features first, and watch the loss on rows held out: where it rises again, the network learns by heart.";

/** DL_ANN_S_I in words. */
export const explainAnn: BlockExplain = {
  why: `${whyAnn} Building it says which layers it has; training comes next.`,
  did({ report }: Finished) {
    const { name, layers } = report as { name: string; layers: string };
    return [`Built ${quoted(name)}: ${layers}; it has learnt nothing yet.`];
  },
};

/** DL_ANN_T in words. */
export const explainAnnTraining: BlockExplain = {
  why: whyAnn,
  found: foundTask,
  did({ report, output }: Finished) {
    const { rows, on, features, target, classes, found } = report as ModelReport;
    const [name] = Object.keys(output as object);
    const { epochs, history, val_loss } = found as unknown as {
      epochs: number;
      history: { loss: readonly number[] };
      val_loss?: number;
    };
    const kinds = classes.length > 0 ? `, ${count(classes.length, "class", "classes")},` : "";
    const held = val_loss === undefined ? "" : `; on the rows held out it is ${plain(val_loss)}`;
    return [
      `Learnt to tell ${listed([target])}${kinds} from ${count(features.length, "feature")} of ${count(rows, on === "train" ? "training row" : "row")}; it is kept as ${quoted(name)}.`,
      `The loss went from ${plain(history.loss[0])} to ${plain(history.loss[history.loss.length - 1])} in ${count(epochs, "epoch")}${held}.`,
      ...(on === "all" ? ["No rows were put aside, so its metrics will be those of rows it has seen."] : []),
    ];
  },
};

const whySom =
  "A self-organizing map lays rows out in a plane without any target, like ones near each other; ridges in its picture part groups that nobody has named. Scale the features first.";

/** DL_SOM_I in words. */
export const explainSom: BlockExplain = {
  why: `${whySom} Building it says how large it is; training comes next.`,
  did({ report }: Finished) {
    const { name, map, features } = report as { name: string; map: string; features: number };
    return [`Built ${quoted(name)} for ${count(features, "feature")}: ${map}; it has learnt nothing yet.`];
  },
};

/** DL_SOM_T in words. */
export const explainSomTraining: BlockExplain = {
  why: whySom,
  did({ report }: Finished) {
    const { model, from, features, grid, curve, topographic, hits } = report as SomReport;
    const empty = hits.filter((each) => each === 0).length;
    return [
      `${quoted(model)} learnt to lay ${count(features, "feature")} out on ${grid.width} × ${grid.height} units, from ${theRows(from)}.`,
      `The mean distance of rows from their units went from ${plain(curve[0])} to ${plain(curve[curve.length - 1])} in ${count(curve.length, "epoch")}; of ${percent(topographic)} of the rows the second nearest unit lies apart. ${count(empty, "unit")} ${empty === 1 ? "has" : "have"} no rows.`,
    ];
  },
};
