import type { z } from "zod";
import type { ArgsOf, BlockContext, Task } from "../../core/block.ts";
import { InternalError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { type SparseTraining, sparseTraining, type TrainingData, trainingData } from "../../core/training.ts";
import { onlyHere } from "../shared/only-here.ts";
import { type FarTraining, farTraining } from "./far-training.ts";
import type { Fitted, ModelSpec } from "./model-types.ts";
import { sampleWeight } from "./sample-weight.ts";

/** What a model learns from, in the form that serves it. */
export type Data = TrainingData | SparseTraining | FarTraining;

/** The training rows: sparse where they are and the model takes them so; of a cluster what is known of them. */
export async function dataFor<Shape extends z.ZodRawShape, P>(
  spec: ModelSpec<string, string, Shape, P>,
  task: Task,
  frame: Frame,
  context: BlockContext,
  who: string,
): Promise<Data> {
  if (context.tables.isFar) {
    if (!spec.far) throw onlyHere(who, "it needs them in memory");
    return await farTraining(frame, task, context, who);
  }
  const sparse = spec.sparse && (await sparseTraining(frame, task, context, who));
  if (sparse) return sparse;
  const data = await trainingData(frame, task, context, who, spec.isRaw);
  return spec.isWeighted ? { ...data, weightBy: (column) => sampleWeight(frame, column, context, who) } : data;
}

/** Fits a model in the form that its training rows have. */
export async function fitWith<Shape extends z.ZodRawShape, P>(
  spec: ModelSpec<string, string, Shape, P>,
  data: Data,
  args: ArgsOf<Shape>,
  context: BlockContext,
): Promise<Fitted<P>> {
  if ("far" in data) {
    if (!spec.far) throw new InternalError(`${spec.name} (${spec.code}) does not learn on a cluster.`);
    return await spec.far.fit(data, args, context);
  }
  if (isSparse(data)) {
    if (!spec.sparse) throw new InternalError(`${spec.name} (${spec.code}) takes no sparse rows.`);
    return await spec.sparse.fit(data, args, context);
  }
  return await spec.fit(data, args, context);
}

function isSparse(data: TrainingData | SparseTraining): data is SparseTraining {
  return "start" in data.x;
}
