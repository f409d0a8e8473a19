import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import type { Column, Frame } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { count, freshNames } from "../../core/names.ts";
import { remember, withStep } from "../../core/scope.ts";
import { stack, text } from "../../core/view.ts";
import type { Matrix } from "../../numerics/types.ts";
import { call, numberList } from "../../plan/expr.ts";
import { centreScores, clusterOfNew } from "../cluster/new-rows.ts";
import { type Judged, rowsToJudge } from "../models/new-rows.ts";
import { judgedMatrix } from "../models/predict.ts";
import { besideArgs, trainedNetwork } from "./networks.ts";
import { mapOf, placed, type SomParameters, somKind } from "./som-model.ts";

const who = "predict (DL_SOM_P)";

/**
 * DL_SOM_P. Gives each row its place on a trained map: columns `som_x` and `som_y`, for what follows.
 *
 * The output's `y_pred_url` has, for the rows of `test_data`, the place of the nearest unit and the distance from it: the
 * farther, the less the map knows such rows. Of new rows the chain knows the places on maps of up to 64 units.
 */
export const somPredict = defineBlock({
  code: "DL_SOM_P",
  name: "som.predict",
  args: {
    /** The name under which the map was trained (default: the last one of this chain). */
    model_name: z.string().min(1).max(200).optional(),
    /** Rows to answer: a URL, or the name of one of the record's URLs such as "x_test_url" (default: x_train_url). */
    test_data: z.string().optional(),
    /** The number of one of these rows, from 0, that is answered alone (default: all are). */
    row: z.int().min(0).optional(),
  },
  beside: besideArgs.filter((name) => name === "model_name" || name === "test_data"),
  tables: ["test_data"],
  files: ["test_data"],
  example: "…som().train().predict()",
  async run(frame, args, context) {
    const { file } = await trainedNetwork(somKind, args.model_name, context, who);
    const judged = await rowsToJudge(frame, args.test_data, file, context, who);
    const answers = await placed(mapOf(file), await judgedMatrix(judged, file, context, who), context);
    const asked = oneRow(answers, args.row);
    const after = await withPlaces(frame, file, context);
    const artifact = await context.tables.writeColumns(answerColumns(asked, mapOf(file)));
    const report = { model: file.model_name, rows: asked.n, from: judged.from };
    return { frame: after, output: { y_pred_url: { $artifact: artifact } }, report };
  },
  async view({ report, after }, read) {
    const { model, rows, from } = report as { model: string; rows: number; from: string };
    const words = `som_x and som_y are each row's place on ${model}. The output has ${count(rows, "row")} of ${from}, with the distance from their units.`;
    return stack(text(words), await read.head(after));
  },
});

/** One of the rows, where one is asked for. */
function oneRow(all: Matrix, row: number | undefined): Matrix {
  if (row === undefined) return all;
  if (row >= all.n)
    throw new RangeError(`row must be below ${all.n.toLocaleString("en-US")}, the number of rows, got ${row}`);
  return { n: 1, d: all.d, data: Float64Array.from({ length: all.d }, (_, j) => all.data[j * all.n + row]) };
}

const whole = (name: string): Column => ({ name, type: "number", integer: true });

function answerColumns({ n, data }: Matrix, { height }: SomParameters) {
  const units = data.subarray(0, n);
  return [
    { column: whole("som_x"), values: units.map((unit) => Math.floor(unit / height)) },
    { column: whole("som_y"), values: units.map((unit) => unit % height) },
    { column: { name: "distance", type: "number" } as Column, values: data.slice(n, 2 * n) },
  ];
}

/** The frame with the place of each row behind its columns; roles stay as they are. */
async function withPlaces(frame: Frame, file: ModelFile, context: BlockContext): Promise<Frame> {
  const map = mapOf(file);
  const features = file.features.map(({ name }) => name);
  const all: Judged = { relation: frame.relation, selection: {}, columns: frame.columns, from: "all rows" };
  const { n, data } = await placed(map, await judgedMatrix(all, file, context, who), context);
  if (frame.split && file.trained.on === "all") {
    context.notice(
      `${who}: ${file.model_name} learnt from all rows, so it has seen those that now test; train it after the split.`,
    );
  }
  const [x, y] = freshNames(
    ["som_x", "som_y"],
    frame.columns.map(({ name }) => name),
  );
  const units = map.weights.length / features.length;
  const places = (of: (unit: number) => number) => numberList(Float64Array.from({ length: units }, (_, k) => of(k)));
  const { frame: scored, expr: unit } = clusterOfNew(
    frame,
    features,
    centreScores(map.weights, features.length),
    context,
  );
  const after = withStep(scored, {
    ...{ block: context.block.id, name: context.block.name },
    outputs: [
      ...frame.columns.map((column) => ({ column })),
      {
        column: whole(x),
        expr: call(
          "itemAt",
          unit,
          places((k) => Math.floor(k / map.height)),
        ),
      },
      {
        column: whole(y),
        expr: call(
          "itemAt",
          unit,
          places((k) => k % map.height),
        ),
      },
    ],
  });
  const own = data.subarray(0, n);
  const artifact = await context.tables.writeTable(frame.relation, { columns: after.columns.map(({ name }) => name) }, [
    { column: whole(x), values: own.map((k) => Math.floor(k / map.height)) },
    { column: whole(y), values: own.map((k) => k % map.height) },
  ]);
  return { ...after, fits: remember(frame, context, features), relation: { artifact, steps: [] } };
}
