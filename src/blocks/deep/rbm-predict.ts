import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import type { Frame } from "../../core/frame.ts";
import { count } from "../../core/names.ts";
import { featureMatrix } from "../../core/training.ts";
import { stack, text } from "../../core/view.ts";
import { type Judged, rowsToJudge } from "../models/new-rows.ts";
import { judgedMatrix } from "../models/predict.ts";
import { besideArgs } from "./networks.ts";
import { type Activated, hiddenOf, withHidden } from "./rbm-hidden.ts";
import { noticeOutside, type Trained, trainedRbm } from "./rbm-model.ts";

const who = "predict (DL_RBM_P)";

/**
 * DL_RBM_P. Puts a trained machine's hidden activations in the place of the features, for what follows.
 *
 * Columns h1, h2 … hold how likely each hidden unit is on, from 0 to 1, in all rows. The output's `y_pred_url` has
 * those of the rows of `test_data`.
 */
export const rbmPredict = defineBlock({
  code: "DL_RBM_P",
  codes: ["DL_RBM_TR"],
  name: "rbm.predict",
  args: {
    /** The name under which the machine was trained (default: the one that this chain trained last). */
    model_name: z.string().optional(),
    /** Rows to answer: a URL, or the name of one of the record's URLs such as "x_test_url" (default: x_train_url). */
    test_data: z.string().optional(),
  },
  beside: besideArgs.filter((name) => name === "model_name" || name === "test_data"),
  tables: ["test_data"],
  files: ["test_data"],
  example: "…rbm().train().predict()",
  async run(frame, args, context) {
    const trained = await trainedRbm(args.model_name, context, who);
    const judged = await rowsToJudge(frame, args.test_data, trained.file, context, who);
    const activated = await activate(frame, trained, context);
    const artifact = await answersOf(frame, activated, judged, trained, context);
    const report = { model: trained.file.model_name, features: trained.rbm.visible, hidden: trained.rbm.hidden };
    return {
      frame: activated.frame,
      output: { y_pred_url: { $artifact: artifact } },
      report: { ...report, from: judged.from },
    };
  },
  async view({ report, after }, read) {
    const { model, features, hidden, from } = report as {
      model: string;
      features: number;
      hidden: number;
      from: string;
    };
    const words = `${count(hidden, "hidden unit")} of ${model} now stand for ${count(features, "feature")}: the next block learns from how likely each is on. The output has those of ${from}.`;
    return stack(text(words), await read.head(after));
  },
});

/** All rows of the frame, with hidden activations instead of the features. */
async function activate(frame: Frame, { file, rbm }: Trained, context: BlockContext): Promise<Activated> {
  const features = file.features.map(({ name }) => name);
  const all: Judged = { relation: frame.relation, selection: {}, columns: frame.columns, from: "all rows" };
  const x = await judgedMatrix(all, file, context, who);
  noticeOutside(x, context, who);
  if (frame.split && file.trained.on === "all") {
    context.notice(
      `${who}: ${file.model_name} learnt from all rows, so it has seen those that now test; train it after the split.`,
    );
  }
  const hidden = await hiddenOf(rbm, x, context);
  return await withHidden(frame, features, rbm, hidden, features, context);
}

/** The hidden activations of the judged rows, as a table of their own. */
async function answersOf(
  before: Frame,
  { frame, names }: Activated,
  judged: Judged,
  { file, rbm }: Trained,
  context: BlockContext,
): Promise<string> {
  if (judged.relation === before.relation) {
    const { subset, split } = judged.selection;
    return await context.tables.writeTable(frame.relation, { columns: names, subset, split });
  }
  const features = file.features.map(({ name }) => name);
  const x = await featureMatrix(judged, judged.relation, judged.selection, features, context, who, true);
  noticeOutside(x, context, who);
  const hidden = await hiddenOf(rbm, x, context);
  return await context.tables.writeColumns(
    names.map((name, k) => ({
      column: { name, type: "number" },
      values: hidden.data.subarray(k * hidden.n, (k + 1) * hidden.n),
    })),
  );
}
