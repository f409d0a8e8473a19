import { z } from "zod";
import type { Chart } from "../../core/chart.ts";
import { columnOf, type NumberColumns } from "../../core/matrix.ts";
import { count } from "../../core/names.ts";
import { stack } from "../../core/view.ts";
import { fitLinear, predictLinear } from "../../numerics/linear/linear.ts";
import { addedLine } from "../models/additive.ts";
import { equation, fitIntervals, rankNotices, refuseOverflow } from "../models/coefficients.ts";
import { defineModel } from "../models/models.ts";
import { linearOnnx } from "../onnx/linear.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";

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
    const fit = await context.compute(
      fitLinear,
      { x: matrixOf(x), y: matrixOf(y), intercept: args.fit_intercept, tolerance: args.tol },
      "least squares",
    );
    const { coef, intercept, rank } = fit;
    refuseOverflow([coef, intercept], "simpleLinear (ML_R_1)");
    const notices = x.d > 1 ? rankNotices(rank, x.d, args.tol) : [];
    if (x.d > 1)
      notices.push(
        `a simple regression has one feature, this has ${count(x.d, "feature")}; it is that of linear (ML_R_2).`,
      );
    const shown = stack(
      equation(y.names[0], x.names, coef, intercept[0]),
      ...fitIntervals(x.names, fit),
      x.d === 1 && { kind: "chart", chart: lineChart(x, y, coef[0], intercept[0]) },
    );
    return { parameters: { coef, intercept }, weights: { title: "coefficients", values: [...coef] }, shown, notices };
  },
  async predict({ coef, intercept }, x, context) {
    const answers = await computeRows(context, predictLinear, { x: matrixOf(x), coef, intercept }, "predict");
    return { kind: "numbers", values: columnOf(answers, 0) };
  },
  additive: addedLine,
  onnx: linearOnnx,
});

/** The training rows, at most 500 of them, and the line through them. */
function lineChart(x: NumberColumns, y: NumberColumns, slope: number, intercept: number): Chart {
  const every = Math.max(1, Math.ceil(x.n / 500));
  const rows = Array.from({ length: Math.ceil(x.n / every) }, (_, k) => k * every);
  const from = rows.reduce((least, i) => Math.min(least, x.data[i]), Infinity);
  const to = rows.reduce((most, i) => Math.max(most, x.data[i]), -Infinity);
  const at = (value: number): [number, number] => [value, intercept + slope * value];
  return {
    kind: "points",
    title: `${y.names[0]} against ${x.names[0]}, and the line`,
    x: { title: x.names[0], type: "number" },
    y: { title: y.names[0], type: "number" },
    series: [{ name: "", x: rows.map((i) => x.data[i]), y: rows.map((i) => y.data[i]) }],
    ...(every > 1 ? { sampledFrom: x.n } : {}),
    reference: { from: at(from), to: at(to) },
  };
}
