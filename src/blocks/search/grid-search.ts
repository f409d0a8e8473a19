import { z } from "zod";
import { anyJson, type BlockContext, defineBlock } from "../../core/block.ts";
import { explainTraining } from "../models/explain-models.ts";
import { foldsArg } from "../models/folds.ts";
import { allScores, gridFolds } from "../models/grid-search.ts";
import { type ModelReport, modelView } from "../models/model-view.ts";
import { addSearch, type Trainer } from "../models/models.ts";
import { searchOutcome } from "./candidates.ts";
import { refuseSearchArgs, trainerOf } from "./trainer.ts";

const who = "gridSearch (ML_GRID)";
addSearch("ML_GRID", "gridSearch");

/** Lists of values to try, by the arguments of the model that is searched. */
const lists = z.record(z.string(), z.array(anyJson()).min(1));

/**
 * ML_GRID. Tries every combination of a model's arguments by cross-validation, and trains the best.
 *
 * As scikit-learn's GridSearchCV over the whole chain: every step since the rows last changed is fitted anew in each
 * fold, on its training rows alone, and test rows stay out of it. The combinations are tried in the order of
 * ParameterGrid, and of equals the first is the best. The trained model is one of the kind that was searched, so
 * predict(), metrics(), shap() and ONNX take it. `rows` of the result is a table of all combinations: the arguments, mean
 * and std of the score, its rank, and each fold's.
 */
export const gridSearch = defineBlock({
  code: "ML_GRID",
  name: "gridSearch",
  args: {
    /** The model: its helper's name or function code, such as "forestClassifier" or "ML_CN_7". */
    model: z.string().min(1).max(100),
    /** Values to try by argument, as in { max_depth: [2, 4, 8] }; of a list of those the combinations of each. */
    grid: z.union([lists, z.array(lists).min(1).max(1000)]),
    /** Arguments of the model that all combinations share; the others are its defaults (default {}). */
    fixed: z.record(z.string(), anyJson()).default({}),
    /** Folds; { kind: "time" } for folds that are judged on later rows (default 5). */
    cv: foldsArg.default(gridFolds),
    /** The score that the best combination has (default: accuracy, or r2 for numbers). */
    scoring: z.literal([...allScores]).optional(),
    /** Fits at most, folds times combinations (default: 500). */
    max_fits: z.int().min(1).max(100_000).optional(),
    /** The name under which the model is kept in the project (default: "gridSearch", numbered from the second on). */
    model_name: z.string().min(1).max(200).optional(),
  },
  aliases: { estimator: "model", param_grid: "grid", params: "grid" },
  task: "either",
  example:
    'session.input("sample:penguins").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).missing("mode").encode({ columns: ["island", "sex"], type: "onehot" }).scale().gridSearch({ model: "knn", grid: { n_neighbors: [1, 5, 9], weights: ["uniform", "distance"] } })',
  // It trains models; those of the searched kind come with predictions and metrics of their own.
  derived: [],
  explain: explainTraining(
    "Which values of a model's arguments serve this data can only be tried. Judging each on folds that it has not learnt from keeps the choice fair, and the test rows stay untouched for the last word.",
    true,
  ),
  async run(frame, args, context) {
    const trainer = trainerOf(args.model, who);
    const outcome = await trainer.train(frame, argumentsFor(trainer, args, context), context, {
      who,
      name: "gridSearch",
    });
    return await searchOutcome(outcome, context);
  },
  view: ({ report, output }) => modelView(Object.keys(output as object)[0], report as ModelReport),
});

type GridArgs = Parameters<(typeof gridSearch)["run"]>[1];

/** The model's own arguments, checked: the shared ones, and those of the search. */
function argumentsFor(trainer: Trainer, args: GridArgs, context: BlockContext): object {
  const { grid, fixed, cv, scoring, max_fits, model_name } = args;
  refuseSearchArgs("fixed", Object.keys(fixed), trainer, who);
  const search = { cv, scoring, max_fits, model_name };
  const grids = [grid].flat().map((each) => {
    // Sorted as scikit-learn's ParameterGrid sorts them, whatever order they came in.
    const sorted = Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
    return trainer.checked({ ...fixed, ...search, grid: sorted }, context);
  });
  return { ...grids[0], grid: grids.map((checked) => checked.grid) };
}
