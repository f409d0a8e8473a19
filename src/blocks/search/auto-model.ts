import type { BlockContext } from "../../core/block.ts";
import { columnsNamed, type Frame, fitSubset, subsetSize } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import type { Matrix } from "../../numerics/types.ts";
import type { Learner, Prediction } from "../models/model-types.ts";
import { addPredictor, addUnsearched } from "../models/models.ts";
import { ask, fitPipeline, type Learnable, type Member } from "./fit.ts";
import { type Rows, readRows } from "./problem.ts";
import { combined } from "./stacking.ts";

/** The parameters of a searched model: one pipeline, or several with a weight each. */
export interface AutoParameters {
  readonly weights: readonly number[];
  readonly members: readonly Member[];
}

/** How predictions reach models of a search. */
export function autoPredictor(code: string, name: string, task: "regression" | "classification"): Learner {
  const who = `${name} (${code})`;
  const predictor: Learner = {
    ...{ code, name, task, isRaw: true },
    async predict(file: ModelFile, x: Matrix, context: BlockContext): Promise<Prediction> {
      const { weights, members } = file.parameters as AutoParameters;
      const labels = file.classes?.length ?? 0;
      const answers = [];
      for (const member of members) answers.push(await ask(member, x, labels, context, who));
      const { numbers, codes, probability } = members.length === 1 ? answers[0] : combined(answers, weights);
      if (numbers) return { kind: "numbers", values: numbers };
      return { kind: "classes", codes, ...(probability ? { matrix: probability } : {}) };
    },
    // What the search chose stands; its models are fitted to these rows.
    async anew(file, frame, context, who) {
      const { weights, members } = file.parameters as AutoParameters;
      const { rows, learnable } = await readRows(frame, task, context, who);
      const fitted: Member[] = [];
      for (const { pipeline } of members) fitted.push(await fitPipeline(pipeline, rows, learnable, context, who));
      return autoFile(file, frame, rows, learnable, { weights, members: fitted });
    },
  };
  addPredictor(predictor);
  addUnsearched([code, name], "it searches models and their arguments itself");
  return predictor;
}

/** The file of a searched model. */
export function autoFile(
  named: Pick<ModelFile, "function_code" | "helper" | "model_name" | "args">,
  frame: Frame,
  { categories }: Rows,
  { task, features, labels }: Learnable,
  parameters: AutoParameters,
): ModelFile {
  const { function_code, helper, model_name, args } = named;
  return {
    ...({ format: "blocklab-model", version: 1, function_code, helper, model_name, task } as const),
    features: columnsNamed(frame.columns, features),
    targets: columnsNamed(frame.columns, frame.y ?? []),
    ...(Object.keys(categories).length > 0 ? { categories } : {}),
    classes: task === "classification" ? labels : null,
    args,
    trained: { rows: subsetSize(frame, fitSubset(frame)), on: frame.split ? "train" : "all" },
    parameters,
  };
}
