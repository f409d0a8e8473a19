import type { BlockContext, Outcome } from "../../core/block.ts";
import type { Chart } from "../../core/chart.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, cell, columnsNamed, type Frame, typeName, unknownColumn } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { count, freshNames, listed, quoted, uniqueNames } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { Cell, ViewColumn } from "../../core/view.ts";
import type { ClassCurves } from "../../numerics/evaluation/curves.ts";
import { confusionMetrics } from "../../numerics/evaluation/metrics.ts";
import { call, column, type Expr, rowColumn, value } from "../../plan/expr.ts";
import { addStep, type Output, type Relation } from "../../plan/node.ts";
import { mostRows } from "../input/cluster.ts";
import { farClasses } from "../shared/far-classes.ts";
import { withNearest } from "../shared/far-nearest.ts";
import { type FarColumns, farFeatures, numberOf } from "../shared/far-products.ts";
import { onlyHere } from "../shared/only-here.ts";
import type { Beside } from "./answer-file.ts";
import { farCurves } from "./far-curves.ts";
import { answersOfTrees } from "./far-trees.ts";
import { confusionChart, curveCharts, drawnClasses, fitCharts, reportByLabel } from "./metrics-view.ts";
import type { AskedTrees, PredictionReport, Predictor, RowPredictor, TreeSum } from "./model-types.ts";
import type { Judged } from "./new-rows.ts";

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
  const target = file.targets.at(0)?.name ?? "cluster";
  const columns: ViewColumn[] = [
    ...beside.map((each) => ({ name: each.name, type: typeName(each) as ViewColumn["type"] })),
    { name: `predicted ${target}`, type: answer.type, role: "y" },
    ...drawn.map((_, k) => ({ name: `p(${file.classes?.[k]})`, type: "number", tint: "share", digits: 3 }) as const),
    ...truth.map((each) => ({ name: `true ${target}`, type: each.type })),
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
  if (predictor.ask || !(predictor.answerFar || predictor.centresFar))
    throw onlyHere(who, "this model answers rows in memory alone");
  const { columns } = judged;
  const features = file.features.map(({ name }) => name);
  const present = columns.map(({ name }) => name);
  const { n } = await judgedFeatures(judged, file, context, who);
  if (!predictor.answerFar) {
    const centres = predictor.centresFar?.(file) ?? new Float64Array(0);
    const { relation, cluster } = withNearest({ relation: judged.relation, columns, features }, centres, context);
    return { relation, n, columns, answer: cluster, shares: [] };
  }
  const found = predictor.answerFar(file, columnsNamed(columns, features).map(numberOf));
  const passed: Output[] = columns.map((each) => ({ column: each }));
  const { id, name } = context.block;
  const step = (outputs: readonly Output[]) => ({ block: id, name, outputs });
  if (found.kind === "number") {
    const [own] = freshNames(["answer"], present);
    const answer: Column = { name: own, type: "number" };
    const relation = addStep(judged.relation, step([...passed, { column: answer, expr: found.value }]));
    return { relation, n, columns, answer, shares: [] };
  }
  const labels = file.classes ?? [];
  const sums = found.kind === "sums" ? askedSums(found.sums, judged, file, context, who) : null;
  if (sums && labels.length === 0) {
    const [own] = freshNames(
      ["answer"],
      sums.columns.map((each) => each.name),
    );
    const answer: Column = { name: own, type: "number" };
    const expr = found.kind === "sums" && found.link ? call(found.link, sums.scores[0]) : sums.scores[0];
    return {
      relation: addStep(sums.relation, step([...passed, { column: answer, expr }])),
      n,
      columns,
      answer,
      shares: [],
    };
  }
  const trees = found.kind === "trees" ? askedTrees(found.trees, judged, file, context, who) : null;
  if (trees && labels.length === 0) {
    return { relation: trees.relation, n, columns, answer: trees.answers[0], shares: [] };
  }
  const taken = (sums ?? judged).columns.map((each) => each.name);
  const [own, ...others] = freshNames(["answer", ...labels.map((_, k) => `share ${k}`)], taken);
  const shares = trees?.answers ?? others.map((each): Column => ({ name: each, type: "number" }));
  const scores = found.kind === "scores" ? found.scores : [];
  const probable = trees?.relation ?? sharesOf(sums?.scores ?? scores, shares, sums ?? judged, context);
  const first = labels[0];
  const type = typeof first === "number" ? "number" : typeof first === "boolean" ? "boolean" : "string";
  const answer: Column = { name: own, type, ...(type === "number" ? { integer: true } : {}) };
  // Of equal probabilities the first class, as of rows in memory.
  const most = call("greatest", ...shares.map(cell));
  const likeliest = labels.reduceRight<Expr>(
    (rest, label, k) => call("choose", call("equal", cell(shares[k]), most), value(label), rest),
    value(null),
  );
  const passedShares = shares.map((each): Output => ({ column: each }));
  const relation = addStep(probable, step([...passed, ...passedShares, { column: answer, expr: likeliest }]));
  return { relation, n, columns, answer, shares };
}

function askedTrees(
  trees: AskedTrees,
  { relation, columns }: Judged,
  file: ModelFile,
  context: BlockContext,
  who: string,
) {
  const features = file.features.map(({ name }) => name);
  const x = columnsNamed(columns, features).map(numberOf);
  return answersOfTrees(trees, { relation, columns, x }, who, context);
}

/** What trees' answers add up to, as expressions over a plan that has the sums behind the judged columns. */
function askedSums(
  sums: readonly TreeSum[],
  { relation, columns }: Judged,
  file: ModelFile,
  context: BlockContext,
  who: string,
): { readonly scores: readonly Expr[]; readonly relation: Relation; readonly columns: readonly Column[] } {
  const x = columnsNamed(
    columns,
    file.features.map(({ name }) => name),
  ).map(numberOf);
  const scores: Expr[] = [];
  let known = { relation, columns };
  for (const { trees, baseline } of sums) {
    const asked = answersOfTrees(trees, { ...known, x }, who, context, true);
    known = { relation: asked.relation, columns: [...known.columns, ...asked.answers] };
    scores.push(call("add", cell(asked.answers[0]), value(baseline, "number")));
  }
  return { ...known, scores };
}

/** The model's features of a cluster's judged rows, which must all be there, complete and finite. */
export async function judgedFeatures(
  judged: Judged,
  file: ModelFile,
  context: BlockContext,
  who: string,
): Promise<FarColumns> {
  const features = file.features.map(({ name }) => name);
  const present = judged.columns.map(({ name }) => name);
  const lacking = features.filter((name) => !present.includes(name));
  if (lacking.length > 0) {
    throw new DataError(`${who}: the table lacks features of model ${quoted(file.model_name)}: ${listed(lacking)}.`, {
      got: present.slice(0, 50),
      expected: features,
    });
  }
  const where = { relation: judged.relation, rows: judged.selection };
  return await farFeatures(judged, features, where, context, who, { learnt: true });
}

/** Adds the probability of each class to a plan, by scores whose exponentials are shares; node by node, so that each is worked out once. */
export function sharesOf(
  scores: readonly Expr[],
  shares: readonly Column[],
  { relation, columns }: { readonly relation: Relation; readonly columns: readonly Column[] },
  { block: { id, name } }: Pick<BlockContext, "block">,
): Relation {
  const passed = columns.map((column): Output => ({ column }));
  const then = (before: Relation, exprs: readonly Expr[]) => {
    const made = exprs.map((expr, k): Output => ({ column: shares[k], expr }));
    return addStep(before, { block: id, name, outputs: [...passed, ...made] });
  };
  const one = value(1, "number");
  if (scores.length === 1) {
    const own = cell(shares[0]);
    const logistic = (score: Expr) => call("divide", one, call("add", one, call("exp", score)));
    return then(then(relation, scores), [logistic(own), logistic(call("negate", own))]);
  }
  const all = shares.map(cell);
  const exponentials = all.map((each) => call("exp", call("subtract", each, call("greatest", ...all))));
  const sum = all.slice(1).reduce<Expr>((rest, each) => call("add", rest, each), all[0]);
  return then(
    then(then(relation, scores), exponentials),
    all.map((each) => call("divide", each, sum)),
  );
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
  const truths = file.targets.slice(0, 1).map((each) => each.name);
  const truth = columnsNamed(judged.columns, truths).map((each) => of(truthName, each));
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
  if (answered.shares.length > 0) return await judgeClasses(answered, target, judged, file, context);
  return await judgeNumbers(answered, target, judged, context);
}

/** As `classificationMetrics`; rows without a true class are not judged. */
async function judgeClasses(
  { relation, n: rows, answer, shares, columns }: Answered,
  target: Column,
  { selection }: Judged,
  file: ModelFile,
  context: BlockContext,
) {
  const { tables } = context;
  const known = file.classes ?? [];
  const all = { relation, columns: [...columns, ...shares, answer] };
  const present = await farClasses(all, target.name, selection, context);
  const unseen = present.labels.filter((label) => !known.includes(label));
  const labels = [...known, ...unseen];
  const there = call("not", call("isMissing", cell(target)));
  const by = [cell(target), cell(answer)];
  const pairs = await tables.groups(relation, selection, {
    by,
    where: there,
    outputs: [...by, call("count")],
    order: by.map((expr) => ({ expr })),
  });
  const confusion = new Int32Array(labels.length ** 2);
  for (const [truth, found, n] of pairs.found) {
    confusion[labels.indexOf(truth as string) * labels.length + labels.indexOf(found as string)] = Number(n);
  }
  const n = present.counts.reduce((sum, each) => sum + each, 0);
  const isOf = (label: string | number | boolean) => call("equal", cell(target), value(label));
  // A class that was not learnt has no probability.
  const own = known.reduceRight<Expr>(
    (rest, label, k) => call("choose", isOf(label), cell(shares[k]), rest),
    value(0, "number"),
  );
  const [least, most] = [Number.EPSILON, 1 - Number.EPSILON].map((end) => value(end, "number"));
  const loss = call("choose", there, call("ln", call("clip", own, least, most)), value(null));
  const [sum] = await tables.aggregate(relation, selection, [call("sum", loss)]);
  const areas: number[] = [];
  const curves: ClassCurves[] = [];
  const rowsOf = (k: number) =>
    confusion.subarray(k * labels.length, (k + 1) * labels.length).reduce((a, b) => a + b, 0);
  const drawn = drawnClasses(known.map((_, k) => rowsOf(k)));
  for (const k of known.length === 2 ? [1] : known.keys()) {
    const asked = { share: shares[k], isOwn: isOf(known[k]), there };
    const found = await farCurves(all, asked, { code: k, isDrawn: drawn.includes(k) }, selection, context);
    if (found?.area != null) areas.push(found.area);
    if (found?.curves) curves.push(found.curves);
  }
  const judged = confusionMetrics(confusion, labels.length, n);
  const matrix = labels.map((_, i) => [...confusion.subarray(i * labels.length, (i + 1) * labels.length)]);
  return {
    metrics: {
      accuracy: judged.accuracy,
      precision: judged.report.weighted.precision,
      recall: judged.report.weighted.recall,
      f1: judged.report.weighted.f1,
      roc_auc: areas.length > 0 ? areas.reduce((total, area) => total + area, 0) / areas.length : null,
      log_loss: sum === null ? null : -Number(sum) / n,
      confusion: { labels, matrix },
      report: reportByLabel(labels, judged.report),
    },
    charts: [confusionChart(labels.map(String), matrix), ...curveCharts(labels.map(String), curves, n)],
    unseen: unseen.map(String),
    rows,
  };
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
    sum(
      call(
        "choose",
        call("less", call("abs", truth), value(Number.EPSILON, "number")),
        value(1, "number"),
        value(0, "number"),
      ),
    ),
  ];
  const cells = await tables.aggregate(relation, selection, asked);
  const [n, variance, absolute, square, relative, zeros] = cells.map((each) => (each === null ? null : Number(each)));
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
    zeros: zeros ?? 0,
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
