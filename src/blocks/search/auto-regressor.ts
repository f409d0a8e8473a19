import { type Block, defineBlock } from "../../core/block.ts";
import { metricsBlock } from "../models/metrics.ts";
import { predictBlock } from "../models/predict.ts";
import { autoPredictor } from "./auto-model.ts";
import { autoOnnx } from "./auto-onnx.ts";
import { autoArgs, autoSearch } from "./auto-search.ts";
import { type AutoReport, autoView, explainAuto } from "./auto-view.ts";

const names = { code: "AUTO_R_1", name: "autoRegressor" } as const;
const predictor = autoPredictor(names.code, names.name, "regression");

/**
 * AUTO_R_1. Searches preparation and model for numbers, and trains the best.
 *
 * Missing cells and texts may stay as they are. Every candidate is a chain of blocks: fills, one-hot columns and scaling
 * where its model needs them, learnt anew in each fold as the chain's own steps are, then the model. Many candidates are
 * judged on few rows, a third goes on to more rows and folds (successive halving), and the best are weighed together
 * where that is better on rows held out. Test rows stay out of it. Its output is the leaderboard, with each
 * candidate's calls to append to the chain; `rows` of the result is that as a table. The same random_state gives the same
 * bytes as long as no time ran out; max_trials alone sets none.
 */
export const autoRegressor = defineBlock({
  code: "AUTO_R_1",
  name: "autoRegressor",
  codes: ["A_DL_SDR_I", "A_DL_SDR_T"],
  args: autoArgs,
  beside: ["model_name", "hyp_params", "epochs"],
  task: "regression",
  example:
    'session.input("sample:iris").xy({ y: "petal_width" }).split({ test_size: 0.2, random_state: 0 }).autoRegressor({ max_trials: 8 }).metrics()',
  // Each has arguments of its own, which a list can't tell.
  derived: [
    { ...predictBlock(predictor), codes: ["A_DL_SDR_P"] },
    { ...metricsBlock(predictor), codes: ["A_DL_SDR_E", "A_DL_SDR_M"] },
  ] as unknown as readonly Block[],
  explain: explainAuto,
  onnx: autoOnnx,
  run: (frame, args, context) => autoSearch("regression", names, frame, args, context),
  view: ({ report, output }) => autoView(Object.keys(output as object)[0], report as AutoReport),
});
