import { DataError } from "../../core/errors.ts";
import { planObjections } from "../../engines/spark/plan.ts";
import { type Relation, withHeld } from "../../plan/node.ts";
import { shortened } from "../../plan/short-plan.ts";
import { cure } from "./refusals.ts";

/** Spark's work on a plan grows with the square of its nodes: those of 100 take seconds before anything runs, of 400 minutes. */
const mostNodes = 100;

/** Refuses a plan for which Spark has no words, by the first function or node that it can't work out; or that is too deep. */
export function refuseObjections(relation: Relation, who: string): void {
  const nodes = withHeld(relation).reduce((sum, { steps }) => sum + 1 + shortened(steps).length, 0);
  if (nodes > mostNodes) {
    throw new DataError(
      `${who}: a plan of ${nodes} steps is too deep for Spark, which takes up to ${mostNodes}; ${cure}.`,
      { code: "plan_too_deep", expected: mostNodes, got: nodes },
    );
  }
  const [first] = planObjections(relation);
  if (!first) return;
  const what = first.call === "sql" ? first.message : `${first.call}(): ${first.message}`;
  throw new DataError(`${who}: ${what}; ${cure}.`, { code: "on_cluster", got: first.call });
}
