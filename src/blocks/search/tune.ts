import { z } from "zod";
import { anyJson, type BlockContext, defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { count, listed } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { stack } from "../../core/view.ts";
import { RandomState } from "../../numerics/random.ts";
import { evenPoint } from "../../numerics/search/parzen.ts";
import { nextPoint } from "../../numerics/search/tpe.ts";
import { explainTraining } from "../models/explain-models.ts";
import { foldsArg } from "../models/folds.ts";
import { allScores, type GridResult, type GridRow, gridFolds } from "../models/grid-search.ts";
import { type ModelReport, modelView } from "../models/model-view.ts";
import { addSearch, type Trainer } from "../models/models.ts";
import type { Proposals } from "../models/proposals.ts";
import { searchOutcome } from "./candidates.ts";
import { type Importance, importanceOf, importanceView } from "./importance.ts";
import { SearchSpace, spaceArg } from "./space.ts";
import { refuseSearchArgs, trainerOf } from "./trainer.ts";
import { tuneCharts } from "./tune-view.ts";

const who = "tune (BL_TUNE)";
addSearch("BL_TUNE", "tune");

/**
 * BL_TUNE. Searches a model's arguments by what scored well before, by cross-validation, and trains the best.
 *
 * Tree-structured Parzen estimators propose each trial after the first ten, which are drawn: they look where good
 * trials lie densely and bad ones don't. Every step since the rows last changed is fitted anew in each fold, on its
 * training rows alone, and test rows stay out of it. A trial whose first folds score worse than the median of the
 * others there is ended. The trained model is one of the kind that was searched, so predict(), metrics(), shap() and
 * ONNX take it. `rows` of the result is a table of all trials. From ten trials on, `importance` is the share of the
 * score's variance over the whole space that each argument explains by itself (fANOVA, by a forest over the trials, those
 * ended early included); what is left of 1 lies in how arguments go together. The same random_state gives the same bytes.
 */
export const tune = defineBlock({
  code: "BL_TUNE",
  name: "tune",
  args: {
    /** The model: its helper's name or function code, such as "forestClassifier" or "ML_CN_7". */
    model: z.string().min(1).max(100),
    /** What to try by argument: [2, 20] from one number to the other, ["sqrt", 0.5, 0.8] any of these, { low, high, log, step }, or { choices: [100, 200] }. */
    space: spaceArg,
    /** Arguments of the model that all trials share; the others are its defaults (default {}). */
    fixed: z.record(z.string(), anyJson()).default({}),
    /** Trials at most (default 40). */
    n_trials: z.int().min(1).max(1000).default(40),
    /** Folds; { kind: "time" } for folds that are judged on later rows (default 5). */
    cv: foldsArg.default(gridFolds),
    /** The score that the best trial has (default: accuracy, or r2 for numbers). */
    scoring: z.literal([...allScores]).optional(),
    /** End trials whose first folds score worse than the median (default true). */
    prune: z.boolean().default(true),
    /** The name under which the model is kept in the project (default: "tune", numbered from the second on). */
    model_name: z.string().min(1).max(200).optional(),
    /** Seed of what is drawn (default 0). */
    random_state: z.int().min(0).max(4294967295).default(0),
  },
  aliases: { estimator: "model" },
  task: "either",
  example:
    'session.input("sample:penguins").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).missing("mode").encode({ columns: ["island", "sex"], type: "onehot" }).scale().tune({ model: "knn", space: { n_neighbors: [1, 30], weights: ["uniform", "distance"], p: { low: 1, high: 3 } }, n_trials: 20 })',
  // It trains models; those of the searched kind come with predictions and metrics of their own.
  derived: [],
  explain: explainTraining(
    "Which values of a model's arguments serve this data can only be tried. Where trials have gone well so far tells where to try next, which finds good ones in fewer trials than a grid or chance; folds that a trial has not learnt from keep the choice fair, and the test rows stay untouched for the last word.",
    true,
  ),
  async run(frame, args, context) {
    const trainer = trainerOf(args.model, who);
    const { cv, model_name } = args;
    refuseSearchArgs("fixed", Object.keys(args.fixed), trainer, who);
    refuseSearchArgs("space", Object.keys(args.space), trainer, who);
    const both = Object.keys(args.space).filter((name) => Object.hasOwn(args.fixed, name));
    if (both.length > 0) {
      throw new ArgsError(`${who}: ${listed(both)} can't be both in space and in fixed. Leave one out.`, {
        path: "fixed",
        got: both,
      });
    }
    const shared = trainer.checked({ ...args.fixed, cv, model_name }, context);
    const accepts = (name: string, value: Json) => {
      trainer.checked({ ...args.fixed, [name]: value }, context);
    };
    const space = new SearchSpace(args.space, accepts, who);
    const proposals = proposalsOf(space, args, trainer, context);
    const outcome = await trainer.train(frame, shared, context, { who, name: "tune", proposals });
    if (space.size < args.n_trials) {
      context.notice(`${who}: space holds ${count(space.size, "combination")}, and all were tried.`);
    }
    // A training that was to search has done so.
    const found = (outcome.report as ModelReport).search as GridResult;
    const importance = await importanceOf(found, space, args.random_state, context);
    return await searchOutcome(outcome, context, { space: space.json, ...importance });
  },
  view({ report, output, args }) {
    const own = report as ModelReport;
    const [[name, trained]] = Object.entries(output as Record<string, Importance>);
    return stack(modelView(name, own), importanceView(trained, own), ...tuneCharts(own, args.space));
  },
});

type TuneArgs = Parameters<(typeof tune)["run"]>[1];

function proposalsOf(
  space: SearchSpace,
  { fixed, n_trials: trials, prune, scoring, random_state: seed }: TuneArgs,
  trainer: Trainer,
  context: BlockContext,
): Proposals {
  const random = new RandomState(seed);
  const keyOf = (values: Readonly<Record<string, Json>>) => JSON.stringify(values);
  /** Values that were not tried before: those of the point, else drawn ones; null where none are left. */
  const fresh = (first: readonly number[], tried: ReadonlySet<string>) => {
    let values = space.valuesAt(first);
    for (let draws = 0; draws < 20 && tried.has(keyOf(values)); draws++) {
      values = space.valuesAt(evenPoint(space.axes, random));
    }
    if (!tried.has(keyOf(values))) return values;
    const left = Array.from({ length: Math.min(space.size, 10 * trials) }, (_, k) => space.valuesAt(space.pointAt(k)));
    const others = left.filter((each) => !tried.has(keyOf(each)));
    return others.length > 0 ? others[random.randomInterval(others.length - 1)] : null;
  };
  return {
    ...{ scoring, trials, prune },
    next(ranking: readonly GridRow[]) {
      const inOrder = [...ranking].sort((a, b) => a.k - b.k);
      const points = inOrder.map(({ values }) => space.pointOf(values));
      const places = ranking.map(({ k }) => k);
      return fresh(nextPoint(space.axes, points, places, random), new Set(inOrder.map(({ values }) => keyOf(values))));
    },
    whole: (values) => trainer.checked({ ...fixed, ...values }, context),
  };
}
