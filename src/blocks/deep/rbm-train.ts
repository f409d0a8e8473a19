import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import type { NumberColumns } from "../../core/matrix.ts";
import { listed } from "../../core/names.ts";
import { fitRows, fitSelection } from "../../core/scope.ts";
import { featureMatrix } from "../../core/training.ts";
import { fitRbm } from "../../numerics/networks/rbm.ts";
import { modelName } from "../models/model-name.ts";
import { matrixOf } from "../shared/row-parts.ts";
import { explainRbmTraining } from "./explain.ts";
import { besideArgs, builtBefore, hyperparameters } from "./networks.ts";
import { columnsOutside, type Hyper, hyperShape, modelFile } from "./rbm-model.ts";
import { sparkline, type TrainReport, trainView, weightsView } from "./rbm-view.ts";

const who = "train (DL_RBM_T)";

/**
 * DL_RBM_T. Trains a restricted Boltzmann machine on the features and saves it under a name.
 *
 * By stochastic maximum likelihood (persistent contrastive divergence; Tieleman 2008). Learns from training rows alone
 * once there is a split. The output names the model's file, and the pseudo-likelihood after each epoch, on 1,000 of the
 * rows at most; 0 is the best.
 */
export const rbmTrain = defineBlock({
  code: "DL_RBM_T",
  name: "rbm.train",
  args: {
    /** The name to save under (default: the one it was built with, else the helper's). */
    model_name: z.string().min(1).max(200).optional(),
    /** Epochs: passes over the rows (default: the n_iter it was built with). */
    epochs: hyperShape.n_iter.optional(),
    /** What the machine was built with, changed for this training. */
    hyp_params: z.strictObject(hyperShape).partial().optional(),
  },
  aliases: { n_iter: "epochs" },
  beside: besideArgs.filter((name) => name !== "test_data"),
  example: "…rbm().train({ epochs: 20 })",
  explain: explainRbmTraining,
  async run(frame, args, context) {
    const built = builtBefore(context, "DL_RBM_I", "rbm()", who);
    const { model_name, hyp_params, epochs } = args;
    const layers = [built.args, { model_name, hyp_params }, { n_iter: epochs }];
    // Both blocks' schemas have checked what comes together here.
    const hyper = hyperparameters(...layers) as unknown as Hyper;
    const features = frame.x ?? [];
    const x = await featureMatrix(frame, frame.relation, fitSelection(frame), features, context, who);
    refuseOutside(x);
    const { name, chosen } = modelName(hyper.model_name, "rbm", context, who);
    const { rbm, curve } = await trained(x, hyper, context);
    const parameters = {
      components: rbm.weights,
      intercept_hidden: rbm.hiddenBias,
      intercept_visible: rbm.visibleBias,
      pseudo_likelihood: curve,
    };
    const file = modelFile(frame, features, name, "DL_RBM_T", hyper, parameters);
    const artifact = await context.tables.writeJson(file);
    const model = { function_code: "DL_RBM_T", model_url: { $artifact: artifact }, pseudo_likelihood: [...curve] };
    return {
      frame,
      ...chosen,
      model: { name, artifact },
      output: { [name]: model },
      report: {
        model: name,
        from: fitRows(frame),
        features: features.length,
        hidden: rbm.hidden,
        curve: [...curve],
        shown: weightsView(features, rbm.hidden, rbm.weights),
      } satisfies TrainReport,
    };
  },
  view: ({ report }) => trainView(report as TrainReport),
});

/** Trains on a worker; each epoch's pseudo-likelihood is told with the progress as soon as it is known. */
async function trained(x: NumberColumns, hyper: Hyper, context: BlockContext) {
  const curve = new Float64Array(new SharedArrayBuffer(8 * hyper.n_iter)).fill(Number.NaN);
  const tell = (done: number, total: number) => {
    const known = curve.findIndex(Number.isNaN);
    const epochs = known < 0 ? curve.length : known;
    const last = epochs === 0 ? "" : `, pseudo-likelihood ${curve[epochs - 1].toFixed(1)} ${sparkline(curve, epochs)}`;
    context.progress(`epoch ${Math.min(epochs + 1, curve.length)} of ${curve.length}${last}`, done, total);
  };
  tell(0, 1);
  const input = {
    x: matrixOf(x),
    hidden: hyper.n_components,
    rate: hyper.learning_rate,
    epochs: hyper.n_iter,
    batch: hyper.batch_size,
    seed: hyper.random_state,
    curve,
  };
  const rbm = await context.compute(fitRbm, input, tell);
  if (!rbm.weights.every(Number.isFinite)) {
    throw new DataError(
      `${who}: the weights grew beyond all numbers; lower the learning_rate, which is ${hyper.learning_rate}.`,
      { code: "diverged", path: "learning_rate", got: hyper.learning_rate },
    );
  }
  return { rbm, curve };
}

/** Units are on with a probability, so only such numbers can be learnt. */
function refuseOutside(x: NumberColumns): void {
  const outside = columnsOutside(x);
  if (outside.length === 0) return;
  throw new DataError(
    `${who}: features must lie between 0 and 1, but ${outside.length === x.d && x.d > 1 ? `all ${x.d} columns` : listed(outside)} ${outside.length === 1 ? "goes" : "go"} beyond. Bring ${outside.length === 1 ? "it" : "them"} there with scale (DP_5), as in scale("minmax").`,
    { code: "outside_unit_range", got: outside.slice(0, 50), expected: "0 to 1", hint: "scale" },
  );
}
