import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import { count, didYouMean, listed, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { Cell } from "../../core/view.ts";
import { gatherRows } from "../../numerics/types.ts";
import { type Kin, kinOf } from "../../plan/lineage.ts";
import { type Judged, rowNumbers, rowsOfSubset, rowsToJudge } from "../models/new-rows.ts";
import { codesOf, judgedMatrix } from "../models/predict.ts";
import { attributed, drawnRows } from "./attribution.ts";
import { explainShap } from "./explain.ts";
import { originalCells } from "./origins.ts";
import { ownRows, refuseNoRow } from "./rows.ts";
import { dependenceOf, type ShapReport, shapView, swarmOf, type Told, waterfallOf } from "./shap-view.ts";
import { classAsked, meanSizes, type Shares, sharesOf, tableOf } from "./shares.ts";
import { subjectOf } from "./subject.ts";

/** Rows that are explained of a model that has to be asked thousands of times for each. */
const fewRows = 100;

/** Numbers that are worked out at most; of more rows some are drawn. */
const mostNumbers = 20_000_000;

/** Marks of a picture, and columns, at most. */
const mostMarks = 5000;
const mostColumns = 20;

const who = "shap (ML_SHAP)";

/**
 * ML_SHAP. Says why a model answers what it does: how much each column adds to the answer of each row.
 *
 * A row's SHAP values add up to its answer less the base, what the model answers on average of its training rows. They
 * are exact for trees, forests and boost (TreeSHAP) and for linear models; other models are asked what they would say if
 * only some columns were known (Kernel SHAP), and how far that may be off is told. Classes are explained by their
 * probability, of logistic and boost by log odds, counts of boost by their logarithm. Features made of one column, such
 * as the dummies of a category, are added up to that column. `rows` of the result is a table with a row for each row
 * explained: its number from 0, the base, the answer, and each column's share.
 */
export const shap = defineBlock({
  code: "ML_SHAP",
  name: "shap",
  args: {
    /** The name of the model (default: the last one of the chain). */
    model_name: z.string().min(1).max(200).optional(),
    /** Rows to explain: a file or URL, or the name of one of the record's URLs such as "x_train_url" (default: the test rows, or all without a split). */
    test_data: z.string().optional(),
    /** One row alone, by its number in the table from 0, shown as a waterfall. */
    row: z.int().min(0).optional(),
    /** A column whose share is drawn against its cells. */
    column: z.string().optional(),
    /** The class that is explained (default: of two the second, of more the one that each row is said to be). */
    class: z.union([z.string(), z.number(), z.boolean()]).optional(),
    /** Rows to explain at most, drawn by random_state (default: all, or 100 where the model must be asked). */
    rows: z.int().min(1).optional(),
    /** Training rows that stand for what is not known, drawn by random_state (default: up to 100,000, or 50 where the model must be asked). */
    background: z.int().min(1).max(1_000_000).optional(),
    /** Sets of columns for which a model is asked at most (default 512). */
    samples: z.int().min(4).max(1_000_000).default(512),
    /** Seed of what is drawn (default 0). */
    random_state: z.int().min(0).max(4294967295).default(0),
  },
  files: ["test_data"],
  example:
    'session.input("sample:penguins").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).boost({ max_iter: 20 }).shap()',
  explain: explainShap,
  async run(frame, args, context) {
    const { predictor, file, chosen } = await subjectOf(args.model_name, context, who);
    const features = file.features.map(({ name }) => name);
    const columns = kinOf(frame.lineage, features);
    const place = placeOf(columns, args.column);
    const part = classAsked(args.class, file, who);
    const judged =
      args.test_data === undefined
        ? givenRows(ownRows(frame, file, context, who), frame, args.row)
        : await rowsToJudge(frame, args.test_data, file, context, who);
    const all = await judgedMatrix(judged, file, context, who, predictor.isRaw);
    if (args.row !== undefined) refuseNoRow(args.row, all.n, who);
    const isSum = predictor.additive?.(file) !== undefined;
    const outputs = Math.max(1, file.classes?.length ?? 1);
    const taken =
      args.row === undefined
        ? takenRows(all.n, columns.length * outputs, isSum, args, context)
        : Int32Array.of(args.row);
    const numbers = await rowNumbers(judged, all.n, context);
    const rows = Array.from(taken ?? numbers.keys(), (i) => numbers[i]);
    const x = taken ? gatherRows(all, taken, true) : all;
    const found = await attributed(
      {
        ...{ predictor, file, frame, x, columns, seed: args.random_state },
        ...{ background: args.background, samples: args.samples },
      },
      context,
      who,
    );
    const said = codesOf(await predictor.predict(file, x, context));
    const shares = sharesOf(found, columns.length, file, part, said);
    const sizes = meanSizes(shares);
    const artifact = await context.tables.writeColumns(tableOf(shares, rows, columns));
    const told: Told = { columns: columns.map(({ column }) => column), shares, sizes, rows };
    const drawn = drawnPlaces(rows.length, place === null ? Math.min(mostColumns, columns.length) : 1);
    const numbered = drawn.map((i) => rows[i]);
    const shown = place === null ? columns : [columns[place]];
    const cells = await originalCells(judged.relation, features, shown, numbered, context);
    const picture =
      args.row !== undefined
        ? waterfallOf(told, cells)
        : place !== null
          ? dependenceOf(told, place, drawn, cells[0])
          : swarmOf(told, drawn, cells, mostColumns);
    const report: ShapReport = {
      ...{ model: file.model_name, quantity: shares.quantity, from: judged.from, rows: rows.length },
      ...{ method: found.method, background: found.background, error: found.error, isMixed: shares.isMixed },
      base: baseOf(shares),
      columns: told.columns,
      sizes,
      classes: (file.classes ?? []).map(String),
      picture,
      one: args.row === undefined ? null : { row: rows[0], answer: shares.answer[0], class: shares.classes[0] },
    };
    return { frame, ...chosen, output: outputOf(report, told, cells, artifact), report };
  },
  view: ({ report }) => shapView(report as ShapReport),
});

/** All rows of the table where one of them is asked for by its number. */
function givenRows(own: Judged, frame: Frame, row: number | undefined): Judged {
  return row === undefined ? own : rowsOfSubset(frame, "all");
}

function placeOf(columns: readonly Kin[], wanted: string | undefined): number | null {
  if (wanted === undefined) return null;
  const names = columns.map(({ column }) => column);
  const place = names.indexOf(wanted);
  if (place >= 0) return place;
  throw new ArgsError(
    `${who}: the model learnt from no column ${quoted(wanted)}.${didYouMean(wanted, names)} Columns: ${listed(names)}.`,
    { path: "column", got: wanted, expected: names.slice(0, 50) },
  );
}

/** The places of the rows that are explained; null for all of them. */
function takenRows(
  n: number,
  width: number,
  isSum: boolean,
  { rows, random_state }: { readonly rows?: number | undefined; readonly random_state: number },
  context: BlockContext,
): Int32Array | null {
  const room = Math.max(1, Math.floor(mostNumbers / width));
  const wanted = Math.min(rows ?? (isSum ? room : Math.min(room, fewRows)), room);
  if (n <= wanted) return null;
  if (rows === undefined || rows > wanted) {
    const why = isSum ? "so that their shares find room" : "since this model must be asked for each of them many times";
    context.notice(
      `${who}: ${count(wanted, "row")} of ${n.toLocaleString("en-US")} ${wanted === 1 ? "is" : "are"} explained, drawn by random_state, ${why}; ask for others with rows, row or test_data.`,
    );
  }
  return drawnRows(n, wanted, random_state);
}

/** Places of rows that are drawn, spread evenly over all. */
function drawnPlaces(n: number, columns: number): number[] {
  const step = Math.max(1, Math.ceil((n * columns) / mostMarks));
  return Array.from({ length: Math.ceil(n / step) }, (_, k) => k * step);
}

/** The base of all rows; null where it is another from class to class. */
function baseOf({ base, isMixed }: Shares): number | null {
  return isMixed && base.some((value) => value !== base[0]) ? null : base[0];
}

function outputOf(
  report: ShapReport,
  { shares, columns, sizes }: Told,
  cells: readonly Cell[][],
  artifact: string,
): Json {
  const { model, quantity, method, base, rows, background, error, one } = report;
  const values = (j: number) => columnOf(shares.values, j);
  return {
    ...{ model_name: model, explained: quantity, method, base, rows, background },
    ...(method === "kernel" ? { error } : {}),
    columns: columns.map((column, j) => ({ column, mean_abs: sizes[j] })).sort((a, b) => b.mean_abs - a.mean_abs),
    ...(one
      ? {
          row: {
            ...{ row: one.row, base: shares.base[0], answer: one.answer },
            ...(one.class === null ? {} : { class: one.class }),
            shares: columns.map((column, j) => ({
              column,
              ...(cells[j] ? { cell: cells[j][0] } : {}),
              value: values(j)[0],
            })),
          },
        }
      : {}),
    shap_url: { $artifact: artifact },
  } as unknown as Json;
}
