import { z } from "zod";
import { type ArgsOf, type Block, type BlockContext, type Declared, defineBlock } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, columnsNamed, type Frame, fitSubset, isNumeric, subsetSize } from "../../core/frame.ts";
import type { NumberColumns } from "../../core/matrix.ts";
import type { ModelFile } from "../../core/model.ts";
import { count, freshNames, listed } from "../../core/names.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import type { Json } from "../../core/record.ts";
import { fitSelection, remember, withStep } from "../../core/scope.ts";
import { readSplit } from "../../core/split.ts";
import { featureMatrix } from "../../core/training.ts";
import type { View } from "../../core/view.ts";
import type { Matrix } from "../../numerics/types.ts";
import { value } from "../../plan/expr.ts";
import { addStep, type Output } from "../../plan/node.ts";
import { modelName } from "../models/model-name.ts";
import type { Labels, Predictor } from "../models/model-types.ts";
import { addUnsearched } from "../models/models.ts";
import { predictBlock } from "../models/predict.ts";
import { clusterColumns, nameClustering } from "../shared/clusterings.ts";
import { withNearest } from "../shared/far-nearest.ts";
import { type FarColumns, farFeatures } from "../shared/far-products.ts";
import { onlyHere } from "../shared/only-here.ts";
import { clusterMetricsBlock } from "./cluster-metrics.ts";
import {
  type ClusterReport,
  type ClusterSize,
  clusterView,
  explainClusters,
  farSizes,
  sizesOf,
} from "./cluster-view.ts";
import { clusterOfNew, type RowScores } from "./new-rows.ts";

/** What a fit comes to: the parameters, and the cluster of each row it learnt from. */
export interface Grouped<P> {
  readonly parameters: P;
  /** 0 to clusters − 1; -1 for rows that belong to none. */
  readonly labels: Int32Array;
  /** What else there is to see. */
  readonly shown?: View;
  readonly notices?: readonly string[];
  /** What decides on rows that come later, where an engine can work it out. */
  readonly scores?: RowScores;
  /** What the fit came to in numbers, such as its inertia, for a model card. */
  readonly measures?: Readonly<Record<string, number>>;
  /** What the fit chose itself, such as the number of clusters; it stands in the record's output. */
  readonly found?: Readonly<Record<string, Json>>;
}

/** The same of a cluster's rows, which stay there. */
export type FarGrouped<P> = Omit<Grouped<P>, "labels" | "scores">;

/** The one declaration of a clustering: learning, prediction and metrics derive from it. */
export interface ClusteringSpec<Code extends string, Name extends string, Shape extends z.ZodRawShape, P> {
  readonly code: Code;
  readonly name: Name;
  readonly args: Shape;
  readonly example: string;
  /** When one would take it, and what to mind, in a sentence or two. */
  readonly why: string;
  /** `rows` knows how many there are at most and at least; who refuses goes by `who`. */
  fit(x: NumberColumns, args: ArgsOf<Shape>, context: BlockContext, who: string): Promise<Grouped<P>>;
  /** The cluster of each row. */
  assign(parameters: P, x: Matrix, context: BlockContext): Promise<Labels>;
  /** What else metrics say of rows, such as how likely they are. */
  judge?(parameters: P, x: Matrix, context: BlockContext): Promise<Readonly<Record<string, number>>>;
  /** It looks for outliers: -1 is one, 1 is none, and the column says 1 for an outlier, 0 for others. */
  readonly isOutliers?: true;
  /** The same where the rows lie on a cluster, for a clustering in which a row is in the cluster of the nearest centre. */
  readonly far?: {
    fit(x: FarColumns, args: ArgsOf<Shape>, context: BlockContext, who: string): Promise<FarGrouped<P>>;
    /** The centres, clusters×features row-major. */
    centres(parameters: P): Float64Array;
  };
  /** The fitted model as ONNX operators, where it has such a form. */
  onnx?(parameters: P, file: ModelFile): OnnxGraph;
}

const clusteringArgs = {
  /** The name under which the model is kept in the project (default: the helper's name, numbered from the second on). */
  model_name: z.string().min(1).max(200).optional(),
};

/** More clusters than this have no column: it would be as long as the table. */
const mostNamed = 255;

/** Declares a clustering block; its `_P` and `_M` come with it. It needs no target. */
export function defineClustering<const Code extends string, const Name extends string, Shape extends z.ZodRawShape, P>(
  spec: ClusteringSpec<Code, Name, Shape, P>,
): Declared<Code, Name, Shape & typeof clusteringArgs, Record<never, never>, readonly []> {
  nameClustering(spec.name);
  addUnsearched([spec.code, spec.name], "it learns no target, by which folds could be judged; compare its metrics()");
  const { onnx, judge, far, isOutliers = false } = spec;
  const predictor: Predictor = {
    code: spec.code,
    name: spec.name,
    task: "clustering",
    async predict(file, x, context) {
      return { kind: "labels", ...(await spec.assign(file.parameters as P, x, context)) };
    },
    ...(far ? { centresFar: (file) => far.centres(file.parameters as P) } : {}),
  };
  const judgeFile =
    judge && ((file: ModelFile, x: Matrix, context: BlockContext) => judge(file.parameters as P, x, context));
  return defineBlock({
    code: spec.code,
    name: spec.name,
    task: "clustering",
    args: { ...spec.args, ...clusteringArgs } as Shape & typeof clusteringArgs,
    example: spec.example,
    derived: [predictBlock(predictor), clusterMetricsBlock(predictor, judgeFile)] as unknown as readonly Block[],
    ...(onnx ? { onnx: (file: ModelFile) => onnx(file.parameters as P, file) } : {}),
    explain: explainClusters(spec.why),
    async run(frame, args, context) {
      const who = `${spec.name} (${spec.code})`;
      const { model_name, ...rest } = args as z.output<z.ZodObject<typeof clusteringArgs>>;
      // What is left are the clustering's own arguments.
      const own = rest as ArgsOf<Shape>;
      const features = featuresOf(frame, context, who);
      const { name, chosen } = modelName(model_name, spec.name, context, who);
      const { grouped, rows, labelled } = context.tables.isFar
        ? await groupedFar(spec, frame, features, own, context, who)
        : await groupedHere(spec, frame, features, own, context, who);
      for (const notice of grouped.notices ?? []) context.notice(`${who}: ${notice}`);
      const file: ModelFile = {
        format: "blocklab-model",
        version: 1,
        function_code: spec.code,
        helper: spec.name,
        model_name: name,
        task: "clustering",
        features: columnsNamed(frame.columns, features),
        targets: [],
        classes: null,
        args: own as Json,
        trained: { rows: subsetSize(frame, fitSubset(frame)), on: frame.split ? "train" : "all" },
        parameters: grouped.parameters,
      };
      const artifact = await context.tables.writeJson(file);
      const { frame: after, sizes } = await labelled();
      const report: ClusterReport = {
        rows,
        on: file.trained.on,
        features,
        sizes,
        ...(isOutliers ? { isOutliers } : {}),
        ...(grouped.measures ? { measures: grouped.measures } : {}),
        shown: grouped.shown ?? null,
        column: after.columns.length > frame.columns.length ? after.columns[after.columns.length - 1].name : null,
      };
      const made = { function_code: spec.code, model_url: { $artifact: artifact }, ...grouped.found };
      const output = Object.fromEntries([[name, made]]);
      return { frame: after, ...chosen, model: { name, artifact }, output, report };
    },
    view: ({ report, output }) => clusterView(Object.keys(output as object)[0], report as ClusterReport),
  });
}

/** The features: X where there are roles, else the table's columns of numbers that no clustering made. */
export function clusterFeatures(frame: Frame): readonly string[] {
  if (frame.x && frame.x.length > 0) return frame.x;
  return candidates(frame)
    .filter(isNumeric)
    .map(({ name }) => name);
}

/** What could be a feature without roles: neither a target nor another clustering's clusters. */
function candidates(frame: Frame): Column[] {
  const made = clusterColumns(frame);
  return frame.columns.filter(({ name }) => !made.includes(name) && !frame.y?.includes(name));
}

/** The features, checked; without roles it is told by which columns it goes. */
function featuresOf(frame: Frame, context: BlockContext, who: string): readonly string[] {
  const features = clusterFeatures(frame);
  if (frame.x && frame.x.length > 0) return features;
  const all = candidates(frame);
  if (features.length === 0) {
    throw new DataError(
      `${who}: it groups rows by numbers, and no column holds any. Make numbers of text with encode (DP_3), or of dates with dates (DP_PDT).`,
      { code: "text_features", got: listed(all.map(({ name }) => name)), hint: "encode" },
    );
  }
  const others = all.filter((each) => !isNumeric(each)).map(({ name }) => name);
  if (others.length > 0) {
    context.notice(
      `${who}: nothing says which columns count, so it goes by all numbers, and ${listed(others)} ${others.length === 1 ? "is" : "are"} left out. Choose with xy (DP_FSP), as in xy({ x: [...] }).`,
    );
  }
  return features;
}

/** What a clustering learnt from how many rows; and the frame with their clusters, with how large these are. */
interface Learnt<P> {
  readonly grouped: FarGrouped<P>;
  readonly rows: number;
  labelled(): Promise<{ readonly frame: Frame; readonly sizes: readonly ClusterSize[] }>;
}

/** A clustering without what its block's name and code are typed by. */
type Kind<Shape extends z.ZodRawShape, P> = Pick<
  ClusteringSpec<string, string, Shape, P>,
  "fit" | "far" | "assign" | "isOutliers"
>;

/** Fits rows in memory. */
async function groupedHere<Shape extends z.ZodRawShape, P>(
  spec: Kind<Shape, P>,
  frame: Frame,
  features: readonly string[],
  args: ArgsOf<Shape>,
  context: BlockContext,
  who: string,
): Promise<Learnt<P>> {
  const x = await featureMatrix(frame, frame.relation, fitSelection(frame), features, context, who);
  const grouped = await spec.fit(x, args, context, who);
  const isOutliers = spec.isOutliers === true;
  const shown = (labels: Int32Array) => (isOutliers ? isLow(labels) : labels);
  return {
    grouped,
    rows: x.n,
    async labelled() {
      const all = shown(await labelsOfAll(frame, features, grouped, spec.assign, context, who));
      const after = await withLabels(frame, features, all, { ...grouped, isOutliers }, context, who);
      return { frame: after, sizes: sizesOf(x, shown(grouped.labels)) };
    },
  };
}

/** Fits rows of a cluster, where they stay; each gets the cluster of the nearest centre. */
async function groupedFar<Shape extends z.ZodRawShape, P>(
  { far }: Kind<Shape, P>,
  frame: Frame,
  features: readonly string[],
  args: ArgsOf<Shape>,
  context: BlockContext,
  who: string,
): Promise<Learnt<P>> {
  if (!far) throw onlyHere(who, "it needs them in memory");
  const { relation, columns } = frame;
  const rows = fitSelection(frame);
  const x = await farFeatures(frame, features, { relation, rows }, context, who);
  // Rows that test get a cluster as well.
  if (frame.split) await farFeatures(frame, features, { relation, rows: {} }, context, who);
  const grouped = await far.fit(x, args, context, who);
  return {
    grouped,
    rows: x.n,
    async labelled() {
      const { steps, cluster } = withNearest({ relation, columns, features }, far.centres(grouped.parameters), context);
      const outputs = [...columns, cluster].map((column): Output => ({ column }));
      const last = { block: context.block.id, name: context.block.name, outputs };
      const made = [...steps, last].reduce((before, step) => withStep(before, step), frame);
      const after = { ...made, fits: remember(frame, context, features) };
      return { frame: after, sizes: await farSizes(after.relation, cluster, x.columns, rows, context) };
    },
  };
}

/** The cluster of each row of the table; rows that were not learnt from get the one that prediction gives them. */
async function labelsOfAll<P>(
  frame: Frame,
  features: readonly string[],
  { labels, parameters }: Grouped<P>,
  assign: (parameters: P, x: Matrix, context: BlockContext) => Promise<Labels>,
  context: BlockContext,
  who: string,
): Promise<Int32Array> {
  if (!frame.split) return labels;
  const x = await featureMatrix(frame, frame.relation, {}, features, context, who);
  const { labels: all } = await assign(parameters, x, context);
  const { train } = await readSplit(frame, context.tables);
  for (const [k, row] of train.entries()) all[row] = labels[k];
  return all;
}

/** 1 for an outlier, 0 for others. */
function isLow(labels: Int32Array): Int32Array {
  return labels.map((label) => (label < 0 ? 1 : 0));
}

/** The frame with a column of each row's cluster behind the others; roles stay as they are. */
async function withLabels(
  frame: Frame,
  features: readonly string[],
  labels: Int32Array,
  grouped: Grouped<unknown> & { readonly isOutliers: boolean },
  context: BlockContext,
  who: string,
): Promise<Frame> {
  const least = labels.reduce((low, label) => Math.min(low, label), 0);
  const most = labels.reduce((high, label) => Math.max(high, label), 0);
  const kinds = most - least + 1;
  if (kinds > mostNamed) {
    context.notice(
      `${who}: ${count(kinds, "cluster")} are more than ${mostNamed}, so the table gets no column of them; predict() answers them.`,
    );
    return frame;
  }
  const names = frame.columns.map(({ name }) => name);
  const [name] = freshNames([grouped.isOutliers ? "outlier" : "cluster"], names);
  const column: Column = { name, type: "number", integer: true };
  const { scores } = grouped;
  const before = scores ? clusterOfNew(frame, features, scores, context) : { frame, expr: value(null, "integer") };
  const outputs: Output[] = [...frame.columns.map((each) => ({ column: each })), { column, expr: before.expr }];
  const step = { block: context.block.id, name: context.block.name, outputs };
  const relation = await context.tables.parted(addStep(before.frame.relation, step), {
    taken: before.frame.columns.map((each) => each.name),
    parts: Uint8Array.from(labels, (label) => label - least),
    columns: [
      {
        name,
        place: value(-1),
        size: 1,
        numbers: Float64Array.from({ length: kinds }, (_, k) => k + least),
      },
    ],
  });
  return {
    ...frame,
    relation,
    lineage: [...before.frame.lineage, step],
    columns: outputs.map((output) => output.column),
    fits: remember(frame, context, features),
  };
}
