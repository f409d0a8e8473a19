import { z } from "zod";
import { type BlockContext, defineBlock, type Outcome } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, column, type Frame, typeName } from "../../core/frame.ts";
import { columnOf, type NumberColumns } from "../../core/matrix.ts";
import type { ModelFile } from "../../core/model.ts";
import { count, listed, quoted, uniqueNames } from "../../core/names.ts";
import { featureMatrix, rawFeatures, sparseFeatures } from "../../core/training.ts";
import { type Cell, stack, text, type View, type ViewColumn } from "../../core/view.ts";
import type { Matrix } from "../../numerics/types.ts";
import { type Beside, besideArgs, type RowParts, rowParts, writeAnswers } from "./answer-file.ts";
import { explainPrediction } from "./explain-models.ts";
import { predictFar } from "./far-answers.ts";
import type { Prediction, PredictionReport, Predictor, RowPredictor } from "./model-types.ts";
import { type Judged, rowsToJudge } from "./new-rows.ts";

/** The block that predicts with a model of this kind; its code is the model's with `_P`. */
export function predictBlock(predictor: Predictor) {
  const code = `${predictor.code}_P`;
  const who = `predict (${code})`;
  return defineBlock({
    code,
    name: `${predictor.name}.predict`,
    task: predictor.task,
    args: {
      /** The name under which the model was trained. */
      model_name: z.string(),
      /** Rows to predict: a file or URL, whose cells are read as those of the chain's own file were, or the name of one of the record's URLs such as "x_test_url" (default: x_train_url). */
      test_data: z.string().optional(),
      ...besideArgs,
    },
    tables: ["test_data"],
    files: ["test_data"],
    example: `…${predictor.name}().predict()`,
    explain: explainPrediction,
    async run(frame, args, context) {
      const { file } = await modelOf(predictor, args.model_name, context, who);
      return await predictRows(predictor, frame, file, args, context, who);
    },
    view: ({ report }) => predictionView(report),
  });
}

/** Predicts the rows that `test_data` means with a model; what a prediction block answers. */
export async function predictRows(
  predictor: Predictor | RowPredictor,
  frame: Frame,
  file: ModelFile,
  asked: Beside & { readonly test_data?: string | undefined },
  context: BlockContext,
  who: string,
): Promise<Outcome> {
  const { tables } = context;
  const judged = await rowsToJudge(frame, asked.test_data, file, context, who);
  if (tables.isFar) return await predictFar(predictor, frame, file, judged, asked, context, who);
  const prediction = await askModel(predictor, judged, file, context, who);
  const answers = answersOf(prediction, file);
  const parts = await rowParts(judged, asked, { file, rows: answers.values.length }, context);
  const y_pred = await writeAnswers([answers, ...besideLabels(prediction)], parts, context);
  const output: Record<string, { $artifact: string }> = { y_pred_url: { $artifact: y_pred } };
  const matrix = probabilitiesOf(prediction);
  if (matrix) {
    const shares = probabilityColumns(matrix, file);
    output.y_proba_url = { $artifact: await writeAnswers(shares, { ...parts, kept: null }, context) };
  }
  const report = await reportOf(frame, judged, answers, prediction, parts, file, context);
  if (parts.kept) await tables.discard(parts.kept.artifact);
  return { frame, output, report };
}

/** What a prediction shows: its first rows, beside the truth where it is known. */
export function predictionView(report: unknown): View {
  const { model, rows, from, columns, head } = report as PredictionReport;
  return stack(text(`Predicted ${count(rows, "row")} of ${from} with ${model}.`), {
    kind: "table",
    columns,
    rows: head,
    total: rows,
  });
}

/** What a model says of the judged rows: of their numbers, or of the rows as they are where it takes no numbers. */
export async function askModel(
  predictor: Predictor | RowPredictor,
  judged: Judged,
  file: ModelFile,
  context: BlockContext,
  who: string,
): Promise<Prediction> {
  if (predictor.ask) return await predictor.ask(file, judged, context, who);
  if (predictor.predictSparse) {
    const x = await sparseFeatures(...featuresOf(judged, file, who), context, who, true);
    if (x) return await predictor.predictSparse(file, x, context);
  }
  return await predictor.predict(file, await judgedMatrix(judged, file, context, who, predictor.isRaw), context);
}

/** The model of that name, when it is of this kind. */
export async function modelOf(
  predictor: Predictor | RowPredictor,
  name: string,
  context: BlockContext,
  who: string,
): Promise<{ file: ModelFile }> {
  const found = await context.model(name);
  const { function_code: code, helper } = found.file;
  if (code !== predictor.code) {
    // A network's code ends in what it does, and so do those of its prediction and evaluation.
    const isNetwork = /_[IT]$/.test(code);
    const suffix = who.includes("_P") ? "_P" : isNetwork ? "_E" : "_M";
    throw new ArgsError(
      `${who}: model ${quoted(name)} was made by ${helper} (${code}); use ${code.replace(/_[IT]$/, "")}${suffix}.`,
      { path: "model_name", got: code, expected: predictor.code },
    );
  }
  return found;
}

/** The judged rows as the model's matrix; a value of the wrong kind is the caller's to mend. `isRaw` takes features as they are. */
export async function judgedMatrix(
  judged: Judged,
  file: ModelFile,
  context: BlockContext,
  who: string,
  isRaw = false,
): Promise<NumberColumns> {
  if (isRaw) return (await rawFeatures(...featuresOf(judged, file, who), context, who, file.categories ?? {})).x;
  return await featureMatrix(...featuresOf(judged, file, who), context, who, true);
}

/** The judged rows' table, which of them, and the model's features, which must all be there. */
function featuresOf(judged: Judged, file: ModelFile, who: string) {
  const features = file.features.map((each) => each.name);
  const present = new Set(judged.columns.map((each) => each.name));
  const lacking = features.filter((name) => !present.has(name));
  if (lacking.length > 0) {
    throw new DataError(`${who}: the table lacks features of model ${quoted(file.model_name)}: ${listed(lacking)}.`, {
      got: judged.columns.map((each) => each.name).slice(0, 50),
      expected: features,
    });
  }
  const { subset, split } = judged.selection;
  return [judged, judged.relation, { subset, split }, features] as const;
}

/** The predicted column: numbers, or the likeliest label of each row. */
function answersOf(
  prediction: Prediction,
  file: ModelFile,
): { column: Column; values: Float64Array | readonly Cell[] } {
  if (prediction.kind === "numbers") return { column: { name: "y_pred", type: "number" }, values: prediction.values };
  if (prediction.kind === "labels") {
    const values = Float64Array.from(prediction.labels);
    return { column: { name: "y_pred", type: "number", integer: true }, values };
  }
  const labels = file.classes ?? [];
  const codes = codesOf(prediction);
  const first = labels[0];
  const type = typeof first === "number" ? "number" : typeof first === "boolean" ? "boolean" : "string";
  const values = Array.from(codes, (code) => labels[code]);
  return { column: { name: "y_pred", type, ...(type === "number" ? { integer: true } : {}) }, values };
}

/** What a clustering says of each row beside its label: how unusual it is, or how firmly it is in its cluster. */
function besideLabels(prediction: Prediction): { column: Column; values: Float64Array }[] {
  if (prediction.kind !== "labels") return [];
  const { scores, strengths } = prediction;
  const named = { score: scores, probability: strengths };
  return Object.entries(named).flatMap(([name, values]) =>
    values ? [{ column: { name, type: "number" }, values }] : [],
  );
}

/** The probabilities of a prediction, where it has any. */
export function probabilitiesOf(prediction: Prediction): Matrix | undefined {
  return "matrix" in prediction ? prediction.matrix : undefined;
}

/** What the columns of probabilities are of: classes, or clusters by their numbers. */
function sharesOf({ d }: Matrix, { classes }: ModelFile): readonly (string | number | boolean)[] {
  return classes ?? Array.from({ length: d }, (_, cluster) => cluster);
}

/** The predicted class of each row; none for numbers. */
export function codesOf(prediction: Prediction): Int32Array {
  if (prediction.kind === "classes") return prediction.codes;
  return prediction.kind === "probabilities" ? likeliest(prediction.matrix) : new Int32Array(0);
}

/** The class with the greatest probability of each row; of equals the first, as scikit-learn's argmax. */
function likeliest(matrix: Matrix): Int32Array {
  const codes = new Int32Array(matrix.n);
  for (let i = 0; i < matrix.n; i++) {
    for (let k = 1; k < matrix.d; k++) {
      if (matrix.data[k * matrix.n + i] > matrix.data[codes[i] * matrix.n + i]) codes[i] = k;
    }
  }
  return codes;
}

function probabilityColumns(matrix: Matrix, file: ModelFile) {
  const names = uniqueNames(sharesOf(matrix, file).map((label) => `p_${label}`));
  return names.map((name, k) => ({
    column: { name, type: "number" } as Column,
    values: columnOf(matrix, k),
  }));
}

async function reportOf(
  frame: Frame,
  judged: Judged,
  answers: { column: Column; values: Float64Array | readonly Cell[] },
  prediction: Prediction,
  { ids, kept }: RowParts,
  file: ModelFile,
  context: BlockContext,
): Promise<PredictionReport> {
  const shown = Math.min(10, answers.values.length);
  const target = file.targets.at(0);
  const beside = [ids?.column, ...(kept?.columns ?? [])].flatMap((each) => each ?? []);
  const columns: ViewColumn[] = [
    ...beside.map((each) => ({ name: each.name, type: typeName(each) as ViewColumn["type"] })),
    { name: `predicted ${target?.name ?? "cluster"}`, type: answers.column.type, role: "y" },
  ];
  const firstOf = (values: ArrayLike<Cell>) => Array.from({ length: shown }, (_, i) => values[i]);
  const cells: Cell[][] = [
    ...(ids ? [firstOf(ids.values)] : []),
    ...(kept ? await context.tables.cells({ artifact: kept.artifact, steps: [] }, { limit: shown }) : []),
    firstOf(answers.values),
  ];
  for (const { column, values } of besideLabels(prediction)) {
    columns.push({ name: column.name, type: "number" });
    cells.push(firstOf(values));
  }
  const matrix = probabilitiesOf(prediction);
  if (matrix && matrix.d <= 8) {
    sharesOf(matrix, file).forEach((label, k) => {
      columns.push({ name: `p(${label})`, type: "number", tint: "share", digits: 3 });
      cells.push([...columnOf(matrix, k).subarray(0, shown)]);
    });
  }
  if (target && judged.relation === frame.relation && frame.columns.some((each) => each.name === target.name)) {
    const [truth] = await context.tables.cells(judged.relation, {
      ...judged.selection,
      columns: [target.name],
      limit: shown,
    });
    columns.push({ name: `true ${target.name}`, type: column(frame, target.name).type });
    cells.push(truth);
  }
  const head = Array.from({ length: shown }, (_, i) => cells.map((values) => values[i]));
  const named = beside.length > 0 ? { beside: beside.map(({ name }) => name) } : {};
  return { model: file.model_name, rows: answers.values.length, from: judged.from, ...named, columns, head };
}
