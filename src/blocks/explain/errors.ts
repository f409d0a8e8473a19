import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, columnsNamed } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import type { ModelFile } from "../../core/model.ts";
import { freshNames, quoted } from "../../core/names.ts";
import { type Cell, stack, text, type ViewColumn } from "../../core/view.ts";
import { kinOf } from "../../plan/lineage.ts";
import { labelledRows } from "../models/metrics.ts";
import type { Prediction } from "../models/model-types.ts";
import { type Judged, rowNumbers } from "../models/new-rows.ts";
import { askModel, codesOf, probabilitiesOf } from "../models/predict.ts";
import { originalCells } from "./origins.ts";
import { ownRows, rowsFrom } from "./rows.ts";
import { subjectOf } from "./subject.ts";

const who = "errors (BL_ERRORS)";

/**
 * BL_ERRORS. Shows the rows that a model gets most wrong, with their cells as they were read.
 *
 * Of numbers, those farthest from the truth: the error is the true number less the predicted one. Of classes, those
 * whose true class the model thought least likely: the error is 1 less that probability. `rows` of the result is a table
 * of them, with each row's number in the table, from 0.
 */
export const errors = defineBlock({
  code: "BL_ERRORS",
  name: "errors",
  args: {
    /** The name of the model (default: the last one of the chain). */
    model_name: z.string().min(1).max(200).optional(),
    /** Rows to look at, target included: a file or URL, or the name of one of the record's URLs such as "x_train_url" (default: the test rows, or all without a split). */
    test_data: z.string().optional(),
    /** How many rows, the worst first (default 20). */
    n: z.int().min(1).max(10_000).default(20),
  },
  positional: ["n"],
  files: ["test_data"],
  example:
    'session.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.5, random_state: 0 }).logistic().errors(5)',
  explain: {
    why: "A score says how often a model is wrong, not where. The rows it gets most wrong often have something in common: a group it has seen too little of, a column it would need, or a mistake in the data.",
  },
  async run(frame, args, context) {
    const { predictor, file, chosen } = await subjectOf(args.model_name, context, who);
    const judged =
      args.test_data === undefined
        ? ownRows(frame, file, context, who)
        : await labelledRows(frame, args.test_data, file, context, who);
    const prediction = await askModel(predictor, judged, file, context, who);
    const found = await wrongs(prediction, judged, file, context);
    const order = Array.from(found.error.keys())
      .filter((i) => !Number.isNaN(found.error[i]))
      .sort((a, b) => Math.abs(found.error[b]) - Math.abs(found.error[a]) || a - b);
    if (order.length === 0) {
      throw new DataError(
        `${who}: the true ${quoted(file.targets[0].name)} is missing in all rows, so none can be judged.`,
        {
          code: "missing_target",
          got: 0,
        },
      );
    }
    const worst = order.slice(0, args.n);
    const numbers = await rowNumbers(judged, found.error.length, context);
    const rows = worst.map((i) => numbers[i]);
    const features = file.features.map(({ name }) => name);
    const columns = kinOf(frame.lineage, features);
    const cells = await originalCells(judged.relation, features, columns, rows, context);
    const own = ["row", "truth", "predicted", "error"];
    const names = [
      ...own,
      ...freshNames(
        columns.map(({ column }) => column),
        own,
      ),
    ];
    const target = columnsNamed(judged.columns, [file.targets[0].name])[0];
    const values: readonly (readonly Cell[])[] = [
      rows,
      worst.map((i) => found.truth[i]),
      worst.map((i) => found.predicted[i]),
      worst.map((i) => found.error[i]),
      ...cells,
    ];
    const typed = names.map((name, k): Column => typedAs(name, k === 1 ? [target.type, values[k]] : [null, values[k]]));
    const artifact = await context.tables.writeColumns(typed.map((column, k) => ({ column, values: values[k] })));
    const n = order.length;
    return {
      frame,
      ...chosen,
      output: { model_name: file.model_name, n: rows.length, of: n, errors_url: { $artifact: artifact } },
      report: { model: file.model_name, from: judged.from, n, typed, values, isNumbers: file.classes === null },
    };
  },
  view({ report }) {
    const { model, from, n, typed, values, isNumbers } = report as Report;
    const shown = values[0].length;
    const meaning = isNumbers ? "the true number less the predicted one" : "1 less the probability of the true class";
    const columns = typed.map(
      ({ name, type }, k): ViewColumn => ({ name, type: k === 0 ? "text" : type, named: k < 4 }),
    );
    return stack(text(`What model ${model} gets most wrong of ${rowsFrom(n, from)}; the error is ${meaning}.`), {
      kind: "table",
      columns,
      rows: values[0].map((_, i) => values.map((column) => column[i])),
      total: shown,
    });
  },
});

interface Report {
  readonly model: string;
  readonly from: string;
  readonly n: number;
  readonly typed: readonly Column[];
  readonly values: readonly (readonly Cell[])[];
  readonly isNumbers: boolean;
}

/** The truth, the answer and how far they are apart, of each row; NaN where the truth is missing. */
interface Wrongs {
  readonly truth: readonly Cell[];
  readonly predicted: readonly Cell[];
  readonly error: Float64Array;
}

async function wrongs(
  prediction: Prediction,
  { relation, selection }: Judged,
  file: ModelFile,
  { tables }: BlockContext,
): Promise<Wrongs> {
  const target = file.targets[0].name;
  const { subset, split } = selection;
  if (prediction.kind === "numbers") {
    const y = columnOf(await tables.numbers(relation, { subset, split, columns: [target] }), 0);
    const { values } = prediction;
    return { truth: [...y], predicted: [...values], error: y.map((value, i) => value - values[i]) };
  }
  const { labels, codes } = await tables.classes(relation, target, { subset, split });
  const known = file.classes ?? [];
  const places = labels.map((label) => known.indexOf(label));
  const matrix = probabilitiesOf(prediction);
  const said = codesOf(prediction);
  const error = Float64Array.from(codes, (code, i) => {
    if (code < 0) return NaN;
    const place = places[code];
    // A class that the model has not learnt is out of the question.
    if (place < 0) return 1;
    return matrix ? 1 - matrix.data[place * matrix.n + i] : said[i] === place ? 0 : 1;
  });
  return {
    truth: Array.from(codes, (code) => (code < 0 ? null : labels[code])),
    predicted: Array.from(said, (code) => known[code]),
    error,
  };
}

/** A column of cells, by its type where that is known, else by what the cells are. */
function typedAs(name: string, [type, cells]: readonly [Column["type"] | null, readonly Cell[]]): Column {
  const known = cells.filter((cell) => cell !== null);
  const isAll = (kind: string) => known.length > 0 && known.every((cell) => typeof cell === kind);
  if (isAll("number")) return { name, type: "number", ...(known.every(Number.isSafeInteger) ? { integer: true } : {}) };
  if (isAll("boolean")) return { name, type: "boolean" };
  return { name, type: type === "number" || type === "boolean" ? type : "string" };
}
