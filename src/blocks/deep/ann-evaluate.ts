import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { explainMetrics } from "../models/explain-models.ts";
import { judgeWithImportance, refuseImportanceElsewhere } from "../models/metrics.ts";
import { type MetricsReport, metricsView } from "../models/metrics-view.ts";
import { annKind, annModelling } from "./ann-model.ts";
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
    /** Shuffles of each column, to see how much the score falls without it; all features made of one column are shuffled together (default: none). */
    importance: z.int().min(1).max(1000).optional(),
    /** Seed of the shuffles (default 0). */
    random_state: z.int().min(0).max(4294967295).default(0),
  },
  beside: ["model_name", "test_data"],
  task: "either",
  tables: ["test_data"],
  files: ["test_data"],
  example: "…ann([16]).train().evaluate()",
  explain: explainMetrics,
  async run(frame, args, context) {
    refuseImportanceElsewhere(args, context, who);
    const { file } = await trainedNetwork(annKind, args.model_name, context, who);
    return { frame, ...(await judgeWithImportance(annModelling.predictor, frame, file, args, context, who)) };
  },
  view: ({ report }) => metricsView(report as MetricsReport),
});
