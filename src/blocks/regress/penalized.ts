import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import type { Chart } from "../../core/chart.ts";
import { ArgsError, InternalError } from "../../core/errors.ts";
import { columnOf, type NumberColumns, type SparseColumns } from "../../core/matrix.ts";
import { count } from "../../core/names.ts";
import { stack, text, type View } from "../../core/view.ts";
import { type ElasticPath, elasticPath, type LinearSource, strongestAlpha } from "../../numerics/linear/elastic-net.ts";
import { fitLinear, predictLinear } from "../../numerics/linear/linear.ts";
import { type ProductSums, productSums, productsOf } from "../../numerics/linear/products.ts";
import { fitRidge, judgeRidge, ridgeDirections } from "../../numerics/linear/ridge.ts";
import { predictLinearRows } from "../../numerics/sparse/sums.ts";
import { guessedMeans } from "../../numerics/statistics/co-products.ts";
import type { Matrix } from "../../numerics/types.ts";
import { equation, refuseOverflow } from "../models/coefficients.ts";
import type { FarTraining } from "../models/far-training.ts";
import type { Fitted, Prediction } from "../models/model-types.ts";
import type { FarColumns } from "../shared/far-products.ts";
import { computeRows, matrixOf, shares, sparseOf } from "../shared/row-parts.ts";
import { farLeastSquares, farSums, leftOutErrors } from "./far-line.ts";

/** The strength of a penalty: a number, or "auto" to choose one. */
export function strength() {
  return z.union([z.number().min(0), z.literal("auto")]);
}

/** Strengths to choose from. */
export function strengths() {
  return z.array(z.number().min(0)).min(1).max(1000);
}

/** A linear model whose coefficients were held back. */
export interface Line {
  readonly coef: Float64Array;
  readonly intercept: Float64Array;
  /** The strength of the penalty, given or chosen. */
  readonly alpha: number;
}

/** What the penalised regressions are told in common. */
export interface PenaltyArgs {
  readonly alpha: number | "auto";
  readonly alphas?: readonly number[] | undefined;
  readonly fit_intercept: boolean;
  readonly positive: boolean;
  readonly max_iter?: number | undefined;
  readonly tol: number;
}

/** Rows to learn from, dense or sparse. */
export interface Rows {
  readonly x: NumberColumns | SparseColumns;
  readonly y: NumberColumns;
  readonly far?: undefined;
}

/** Rows in memory, or what is known of a cluster's. */
type AnyRows = Rows | FarTraining;

/** Folds by which a strength is chosen, as scikit-learn's. */
const folds = 5;
/** Strengths that are tried, from the one that leaves nothing to a thousandth of it. */
const tried = 100;
const leastShare = 1e-3;
/** Up to so many columns their products are kept: a fit then costs the same for any number of rows. */
const mostColumns = 2000;
/** Up to so many columns the path is drawn for a given strength, too. */
const drawnColumns = 200;
/** The duality gap to which a fit goes on where it may: beyond it nothing changes in what people see. */
const farEnough = 1e-13;

/** Fits an elastic net, of a given strength or of the best of several. */
export async function fitElastic(
  rows: AnyRows,
  args: PenaltyArgs & { readonly l1_ratio: number },
  who: string,
  context: BlockContext,
): Promise<Fitted<Line>> {
  const { l1_ratio: l1Ratio, positive, fit_intercept: intercept } = args;
  const wanted = isChosen(args);
  if (!wanted && args.alpha === 0 && !positive) {
    const { line, notices } = await leastSquares(rows, intercept, who, context);
    const notice = "alpha 0 is no penalty, so this is least squares, as linear (ML_R_2).";
    return finished(rows, line, who, { notices: [notice, ...notices] });
  }
  const { n, d } = rows.x;
  // Of so few rows products of the features that stay cost less than those of all.
  const isByColumns = !wanted && l1Ratio > 0 && d > drawnColumns && n <= 3 * d;
  const source = await sourceOf(rows, intercept, wanted ? foldsOf(rows, who) : null, context, isByColumns);
  const common = { source, intercept, l1Ratio, positive, tol: args.tol, maxIter: args.max_iter ?? 1000 };
  const path = (alphas: Float64Array, more: object = {}, phase = "path of penalties") =>
    context.compute(elasticPath, { ...common, ...more, alphas }, phase);
  const isDrawn = wanted || (source.kind === "products" && rows.x.d <= drawnColumns);
  const alphas = isDrawn ? await pathOf(args, common, context) : Float64Array.of();
  const errors = wanted ? await foldErrors(rows, source, (held) => path(alphas, held), who) : null;
  const alpha = errors ? alphas[least(errors)] : (args.alpha as number);
  const drawn = isDrawn ? await path(alphas) : null;
  const final = await path(Float64Array.of(alpha), { aim: Math.min(args.tol, farEnough) }, "coordinate descent");
  return finished(rows, { coef: final.coef, intercept: final.intercept, alpha }, who, {
    ...(errors ? { choice: { alphas, errors, way: `${Math.min(folds, rows.x.n)} folds` } } : {}),
    ...(drawn ? { path: { alphas, coef: drawn.coef } } : {}),
    notices: final.converged[0] ? [] : [lateNotice(common.maxIter)],
  });
}

/** Fits a ridge regression, of a given strength or of the best of several. */
export async function fitRidgeRows(
  rows: AnyRows,
  args: PenaltyArgs,
  who: string,
  context: BlockContext,
): Promise<Fitted<Line>> {
  const { fit_intercept: intercept, positive, tol, max_iter: maxIter } = args;
  const { n, d } = rows.x;
  const wanted = isChosen(args);
  if (wanted && isSparse(rows.x))
    throw new ArgsError(
      `${who}: alpha is not chosen on sparse rows, such as texts' terms; give a number, or try several with grid: { alpha: [1, 10, 100] }.`,
      { path: args.alphas ? "alphas" : "alpha", expected: "a number" },
    );
  if (wanted && n < 2) throw tooFew(who, n);
  if (!wanted && args.alpha === 0 && !positive) {
    const { line, notices } = await leastSquares(rows, intercept, who, context);
    return finished(rows, line, who, { notices });
  }
  const source = await sourceOf(rows, intercept, null, context);
  let alpha = args.alpha as number;
  let choice: Choice | null = null;
  if (wanted) {
    const { alphas, errors } = rows.far
      ? await judgedFar(rows.far, source, args, context)
      : await judgedHere(rows.x as NumberColumns, columnOf(rows.y, 0), source, args, context);
    choice = { alphas, errors, way: "leaving out one row after the other" };
    alpha = alphas[least(errors)];
  }
  const report = choice ? { choice } : {};
  if (!positive) {
    const steps = maxIter === undefined ? {} : { maxIter };
    const {
      coef,
      intercept: bias,
      converged,
    } = await context.compute(fitRidge, { source, intercept, alpha, tol: Math.min(tol, 1e-10), ...steps }, "ridge");
    const line = { coef, intercept: Float64Array.of(bias), alpha };
    return finished(rows, line, who, { ...report, notices: converged ? [] : [lateNotice(maxIter ?? 10 * d)] });
  }
  const most = maxIter ?? 1000;
  const ended = await context.compute(
    elasticPath,
    {
      source,
      intercept,
      alphas: Float64Array.of(alpha / n),
      l1Ratio: 0,
      positive,
      tol,
      aim: Math.min(tol, farEnough),
      maxIter: most,
    },
    "coordinate descent",
  );
  return finished(rows, { coef: ended.coef, intercept: ended.intercept, alpha }, who, {
    ...report,
    notices: ended.converged[0] ? [] : [lateNotice(most)],
  });
}

/** What such a model answers for rows. */
export async function askLine({ coef, intercept }: Line, x: Matrix, context: BlockContext): Promise<Prediction> {
  const answers = await computeRows(context, predictLinear, { x: matrixOf(x), coef, intercept }, "predict");
  return { kind: "numbers", values: columnOf(answers, 0) };
}

/** The same for sparse rows. */
export async function askLineSparse(line: Line, x: SparseColumns, context: BlockContext): Promise<Prediction> {
  const { coef, intercept } = line;
  const answers = await context.compute(predictLinearRows, { x: sparseOf(x), coef, intercept }, "predict");
  return { kind: "numbers", values: answers.data };
}

/** Is the strength to be chosen? */
function isChosen({ alpha, alphas }: PenaltyArgs): boolean {
  return alphas !== undefined || alpha === "auto";
}

function isSparse(x: AnyRows["x"]): x is SparseColumns {
  return "start" in x;
}

function tooFew(who: string, n: number): ArgsError {
  return new ArgsError(`${who}: alpha can't be chosen from ${count(n, "row")}; give a number.`, {
    path: "alpha",
    got: n,
    expected: "at least 2 rows",
  });
}

/** Where each row is held out: runs of rows, as scikit-learn's KFold. */
function foldsOf({ x: { n } }: AnyRows, who: string): { from: number; to: number }[] {
  if (n < 2) throw tooFew(who, n);
  const parts = Math.min(folds, n);
  let from = 0;
  return Array.from({ length: parts }, (_, k) => {
    const to = from + Math.floor(n / parts) + (k < n % parts ? 1 : 0);
    const run = { from, to };
    from = to;
    return run;
  });
}

/** Rows of a part of the products at least, and parts at most; neither says anything of threads. */
const fewestRows = 8192;
const mostParts = 16;

/** Products of columns where there are more rows, run by run on all threads; else, or `isByColumns`, the rows themselves. */
async function sourceOf(
  rows: AnyRows,
  intercept: boolean,
  runs: { from: number; to: number }[] | null,
  context: BlockContext,
  isByColumns = false,
): Promise<LinearSource> {
  if (rows.far) return { kind: "products", ...(await farSums(rows.far, intercept, context, runs ?? undefined)) };
  const { x, y } = rows;
  const target = columnOf(y, 0);
  if (isSparse(x)) return { kind: "sparse", x: sparseOf(x), y: target };
  const matrix = matrixOf(x);
  if (isByColumns || x.n <= x.d || x.d > mostColumns) return { kind: "columns", x: matrix, y: target };
  const shift = new Float64Array(x.d + 1);
  if (intercept) {
    shift.set(await context.compute(guessedMeans, { x: matrix }));
    shift.set(await context.compute(guessedMeans, { x: { n: x.n, d: 1, data: target } }), x.d);
  }
  const parts = runs ?? shares(x.n, Math.min(mostParts, Math.ceil(x.n / fewestRows)));
  const sums: ProductSums[] = await Promise.all(
    parts.map((run, k) =>
      context.compute(productSums, { x: matrix, y: target, shift, ...run }, k === 0 ? "products" : undefined),
    ),
  );
  return { kind: "products", parts: sums, shift };
}

/** The strengths of a path: those given, or from where nothing is left to a share of it. */
async function pathOf(
  { alpha, alphas }: PenaltyArgs,
  common: { source: LinearSource; intercept: boolean; l1Ratio: number; positive: boolean },
  context: BlockContext,
): Promise<Float64Array> {
  if (alphas) return falling(alphas);
  // Squares alone never leave nothing; so little of sizes draws a path as theirs.
  const most = await context.compute(strongestAlpha, { ...common, l1Ratio: Math.max(common.l1Ratio, leastShare) });
  const strongest = most > 0 && Number.isFinite(most) ? most : 1;
  const weakest =
    typeof alpha === "number" && alpha > 0 ? Math.min(strongest * leastShare, alpha) : strongest * leastShare;
  return Float64Array.from({ length: tried }, (_, k) => strongest * (weakest / strongest) ** (k / (tried - 1)));
}

/** How well each strength foretells each row in memory from all others. */
async function judgedHere(
  columns: NumberColumns,
  y: Float64Array,
  source: LinearSource,
  { alphas: given, fit_intercept: intercept }: PenaltyArgs,
  context: BlockContext,
): Promise<Omit<Choice, "way">> {
  const x = matrixOf(columns);
  let spread = 0;
  for (let j = 0; j < x.d; j++) {
    const values = columnOf(x, j);
    const mean = values.reduce((sum, value) => sum + value, 0) / x.n;
    spread += values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.d;
  }
  const alphas = given ? falling(given) : ridgeAlphas(spread);
  const products = source.kind === "products" ? { products: source } : {};
  const errors = await context.compute(judgeRidge, { x, y, ...products, intercept, alphas }, "leave one out");
  return { alphas, errors };
}

/** The same of a cluster's rows, by one pass over them. */
async function judgedFar(
  far: FarColumns,
  source: LinearSource,
  { alphas: given, fit_intercept: intercept }: PenaltyArgs,
  context: BlockContext,
): Promise<Omit<Choice, "way">> {
  if (source.kind !== "products") throw new InternalError("of a cluster's rows products alone are known.");
  const d = far.columns.length - 1;
  // What products leave of the squares where there is no intercept.
  const { gram, n } = productsOf(source.parts, source.shift, true);
  const spread = Array.from({ length: d }, (_, j) => gram[j * d + j]).reduce((sum, own) => sum + own / d, 0);
  const alphas = given ? falling(given) : ridgeAlphas(spread);
  const found = await context.compute(ridgeDirections, { products: source, intercept, alphas }, "leave one out");
  const sums = await leftOutErrors(far, found, context);
  return { alphas, errors: sums.map((sum) => sum / n) };
}

/** Strengths for a ridge: about the columns' usual square, from a millionth to a thousand times it, four to a power of ten. */
function ridgeAlphas(spread: number): Float64Array {
  const unit = spread > 0 && Number.isFinite(spread) ? Math.round(Math.log10(spread)) : 0;
  return Float64Array.from({ length: 37 }, (_, k) => 10 ** (unit + 3 - k / 4));
}

function falling(alphas: readonly number[]): Float64Array {
  return Float64Array.from(new Set(alphas)).sort().reverse();
}

/** Mean squared errors over the folds, one for each strength. */
async function foldErrors(
  rows: AnyRows,
  source: LinearSource,
  path: (held: object) => Promise<ElasticPath>,
  who: string,
): Promise<Float64Array> {
  if (source.kind === "products") {
    const parts = await Promise.all(source.parts.map((_, part) => path({ held: { part } })));
    return meanOf(parts);
  }
  const runs = foldsOf(rows, who);
  const all = Array.from({ length: rows.x.n }, (_, i) => i);
  const found = await Promise.all(
    runs.map(({ from, to }) => {
      const others = Int32Array.from(all.filter((i) => i < from || i >= to));
      return path({ held: { rows: Int32Array.from(all.slice(from, to)), others } });
    }),
  );
  return meanOf(found);
}

function meanOf(found: readonly ElasticPath[]): Float64Array {
  return found[0].errors.map((_, k) => found.reduce((sum, { errors }) => sum + errors[k], 0) / found.length);
}

/** The place of the least number; of equals the first, which is the strongest penalty. */
function least(errors: Float64Array): number {
  return errors.reduce((best, error, k) => (error < errors[best] ? k : best), 0);
}

async function leastSquares(
  rows: AnyRows,
  intercept: boolean,
  who: string,
  context: BlockContext,
): Promise<{ readonly line: Line; readonly notices: readonly string[] }> {
  const { x, y } = rows;
  if (!rows.far && isSparse(x)) {
    const source: LinearSource = { kind: "sparse", x: sparseOf(x), y: columnOf(y, 0) };
    const ended = await context.compute(fitRidge, { source, intercept, alpha: 0 }, "least squares");
    return { line: { coef: ended.coef, intercept: Float64Array.of(ended.intercept), alpha: 0 }, notices: [] };
  }
  const { coef, rank, ...found } = rows.far
    ? await farLeastSquares(rows.far, { intercept }, who, context)
    : await context.compute(fitLinear, { x: matrixOf(x as NumberColumns), y: matrixOf(y), intercept }, "least squares");
  const dependent = `features are linearly dependent, or differ much in size (rank ${rank} of ${x.d}), so of many answers this is the one with the smallest coefficients, and single ones mean little; scale them with scale (DP_5), or take an alpha above 0.`;
  return { line: { coef, intercept: found.intercept, alpha: 0 }, notices: rank < x.d ? [dependent] : [] };
}

function lateNotice(steps: number): string {
  return `it had not converged after ${count(steps, "pass", "passes")} over the coefficients; scale the features with scale (DP_5), raise max_iter, or take a larger alpha.`;
}

/** How a strength was chosen. */
interface Choice {
  readonly alphas: Float64Array;
  readonly errors: Float64Array;
  readonly way: string;
}

/** What a fit leaves to see and to say. */
interface Shown {
  readonly choice?: Choice;
  readonly path?: { readonly alphas: Float64Array; readonly coef: Float64Array };
  readonly notices?: readonly string[];
}

function finished(rows: AnyRows, line: Line, who: string, { choice, path, notices = [] }: Shown): Fitted<Line> {
  const { names } = rows.x;
  const { coef, intercept, alpha } = line;
  refuseOverflow([coef, intercept], who);
  const kept = coef.reduce((sum, value) => (value === 0 ? sum : sum + 1), 0);
  const isConstant = rows.far
    ? rows.far.isConstant.at(-1)
    : columnOf(rows.y, 0).every((value) => value === rows.y.data[0]);
  const isEmpty = kept === 0 && names.length > 0 && !isConstant;
  const zero = `no feature is left at alpha ${short(alpha)}, so the model always answers the same; take a smaller alpha, or alpha: "auto".`;
  return {
    parameters: { coef, intercept, alpha },
    weights: { title: "coefficients", values: [...coef] },
    shown: stack(
      equation(rows.y.names[0], names, coef, intercept[0]),
      kept < names.length && text(`${kept} of ${count(names.length, "feature")} weigh something.`),
      choice && text(`alpha ${short(alpha)}, the best of ${choice.alphas.length} by ${choice.way}.`),
      choice && choice.alphas.length > 1 && chart(errorChart(choice, alpha, rows.x.n)),
      path && path.alphas.length > 1 && chart(pathChart(names, path, alpha, rows.x.n)),
    ),
    ...(choice ? { found: { alpha } } : {}),
    notices: isEmpty ? [...notices, zero] : notices,
  };
}

function chart(drawn: Chart): View {
  return { kind: "chart", chart: drawn };
}

function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** log10, where the weakest may be 0. */
function powers(alphas: Float64Array): number[] {
  const least = alphas.reduce((min, value) => (value > 0 ? Math.min(min, value) : min), Infinity);
  return Array.from(alphas, (value) => Math.log10(value > 0 ? value : Number.isFinite(least) ? least / 10 : 1));
}

function errorChart({ alphas, errors, way }: Choice, alpha: number, rows: number): Chart {
  const x = powers(alphas);
  return {
    kind: "lines",
    title: `error by ${way}, by alpha`,
    x: { title: "log10(alpha)", type: "number" },
    y: { title: "mean squared error", type: "number" },
    series: [{ name: "", x, y: [...errors] }],
    rows,
    reference: upright(x[alphas.indexOf(alpha)], errors),
  };
}

/** Lines that are drawn of a path at most; more are hard to tell apart. */
const mostLines = 6;

/** How the coefficients fade as the penalty grows: those of the features that last longest. */
function pathChart(
  names: readonly string[],
  { alphas, coef }: { readonly alphas: Float64Array; readonly coef: Float64Array },
  alpha: number,
  rows: number,
): Chart {
  const d = names.length;
  const of = (j: number) => Array.from(alphas, (_, k) => coef[k * d + j]);
  const size = names.map((_, j) => of(j).reduce((sum, value) => sum + Math.abs(value), 0));
  const drawn = names
    .map((_, j) => j)
    .sort((a, b) => size[b] - size[a] || a - b)
    .slice(0, mostLines);
  const x = powers(alphas);
  const at = Math.log10(alpha);
  const isInside = at <= x[0] && at >= x[x.length - 1];
  return {
    kind: "lines",
    title: `coefficients by alpha${d > mostLines ? `, the ${mostLines} largest` : ""}`,
    x: { title: "log10(alpha)", type: "number" },
    y: { title: "coefficient", type: "number" },
    colour: "feature",
    series: drawn.map((j) => ({ name: names[j], x, y: of(j) })),
    rows,
    ...(isInside
      ? {
          reference: upright(
            at,
            drawn.flatMap((j) => of(j)),
          ),
        }
      : {}),
  };
}

/** A line straight up at x, as high as the numbers reach. */
function upright(x: number, values: ArrayLike<number>): { from: [number, number]; to: [number, number] } {
  const all = Array.from(values);
  return {
    from: [x, all.reduce((a, b) => Math.min(a, b), Infinity)],
    to: [x, all.reduce((a, b) => Math.max(a, b), -Infinity)],
  };
}
