import type { Expr, OpaqueExpr } from "./expr.ts";
import type { Output, Step } from "./node.ts";

/** A step of a plan of 0.1: words of DuckDB's SQL, and hints beside them. */
interface OldStep extends Omit<Step, "kept" | "outputs"> {
  readonly outputs: readonly (Output & { readonly filled?: unknown })[];
  readonly left?: { readonly where: OpaqueExpr; readonly row: OpaqueExpr; readonly said?: Expr };
}

/**
 * A step of 0.1 as a node.
 *
 * What its columns are made of stays the SQL that it was. Which rows are left was a look into a list beside the table,
 * from which the list's name is taken; hints are left out.
 */
export function stepOfOld(step: OldStep): Step {
  const { left, outputs, ...same } = step;
  const node = { ...same, outputs: outputs.map(({ filled: _, ...output }): Output => output) };
  if (!left) return node;
  const words = left.where.parts.map((part) => ("text" in part ? part.text : "")).join("");
  const list = /list_extract\("((?:[^"]|"")*)"/.exec(words)?.[1];
  if (list === undefined)
    throw new TypeError(`A plan of 0.1 leaves rows out in an unknown way: ${words.slice(0, 200)}`);
  return { ...node, kept: { list: list.replaceAll('""', '"'), ...(left.said ? { where: left.said } : {}) } };
}

/** Fields of a plan of the second form, or an earlier one, by their names of now; for `JSON.parse`. */
export function renamed(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("outputs" in value && "beside" in value) {
    const { beside, ...step } = value;
    return { ...step, sideTable: beside };
  }
  if ("holes" in value && "fills" in value) {
    const { holes, ...own } = value;
    return { ...own, gaps: holes };
  }
  return value;
}
