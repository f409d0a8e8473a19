import { DataError } from "../../core/errors.ts";
import { planObjections } from "../../engines/spark/plan.ts";
import type { Relation } from "../../plan/node.ts";
import { cure } from "./refusals.ts";

/** Refuses a plan for which Spark has no words, by the first function or node that it can't work out. */
export function refuseObjections(relation: Relation, who: string): void {
  const [first] = planObjections(relation);
  if (!first) return;
  const what = first.call === "sql" ? first.message : `${first.call}(): ${first.message}`;
  throw new DataError(`${who}: ${what}; ${cure}.`, { code: "on_cluster", got: first.call });
}
