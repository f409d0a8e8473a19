import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import type { BarsChart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { cell, columnsNamed, type Frame, fitSubset, otherNames, subsetSize } from "../../core/frame.ts";
import { count, freshNames } from "../../core/names.ts";
import { fitRows, fitSelection, replaceColumns, scope, variableFlags } from "../../core/scope.ts";
import { featureMatrix } from "../../core/training.ts";
import { stack, text } from "../../core/view.ts";
import { type Pca, projectPca, tallPca, type Wanted } from "../../numerics/algebra/pca.ts";
import { layoutIn } from "../../numerics/statistics/co-products.ts";
import { call, type Expr, numberList, value } from "../../plan/expr.ts";
import type { Output } from "../../plan/node.ts";
import { farFeatures, farProducts } from "../shared/far-products.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { withProducts } from "../shared/row-products.ts";
import { explainPca } from "./explain.ts";
import { fitOnThreads } from "./pca-threads.ts";

const who = "pca (DP_PCA)";

/** Fewer rows than this are not worth a thread. */
const leastRows = 2_000;

/** More bars than this show nothing that the first ones don't. */
const mostBars = 20;

/**
 * DP_PCA. Turns correlated columns into few uncorrelated ones: principal components, as scikit-learn's PCA.
 *
 * The components, pc1 first, stand in the place of the columns. They are learnt from training rows alone once there
 * is a split. The output is `{n_components, explained_variance, explained_variance_ratio, mean, components}`.
 */
export const pca = defineBlock({
  code: "DP_PCA",
  name: "pca",
  args: {
    /** How many: a count, a share of the variance to keep such as 0.9, "mle" for Minka's guess, or null for all. */
    n_components: z.union([z.number().positive(), z.literal("mle")]).nullish(),
    ...variableFlags,
  },
  positional: ["n_components"],
  example: 'session.input("sample:iris").xy({ y: "species" }).scale().pca(2)',
  explain: explainPca,
  async run(frame, args, context) {
    const { names } = scope(frame, args);
    const wanted = args.n_components ?? null;
    const fitted = await (context.tables.isFar ? fitFar : fitHere)(frame, names, wanted, context);
    return {
      frame: await projected(frame, names, fitted, context),
      output: outputOf(names, fitted),
      report: { fitted: fitRows(frame), from: names.length },
    };
  },
  async view({ after, output, report }, read) {
    const { explained_variance_ratio: ratio } = output as { explained_variance_ratio: number[] };
    const { fitted, from } = report as { fitted: string; from: number };
    const kept = (100 * ratio.reduce((sum, share) => sum + share, 0)).toFixed(1);
    const words = `${count(ratio.length, "component")} of ${count(from, "column")} ${ratio.length === 1 ? "keeps" : "keep"} ${kept}% of the variance, learnt from ${fitted}.`;
    return stack(text(words), { kind: "chart", chart: scree(ratio) }, await read.head(after));
  },
});

async function fitHere(frame: Frame, names: readonly string[], wanted: Wanted, context: BlockContext): Promise<Pca> {
  const x = await featureMatrix(frame, frame.relation, fitSelection(frame), names, context, who);
  refuse(wanted, subsetSize(frame, fitSubset(frame)), names.length);
  return await fitOnThreads(matrixOf(x), wanted, context);
}

/** The components of columns that lie on a cluster, by sums of products. */
async function fitFar(frame: Frame, names: readonly string[], wanted: Wanted, context: BlockContext): Promise<Pca> {
  const where = { relation: frame.relation, rows: fitSelection(frame) };
  const found = await farFeatures(frame, names, where, context, who);
  const { n, mean } = found;
  refuse(wanted, n, names.length);
  if (n < names.length) {
    throw new DataError(
      `${who}: on Spark it needs at least as many rows as columns, got ${count(n, "row")} and ${count(names.length, "column")}; bring them here by collect().`,
      { code: "on_cluster", got: n, expected: `at least ${names.length}` },
    );
  }
  const { values } = layoutIn({ holes: new Uint8Array(names.length), sums: true });
  const { sums } = await farProducts(found, mean, context, values);
  return await context.compute(tallPca, { n, shift: mean, parts: [sums], wanted });
}

function refuse(wanted: number | "mle" | null, rows: number, columns: number): void {
  const most = Math.min(rows, columns);
  if (rows < 2) throw new DataError(`${who}: it needs at least 2 rows to learn from, got ${rows}.`, { got: rows });
  if (wanted === "mle" && rows < columns) {
    throw new DataError(
      `${who}: "mle" needs at least as many rows as columns, got ${count(rows, "row")} and ${count(columns, "column")}. Give a count.`,
      { path: "n_components", got: wanted },
    );
  }
  if (typeof wanted !== "number" || wanted < 1) return;
  if (!Number.isInteger(wanted) || wanted > most) {
    throw new ArgsError(
      `${who}: n_components must be a whole number up to ${most} (${count(rows, "row")}, ${count(columns, "column")}) or a share below 1, got ${wanted}.`,
      { path: "n_components", got: wanted, expected: `1 to ${most}, or 0 to 1` },
    );
  }
}

/** Weights up to which a plan holds them; a query reads 400 in a millisecond, and each look at the table makes it anew. */
const mostInPlan = 2 ** 14;

/** Cells up to which all rows are multiplied in memory; a plan takes more of them one after the other. */
const mostInMemory = 2 ** 26;

/** The frame with the components in the place of the columns. */
async function projected(frame: Frame, names: readonly string[], fitted: Pca, context: BlockContext): Promise<Frame> {
  const made = freshNames(
    Array.from({ length: fitted.k }, (_, k) => `pc${k + 1}`),
    otherNames(frame, names),
  );
  const inputs = columnsNamed(frame.columns, names).map((each, j) =>
    call("subtract", cell(each), value(fitted.mean[j], "number")),
  );
  const isPlan = fitted.components.length <= mostInPlan || frame.rows * names.length > mostInMemory;
  if (context.tables.isFar || isPlan) return planned(frame, names, { inputs, made, fitted }, context);
  const { n, d, data } = await context.tables.look(frame.relation, { columns: names });
  const values = await computeRows(context, projectPca, { x: { n, d, data }, pca: fitted }, "projection", leastRows);
  const products = { features: names, inputs, weights: fitted.components, names: made, values };
  return await withProducts(frame, { ...products, made: (product) => product }, names, context);
}

/**
 * The plan in two steps: the columns less their means become one list, then each component is a product of that list.
 *
 * A product of lists is one call for all columns; a sum of products, one call for each, takes seven times as long.
 */
function planned(
  frame: Frame,
  names: readonly string[],
  { inputs, made, fitted }: { inputs: readonly Expr[]; made: readonly string[]; fitted: Pca },
  context: BlockContext,
): Frame {
  const [list] = freshNames(["centred"], otherNames(frame, names));
  // A product of lists refuses one with a hole.
  const centred: Output = { column: { name: list, type: "tensor" }, expr: call("vector", ...inputs) };
  // The first column gives way to the list, the others go.
  const gathered = new Map(names.map((name, j) => [name, j === 0 ? [centred] : []]));
  const outputs = made.map((name, k): Output => {
    const weights = fitted.components.subarray(k * names.length, (k + 1) * names.length);
    const expr = call("dot", { column: list, type: "tensor" }, numberList(weights));
    return { column: { name, type: "number" }, expr };
  });
  return replaceColumns(replaceColumns(frame, context, gathered, names), context, new Map([[list, outputs]]));
}

function outputOf(names: readonly string[], { mean, k, components, variance, ratio }: Pca) {
  const d = names.length;
  return {
    n_components: k,
    columns: [...names],
    explained_variance: [...variance],
    explained_variance_ratio: [...ratio],
    mean: [...mean],
    components: Array.from({ length: k }, (_, c) => [...components.subarray(c * d, (c + 1) * d)]),
  };
}

function scree(ratio: readonly number[]): BarsChart {
  const bars = ratio.slice(0, mostBars).map((share, k) => ({ label: `pc${k + 1}`, value: share }));
  return { kind: "bars", title: "share of the variance", value: "share", bars };
}
