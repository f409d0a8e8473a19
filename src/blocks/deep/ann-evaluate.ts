import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { explainMetrics } from "../models/explain-models.ts";
import { judgeModel } from "../models/metrics.ts";
import { type MetricsReport, metricsView } from "../models/metrics-view.ts";
import { annKind } from "./ann-model.ts";
import { trainedNetwork } from "./networks.ts";

const who = "evaluate (DL_ANN_E)";

/**
 * DL_ANN_E. Judges a trained neural network, on test rows where there are any.
 *
 * It answers what the metrics of every model of numbers or classes answer: r2 and errors, or accuracy, precision, recall,
 * f1, roc_auc, log_loss, the confusion of labels and a report for each.
 */
export const annEvaluate = defineBlock({
  code: "DL_ANN_E",
  codes: ["DL_ANN_S_E", "DL_ANN_M", "DL_ANN_S_M"],
  name: "ann.evaluate",
  args: {
    /** The name under which the network was trained (default: the last one of this chain). */
    model_name: z.string().min(1).max(200).optional(),
    /** One metric alone, such as "accuracy" or "r2" (default: all). */
    metric: z.string().optional(),
    /** Rows to judge by, target included: a URL, or the name of one of the record's URLs (default: the test rows). */
    test_data: z.string().optional(),
  },
  beside: ["model_name", "test_data"],
  task: "either",
  tables: ["test_data"],
  files: ["test_data"],
  example: "…ann([16]).train().evaluate()",
  explain: explainMetrics,
  async run(frame, args, context) {
    const { file } = await trainedNetwork(annKind, args.model_name, context, who);
    return { frame, ...(await judgeModel(annKind.predictor, frame, file, args, context, who)) };
  },
  view: ({ report }) => metricsView(report as MetricsReport),
});
