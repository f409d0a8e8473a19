import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import type { Column } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { count, didYouMean, freshNames, listed, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { WriteColumn } from "../../core/tables.ts";
import type { Cell } from "../../core/view.ts";
import { columnOf, createMatrix, gatherRows, type Matrix } from "../../numerics/types.ts";
import { type Kin, kinOf } from "../../plan/lineage.ts";
import type { Predictor } from "../models/model-types.ts";
import { rowNumbers, rowsToJudge } from "../models/new-rows.ts";
import { judgedMatrix } from "../models/predict.ts";
import { answersOf, drawnRows } from "./attribution.ts";
import { type Grid, gridOf } from "./partial-grid.ts";
import { explainPartial, type PartialReport, partialPicture, partialView, spansOf } from "./partial-view.ts";
import { ownRows } from "./rows.ts";
import { classAsked } from "./shares.ts";
import { subjectOf } from "./subject.ts";

const who = "partialDependence (BL_PDP)";

/** Values at most of one column, as scikit-learn's, and of each of two, whose grid is legible as text. */
const usual = { one: 100, two: 10 };

/** Rows that are asked about where none are asked for; more hardly move a mean. */
const fewRows = 1000;

/** Numbers of rows that a model is asked for at a time. */
const mostNumbers = 4_000_000;

/**
 * BL_PDP. Draws how a model's answer goes along a column, all else as it is: partial dependence, and single rows.
 *
 * The column is set to one value in all rows and the answers are averaged, value after value, as scikit-learn's
 * partial_dependence with method "brute" does. It may be any column that the model's features are made of: its values
 * are the column's own, and pass through the chain's fitted steps, such as an encoding and a scaling. The faint lines are
 * single rows (ICE). Two columns make a heat map. Source: Friedman (2001), §8.2; Goldstein et al. (2015). `rows` of the
 * result is a table with the mean at each value; `ice_url` in the output one of the single rows' answers.
 */
export const partialDependence = defineBlock({
  code: "BL_PDP",
  name: "partialDependence",
  args: {
    /** The column, or two of them. */
    columns: z.union([z.string(), z.array(z.string()).min(1).max(2)]),
    /** The name of the model (default: the last one of the chain). */
    model_name: z.string().min(1).max(200).optional(),
    /** Rows to average over: a file or URL, or the name of one of the record's URLs such as "x_train_url" (default: the test rows, or all without a split). */
    test_data: z.string().optional(),
    /** The class whose probability is told (default: of two the second, of more each; of two columns the first). */
    class: z.union([z.string(), z.number(), z.boolean()]).optional(),
    /** Values of a column at most (default: 100, or 10 of each of two columns). */
    grid_resolution: z.int().min(2).max(1000).optional(),
    /** The quantiles of a column of numbers between which values are taken (default [0.05,0.95]). */
    percentiles: z.tuple([z.number().min(0).max(1), z.number().min(0).max(1)]).default([0.05, 0.95]),
    /** Rows with lines of their own, evenly among all; 0 for none (default 50). */
    ice: z.int().min(0).max(1000).default(50),
    /** Rows to average over at most, drawn by random_state (default 1000). */
    rows: z.int().min(1).optional(),
    /** Seed of what is drawn (default 0). */
    random_state: z.int().min(0).max(4294967295).default(0),
  },
  positional: ["columns"],
  files: ["test_data"],
  example:
    'session.input("sample:penguins").missing({ strategy: "drop" }).xy({ y: "body_mass_g" }).encode({ columns: ["species", "island", "sex"] }).split({ test_size: 0.25, random_state: 0 }).forestRegressor({ n_estimators: 20, random_state: 0 }).partialDependence("flipper_length_mm")',
  explain: explainPartial,
  async run(frame, args, context) {
    const { predictor, file, chosen } = await subjectOf(args.model_name, context, who);
    refuseTurned(args.percentiles);
    const kin = kinOf(
      frame.lineage,
      file.features.map(({ name }) => name),
    );
    const asked = kinAsked(kin, [args.columns].flat());
    const output = outputAsked(file, args.class, asked.length);
    const judged =
      args.test_data === undefined
        ? ownRows(frame, file, context, who)
        : await rowsToJudge(frame, args.test_data, file, context, who);
    const all = await judgedMatrix(judged, file, context, who, predictor.isRaw);
    const most = args.grid_resolution ?? (asked.length === 1 ? usual.one : usual.two);
    const wanted = { most, ends: args.percentiles };
    const grids: Grid[] = [];
    for (const each of asked) {
      grids.push(await gridOf(each, { predictor, file, judged, x: all }, wanted, context, who));
    }
    const taken = takenRows(all.n, args, context);
    const numbers = await rowNumbers(judged, all.n, context);
    const rows = Array.from(taken ?? numbers.keys(), (i) => numbers[i]);
    const x = taken ? gatherRows(all, taken, true) : all;
    const isAlone = asked.length === 1 && (file.classes === null || output !== null || file.classes.length === 2);
    const lined = isAlone ? evenly(rows.length, args.ice) : [];
    const found = await askedAlong(grids, { predictor, file, x, lined, only: output }, context);
    const names = found.outputs.map((k) => (found.outputs.length === 1 ? "" : String(file.classes?.[k])));
    const quantity = quantityOf(file, found.hasShares, found.outputs.length === 1 ? found.outputs[0] : null);
    const isDrawn = grids[0].kind !== "category" && asked.length === 1;
    const drawn = {
      ...{ grids, quantity, outputs: names, means: found.means, rows: rows.length },
      lines: isDrawn ? found.lines : [],
    };
    const means = await context.tables.writeColumns(meansTable(grids, file, found));
    const ice =
      lined.length > 0
        ? await context.tables.writeColumns(
            linesTable(
              grids[0],
              lined.map((i) => rows[i]),
              found.lines,
            ),
          )
        : null;
    const columns = grids.map(({ name }) => name);
    const report: PartialReport = {
      ...{ model: file.model_name, quantity, columns, from: judged.from, rows: rows.length },
      lines: drawn.lines.length,
      spans: spansOf(drawn),
      picture: partialPicture(drawn),
    };
    return {
      frame,
      ...chosen,
      output: {
        ...{ model_name: file.model_name, explained: quantity, rows: rows.length },
        columns: grids.map(({ name, values }) => ({ column: name, values: [...values] })),
        average: found.means.map((mean, k) => ({
          ...(names[k] === "" ? {} : { class: file.classes?.[found.outputs[k]] as Json }),
          values: [...mean],
        })),
        partial_url: { $artifact: means },
        ...(ice ? { ice_url: { $artifact: ice } } : {}),
      } as unknown as Json,
      report,
    };
  },
  view: ({ report }) => partialView(report as PartialReport),
});

function refuseTurned([low, high]: readonly [number, number]): void {
  if (low < high) return;
  throw new ArgsError(`${who}: percentiles must be two shares, the smaller first, got [${low}, ${high}].`, {
    path: "percentiles",
    got: [low, high],
    expected: "as in [0.05, 0.95]",
  });
}

function kinAsked(kin: readonly Kin[], wanted: readonly string[]): Kin[] {
  const names = kin.map(({ column }) => column);
  if (wanted.length === 0 || new Set(wanted).size < wanted.length) {
    throw new ArgsError(`${who}: name one column, or two that differ; got ${listed(wanted) || "none"}.`, {
      path: "columns",
      got: [...wanted],
    });
  }
  return wanted.map((name) => {
    const place = names.indexOf(name);
    if (place >= 0) return kin[place];
    throw new ArgsError(
      `${who}: the model learnt from no column ${quoted(name)}.${didYouMean(name, names)} Columns: ${listed(names)}.`,
      { path: "columns", got: name, expected: names.slice(0, 50) },
    );
  });
}

/** The class that alone is told, by its place; null for all, or where answers are numbers. */
function outputAsked(file: ModelFile, label: string | number | boolean | undefined, columns: number): number | null {
  const asked = classAsked(label, file, who);
  if (asked !== null || file.classes === null) return asked;
  if (file.classes.length === 2) return 1;
  // A heat map shows one number in a cell.
  return columns === 2 ? 0 : null;
}

/** The places of the rows that are averaged over; null for all of them. */
function takenRows(
  n: number,
  { rows, random_state }: { readonly rows?: number | undefined; readonly random_state: number },
  context: BlockContext,
): Int32Array | null {
  const wanted = rows ?? fewRows;
  if (n <= wanted) return null;
  if (rows === undefined) {
    context.notice(
      `${who}: the mean is that of ${count(wanted, "row")} of ${n.toLocaleString("en-US")}, drawn by random_state; rows takes more.`,
    );
  }
  return drawnRows(n, wanted, random_state);
}

function evenly(n: number, wanted: number): number[] {
  const m = Math.min(n, wanted);
  return Array.from({ length: m }, (_, k) => Math.floor((k * n) / m));
}

/** What a model is asked along the values. */
interface Along {
  readonly predictor: Predictor;
  readonly file: ModelFile;
  readonly x: Matrix;
  /** Places of the rows whose own answers are kept. */
  readonly lined: readonly number[];
  /** The one class that is told; null for all. */
  readonly only: number | null;
}

/** The answers along the values. */
interface Answers {
  /** The classes that are told, by their places; one 0 where answers are numbers. */
  readonly outputs: readonly number[];
  /** Answer after answer: the mean at each value, the second column's changing fastest. */
  readonly means: readonly Float64Array[];
  readonly lines: readonly Float64Array[];
  /** Does the model tell probabilities? */
  readonly hasShares: boolean;
}

async function askedAlong(grids: readonly Grid[], along: Along, context: BlockContext): Promise<Answers> {
  const { predictor, file, x, lined, only } = along;
  const total = grids.reduce((product, { values }) => product * values.length, 1);
  const classes = file.classes?.length ?? 0;
  const outputs = classes === 0 ? [0] : only !== null ? [only] : Array.from({ length: classes }, (_, k) => k);
  const means = outputs.map(() => new Float64Array(total));
  const lines = lined.map(() => new Float64Array(total));
  let hasShares = false;
  const atOnce = Math.max(1, Math.floor(mostNumbers / (x.n * x.d)));
  for (let from = 0; from < total; from += atOnce) {
    const to = Math.min(total, from + atOnce);
    const prediction = await predictor.predict(file, valuesPut(x, grids, from, to), context);
    hasShares = "matrix" in prediction && prediction.matrix !== undefined;
    const { data, outputs: width } = answersOf(prediction, file);
    // Of two classes the second is told alone, and the first is the rest.
    const answer = (i: number, output: number) =>
      classes === 2 ? (output === 1 ? data[i] : 1 - data[i]) : data[i * width + output];
    for (let at = from; at < to; at++) {
      const start = (at - from) * x.n;
      for (const [k, output] of outputs.entries()) {
        let sum = 0;
        for (let i = 0; i < x.n; i++) sum += answer(start + i, output);
        means[k][at] = sum / x.n;
      }
      for (const [k, row] of lined.entries()) lines[k][at] = answer(start + row, outputs[0]);
    }
    context.progress("partial dependence", to, total);
  }
  return { outputs, means, lines, hasShares };
}

/** The rows once for each of the values from…to−1, with these in place of their own. */
function valuesPut(x: Matrix, grids: readonly Grid[], from: number, to: number): Matrix {
  const out = createMatrix((to - from) * x.n, x.d, true);
  for (let j = 0; j < x.d; j++) {
    const column = columnOf(out, j);
    const own = columnOf(x, j);
    for (let at = from; at < to; at++) column.set(own, (at - from) * x.n);
  }
  let width = 1;
  for (const { places, features, values } of grids.toReversed()) {
    for (const [k, j] of places.entries()) {
      const column = columnOf(out, j);
      const value = columnOf(features, k);
      for (let at = from; at < to; at++) {
        column.fill(value[Math.floor(at / width) % values.length], (at - from) * x.n, (at - from + 1) * x.n);
      }
    }
    width *= values.length;
  }
  return out;
}

function quantityOf({ targets, classes }: ModelFile, hasShares: boolean, output: number | null): string {
  if (classes === null) return targets[0].name;
  const what = hasShares ? "probability" : "share of rows said to be";
  return output === null ? `${what} of each class` : `${what}${hasShares ? " of" : ""} ${classes[output]}`;
}

/** A row for each value, and of several classes for each of these. */
function meansTable(grids: readonly Grid[], file: ModelFile, { outputs, means }: Answers): WriteColumn[] {
  const [grid, other] = grids;
  const width = other?.values.length ?? 1;
  const total = grid.values.length * width;
  const places = Array.from({ length: outputs.length * total }, (_, at) => at % total);
  const names = freshNames(
    grids.map(({ name }) => name),
    ["class", "average"],
  );
  const labels = outputs.flatMap((output) => new Array<Cell>(total).fill(file.classes?.[output] ?? null));
  return [
    typed(grid, names[0], (k) => grid.values[Math.floor(k / width)], places),
    ...(other ? [typed(other, names[1], (k) => other.values[k % width], places)] : []),
    ...(outputs.length > 1 ? [{ column: columnFor("class", labels), values: labels }] : []),
    { column: { name: "average", type: "number" }, values: Float64Array.from(means.flatMap((mean) => [...mean])) },
  ];
}

/** A row for each row with a line of its own and each value. */
function linesTable(grid: Grid, rows: readonly number[], lines: readonly Float64Array[]): WriteColumn[] {
  const places = lines.flatMap((line) => [...line.keys()]);
  return [
    {
      column: { name: "row", type: "number", integer: true },
      values: Float64Array.from(lines.flatMap((line, k) => new Array<number>(line.length).fill(rows[k]))),
    },
    typed(grid, freshNames([grid.name], ["row", "answer"])[0], (k) => grid.values[k], places),
    { column: { name: "answer", type: "number" }, values: Float64Array.from(lines.flatMap((line) => [...line])) },
  ];
}

function typed({ kind }: Grid, name: string, cell: (place: number) => Cell, places: readonly number[]): WriteColumn {
  const values = places.map(cell);
  return { column: kind === "datetime" ? { name, type: "datetime" } : columnFor(name, values), values };
}

function columnFor(name: string, values: readonly Cell[]): Column {
  if (values.every((value) => typeof value === "number")) {
    return { name, type: "number", ...(values.every(Number.isSafeInteger) ? { integer: true } : {}) };
  }
  return { name, type: values.every((value) => typeof value === "boolean") ? "boolean" : "string" };
}
