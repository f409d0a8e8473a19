import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { column } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { count, quoted } from "../../core/names.ts";
import { fitSelection } from "../../core/scope.ts";
import { classTarget } from "../../core/training.ts";
import { stack, text } from "../../core/view.ts";
import { fitText } from "../../numerics/text/model.ts";
import { modelName } from "../models/model-name.ts";
import { explainTextTraining } from "./explain.ts";
import { builtBefore } from "./networks.ts";
import { noticeEmpty, readTexts, textColumns } from "./text-data.ts";
import { searchOptions, trainCode } from "./text-predictor.ts";
import { bestTrial, boardRow, boardView, parametersText, searchTexts } from "./text-trials.ts";

const who = `textClassifier.train (${trainCode})`;

/**
 * A_DL_TXC_T. Searches the model that classifies the texts best, and trains it on all training rows.
 *
 * Each candidate is judged on texts held out of the training rows; networks stop early. The board of trials is in the
 * output. An interrupted search goes on where it stopped when it is trained again on the same rows.
 */
export const textTrain = defineBlock({
  code: trainCode,
  name: "textClassifier.train",
  args: {
    /** The name under which the model is kept in the project (default: what textClassifier was given). */
    model_name: z.string().min(1).max(200).optional(),
    /** Passes over the texts at most, for the candidates that make several (default 10). */
    epochs: z.int().min(1).max(1000).default(10),
    /** What textClassifier was given, changed for this training: max_trials and random_state. */
    hyp_params: z
      .strictObject({
        max_trials: z.int().min(1).max(1000).optional(),
        random_state: z.int().min(0).max(4294967295).optional(),
      })
      .optional(),
  },
  beside: ["model_name", "hyp_params", "epochs"],
  example: "…textClassifier({ max_trials: 5 }).train({ epochs: 3 })",
  explain: explainTextTraining,
  async run(frame, args, context) {
    const { feature, target } = textColumns(frame, who);
    const built = builtBefore(context, "A_DL_TXC_I", "textClassifier", who);
    const { maxTrials, seed } = searchOptions(built.args, { hyp_params: args.hyp_params });
    // The block that built it has had its arguments checked.
    const given = args.model_name ?? (built.args.model_name as string | undefined);
    const { name, chosen } = modelName(given, "textClassifier", context, who);
    const selection = fitSelection(frame);
    const read = await readTexts(frame.relation, feature.name, selection, context);
    noticeEmpty(read, feature.name, context, who);
    const { codes: y, labels } = await classTarget(frame, target, selection, context, who);
    refuseManyClasses(labels.length, y.length, target);
    const { texts } = read;
    const task = { texts, y, classes: labels.length, maxTrials, epochs: args.epochs, seed };
    const { trials, takenUp } = await searchTexts(task, context, who);
    if (takenUp > 0) context.notice(`${who}: ${count(takenUp, "trial")} of an earlier search on these rows taken up.`);
    if (trials.length < maxTrials)
      context.notice(`${who}: there are no more than ${trials.length} different candidates.`);
    const { trial, score, number } = bestTrial(trials, who);
    const { candidate } = trial;
    const parameters = await context.compute(
      fitText,
      {
        ...{ texts, y, classes: labels.length, candidate, epochs: args.epochs, seed },
        rows: Int32Array.from(y.keys()),
        temperature: score.temperature,
        ...(score.epochs === undefined ? {} : { stopAfter: score.epochs }),
      },
      `the best, ${candidate.family}, on all training rows`,
    );
    const file: ModelFile = {
      format: "blocklab-model",
      version: 1,
      function_code: trainCode,
      helper: "textClassifier",
      model_name: name,
      task: "classification",
      features: [feature],
      targets: [column(frame, target)],
      classes: labels,
      args: { epochs: args.epochs, max_trials: maxTrials, random_state: seed },
      trained: { rows: y.length, on: frame.split ? "train" : "all" },
      parameters,
    };
    const artifact = await context.tables.writeJson(file);
    const board = trials.map(boardRow);
    return {
      frame,
      ...chosen,
      model: { name, artifact },
      output: {
        [name]: {
          function_code: trainCode,
          model_url: { $artifact: artifact },
          best: board[number - 1],
          trials: board,
        },
      },
      report: { name, board, best: number, feature: feature.name, file: { ...file, parameters: null } },
    };
  },
  view({ report }) {
    const { name, board, best, feature, file } = report as Report;
    const { candidate, accuracy, parameters, epochs } = board[best - 1];
    const rows = count(file.trained.rows, file.trained.on === "train" ? "training row" : "row");
    return stack(
      text(
        `Model ${name}: ${file.targets[0].name} (${file.classes?.length} classes) from ${feature}, trained on ${rows}. The best of ${count(board.length, "trial")} was ${candidate} (${parametersText(parameters, epochs)}). On texts held out of them it was right in ${((accuracy ?? 0) * 100).toFixed(1)}%.`,
      ),
      boardView(board),
    );
  },
});

interface Report {
  readonly name: string;
  readonly board: readonly ReturnType<typeof boardRow>[];
  /** The number of the best trial, from 1. */
  readonly best: number;
  readonly feature: string;
  readonly file: ModelFile;
}

/** More classes than this are names or numbers of rows, not topics, and their weights would fill the memory. */
const mostClasses = 2000;

function refuseManyClasses(classes: number, rows: number, target: string): void {
  if (classes <= mostClasses) return;
  throw new DataError(
    `${who}: the target ${quoted(target)} has ${count(classes, "different value")} in ${count(rows, "row")}, and ${mostClasses.toLocaleString("en-US")} classes are the most. Choose a column of labels with xy (DP_FSP).`,
    { code: "many_classes", got: classes, expected: mostClasses },
  );
}
