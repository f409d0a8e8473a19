import { z } from "zod";
import {
  type ArgsOf,
  type ArgsSpec,
  type Block,
  type BlockContext,
  type Declared,
  defineBlock,
  type Outcome,
  type Task,
} from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { columnsNamed, type Frame, fitSubset, subsetSize } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { count } from "../../core/names.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import type { Json } from "../../core/record.ts";
import type { TrainingData } from "../../core/training.ts";
import type { Matrix } from "../../numerics/types.ts";
import { onlyHere } from "../shared/only-here.ts";
import { crossValidate, type TrialResult, type Validation } from "./cross-validate.ts";
import { earlierModel } from "./earlier-model.ts";
import { explainTraining } from "./explain-models.ts";
import { countOf, type Folds, foldsArg } from "./folds.ts";
import {
  type Asked,
  type GridResult,
  gridArgs,
  gridFolds,
  gridOf,
  gridTrial,
  ranked,
  searchJson,
} from "./grid-search.ts";
import { judge, metricsBlock } from "./metrics.ts";
import { modelName } from "./model-name.ts";
import { refuseHuge } from "./model-size.ts";
import type { Fitted, Learner, ModelSpec, Prediction, Predictor } from "./model-types.ts";
import { type ModelReport, modelView } from "./model-view.ts";
import { predictBlock } from "./predict.ts";
import { type Proposals, proposed, type Trials } from "./proposals.ts";
import { taskOf } from "./task.ts";
import { type Data, dataFor, fitWith } from "./training-rows.ts";
import { noticeZeros, zerosIn } from "./zero-targets.ts";

export type { Fitted, ModelSpec, Prediction, Predictor, RowPredictor } from "./model-types.ts";

const modelArgs = {
  /** The name under which the model is kept in the project (default: the helper's name, numbered from the second on). */
  model_name: z.string().min(1).max(200).optional(),
  /** Folds of a cross-validation on the training rows, every step before fitted anew for each; { kind: "time" } for folds that are judged on later rows (default: none). */
  cv: foldsArg.optional(),
};

/** A model's arguments: its own, those of all models, those of a search. */
type ModelShape<Shape extends z.ZodRawShape> = Shape & typeof modelArgs & ReturnType<typeof gridArgs<Shape>>;

/** How models are reached by the function code that trained them. */
const predictors = new Map<string, Learner>();

/** How a model is reached that was trained by this function code; undefined for clusterings and networks. */
export function predictorOf(code: string): Learner | undefined {
  return predictors.get(code);
}

/** A kind of model as a block that chooses its arguments trains it. */
export interface Trainer {
  readonly code: string;
  /** Other function codes that mean it. */
  readonly codes: readonly string[];
  readonly name: string;
  readonly why: string;
  /** Takes features as they are: missing cells as NaN, text as categories. */
  readonly isRaw: boolean;
  /** Its arguments, checked as a request's are and with its defaults; ArgsError where they are wrong. */
  checked(args: object, context: BlockContext): Readonly<Record<string, unknown>>;
  /** Fits it to rows in memory; what it comes to are its parameters. */
  fit(data: TrainingData, args: object, context: BlockContext): Promise<unknown>;
  /** What a model with these parameters answers for rows. */
  answer(parameters: unknown, x: Matrix, context: BlockContext): Promise<Prediction>;
  /** Its operators with these parameters, where it has an ONNX form. */
  readonly onnx: ((parameters: unknown, file: ModelFile) => OnnxGraph) | null;
  /** Trains it by arguments that were checked, as its own block would. */
  train(frame: Frame, args: object, context: BlockContext, how: TrainedBy): Promise<Outcome>;
}

/** Which block trains a model: whom its sentences name, and how its models are called. */
export interface TrainedBy {
  readonly who: string;
  readonly name: string;
  /** What proposes arguments, where they are to be searched one after another. */
  readonly proposals?: Proposals;
}

const trainers = new Map<string, Trainer>();

/** Adds a model whose block is declared otherwise than by `defineModel`. */
export function addPredictor(predictor: Learner): void {
  predictors.set(predictor.code, predictor);
}

/** All kinds of models, by the codes of their blocks. */
export function allTrainers(): readonly Trainer[] {
  return [...trainers.values()];
}

/** Why searches of arguments leave out what makes other models, by the names and codes of its blocks. */
const unsearched = new Map<string, string>();

/** Says why arguments of a block can't be searched for, as it is told who asks for it. */
export function addUnsearched(names: readonly string[], why: string): void {
  for (const name of names) unsearched.set(name, why);
}

/** Why a helper or function code can't be searched for; undefined where it can, or is unknown. */
export function whyUnsearched(name: string): string | undefined {
  return unsearched.get(name);
}

/** What blocks call their models that train kinds of models other than their own, by their codes. */
const searches = new Map<string, string>();

/** Says that a block trains models of other kinds. */
export function addSearch(code: string, name: string): void {
  addUnsearched([code, name], "it searches itself, and model is the kind that it shall search");
  searches.set(code, name);
}

/** The function codes of blocks that train models of numbers or classes from columns. */
export function modelCodes(): readonly string[] {
  return [...predictors.keys(), ...searches.keys()];
}

/** How a block of this code calls its model where nothing else is said. */
export function usualName(code: string): string | undefined {
  return predictors.get(code)?.name ?? searches.get(code);
}

/** A kind of model without a block: how it is trained by arguments that were checked, and how its models are reached. */
export interface Modelling {
  readonly predictor: Learner;
  train(frame: Frame, args: object, context: BlockContext, how: TrainedBy): Promise<Outcome>;
}

/** Makes a kind of model known to predictions, metrics, and all that asks models. */
export function modelling<Shape extends z.ZodRawShape, P>(spec: ModelSpec<string, string, Shape, P>): Modelling {
  const { additive, far, sparse } = spec;
  const predictor: Learner = {
    code: spec.code,
    name: spec.name,
    task: typeof spec.task === "function" ? "either" : spec.task,
    isRaw: spec.isRaw,
    predict: (file, x, context) => spec.predict(file.parameters as P, x, context),
    async anew(file, frame, context, who) {
      const task = file.task === "regression" ? "regression" : "classification";
      // The file holds the arguments that this model's block took.
      const args = file.args as ArgsOf<Shape>;
      const data = await dataFor(spec, task, frame, context, who);
      const { parameters } = await fitWith(spec, data, args, context);
      return modelFile({ spec, task, name: file.model_name }, frame, data, args, parameters);
    },
    ...(sparse ? { predictSparse: (file, x, context) => sparse.predict(file.parameters as P, x, context) } : {}),
    ...(far ? { answerFar: (file, x) => far.answer(file.parameters as P, x) } : {}),
    ...(additive ? { additive: (file) => additive(file.parameters as P) } : {}),
  };
  predictors.set(spec.code, predictor);
  return { predictor, train: (frame, args, context, how) => trained(spec, predictor, frame, args, context, how) };
}

/** Makes a kind of model known to searches; what checks its arguments is a block, or stands in for one. */
function addTrainer<Shape extends z.ZodRawShape, P>(
  spec: ModelSpec<string, string, Shape, P>,
  train: Modelling["train"],
  checks: string | ArgsSpec,
  codes: readonly string[] = [],
): void {
  const { code, name, why, onnx } = spec;
  trainers.set(code, {
    ...{ code, codes, name, why, train, isRaw: spec.isRaw ?? false },
    checked: (args, context) => context.checked(checks, args),
    // Arguments that were checked for this block are this block's.
    fit: async (data, args, context) => (await spec.fit(data, args as ArgsOf<Shape>, context)).parameters,
    answer: (parameters, x, context) => spec.predict(parameters as P, x, context),
    onnx: onnx ? (parameters, file) => onnx(parameters as P, file) : null,
  });
}

/** As `modelling`, of a kind that searches take as well, by `codes` too: its arguments are checked with those of all models. */
export function searchedModelling<Shape extends z.ZodRawShape, P>(
  spec: ModelSpec<string, string, Shape, P>,
  codes: readonly string[],
): Modelling {
  const made = modelling<Shape, P>(spec);
  const { code, name } = spec;
  addTrainer(spec, made.train, { code, name, args: { ...spec.args, ...modelArgs, ...gridArgs(spec.args) } }, codes);
  return made;
}

/** Declares a model block; its `_P` and `_M` come with it. */
export function defineModel<const Code extends string, const Name extends string, Shape extends z.ZodRawShape, P>(
  spec: ModelSpec<Code, Name, Shape, P>,
): Declared<Code, Name, ModelShape<Shape>, Record<never, never>, readonly []> {
  const { onnx } = spec;
  const { predictor, train } = modelling<Shape, P>(spec);
  const { code, name } = spec;
  const own: TrainedBy = { who: `${name} (${code})`, name };
  addTrainer(spec, train, spec.code);
  const derived = [predictBlock(predictor), metricsBlock(predictor)] as unknown as readonly Block[];
  // The shape is spread from parts, which TypeScript can't see through for a generic part.
  const shape = { ...spec.args, ...modelArgs, ...gridArgs(spec.args) } as ModelShape<Shape>;
  return defineBlock({
    code: spec.code,
    name: spec.name,
    args: shape,
    task: predictor.task,
    example: spec.example,
    derived,
    explain: explainTraining(spec.why, typeof spec.task === "function"),
    ...(onnx ? { onnx: (file: ModelFile) => onnx(file.parameters as P, file) } : {}),
    run: (frame, args, context) => train(frame, args, context, own),
    view({ report, output }) {
      return modelView(Object.keys(output as object)[0], report as ModelReport);
    },
  });
}

/** Chooses a model's arguments where that is asked for, and trains it on all training rows. */
async function trained<Shape extends z.ZodRawShape, P>(
  spec: ModelSpec<string, string, Shape, P>,
  predictor: Predictor,
  frame: Frame,
  args: object,
  context: BlockContext,
  { who, name: usual, proposals }: TrainedBy,
): Promise<Outcome> {
  const { model_name, cv, grid, scoring, max_fits, ...rest } = args as ModelArgs & Asked;
  // What is left are the model's own arguments.
  const own = rest as ArgsOf<Shape>;
  if (context.tables.isFar && (cv !== undefined || grid))
    throw onlyHere(who, `${grid ? "grid" : "cv"} trains it again and again on parts of them`);
  const task = await taskOf(spec.task, spec.asNumbers, own, frame, context, who);
  const data = await dataFor(spec, task, frame, context, who);
  noticeConstant(data, context, who);
  const { name, chosen: named } = modelName(model_name, usual, context, who);
  const training: Training<Shape, P> = { spec, task, predictor, frame, name, context, who };
  const asked = grid && { grid, ...(scoring ? { scoring } : {}), ...(max_fits ? { max_fits } : {}) };
  const before = spec.goesOn && own[spec.goesOn as keyof typeof own];
  if (typeof before === "string" && (cv !== undefined || asked || proposals)) {
    throw new ArgsError(
      `${who}: ${spec.goesOn} can't stand beside cv or a search, since the earlier model has learnt from the rows of all folds. Cross-validate a training at once.`,
      { path: spec.goesOn as string, got: before },
    );
  }
  const chosen = proposals ? await tuned(training, cv ?? gridFolds, proposals) : await choose(training, own, cv, asked);
  if (task === "regression" && (chosen.validation || chosen.search)) {
    noticeZeros(zerosIn(data.y.data), data.y.n, context, who);
  }
  const earlier =
    typeof before === "string" ? await earlierModel(predictor, before, frame, data, task, context, who) : null;
  const learnt = earlier ? { ...data, earlier } : data;
  const fitted = await fitWith(spec, learnt, chosen.args, context);
  refuseHuge(fitted.parameters, who);
  for (const notice of fitted.notices ?? []) context.notice(`${who}: ${notice}`);
  const file = modelFile(training, frame, data, (fitted.atOnce ?? chosen.args) as ArgsOf<Shape>, fitted.parameters);
  const artifact = await context.tables.writeJson(file);
  return {
    frame,
    ...named,
    model: { name, artifact },
    output: outputOf(name, spec.code, artifact, chosen, fitted.found),
    report: reportOf(file, data, fitted, chosen),
  };
}

/** The arguments of `modelArgs` as a block gets them. */
type ModelArgs = z.output<z.ZodObject<typeof modelArgs>>;

/** One training, with what its parts need. */
interface Training<Shape extends z.ZodRawShape, P> {
  readonly spec: ModelSpec<string, string, Shape, P>;
  readonly task: Task;
  readonly predictor: Predictor;
  readonly frame: Frame;
  readonly name: string;
  readonly context: BlockContext;
  readonly who: string;
}

/** The arguments to train with, and what cross-validation and search found of them. */
interface Chosen<Args> {
  readonly args: Args;
  readonly validation: Validation | null;
  readonly search: GridResult | null;
}

/** Cross-validates where it was asked for; of a grid's combinations takes the best. */
async function choose<Shape extends z.ZodRawShape, P>(
  training: Training<Shape, P>,
  own: ArgsOf<Shape>,
  cv: Folds | undefined,
  asked: Asked | undefined,
): Promise<Chosen<ArgsOf<Shape>>> {
  if (cv === undefined && !asked) return { args: own, validation: null, search: null };
  const { spec, task, frame, context, who } = training;
  const folds = cv ?? gridFolds;
  const grid = gridOf(asked ?? {}, own, task, countOf(folds), who);
  const trial = async (anew: Frame) => {
    const part = await dataFor(spec, task, anew, context, who);
    return asked
      ? await gridTrial(grid, (args) => judged(training, anew, part, args), context)
      : [await judged(training, anew, part, own)];
  };
  const phase = asked ? "grid search" : "cross-validation";
  const validations = await crossValidate(frame, folds, task, context, who, trial, phase);
  if (!asked) return { args: own, validation: validations[0], search: null };
  const { best, result } = ranked(grid, validations, who);
  return { args: grid.candidates[best].args, validation: validations[best], search: result };
}

/** Takes the best of the arguments that are proposed. */
async function tuned<Shape extends z.ZodRawShape, P>(
  training: Training<Shape, P>,
  folds: Folds,
  proposals: Proposals,
): Promise<Chosen<ArgsOf<Shape>>> {
  const { spec, task, frame, context, who } = training;
  const trials: Trials<Data> = {
    read: (anew) => dataFor(spec, task, anew, context, who),
    sizeOf: ({ x }) => ("data" in x ? x.data.length : "values" in x ? x.values.length : x.n * x.d),
    // Proposals check their arguments by this model's own shape.
    judge: (anew, data, args) => judged(training, anew, data, args as ArgsOf<Shape>),
  };
  const { args, validation, search } = await proposed(frame, folds, task, proposals, trials, context, who);
  return { args: args as ArgsOf<Shape>, validation, search };
}

/** Trains on a frame's training rows, and judges on its test rows. */
async function judged<Shape extends z.ZodRawShape, P>(
  training: Training<Shape, P>,
  anew: Frame,
  part: Data,
  args: ArgsOf<Shape>,
): Promise<TrialResult> {
  const { spec, predictor, context, who } = training;
  const { parameters } = await fitWith(spec, part, args, context);
  const trained = modelFile(training, anew, part, args, parameters);
  return { metrics: (await judge(predictor, anew, trained, "test", context, who, false)).metrics };
}

/** The model's place in the record; beside it what cross-validation and search found where they were asked for. */
function outputOf(
  name: string,
  code: string,
  artifact: string,
  { validation, search }: Chosen<unknown>,
  found: Fitted<unknown>["found"] = {},
): Json {
  const cv = validation && { folds: validation.folds, ...validation.metrics };
  const grid = search && searchJson(search);
  const model = {
    function_code: code,
    model_url: { $artifact: artifact },
    ...found,
    ...(cv ? { cv } : {}),
    ...(grid ? { grid } : {}),
  };
  // Spreads are plain numbers and lists of them, which Json can't tell of an interface.
  return Object.fromEntries([[name, model as unknown as Json]]);
}

function reportOf(
  file: ModelFile,
  data: Data,
  fitted: Fitted<unknown>,
  { validation, search }: Chosen<unknown>,
): ModelReport {
  return {
    rows: data.x.n,
    on: file.trained.on,
    features: data.x.names,
    target: file.targets[0].name,
    classes: data.classes.labels,
    weights: fitted.weights ?? null,
    shown: fitted.shown ?? null,
    found: fitted.found ?? null,
    validation,
    search,
  };
}

/** A target that never changes is learnt well and teaches nothing. */
function noticeConstant({ y }: Data, context: BlockContext, who: string): void {
  if (y.n < 2 || y.data.some((value) => value !== y.data[0])) return;
  context.notice(
    `${who}: the target "${y.names[0]}" is ${y.data[0]} in all ${count(y.n, "row")}, so the model answers nothing else.`,
  );
}

function modelFile<Shape extends z.ZodRawShape, P>(
  { spec, task, name }: Pick<Training<Shape, P>, "spec" | "task" | "name">,
  frame: Frame,
  data: Data,
  args: ArgsOf<Shape>,
  parameters: P,
): ModelFile {
  return {
    format: "blocklab-model",
    version: 1,
    function_code: spec.code,
    helper: spec.name,
    model_name: name,
    task,
    features: columnsNamed(frame.columns, data.x.names),
    targets: columnsNamed(frame.columns, frame.y ?? []),
    ...("categories" in data && data.categories ? { categories: data.categories } : {}),
    classes: task === "classification" ? data.classes.labels : null,
    args: args as Json,
    trained: { rows: subsetSize(frame, fitSubset(frame)), on: frame.split ? "train" : "all" },
    parameters,
  };
}
