import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { column, type Frame } from "../../core/frame.ts";
import { count } from "../../core/names.ts";
import { fitRows, fitSelection } from "../../core/scope.ts";
import { featureMatrix } from "../../core/training.ts";
import { fitSom, unitDistances } from "../../numerics/networks/som.ts";
import type { Matrix } from "../../numerics/types.ts";
import { clusterFeatures } from "../cluster/clustering.ts";
import { modelName } from "../models/model-name.ts";
import { matrixOf } from "../shared/row-parts.ts";
import { explainSomTraining } from "./explain.ts";
import { besideArgs, builtBefore, hyperparameters } from "./networks.ts";
import { sparkline } from "./rbm-view.ts";
import { placed, type SomArgs, somArgs, somCode, somFile, somShape } from "./som-model.ts";
import { type SomReport, somView } from "./som-view.ts";

const who = `train (${somCode})`;

/**
 * DL_SOM_T. Trains a self-organizing map on the features and saves it under a name.
 *
 * Row by row, as minisom does: each draws the nearest unit and those around it, less and less far. Learns from training
 * rows alone once there is a split. The output names the model's file, the quantization error, the mean distance of rows
 * from their units, after each epoch on 1,000 of the rows at most, and the topographic error.
 */
export const somTrain = defineBlock({
  code: somCode,
  name: "som.train",
  args: {
    /** The name to save under (default: the one it was built with, else the helper's). */
    model_name: z.string().min(1).max(200).optional(),
    /** Epochs: passes over the rows (default: 10, unless it was built with others). */
    epochs: somShape.epochs.optional(),
    /** What the map was built with, changed for this training. */
    hyp_params: z.strictObject(somShape).partial().optional(),
  },
  beside: besideArgs.filter((name) => name !== "test_data"),
  example: "…som({ x: 6, y: 6 }).train({ epochs: 20 })",
  explain: explainSomTraining,
  async run(frame, args, context) {
    const built = builtBefore(context, "DL_SOM_I", "som()", who);
    const { model_name, ...given } = hyperparameters(built.args, args) as { model_name?: string };
    const how = somArgs(given);
    const features = clusterFeatures(frame);
    if (how.input_len !== undefined && how.input_len !== features.length) {
      throw new ArgsError(
        `${who}: input_len is ${how.input_len}, but there ${features.length === 1 ? "is" : "are"} ${count(features.length, "feature")}; leave it out.`,
        { path: "input_len", got: how.input_len, expected: features.length },
      );
    }
    const x = await featureMatrix(frame, frame.relation, fitSelection(frame), features, context, who);
    const { name, chosen } = modelName(model_name, "som", context, who);
    const { weights, curve } = await trained(x, how, context);
    const grid = { width: how.x, height: how.y, topology: how.topology };
    const parameters = { weights, ...grid, quantization: curve };
    const artifact = await context.tables.writeJson(somFile(frame, features, name, how, parameters));
    const found = await placed(parameters, x, context);
    const far = found.data.subarray(2 * x.n);
    const topographic = far.reduce((sum, each) => sum + each, 0) / x.n;
    const units = Int32Array.from(found.data.subarray(0, x.n));
    const report: SomReport = {
      model: name,
      from: fitRows(frame),
      features: features.length,
      grid,
      curve: [...curve],
      topographic,
      distances: [...unitDistances(grid, weights)],
      hits: hitsOf(units, how.x * how.y),
      classes: await classHits(frame, units, how.x * how.y, context),
    };
    const model = {
      ...{ function_code: somCode, model_url: { $artifact: artifact } },
      quantization_error: [...curve],
      topographic_error: topographic,
    };
    return { frame, ...chosen, model: { name, artifact }, output: { [name]: model }, report };
  },
  view: ({ report }) => somView(report as SomReport),
});

/** Trains on a worker; each epoch's error is told with the progress as soon as it is known. */
async function trained(x: Matrix, how: SomArgs, context: BlockContext) {
  const curve = new Float64Array(new SharedArrayBuffer(8 * how.epochs)).fill(Number.NaN);
  const tell = (done: number, total: number) => {
    const unknown = curve.findIndex(Number.isNaN);
    const epochs = unknown < 0 ? curve.length : unknown;
    const last =
      epochs === 0 ? "" : `, quantization error ${curve[epochs - 1].toPrecision(3)} ${sparkline(curve, epochs)}`;
    context.progress(`epoch ${Math.min(epochs + 1, curve.length)} of ${curve.length}${last}`, done, total);
  };
  tell(0, 1);
  const { sigma, learning_rate: rate, epochs, random_state: seed } = how;
  const grid = { width: how.x, height: how.y, topology: how.topology };
  const weights = await context.compute(fitSom, { x: matrixOf(x), grid, sigma, rate, epochs, seed, curve }, tell);
  if (!curve.every(Number.isFinite)) {
    throw new DataError(
      `${who}: the numbers are too large, their squares pass 1e308. Scale the features with scale (DP_5) first.`,
      { code: "overflow", hint: "scale" },
    );
  }
  return { weights, curve };
}

function hitsOf(units: ArrayLike<number>, count: number): number[] {
  const hits = Array<number>(count).fill(0);
  for (let i = 0; i < units.length; i++) hits[units[i]]++;
  return hits;
}

/** More classes than this are too many small maps. */
const mostClasses = 9;

/** Where the rows of each class lie, of a target of text or truth values with a few. */
async function classHits(
  frame: Frame,
  units: Int32Array,
  size: number,
  context: BlockContext,
): Promise<SomReport["classes"]> {
  const [target] = frame.y ?? [];
  if (target === undefined || !["string", "boolean"].includes(column(frame, target).type)) return null;
  const { labels, codes } = await context.tables.classes(frame.relation, target, fitSelection(frame));
  if (labels.length > mostClasses) return null;
  const of = (code: number) => units.filter((_, i) => codes[i] === code);
  return { target, hits: labels.map((label, k) => ({ name: String(label), hits: hitsOf(of(k), size) })) };
}
