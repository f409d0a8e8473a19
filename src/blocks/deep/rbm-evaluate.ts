import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { count } from "../../core/names.ts";
import { stack, text } from "../../core/view.ts";
import { scoreRbm } from "../../numerics/networks/rbm-score.ts";
import { rowsToJudge } from "../models/new-rows.ts";
import { judgedMatrix } from "../models/predict.ts";
import { matrixOf } from "../shared/row-parts.ts";
import { besideArgs, judgedOn } from "./networks.ts";
import { noticeOutside, trainedRbm } from "./rbm-model.ts";

const who = "evaluate (DL_RBM_E)";

/**
 * DL_RBM_E. Judges a trained machine by its pseudo-likelihood, on test rows where there are any.
 *
 * The output is `{pseudo_likelihood, chance, n, on}`: the mean over the rows, 0 is the best; what an untrained machine
 * would get; how many rows, and which. As scikit-learn's score_samples, which flips one feature of each row.
 */
export const rbmEvaluate = defineBlock({
  code: "DL_RBM_E",
  name: "rbm.evaluate",
  args: {
    /** The name under which the machine was trained (default: the one that this chain trained last). */
    model_name: z.string().optional(),
    /** Rows to judge by: a URL, or the name of one of the record's URLs (default: x_test_url, else all rows). */
    test_data: z.string().optional(),
  },
  beside: besideArgs.filter((name) => name === "model_name" || name === "test_data"),
  tables: ["test_data"],
  files: ["test_data"],
  example: "…rbm().train().evaluate()",
  async run(frame, args, context) {
    const { file, rbm, seed } = await trainedRbm(args.model_name, context, who);
    const rows = args.test_data ?? (frame.split ? "x_test_url" : undefined);
    const judged = await rowsToJudge(frame, rows, file, context, who);
    const x = await judgedMatrix(judged, file, context, who);
    noticeOutside(x, context, who);
    const scores = await context.compute(scoreRbm, { rbm, x: matrixOf(x), seed }, "rows");
    const pseudo_likelihood = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    const output = { pseudo_likelihood, chance: -rbm.visible * Math.LN2, n: x.n, on: judgedOn(judged.from) };
    return { frame, output, report: { model: file.model_name } };
  },
  view({ output, report }) {
    const { pseudo_likelihood, chance, n, on } = output as {
      pseudo_likelihood: number;
      chance: number;
      n: number;
      on: string;
    };
    const rows = count(n, on === "test" ? "test row" : on === "train" ? "training row" : "row");
    const items = [
      { label: "pseudo-likelihood", value: Number(pseudo_likelihood.toPrecision(5)), note: "0 is the best" },
      { label: "chance", value: Number(chance.toPrecision(5)), note: "an untrained machine" },
    ];
    return stack(text(`${(report as { model: string }).model}, judged on ${rows}.`), { kind: "facts", items });
  },
});
