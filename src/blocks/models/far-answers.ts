import type { BlockContext, Outcome } from "../../core/block.ts";
import type { Chart } from "../../core/chart.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, cell, columnsNamed, type Frame, typeName, unknownColumn } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { count, freshNames, listed, quoted, uniqueNames } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { Cell, ViewColumn } from "../../core/view.ts";
import { call, column, type Expr, rowColumn, value } from "../../plan/expr.ts";
import { addStep, type Output, type Relation } from "../../plan/node.ts";
import { mostRows } from "../input/cluster.ts";
import { farFeatures, numberOf } from "../shared/far-products.ts";
import type { Beside } from "./answer-file.ts";
import { fitCharts } from "./metrics-view.ts";
import type { PredictionReport, Predictor, RowPredictor } from "./model-types.ts";
import type { Judged } from "./new-rows.ts";
import { onlyHere } from "./only-here.ts";

/** A cluster's rows with a model's answers behind their columns, under names of their own. */
interface Answered {
  readonly relation: Relation;
  /** How many rows are judged. */
  readonly n: number;
  readonly columns: readonly Column[];
  readonly answer: Column;
  /** A probability for each class, where there are such. */
  readonly shares: readonly Column[];
}

/** Marks of a picture at most, as of rows in memory. */
const mostDrawn = 500;

/** Predicts a cluster's rows there; the answers alone come here, at most as many as collect() brings. */
export async function predictFar(
  predictor: Predictor | RowPredictor,
  frame: Frame,
  file: ModelFile,
  judged: Judged,
  asked: Beside,
  context: BlockContext,
  who: string,
): Promise<Outcome> {
  const { tables } = context;
  const answered = await withAnswers(predictor, judged, file, context, who);
  const { n } = answered;
  if (n > mostRows) {
    throw new DataError(
      `${who}: ${count(n, "row")} are to be predicted, and at most ${mostRows.toLocaleString("en-US")} answers come from Spark; predict fewer, as behind filter() or sample().`,
      { code: "too_many_rows", got: n, expected: mostRows },
    );
  }
  const { relation, beside, answer, shares, truth } = named(answered, judged, file, asked, context);
  const { subset = "all" } = judged.selection;
  const bring = async (columns: readonly Column[]) => (await tables.collect(relation, columns, n, subset)).artifact;
  const y_pred = await bring([...beside, answer]);
  const output = {
    y_pred_url: { $artifact: y_pred },
    ...(shares.length > 0 ? { y_proba_url: { $artifact: await bring(shares) } } : {}),
  };
  const drawn = shares.length <= 8 ? shares : [];
  const names = [...beside, answer, ...drawn, ...truth].map(({ name }) => name);
  const cells = await tables.cells(relation, { ...judged.selection, columns: names, limit: Math.min(10, n) });
  const target = file.targets[0];
  const columns: ViewColumn[] = [
    ...beside.map((each) => ({ name: each.name, type: typeName(each) as ViewColumn["type"] })),
    { name: `predicted ${target.name}`, type: answer.type, role: "y" },
    ...drawn.map((_, k) => ({ name: `p(${file.classes?.[k]})`, type: "number", tint: "share", digits: 3 }) as const),
    ...truth.map((each) => ({ name: `true ${target.name}`, type: each.type })),
  ];
  const head = (cells[0] ?? []).map((_, i) => cells.map((values) => values[i]));
  const told = beside.length > 0 ? { beside: beside.map(({ name }) => name) } : {};
  const report: PredictionReport = { model: file.model_name, rows: n, from: judged.from, ...told, columns, head };
  return { frame, output, report };
}

/** Adds a model's answers to the plan of judged rows, whose features are checked. */
async function withAnswers(
  predictor: Predictor | RowPredictor,
  judged: Judged,
  file: ModelFile,
  context: BlockContext,
  who: string,
): Promise<Answered> {
  if (predictor.ask || !predictor.answerFar) throw onlyHere(who, "this model answers rows in memory alone");
  const { columns } = judged;
  const features = file.features.map(({ name }) => name);
  const present = columns.map(({ name }) => name);
  const lacking = features.filter((name) => !present.includes(name));
  if (lacking.length > 0) {
    throw new DataError(`${who}: the table lacks features of model ${quoted(file.model_name)}: ${listed(lacking)}.`, {
      got: present.slice(0, 50),
      expected: features,
    });
  }
  const where = { relation: judged.relation, rows: judged.selection };
  const { n } = await farFeatures(judged, features, where, context, who, true);
  const found = predictor.answerFar(file, columnsNamed(columns, features).map(numberOf));
  const passed: Output[] = columns.map((each) => ({ column: each }));
  const { id, name } = context.block;
  const step = (outputs: readonly Output[]) => ({ block: id, name, outputs });
  const [own] = freshNames(["answer"], present);
  const answer: Column = { name: own, type: "number" };
  const relation = addStep(judged.relation, step([...passed, { column: answer, expr: found }]));
  return { relation, n, columns, answer, shares: [] };
}

/** The answers under the names by which they are known, behind what was asked for beside them. */
function named(
  { relation, columns, answer, shares }: Answered,
  judged: Judged,
  file: ModelFile,
  asked: Beside,
  { block }: BlockContext,
) {
  const of = (called: string, each: Column): Output => ({ column: { ...each, name: called }, expr: cell(each) });
  const ids: Output[] = asked.row_id
    ? [{ column: { name: "row_id", type: "number", integer: true }, expr: column(rowColumn, "integer") }]
    : [];
  const wanted = wantedColumns(columns, asked.columns, file);
  const reserved = ["y_pred", ...ids.map((each) => each.column.name)];
  const kept = freshNames(
    wanted.map(({ name }) => name),
    reserved,
  ).map((called, k) => of(called, wanted[k]));
  const labels = uniqueNames((file.classes ?? []).map((label) => `p_${label}`));
  const own = of("y_pred", answer);
  const beside = [...ids, ...kept];
  const known = [...beside, own].map((each) => each.column.name);
  const shareNames = freshNames(labels.slice(0, shares.length), known);
  const probable = shares.map((each, k) => of(shareNames[k], each));
  const [truthName] = freshNames(["truth"], [...known, ...shareNames]);
  const truth = columnsNamed(judged.columns, [file.targets[0].name]).map((each) => of(truthName, each));
  const outputs = [...beside, own, ...probable, ...truth];
  const columnsOf = (all: readonly Output[]) => all.map((each) => each.column);
  return {
    relation: addStep(relation, { block: block.id, name: block.name, outputs }),
    beside: columnsOf(beside),
    answer: own.column,
    shares: columnsOf(probable),
    truth: columnsOf(truth),
  };
}

function wantedColumns(columns: readonly Column[], asked: Beside["columns"], file: ModelFile): readonly Column[] {
  if (asked === undefined) return [];
  if (asked === "all") return columns;
  const names = asked === "features" ? file.features.map(({ name }) => name) : [...new Set([asked].flat())];
  return names.map((name) => {
    const found = columns.find((each) => each.name === name);
    if (found) return found;
    throw unknownColumn(
      name,
      columns.map((each) => each.name),
      "the predicted rows",
    );
  });
}

/** How good a model is on a cluster's rows, by aggregates over its answers there. */
export async function judgeFar(
  predictor: Predictor | RowPredictor,
  judged: Judged,
  file: ModelFile,
  context: BlockContext,
  who: string,
): Promise<{ metrics: Record<string, Json>; charts: readonly Chart[]; unseen: readonly string[]; rows: number }> {
  const answered = await withAnswers(predictor, judged, file, context, who);
  const [target] = columnsNamed(judged.columns, [file.targets[0].name]);
  return await judgeNumbers(answered, target, judged, context);
}

/** As `regressionMetrics`; rows without a true value are not judged. */
async function judgeNumbers(
  { relation, n: all, answer }: Answered,
  target: Column,
  { selection }: Judged,
  { tables }: BlockContext,
) {
  const [truth, answers] = [numberOf(target), cell(answer)];
  const error = call("subtract", truth, answers);
  const size = call("abs", error);
  const least = call("greatest", call("abs", truth), value(Number.EPSILON, "number"));
  const sum = (expr: Expr) => call("sum", expr);
  const asked = [
    call("count", truth),
    call("variance", truth),
    sum(size),
    sum(call("multiply", error, error)),
    sum(call("divide", size, least)),
  ];
  const cells = await tables.aggregate(relation, selection, asked);
  const [n, variance, absolute, square, relative] = cells.map((each) => (each === null ? null : Number(each)));
  const drawn = await tables.sketch(relation, selection, {
    where: call("not", call("isMissing", truth)),
    x: truth,
    y: answers,
    isJoined: false,
    most: mostDrawn,
  });
  const numbers = (k: number) => Float64Array.from(drawn.found, (mark: readonly Cell[]) => Number(mark[k]));
  return {
    metrics: scores({ n: n ?? 0, variance, absolute, square, relative }),
    charts: fitCharts(target.name, numbers(0), numbers(1), drawn.rows),
    unseen: [],
    rows: all,
  };
}

function scores({
  n,
  variance,
  absolute,
  square,
  relative,
}: Record<"variance" | "absolute" | "square" | "relative", number | null> & { readonly n: number }) {
  if (n === 0 || absolute === null || square === null || relative === null)
    return { r2: null, mae: null, mse: null, rmse: null, mape: null };
  const spread = (variance ?? 0) * (n - 1);
  const r2 = n < 2 ? null : spread > 0 ? 1 - square / spread : square === 0 ? 1 : 0;
  return { r2, mae: absolute / n, mse: square / n, rmse: Math.sqrt(square / n), mape: relative / n };
}
