import { z } from "zod";
import { type ArgsOf, type Block, type BlockContext, type Declared, defineBlock } from "../core/block.ts";
import { DataError } from "../core/errors.ts";
import { type Frame, fitFold, foldRows } from "../core/frame.ts";
import { type ModelFile, textBytes } from "../core/model.ts";
import { count } from "../core/names.ts";
import type { Json } from "../core/record.ts";
import { type TrainingData, trainingData } from "../core/training.ts";
import { stack, text, type View } from "../core/view.ts";
import type { Matrix } from "../kernels/types.ts";
import { crossValidate, type Validation, validationView } from "./cross-validate.ts";
import { judge, metricsBlock } from "./metrics.ts";
import type { Judged } from "./new-rows.ts";
import { predictBlock } from "./predict.ts";

/** What a model answers for rows: a number each, a probability per class, or classes that it chose otherwise. */
export type Prediction =
  | { readonly kind: "numbers"; readonly values: Float64Array }
  | { readonly kind: "probabilities"; readonly matrix: Matrix }
  | { readonly kind: "classes"; readonly codes: Int32Array; readonly matrix?: Matrix };

/** Numbers that say how much each feature does; `names` where they are not the features' own. */
export interface Weights {
  readonly title: string;
  readonly values: readonly number[];
  readonly names?: readonly string[];
}

/** What a fit comes to: the parameters, and facts about them for the view. */
export interface Fitted<P> {
  readonly parameters: P;
  /** A number per feature, such as coefficients or importances, largest effect first in the view. */
  readonly weights?: Weights;
  /** What else there is to see of the model, such as its equation or its tree. */
  readonly shown?: View;
  readonly notices?: readonly string[];
}

/** The one declaration of a model: training, prediction and metrics derive from it. */
export interface ModelSpec<Code extends string, Name extends string, Shape extends z.ZodRawShape, P> {
  readonly code: Code;
  readonly name: Name;
  readonly task: "regression" | "classification";
  readonly args: Shape;
  readonly example: string;
  fit(data: TrainingData, args: ArgsOf<Shape>, context: BlockContext): Promise<Fitted<P>>;
  predict(parameters: P, x: Matrix, context: BlockContext): Promise<Prediction>;
}

/** How prediction and metrics reach a model whose kind they don't know. */
export interface Predictor {
  readonly code: string;
  readonly name: string;
  readonly task: "regression" | "classification";
  predict(file: ModelFile, x: Matrix, context: BlockContext): Promise<Prediction>;
  /** In place of `predict`, for a model that takes rows as they are, such as texts. */
  readonly ask?: undefined;
}

/** How prediction and metrics reach a model that takes rows as they are. */
export interface RowPredictor {
  readonly code: string;
  readonly name: string;
  readonly task: "regression" | "classification";
  ask(file: ModelFile, judged: Judged, context: BlockContext, who: string): Promise<Prediction>;
}

const modelArgs = {
  /** The name under which the model is kept in the project (default: the helper's name). */
  model_name: z.string().min(1).max(200).optional(),
  /** Folds of a cross-validation on the training rows, every step before fitted anew for each (default: none). */
  cv: z.int().min(2).max(1000).optional(),
};

/** What a trained model reports for its view. */
interface ModelReport {
  readonly rows: number;
  readonly on: "train" | "all";
  readonly features: readonly string[];
  readonly target: string;
  readonly classes: readonly unknown[];
  readonly weights: Weights | null;
  readonly shown: View | null;
  readonly validation: Validation | null;
}

/** Declares a model block; its `_P` and `_M` come with it. */
export function defineModel<const Code extends string, const Name extends string, Shape extends z.ZodRawShape, P>(
  spec: ModelSpec<Code, Name, Shape, P>,
): Declared<Code, Name, typeof modelArgs & Shape, Record<never, never>, readonly []> {
  const predictor: Predictor = {
    code: spec.code,
    name: spec.name,
    task: spec.task,
    predict: (file, x, context) => spec.predict(file.parameters as P, x, context),
  };
  const derived = [predictBlock(predictor), metricsBlock(predictor)] as unknown as readonly Block[];
  // The shape is spread from two parts, which TypeScript can't see through for a generic part.
  const shape = { ...modelArgs, ...spec.args } as typeof modelArgs & Shape;
  return defineBlock({
    code: spec.code,
    name: spec.name,
    args: shape,
    example: spec.example,
    derived,
    async run(frame, args, context) {
      const who = `${spec.name} (${spec.code})`;
      const data = await trainingData(frame, spec.task, context, who);
      noticeConstant(data, context, who);
      const fitted = await spec.fit(data, args as ArgsOf<Shape>, context);
      refuseHuge(fitted.parameters, who);
      for (const notice of fitted.notices ?? []) context.notice(`${who}: ${notice}`);
      const { model_name: name = spec.name, cv } = args as { model_name?: string; cv?: number };
      const file = modelFile(spec, frame, data, name, args, fitted.parameters);
      const trial = async (anew: Frame) => {
        const part = await trainingData(anew, spec.task, context, who);
        const { parameters } = await spec.fit(part, args as ArgsOf<Shape>, context);
        const trained = modelFile(spec, anew, part, name, args, parameters);
        return (await judge(predictor, anew, trained, "test", context, who, false)).metrics;
      };
      const validation = cv === undefined ? null : await crossValidate(frame, cv, spec.task, context, who, trial);
      const artifact = await context.tables.writeJson(file);
      return {
        frame,
        model: { name, artifact },
        output: outputOf(name, spec.code, artifact, validation),
        report: reportOf(file, data, fitted, validation),
      };
    },
    view({ report, output }) {
      return modelView(Object.keys(output as object)[0], report as ModelReport);
    },
  });
}

/** The model's place in the record; what cross-validation found beside it where it was asked for. */
function outputOf(name: string, code: string, artifact: string, validation: Validation | null): Json {
  const cv = validation && { folds: validation.folds, ...validation.metrics };
  const model = { function_code: code, model_url: { $artifact: artifact }, ...(cv ? { cv } : {}) };
  // Spreads are plain numbers and lists of them, which Json can't tell of an interface.
  return Object.fromEntries([[name, model as unknown as Json]]);
}

function reportOf(
  file: ModelFile,
  data: TrainingData,
  fitted: Fitted<unknown>,
  validation: Validation | null,
): ModelReport {
  return {
    rows: data.x.n,
    on: file.trained.on,
    features: data.x.names,
    target: file.targets[0].name,
    classes: data.classes.labels,
    weights: fitted.weights ?? null,
    shown: fitted.shown ?? null,
    validation,
  };
}

/** A target that never changes is learnt well and teaches nothing. */
function noticeConstant({ y }: TrainingData, context: BlockContext, who: string): void {
  if (y.n < 2 || y.data.some((value) => value !== y.data[0])) return;
  context.notice(
    `${who}: the target "${y.names[0]}" is ${y.data[0]} in all ${count(y.n, "row")}, so the model answers nothing else.`,
  );
}

/** Files beyond 2 GB can't be read in one go. */
const mostBytes = 2 ** 31 - 2 ** 20;

function refuseHuge(parameters: unknown, who: string): void {
  const bytes = textBytes(parameters);
  if (bytes <= mostBytes) return;
  throw new DataError(
    `${who}: the model would take ${(bytes / 1e9).toFixed(1)} GB to keep, and 2.1 GB is the most. Train on fewer rows; a forest also shrinks with n_estimators, max_depth and min_samples_leaf.`,
    { code: "model_too_large", got: Math.round(bytes), expected: `at most ${mostBytes} bytes` },
  );
}

function modelFile<Code extends string, Name extends string, Shape extends z.ZodRawShape, P>(
  spec: ModelSpec<Code, Name, Shape, P>,
  frame: Frame,
  data: TrainingData,
  name: string,
  args: unknown,
  parameters: P,
): ModelFile {
  const columnsOf = (names: readonly string[]) =>
    names.flatMap((each) => frame.columns.filter((column) => column.name === each));
  return {
    format: "blocklab-model",
    version: 1,
    function_code: spec.code,
    helper: spec.name,
    model_name: name,
    task: spec.task,
    features: columnsOf(data.x.names),
    targets: columnsOf(frame.y ?? []),
    classes: spec.task === "classification" ? data.classes.labels : null,
    args: args as Json,
    trained: { rows: foldRows(frame, fitFold(frame)), on: frame.folds ? "train" : "all" },
    parameters,
  };
}

function modelView(name: string, report: ModelReport): View {
  const rows = `${count(report.rows, report.on === "train" ? "training row" : "row")}`;
  const kinds = report.classes.length > 0 ? ` (${report.classes.length} classes)` : "";
  const words = `Model ${name}: ${report.target}${kinds} from ${count(report.features.length, "feature")}, trained on ${rows}.`;
  const validation = report.validation && validationView(report.validation, report.on);
  if (!report.weights || report.weights.values.length < 2) return stack(text(words), validation, report.shown);
  const names = report.weights.names ?? report.features;
  const bars = report.weights.values
    .map((value, k) => ({ label: names[k], value }))
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .slice(0, 15);
  const title = names.length > 15 ? `${report.weights.title}, the 15 largest` : report.weights.title;
  return stack(text(words), validation, report.shown, {
    kind: "chart",
    chart: { kind: "bars", title, value: report.weights.title, bars },
  });
}
