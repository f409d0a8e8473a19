import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import type { Chart } from "../../core/chart.ts";
import { columnOf, type NumberColumns } from "../../core/matrix.ts";
import { count } from "../../core/names.ts";
import { stack } from "../../core/view.ts";
import { fitLinear, type Linear, predictLinear } from "../../numerics/linear/linear.ts";
import { value } from "../../plan/expr.ts";
import { addedLine } from "../models/additive.ts";
import { equation, fitIntervals, rankNotices, refuseOverflow } from "../models/coefficients.ts";
import type { Fitted } from "../models/model-types.ts";
import { defineModel } from "../models/models.ts";
import { linearOnnx } from "../onnx/linear.ts";
import { type FarColumns, numberOf } from "../shared/far-products.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { farLeastSquares, lineAnswer } from "./far-line.ts";

const who = "simpleLinear (ML_R_1)";

/** So many training rows are drawn at most. */
const mostDrawn = 500;

/**
 * ML_R_1. Simple linear regression: the straight line that is closest to one feature's points.
 *
 * Ordinary least squares. With several features it fits the plane through all of them, as linear (ML_R_2) does, and says so.
 */
export const simpleLinear = defineModel({
  code: "ML_R_1",
  name: "simpleLinear",
  task: "regression",
  why: "One feature, one line: how much the target rises when the feature does. A first look before anything more complicated.",
  args: {
    /** Fit a constant term besides the slope (default true). */
    fit_intercept: z.boolean().default(true),
    /** Singular values of the features up to this share of the largest count as 0 (default 0.000001). */
    tol: z.number().min(0).max(1).default(1e-6),
  },
  example:
    'session.input("sample:iris").xy({ x: ["petal_length"], y: "petal_width" }).split({ test_size: 0.2, random_state: 0 }).simpleLinear().metrics()',
  async fit({ x, y }, args, context) {
    const input = { x: matrixOf(x), y: matrixOf(y), intercept: args.fit_intercept, tolerance: args.tol };
    const found = await context.compute(fitLinear, input, "least squares");
    return await fittedLine(found, { x, y }, args.tol, () => everyFew(x, y));
  },
  async predict({ coef, intercept }, x, context) {
    const answers = await computeRows(context, predictLinear, { x: matrixOf(x), coef, intercept }, "predict");
    return { kind: "numbers", values: columnOf(answers, 0) };
  },
  far: {
    async fit({ far, x, y }, args, context) {
      const asked = { intercept: args.fit_intercept, tolerance: args.tol };
      const found = await farLeastSquares(far, asked, who, context);
      return await fittedLine(found, { x, y }, args.tol, () => someFar(far, context));
    },
    answer: lineAnswer,
  },
  additive: addedLine,
  onnx: linearOnnx,
});

/** Features and target of some of the rows, and how many rows there are. */
interface Drawn {
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly of: number;
}

async function fittedLine(
  fit: Linear,
  { x, y }: Named,
  tolerance: number,
  draw: () => Drawn | Promise<Drawn>,
): Promise<Fitted<Pick<Linear, "coef" | "intercept">>> {
  const { coef, intercept, rank } = fit;
  refuseOverflow([coef, intercept], who);
  const line = stack(equation(y.names[0], x.names, coef, intercept[0]), ...fitIntervals(x.names, fit));
  const fitted = { parameters: { coef, intercept }, weights: { title: "coefficients", values: [...coef] } };
  if (x.d === 1) {
    const chart = lineChart([x.names[0], y.names[0]], await draw(), coef[0], intercept[0]);
    return { ...fitted, shown: stack(line, { kind: "chart", chart }), notices: [] };
  }
  const several = `a simple regression has one feature, this has ${count(x.d, "feature")}; it is that of linear (ML_R_2).`;
  return { ...fitted, shown: line, notices: [...rankNotices(rank, x.d, tolerance), several] };
}

/** The names of features and target. */
interface Named {
  readonly x: { readonly names: readonly string[]; readonly d: number };
  readonly y: { readonly names: readonly string[] };
}

/** Rows at equal distances in the table. */
function everyFew(x: NumberColumns, y: NumberColumns): Drawn {
  const every = Math.max(1, Math.ceil(x.n / mostDrawn));
  const rows = Array.from({ length: Math.ceil(x.n / every) }, (_, k) => k * every);
  return { x: rows.map((i) => x.data[i]), y: rows.map((i) => y.data[i]), of: x.n };
}

/** Rows of a cluster, drawn at random, where there are too many. */
async function someFar({ columns, relation, rows }: FarColumns, { tables }: BlockContext): Promise<Drawn> {
  const [x, y] = columns.map(numberOf);
  const { found, marks } = await tables.sketch(relation, rows, {
    ...{ where: value(true), x, y },
    ...{ isJoined: false, most: mostDrawn },
  });
  return { x: found.map(([each]) => Number(each)), y: found.map(([, each]) => Number(each)), of: marks };
}

/** Some training rows and the line through all of them. */
function lineChart(names: readonly [string, string], drawn: Drawn, slope: number, intercept: number): Chart {
  const from = drawn.x.reduce((least, each) => Math.min(least, each), Infinity);
  const to = drawn.x.reduce((most, each) => Math.max(most, each), -Infinity);
  const at = (place: number): [number, number] => [place, intercept + slope * place];
  return {
    kind: "points",
    title: `${names[1]} against ${names[0]}, and the line`,
    x: { title: names[0], type: "number" },
    y: { title: names[1], type: "number" },
    series: [{ name: "", x: drawn.x, y: drawn.y }],
    ...(drawn.x.length < drawn.of ? { sampledFrom: drawn.of } : {}),
    reference: { from: at(from), to: at(to) },
  };
}
