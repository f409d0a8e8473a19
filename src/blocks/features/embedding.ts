import { z } from "zod";
import { type BlockContext, columnRef, type Outcome } from "../../core/block.ts";
import type { PointsChart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, type Frame, isNumeric } from "../../core/frame.ts";
import type { NumberColumns } from "../../core/matrix.ts";
import { count, freshNames, listed } from "../../core/names.ts";
import { fitRows, fitSelection, newTable, remember } from "../../core/scope.ts";
import { readSplit } from "../../core/split.ts";
import { featureMatrix } from "../../core/training.ts";
import { neighbourTable } from "../../numerics/embed/neighbours.ts";
import { trustworthiness } from "../../numerics/embed/trustworthiness.ts";
import type { Matrix } from "../../numerics/types.ts";
import { value } from "../../plan/expr.ts";
import type { Output } from "../../plan/node.ts";
import { clusterFeatures } from "../cluster/clustering.ts";
import { nameClustering } from "../shared/clusterings.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { embeddingChart } from "./embedding-chart.ts";
import { fitOnThreads } from "./pca-threads.ts";

/** More rows than this take minutes, and a picture of them is a blot. */
const mostRows = 50_000;
/** Rows whose neighbours are looked at to say how far a layout can be trusted. */
const trustRows = 1000;
/** Rows whose neighbours are worth a thread. */
const fewestForThread = 500;

/** What both layouts can be asked besides. */
export const embeddingArgs = {
  /** The column that colours the picture (default: the target). */
  color: columnRef().optional(),
  /** Seed of all draws (default 0). */
  random_state: z.int().min(0).max(4294967295).default(0),
};

/** What a layout keeps for its view. */
export interface EmbeddingReport {
  readonly rows: string;
  readonly features: readonly string[];
  readonly columns: readonly string[];
  /** How far neighbours in the picture are neighbours in truth, and on how many rows that was looked at. */
  readonly trust: number | null;
  readonly looked: number;
  readonly chart: PointsChart;
  /** What the method itself says of the layout. */
  readonly said: string;
}

/** The rows to lay out. */
export interface Laid {
  readonly x: NumberColumns;
  readonly features: readonly string[];
}

/** Says that a block's columns are no features of another layout or clustering. */
export function nameEmbedding(block: string): void {
  nameClustering(block);
}

/** Reads the features of training rows; without roles all numbers, which is told. */
export async function rowsToLay(frame: Frame, context: BlockContext, who: string): Promise<Laid> {
  const features = clusterFeatures(frame);
  if (!frame.x || frame.x.length === 0) {
    const others = frame.columns.filter((each) => !isNumeric(each) && !frame.y?.includes(each.name));
    if (features.length > 0 && others.length > 0) {
      context.notice(
        `${who}: nothing says which columns count, so it goes by all numbers, and ${listed(others.map(({ name }) => name))} ${others.length === 1 ? "is" : "are"} left out. Choose with xy (DP_FSP), as in xy({ x: [...] }).`,
      );
    }
  }
  if (features.length < 2) {
    throw new DataError(
      `${who}: it lays out rows by two features of numbers or more, got ${features.length}. Make numbers of text with encode (DP_3).`,
      { code: "few_features", got: features.length, hint: "encode" },
    );
  }
  const x = await featureMatrix(frame, frame.relation, fitSelection(frame), features, context, who);
  if (x.n > mostRows) {
    throw new DataError(
      `${who}: it lays out ${mostRows.toLocaleString("en-US")} rows at most, got ${x.n.toLocaleString("en-US")}. Draw some with sample(${mostRows}) first.`,
      { code: "many_rows", got: x.n, expected: `at most ${mostRows}`, hint: "sample" },
    );
  }
  if (x.n < 4) {
    throw new DataError(`${who}: it lays out 4 rows or more, got ${x.n}.`, { code: "few_rows", got: x.n });
  }
  return { x, features };
}

/** An argument that must be below the number of rows. */
export function refuseTooMany(got: number, rows: number, path: string, who: string): void {
  if (got < rows) return;
  throw new ArgsError(
    `${who}: ${path} must be below ${rows.toLocaleString("en-US")}, the number of rows to lay out, got ${got}.`,
    { path, got, expected: `below ${rows}` },
  );
}

/** The nearest rows of each row, on all threads. */
export async function neighboursOf(x: Matrix, k: number, context: BlockContext): Promise<Matrix> {
  return await computeRows(context, neighbourTable, { x: matrixOf(x), k }, "neighbours", fewestForThread);
}

/** Places by the first two principal components, the first with this deviation; null where rows don't differ. */
export async function byComponents(x: Matrix, deviation: number, context: BlockContext): Promise<Matrix | null> {
  const { mean, components, variance } = await fitOnThreads(matrixOf(x), 2, context);
  const { n, d } = x;
  const spread = Math.sqrt((variance[0] * (n - 1)) / n);
  if (!(spread > 0)) return null;
  const data = new Float64Array(2 * n);
  for (let k = 0; k < 2; k++) {
    for (let j = 0; j < d; j++) {
      const weight = (components[k * d + j] * deviation) / spread;
      for (let i = 0; i < n; i++) data[k * n + i] += (x.data[j * n + i] - mean[j]) * weight;
    }
  }
  return { n, d: 2, data };
}

/** The table with the places as two columns, the picture, and how far it can be trusted. */
export async function embedded(
  frame: Frame,
  { x, features }: Laid,
  places: Matrix,
  {
    method,
    title,
    color,
    numbers,
    said,
  }: {
    readonly method: string;
    readonly title: string;
    readonly color: string | number | undefined;
    readonly numbers: Readonly<Record<string, number>>;
    readonly said: string;
  },
  context: BlockContext,
): Promise<Outcome> {
  const looked = Math.min(x.n, trustRows);
  const trust = await context.compute(trustworthiness, { x: matrixOf(x), places, rows: looked }, "trustworthiness");
  const known = Number.isNaN(trust) ? null : trust;
  const names = freshNames(
    [`${method}1`, `${method}2`],
    frame.columns.map(({ name }) => name),
  );
  const after = await withPlaces(frame, features, places, names, context);
  const chart = await embeddingChart(frame, { places, names, color, title }, context);
  const report: EmbeddingReport = { rows: fitRows(frame), features, columns: names, trust: known, looked, chart, said };
  return {
    frame: after,
    output: { columns: names, rows: x.n, ...numbers, trustworthiness: known, trustworthiness_rows: looked },
    report,
  };
}

/** The frame with the places behind its columns; rows that were not laid out have none, and new rows neither. */
async function withPlaces(
  frame: Frame,
  features: readonly string[],
  { n, data }: Matrix,
  names: readonly string[],
  context: BlockContext,
): Promise<Frame> {
  const rows = frame.split ? (await readSplit(frame, context.tables)).train : null;
  const made = names.map((name, k) => {
    const column: Column = { name, type: "number" };
    const own = data.subarray(k * n, (k + 1) * n);
    if (!rows) return { column, values: own.slice() };
    const values = new Float64Array(frame.rows).fill(Number.NaN);
    for (const [at, row] of rows.entries()) values[row] = own[at];
    return { column, values };
  });
  const columns = [...frame.columns, ...made.map(({ column }) => column)];
  const artifact = await context.tables.writeTable(frame.relation, { columns: columns.map(({ name }) => name) }, made);
  const outputs: Output[] = [
    ...frame.columns.map((column) => ({ column })),
    ...made.map(({ column }) => ({ column, expr: value(null, "number") })),
  ];
  const step = { block: context.block.id, name: context.block.name, outputs };
  return {
    ...newTable(frame, artifact, { rows: frame.rows, columns }),
    lineage: [...frame.lineage, step],
    fits: remember(frame, context, features),
  };
}

/** "64 features of all 1,797 rows". */
export function laidWords({ rows, features }: Pick<EmbeddingReport, "rows" | "features">): string {
  return `${count(features.length, "feature")} of ${rows}`;
}
