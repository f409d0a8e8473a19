import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { count } from "../../core/names.ts";
import { stack, text } from "../../core/view.ts";
import { rowsToJudge } from "../models/new-rows.ts";
import { judgedMatrix } from "../models/predict.ts";
import { besideArgs, judgedOn, trainedNetwork } from "./networks.ts";
import { mapOf, placed, somKind } from "./som-model.ts";

const who = "evaluate (DL_SOM_E)";

/**
 * DL_SOM_E. Judges a trained map by how near rows lie to its units, on test rows where there are any.
 *
 * The output is `{quantization_error, topographic_error, n, on}`: the mean distance of rows from their units; the share of
 * rows whose second nearest unit does not lie beside the nearest; how many rows, and which.
 */
export const somEvaluate = defineBlock({
  code: "DL_SOM_E",
  codes: ["DL_SOM_M"],
  name: "som.evaluate",
  args: {
    /** The name under which the map was trained (default: the last one of this chain). */
    model_name: z.string().min(1).max(200).optional(),
    /** Rows to judge by: a URL, or the name of one of the record's URLs (default: x_test_url, else all rows). */
    test_data: z.string().optional(),
  },
  beside: besideArgs.filter((name) => name === "model_name" || name === "test_data"),
  tables: ["test_data"],
  files: ["test_data"],
  example: "…som().train().evaluate()",
  async run(frame, args, context) {
    const { file } = await trainedNetwork(somKind, args.model_name, context, who);
    const rows = args.test_data ?? (frame.split ? "x_test_url" : undefined);
    const judged = await rowsToJudge(frame, rows, file, context, who);
    const found = await placed(mapOf(file), await judgedMatrix(judged, file, context, who), context);
    const { n, data } = found;
    const mean = (part: number) => data.subarray(part * n, (part + 1) * n).reduce((sum, each) => sum + each, 0) / n;
    const output = { quantization_error: mean(1), topographic_error: mean(2), n, on: judgedOn(judged.from) };
    return { frame, output, report: { model: file.model_name } };
  },
  view({ output, report }) {
    const { quantization_error, topographic_error, n, on } = output as Record<string, number> & { on: string };
    const rows = count(n, on === "test" ? "test row" : on === "train" ? "training row" : "row");
    const items = [
      { label: "quantization error", value: Number(quantization_error.toPrecision(5)), note: "mean distance" },
      { label: "topographic error", value: Number(topographic_error.toPrecision(5)), note: "0 is the best" },
    ];
    return stack(text(`${(report as { model: string }).model}, judged on ${rows}.`), { kind: "facts", items });
  },
});
