import type { BlockContext, Computing } from "../../core/block.ts";
import type { Chart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import type { ModelFile } from "../../core/model.ts";
import { didYouMean, listed, quoted } from "../../core/names.ts";
import type { TrainingData } from "../../core/training.ts";
import { boostEdges } from "../../numerics/boost/bins.ts";
import type { Boosted } from "../../numerics/boost/boosted.ts";
import {
  type BoostInput,
  type BoostResult,
  boostBytes,
  boostTask,
  boostTogether,
  endBoost,
  lossesSoFar,
} from "../../numerics/boost/fit.ts";
import type { BoostLoss } from "../../numerics/boost/losses.ts";
import { RandomState } from "../../numerics/random.ts";
import { trainTest } from "../../numerics/sampling/split.ts";
import { unitOf } from "../../numerics/statistics/unit.ts";
import { rowWeights } from "../models/class-weight.ts";
import { refuseNoCounts } from "../models/counts-target.ts";
import type { Fitted } from "../models/models.ts";
import { computeColumns, matrixOf } from "../shared/row-parts.ts";

/** The arguments of boost as its block gets them. */
export interface BoostArgs {
  readonly loss?: BoostLoss | undefined;
  readonly quantile: number;
  readonly learning_rate: number;
  readonly max_iter: number;
  readonly max_leaf_nodes: number;
  readonly max_depth?: number | undefined;
  readonly min_samples_leaf: number;
  readonly l2_regularization: number;
  readonly max_bins: number;
  readonly monotonic_cst?: Readonly<Record<string, -1 | 0 | 1>> | undefined;
  readonly warm_start?: string | undefined;
  readonly sample_weight?: string | undefined;
  readonly class_weight?: "balanced" | Readonly<Record<string, number>> | undefined;
  readonly early_stopping: "auto" | boolean;
  readonly validation_fraction: number;
  readonly n_iter_no_change: number;
  readonly tol: number;
  readonly random_state: number;
}

const who = "boost (MS_XGBOOST)";

/** Of more rows than this some are held out when "auto" is asked for, as in scikit-learn. */
const manyRows = 10_000;

/** Histograms and rows of a boosting in memory at most. */
const mostBytes = 3 * 2 ** 30;

/** More threads than this wait for each other longer than they work. */
const mostThreads = 16;

/** Below this many cells one thread is as quick. */
const worthThreads = 100_000;

/** Trains on the rows at hand, and says how the loss went. */
export async function fitBoost(data: TrainingData, args: BoostArgs, context: BlockContext): Promise<Fitted<Boosted>> {
  const input = await inputOf(data, args, context);
  const threads = input.x.n * input.x.d < worthThreads ? 1 : Math.min(context.threads, mostThreads);
  const bytes = boostBytes(input, threads);
  if (bytes > mostBytes) {
    throw new DataError(
      `${who}: histograms of ${input.x.d.toLocaleString("en-US")} features for so many leaves would take ${(bytes / 1e9).toFixed(1)} GB, and 3.2 GB is the most. Take a smaller max_leaf_nodes or max_bins.`,
      { code: "too_large", got: bytes, expected: `at most ${mostBytes} bytes` },
    );
  }
  const result = inUnit(await onThreads(input, threads, context), input.unit);
  const rounds = result.trainLoss.length - 1;
  const { warm_start: _, ...others } = args;
  const before = input.earlier ? (input.earlier.offsets.length - 1) / input.earlier.width : 0;
  const isEarly = input.patience > 0 && rounds < args.max_iter;
  return {
    parameters: result.model,
    ...(before > 0 ? { atOnce: { ...others, max_iter: before + args.max_iter } } : {}),
    weights: { title: "feature importances", values: [...result.model.importances] },
    shown: { kind: "chart", chart: learningCurve(result, input) },
    notices: [
      ...(input.earlier && input.earlier.gain === undefined
        ? [
            `model ${quoted(args.warm_start as string)} is of an earlier version, which did not keep how much its trees took away of the loss, so importances are those of the new trees alone.`,
          ]
        : []),
      ...(isEarly
        ? [
            `it ended after ${rounds} of ${args.max_iter} rounds, since the loss fell no more for ${args.n_iter_no_change}.`,
          ]
        : []),
      ...(args.sample_weight !== undefined && data.x.names.includes(args.sample_weight)
        ? [
            `${quoted(args.sample_weight)} weighs rows and is learnt from as well; leave it out of X with xy (DP_FSP) where it is to weigh alone.`,
          ]
        : []),
    ],
  };
}

/** What boosting learns from, where the target is divided by `unit`, so that squares of it are numbers. */
interface UnitInput extends BoostInput {
  readonly unit: number;
}

async function inputOf(data: TrainingData, args: BoostArgs, context: Computing): Promise<UnitInput> {
  const { classes } = data;
  const isClasses = classes.labels.length > 0;
  const loss = lossOf(data, args);
  const x = matrixOf(data.x);
  const unit = loss === "squared_error" ? unitOf(data.y.data) : 1;
  const y = isClasses ? classes.codes : unit === 1 ? data.y.data : data.y.data.map((value) => value / unit);
  const weight = await weightsOf(data, args);
  const categories = Int32Array.from(data.x.names, (name) =>
    data.categories && Object.hasOwn(data.categories, name) ? Math.max(1, data.categories[name].length) : 0,
  );
  const random = new RandomState(args.random_state);
  const seed = random.randomInterval(4294967294);
  const { train, held } = rowsOf(data, args, seed);
  if (args.warm_start !== undefined && !data.earlier) {
    throw new ArgsError(`${who}: warm_start can't be searched, since the earlier model has learnt from all folds.`, {
      path: "warm_start",
      got: args.warm_start,
    });
  }
  const earlier = data.earlier ? scaledTrees(earlierTrees(data.earlier, loss), 1 / unit) : null;
  const edges = earlier
    ? edgesOf(earlier)
    : await computeColumns(
        context,
        boostEdges,
        { x, categories, rows: train, weight, maxBins: args.max_bins, seed },
        "bins",
      );
  return {
    x,
    y,
    loss,
    quantile: args.quantile,
    classes: classes.labels.length,
    weight,
    edges,
    categories,
    monotone: monotoneOf(data, args),
    train,
    held,
    rounds: args.max_iter,
    patience: held.length > 0 ? args.n_iter_no_change : 0,
    tol: args.tol / unit / unit,
    learningRate: args.learning_rate,
    maxLeaves: args.max_leaf_nodes,
    maxDepth: args.max_depth ?? Infinity,
    minLeaf: args.min_samples_leaf,
    l2: args.l2_regularization,
    earlier,
    unit,
  };
}

/** What came of a target that was divided by `unit`, for the target as it is. */
function inUnit({ model, trainLoss, heldLoss }: BoostResult, unit: number): BoostResult {
  const squared = (loss: number) => loss * unit * unit;
  return { model: scaledTrees(model, unit), trainLoss: trainLoss.map(squared), heldLoss: heldLoss.map(squared) };
}

/** Trees whose answers are so many times as large. */
function scaledTrees(model: Boosted, times: number): Boosted {
  if (times === 1) return model;
  const scaled = (values: Float64Array) => values.map((value) => value * times);
  const gain = model.gain === undefined ? {} : { gain: Math.min(model.gain * times * times, Number.MAX_VALUE) };
  return { ...model, baseline: scaled(model.baseline), value: scaled(model.value), ...gain };
}

/** The trees to go on from. */
function earlierTrees({ model_name: name, parameters }: ModelFile, loss: BoostLoss): Boosted {
  // It is a model of boost, whose parameters these are.
  const trees = parameters as Boosted;
  if (trees.loss !== loss) {
    throw new ArgsError(
      `${who}: model ${quoted(name)} makes another loss small, ${quoted(trees.loss)}. Give that loss.`,
      {
        path: "loss",
        got: loss,
        expected: trees.loss,
      },
    );
  }
  return trees;
}

function edgesOf({ edges, edgeStarts }: Boosted): Float64Array[] {
  return Array.from({ length: edgeStarts.length - 1 }, (_, j) => edges.slice(edgeStarts[j], edgeStarts[j + 1]));
}

/** What rows count: by their column, by their class, or the product of both; null where all count the same. */
async function weightsOf({ classes, weightBy }: TrainingData, args: BoostArgs): Promise<Float64Array | null> {
  const byClass = classes.labels.length > 0 ? (rowWeights(args.class_weight, classes, who) ?? null) : null;
  if (args.sample_weight === undefined || !weightBy) return byClass;
  const own = await weightBy(args.sample_weight);
  return byClass ? own.map((weight, i) => weight * byClass[i]) : own;
}

function lossOf({ y, classes }: TrainingData, args: BoostArgs): BoostLoss {
  const isClasses = classes.labels.length > 0;
  const loss = args.loss ?? (isClasses ? "log_loss" : "squared_error");
  if (isClasses !== (loss === "log_loss")) {
    throw new ArgsError(
      `${who}: loss ${quoted(loss)} is for ${isClasses ? "numbers, but the target holds classes" : "classes, but the target holds numbers"}.`,
      {
        path: "loss",
        got: loss,
      },
    );
  }
  if (!isClasses && args.class_weight !== undefined) {
    throw new ArgsError(`${who}: class_weight is for classes, but ${quoted(y.names[0])} holds numbers.`, {
      path: "class_weight",
      got: args.class_weight,
    });
  }
  if (loss === "poisson") refuseNoCounts(y, `${who}: loss "poisson"`, "loss");
  return loss;
}

/** The rows to learn from, and those held out; the ones that scikit-learn would take for the same random_state. */
function rowsOf({ x, classes }: TrainingData, args: BoostArgs, seed: number): { train: Int32Array; held: Int32Array } {
  const { n } = x;
  const isHolding = args.early_stopping === "auto" ? n > manyRows : args.early_stopping;
  if (!isHolding) return { train: Int32Array.from({ length: n }, (_, i) => i), held: new Int32Array(0) };
  const nTest = Math.ceil(args.validation_fraction * n);
  const kinds = classes.labels.length;
  const counts = new Int32Array(kinds);
  for (const code of classes.codes) counts[code]++;
  if (nTest >= n || n < 2) {
    throw new ArgsError(
      `${who}: validation_fraction ${args.validation_fraction} of ${n} rows leaves none to learn from.`,
      {
        path: "validation_fraction",
        got: args.validation_fraction,
      },
    );
  }
  // A class of a single row, or more classes than rows held out, can't be on both sides.
  const isEven = kinds > 0 && counts.every((rows) => rows > 1) && Math.min(nTest, n - nTest) >= kinds;
  const stratify = isEven ? { stratify: classes.codes } : {};
  const { train, test } = trainTest({ n, nTrain: n - nTest, nTest, seed, ...stratify });
  return { train: train.slice().sort(), held: test.slice().sort() };
}

function monotoneOf({ x, classes, categories }: TrainingData, { monotonic_cst: wanted = {} }: BoostArgs): Int32Array {
  for (const name of Object.keys(wanted)) {
    const said = { path: "monotonic_cst", got: name, expected: x.names.slice(0, 50) };
    if (!x.names.includes(name)) {
      throw new ArgsError(
        `${who}: monotonic_cst names ${quoted(name)}, which is not a feature.${didYouMean(name, x.names)} Features: ${listed(x.names)}.`,
        said,
      );
    }
    if (wanted[name] !== 0 && categories && Object.hasOwn(categories, name)) {
      throw new ArgsError(`${who}: monotonic_cst names ${quoted(name)}, which is text and has no order.`, said);
    }
  }
  if (classes.labels.length > 2 && Object.values(wanted).some((way) => way !== 0)) {
    throw new ArgsError(
      `${who}: monotonic_cst is for numbers or two classes, but the target has ${classes.labels.length}.`,
      { path: "monotonic_cst", got: classes.labels.length, expected: 2 },
    );
  }
  return Int32Array.from(x.names, (name) => (Object.hasOwn(wanted, name) ? wanted[name] : 0));
}

/** One thread leads, the others help when they are free; what one of them fails by ends them all. */
async function onThreads(input: BoostInput, threads: number, context: Computing): Promise<BoostResult> {
  const boosting = boostTask(input, threads);
  const tell = (done: number, total: number) => {
    const loss = lossesSoFar(boosting);
    const words = `loss ${Number(loss.value.toPrecision(4))}${loss.isHeld ? " on rows held out" : ""}`;
    context.progress(`round ${done} of ${total}, ${words}`, done, total);
  };
  const jobs = Array.from({ length: threads }, (_, member) =>
    context.compute(boostTogether, { boosting, member }, member === 0 ? tell : undefined),
  );
  try {
    const [result] = await Promise.all(jobs);
    // The first thread leads, and answers.
    return result as BoostResult;
  } catch (error) {
    endBoost(boosting);
    await Promise.allSettled(jobs);
    throw error;
  }
}

const lossNames: Readonly<Record<BoostLoss, string>> = {
  squared_error: "half the squared error",
  absolute_error: "absolute error",
  poisson: "Poisson loss",
  quantile: "pinball loss",
  log_loss: "log loss",
};

function learningCurve({ trainLoss, heldLoss }: BoostResult, { loss, x }: BoostInput): Chart {
  const rounds = (losses: Float64Array) => Array.from(losses.keys());
  const learnt = { name: "rows learnt from", x: rounds(trainLoss), y: [...trainLoss] };
  const held = { name: "rows held out", x: rounds(heldLoss), y: [...heldLoss] };
  return {
    kind: "lines",
    rows: x.n,
    title: `learning curve: ${lossNames[loss]} after each round`,
    x: { title: "round", type: "number" },
    y: { title: lossNames[loss], type: "number" },
    colour: "rows",
    series: heldLoss.length > 0 ? [learnt, held] : [learnt],
  };
}
