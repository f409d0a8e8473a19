import type { z } from "zod";
import type { ArgsOf, BlockContext, Task } from "../../core/block.ts";
import type { Frame } from "../../core/frame.ts";
import type { SparseColumns } from "../../core/matrix.ts";
import type { ModelFile } from "../../core/model.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import type { Json } from "../../core/record.ts";
import type { SparseTraining, TrainingData } from "../../core/training.ts";
import type { Cell, View, ViewColumn } from "../../core/view.ts";
import type { Trees } from "../../numerics/trees/trees.ts";
import type { Matrix } from "../../numerics/types.ts";
import type { Expr } from "../../plan/expr.ts";
import type { Additive } from "./additive.ts";
import type { FarTraining } from "./far-training.ts";
import type { Weights } from "./model-view.ts";
import type { Judged } from "./new-rows.ts";

/** What a model answers for rows: a number each, a probability per class, classes that it chose otherwise, or clusters. */
export type Prediction =
  | { readonly kind: "numbers"; readonly values: Float64Array }
  | { readonly kind: "probabilities"; readonly matrix: Matrix }
  | { readonly kind: "classes"; readonly codes: Int32Array; readonly matrix?: Matrix }
  | ({ readonly kind: "labels" } & Labels);

/** The cluster of each row, and what else there is to say of it. */
export interface Labels {
  readonly labels: Int32Array;
  /** The lower, the more unusual. */
  readonly scores?: Float64Array;
  /** How firmly each row is in its cluster, 0 to 1. */
  readonly strengths?: Float64Array;
  /** How likely each row is of each cluster, where a clustering can tell. */
  readonly matrix?: Matrix;
}

/** What a fit comes to: the parameters, and facts about them for the view. */
export interface Fitted<P> {
  readonly parameters: P;
  /** A number per feature, such as coefficients or importances, largest effect first in the view. */
  readonly weights?: Weights;
  /** What else there is to see of the model, such as its equation or its tree. */
  readonly shown?: View;
  readonly notices?: readonly string[];
  /** What the fit chose itself, such as the strength of a penalty; it stands in the record's output. */
  readonly found?: Readonly<Record<string, Json>>;
  /** Of a training that went on from an earlier model: the arguments that come to the same at once. */
  readonly atOnce?: object;
}

/**
 * What a model answers for a row of a cluster, as expressions: a number, or scores whose exponentials are shares of classes; or
 * the trees that answer: their mean, or sums, which are a number or scores.
 *
 * One score alone is that of the second of two classes, beside 0 for the first.
 */
export type FarAnswer =
  | { readonly kind: "number"; readonly value: Expr }
  | { readonly kind: "scores"; readonly scores: readonly Expr[] }
  | { readonly kind: "trees"; readonly trees: AskedTrees }
  | { readonly kind: "sums"; readonly sums: readonly TreeSum[]; readonly link?: "exp" };

/** What trees' answers add up to, and what they begin with. */
export interface TreeSum {
  readonly trees: AskedTrees;
  readonly baseline: number;
}

/** What has to be known of trees to answer. */
export type AskedTrees = Pick<
  Trees,
  "offsets" | "feature" | "threshold" | "left" | "right" | "value" | "width" | "leaves"
>;

/** How a kind of model learns and answers where no row comes into memory. */
export interface FarModel<Args, P> {
  fit(data: FarTraining, args: Args, context: BlockContext): Promise<Fitted<P>>;
  /** Learns in many steps, each a question there; of few rows they are spared by learning here. */
  readonly isStepwise?: true;
  /** Its answer for a row whose features these are, in their order. */
  answer(parameters: P, x: readonly Expr[]): FarAnswer;
}

/** The one declaration of a model: training, prediction and metrics derive from it. */
export interface ModelSpec<Code extends string, Name extends string, Shape extends z.ZodRawShape, P> {
  readonly code: Code;
  readonly name: Name;
  /** What it learns; a model of both kinds says it by its arguments, null where the target is to decide. */
  readonly task: Task | ((args: ArgsOf<Shape>) => Task | null);
  /** The argument by which a model of both kinds takes whole numbers for numbers, as one types it. */
  readonly asNumbers?: string;
  /** Takes features as they are: missing cells as NaN, text as categories. */
  readonly isRaw?: true;
  /** The argument that names an earlier model to go on from. */
  readonly goesOn?: keyof Shape & string;
  /** Asks for what rows count by a column, which its training data then can read. */
  readonly isWeighted?: true;
  readonly args: Shape;
  readonly example: string;
  /** When one would take this model, and what to mind, in a sentence or two. */
  readonly why: string;
  fit(data: TrainingData, args: ArgsOf<Shape>, context: BlockContext): Promise<Fitted<P>>;
  predict(parameters: P, x: Matrix, context: BlockContext): Promise<Prediction>;
  /** The same on sparse rows, such as texts' terms, for a model that need not fill them; it comes to the same answer. */
  readonly sparse?: {
    fit(data: SparseTraining, args: ArgsOf<Shape>, context: BlockContext): Promise<Fitted<P>>;
    predict(parameters: P, x: SparseColumns, context: BlockContext): Promise<Prediction>;
  };
  /** The same where the rows lie on a cluster, for a model that learns from sums over them. */
  readonly far?: FarModel<ArgsOf<Shape>, P>;
  /** The fitted model as a sum, where it is one: then each column's share in an answer is known exactly. */
  additive?(parameters: P): Additive;
  /** The fitted model as ONNX operators, where it has such a form. */
  onnx?(parameters: P, file: ModelFile): OnnxGraph;
}

/** How prediction and metrics reach a model whose kind they don't know. */
export interface Predictor {
  readonly code: string;
  readonly name: string;
  readonly task: Task | "either" | "clustering";
  readonly isRaw?: true | undefined;
  predict(file: ModelFile, x: Matrix, context: BlockContext): Promise<Prediction>;
  /** The same of sparse rows, where the model takes them. */
  readonly predictSparse?: (file: ModelFile, x: SparseColumns, context: BlockContext) => Promise<Prediction>;
  /** What it answers for a row of a cluster whose features these are, where it can. */
  readonly answerFar?: (file: ModelFile, x: readonly Expr[]) => FarAnswer;
  /** Of a clustering: its centres, of which the nearest says a row's cluster, where it has such. */
  readonly centresFar?: (file: ModelFile) => Float64Array;
  /** The model as a sum, where it is one. */
  readonly additive?: (file: ModelFile) => Additive;
  /** In place of `predict`, for a model that takes rows as they are, such as texts. */
  readonly ask?: undefined;
}

/** How a model of numbers or classes is asked, and trained once more. */
export interface Learner extends Predictor {
  /** A model of the same arguments, trained on a frame's own training rows; nothing is kept. */
  anew(file: ModelFile, frame: Frame, context: BlockContext, who: string): Promise<ModelFile>;
}

/** How prediction and metrics reach a model that takes rows as they are. */
export interface RowPredictor {
  readonly code: string;
  readonly name: string;
  ask(file: ModelFile, judged: Judged, context: BlockContext, who: string): Promise<Prediction>;
}

/** What a prediction found, for its view and its explanation. */
export interface PredictionReport {
  readonly model: string;
  readonly rows: number;
  readonly from: string;
  /** The columns that the file has before the answers. */
  readonly beside?: readonly string[];
  readonly columns: readonly ViewColumn[];
  readonly head: readonly Cell[][];
}
