import type { BlockContext, Task } from "../../core/block.ts";
import type { Frame } from "../../core/frame.ts";
import type { ClassColumn } from "../../core/matrix.ts";
import { count, quoted } from "../../core/names.ts";
import { fitSelection } from "../../core/scope.ts";
import { modelColumns, refuseClasses, refuseTarget, refuseTextTarget, type TrainingData } from "../../core/training.ts";
import { farClasses } from "../shared/far-classes.ts";
import { type FarColumns, farFeatures } from "../shared/far-products.ts";

/** What a model learns from where its rows lie on a cluster: what is known of them, and where more can be asked. */
export interface FarTraining extends Omit<TrainingData, "x" | "categories"> {
  readonly x: { readonly names: readonly string[]; readonly n: number; readonly d: number };
  /** The features, and behind them the target of a regression: complete and finite. */
  readonly far: FarColumns;
  /** How many rows each class has. */
  readonly counts: readonly number[];
}

/** Learns of a cluster's training rows what every fit needs: the features and the target are checked as those in memory. */
export async function farTraining(frame: Frame, task: Task, context: BlockContext, who: string): Promise<FarTraining> {
  const { features, target } = modelColumns(frame, who);
  const where = { relation: frame.relation, rows: fitSelection(frame) };
  const codes = new Int32Array(0);
  const x = (n: number) => ({ names: features, n, d: features.length });
  const y = { names: [target], n: 0, d: 1, data: new Float64Array(0) };
  if (task === "classification") {
    const far = await farFeatures(frame, features, where, context, who);
    const { labels, counts, missing } = await farClasses(frame, target, where.rows, context);
    refuseClasses(frame, target, labels, missing, who);
    return { x: x(far.n), y, classes: { name: target, labels, codes }, counts, far };
  }
  const classes: ClassColumn = { name: target, labels: [], codes };
  refuseTextTarget(frame, target, who);
  const far = await farFeatures(frame, features, where, context, who, { target });
  const { n, present, isInfinite, isConstant, mean } = far;
  refuseTarget(target, { missing: n - present[features.length], isInfinite: isInfinite[features.length] }, who);
  if (isConstant[features.length] && n > 1) {
    context.notice(
      `${who}: the target ${quoted(target)} is ${mean[features.length]} in all ${count(n, "row")}, so the model answers nothing else.`,
    );
  }
  return { x: x(n), y, classes, counts: [], far };
}
