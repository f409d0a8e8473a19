import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { besideArgs } from "../models/answer-file.ts";
import { explainPrediction } from "../models/explain-models.ts";
import { predictionView, predictRows } from "../models/predict.ts";
import { textPredictor, trainedModel } from "./text-predictor.ts";

const who = "predict (A_DL_TXC_P)";

/**
 * A_DL_TXC_P. Predicts the labels of texts with a trained text classifier, with a probability for each label.
 *
 * New texts go through the fitted steps before the classifier first, such as a cast.
 */
export const textPredict = defineBlock({
  code: "A_DL_TXC_P",
  name: "textClassifier.predict",
  codes: ["A_DL_ALL_P"],
  args: {
    /** The name under which the model was trained (default: the last one of this chain). */
    model_name: z.string().min(1).max(200).optional(),
    /** Rows to predict: a URL, or the name of one of the record's URLs such as "x_test_url" (default: x_train_url). */
    test_data: z.string().optional(),
    ...besideArgs,
  },
  beside: ["model_name", "test_data"],
  tables: ["test_data"],
  files: ["test_data"],
  example: "…textClassifier().train().predict()",
  explain: explainPrediction,
  async run(frame, args, context) {
    const { file } = await trainedModel(args.model_name, context, who);
    return await predictRows(textPredictor, frame, file, args, context, who);
  },
  view: ({ report }) => predictionView(report),
});
