import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { besideArgs } from "../models/answer-file.ts";
import { explainPrediction } from "../models/explain-models.ts";
import { predictionView, predictRows } from "../models/predict.ts";
import { annKind } from "./ann-model.ts";
import { trainedNetwork } from "./networks.ts";

const who = "predict (DL_ANN_P)";

/**
 * DL_ANN_P. Predicts with a trained neural network: numbers, or classes with a probability for each.
 *
 * New rows go through the fitted steps before the network first, such as a scaling.
 */
export const annPredict = defineBlock({
  code: "DL_ANN_P",
  codes: ["DL_ANN_S_P"],
  name: "ann.predict",
  args: {
    /** The name under which the network was trained (default: the last one of this chain). */
    model_name: z.string().min(1).max(200).optional(),
    /** Rows to predict: a URL, or the name of one of the record's URLs such as "x_test_url" (default: x_train_url). */
    test_data: z.string().optional(),
    ...besideArgs,
  },
  beside: ["model_name", "test_data"],
  task: "either",
  tables: ["test_data"],
  files: ["test_data"],
  example: "…ann([16]).train().predict()",
  explain: explainPrediction,
  async run(frame, args, context) {
    const { file } = await trainedNetwork(annKind, args.model_name, context, who);
    return await predictRows(annKind.predictor, frame, file, args, context, who);
  },
  view: ({ report }) => predictionView(report),
});
