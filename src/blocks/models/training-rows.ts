import type { z } from "zod";
import type { ArgsOf, BlockContext, Task } from "../../core/block.ts";
import { InternalError } from "../../core/errors.ts";
import { columnsNamed, type Frame, fitSubset, subsetSize } from "../../core/frame.ts";
import {
  modelColumns,
  type SparseTraining,
  sparseTraining,
  type TrainingData,
  trainingData,
} from "../../core/training.ts";
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
    return await (spec.far.isStepwise && isFew(frame, context, who) ? broughtTraining : farTraining)(
      frame,
      task,
      context,
      who,
    );
  }
  const sparse = spec.sparse && (await sparseTraining(frame, task, context, who));
  if (sparse) return sparse;
  const data = await trainingData(frame, task, context, who, spec.isRaw);
  return spec.isWeighted ? { ...data, weightBy: (column) => sampleWeight(frame, column, context, who) } : data;
}

/** Are a cluster's training rows so few that they may come here? */
function isFew(frame: Frame, { tables }: BlockContext, who: string): boolean {
  return subsetSize(frame, fitSubset(frame)) * (modelColumns(frame, who).features.length + 1) <= tables.broughtCells;
}

/** The training rows of a cluster, which come here to be learnt from and are not kept. */
async function broughtTraining(frame: Frame, task: Task, context: BlockContext, who: string): Promise<TrainingData> {
  const { here } = context.tables;
  const subset = fitSubset(frame);
  const { features, target } = modelColumns(frame, who);
  const columns = columnsNamed(frame.columns, [...features, target]);
  const rows = subsetSize(frame, subset);
  const relation = await context.tables.collect(frame.relation, columns, rows, subset);
  const brought = { ...frame, relation, columns, rows, split: null };
  try {
    return await trainingData(brought, task, { tables: here, notice: (text) => context.notice(text) }, who);
  } finally {
    await here.discard(relation.artifact);
  }
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
