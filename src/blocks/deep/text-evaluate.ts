import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { explainMetrics } from "../models/explain-models.ts";
import { judgeModel } from "../models/metrics.ts";
import { type MetricsReport, metricsView } from "../models/metrics-view.ts";
import { textPredictor, trainedModel } from "./text-predictor.ts";

const who = "evaluate (A_DL_TXC_E)";

/**
 * A_DL_TXC_E. Judges a trained text classifier, on test rows where there are any.
 *
 * It answers what the metrics of every classifier answer: accuracy, precision, recall, f1, roc_auc, log_loss, the
 * confusion of labels and a report for each.
 */
export const textEvaluate = defineBlock({
  code: "A_DL_TXC_E",
  name: "textClassifier.evaluate",
  codes: ["A_DL_ALL_E", "A_DL_TXC_M"],
  args: {
    /** The name under which the model was trained (default: the last one of this chain). */
    model_name: z.string().min(1).max(200).optional(),
    /** One metric alone, such as "accuracy" or "f1" (default: all). */
    metric: z.string().optional(),
    /** Rows to judge by, labels included: a URL, or the name of one of the record's URLs (default: the test rows). */
    test_data: z.string().optional(),
  },
  beside: ["model_name", "test_data"],
  tables: ["test_data"],
  files: ["test_data"],
  example: "…textClassifier().train().evaluate()",
  explain: explainMetrics,
  async run(frame, args, context) {
    const { file } = await trainedModel(args.model_name, context, who);
    return { frame, ...(await judgeModel(textPredictor, frame, file, args, context, who)) };
  },
  view: ({ report }) => metricsView(report as MetricsReport),
});
