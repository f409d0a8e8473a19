import type { Expr } from "../plan/expr.ts";
import { exprAtHand, type Made, type Relation, type Step, unsettled } from "../plan/node.ts";
import type { Refusal } from "./refusal.ts";

/** What writes plans in the words of another engine, for a table that lies there. */
export interface PlanWriter {
  /** Why the engine can't work a plan out, node by node; empty where it can. */
  can(relation: Relation): Refusal[];
  /** The plan as a text that the engine runs. */
  write(relation: Relation, table: NamedTable): string;
}

/** A table of another engine: its name there, and the column that numbers its rows from 0, in their order. */
export interface NamedTable {
  readonly name: string;
  readonly row: string;
}

/** What engines without DuckDB's files have against a plan's nodes, and an engine against its expressions. */
export function planRefusals(relation: Relation, can: (expr: Expr) => Refusal[]): Refusal[] {
  const { holds, steps } = unsettled(relation);
  return [...(holds ? [tableRefusal(holds)] : []), ...stepRefusals(steps, can)];
}

/** What an engine without DuckDB's files has against nodes that are steps. */
export function stepRefusals(steps: readonly Step[], can: (expr: Expr) => Refusal[]): Refusal[] {
  return steps.flatMap((step): Refusal[] => {
    const { kept, sideTable, outputs } = step;
    const exprs = [...outputs.flatMap((output) => exprAtHand(output) ?? []), ...(kept?.where ? [kept.where] : [])];
    const looksUp = kept ? kept.where === undefined : sideTable !== undefined;
    return [
      ...exprs.flatMap(can),
      ...(outputs.some((output) => output.match && !exprAtHand(output))
        ? [nodeRefusal(step, "looks cells up in another table of blocklab's")]
        : []),
      ...(looksUp ? [nodeRefusal(step, "takes what differs from row to row from a file of blocklab's")] : []),
      ...(outputs.some(({ entry }) => entry) ? [nodeRefusal(step, "makes columns of the terms of texts")] : []),
    ];
  });
}

/** What a file was written for that is no step over one table. */
function tableRefusal({ made }: Made): Refusal {
  return {
    call: "sql",
    message: `its rows come of a table that blocklab wrote (${made})`,
    cure: "Save the table as a file behind that block, and load it there.",
  };
}

function nodeRefusal({ name, block }: Step, does: string): Refusal {
  return {
    call: "sql",
    message: `block ${block} (${name}) ${does}`,
    cure: "Save the table as a file behind that block, and load it there.",
  };
}
