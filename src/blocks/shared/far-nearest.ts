import type { BlockContext } from "../../core/block.ts";
import { type Column, cell, columnsNamed } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import { call, type Expr, value } from "../../plan/expr.ts";
import { addStep, type Output, type Relation, type Step } from "../../plan/node.ts";
import { numberOf } from "./far-products.ts";

/** A cluster's rows with the squared distance from one of some centres behind their columns, and which one it is. */
export interface Measured {
  readonly relation: Relation;
  /** The nodes that measure. */
  readonly steps: readonly Step[];
  readonly square: Column;
  readonly cluster: Column;
}

/** The rows whose distances are asked for, and the features that count. */
export interface Measuring {
  readonly relation: Relation;
  readonly columns: readonly Column[];
  readonly features: readonly string[];
}

/**
 * Finds the nearest of k×d centres for each row, of equally near ones the first; node by node, so that each distance is worked
 * out once.
 */
export function withNearest(
  { relation, columns, features }: Measuring,
  centres: Float64Array,
  context: Pick<BlockContext, "block">,
  called = "cluster",
): Measured {
  const k = centres.length / features.length;
  const names = columns.map(({ name }) => name);
  const [label, least, ...others] = freshNames([called, "square", ...squareNames(k)], names);
  const square: Column = { name: least, type: "number" };
  const cluster: Column = { name: label, type: "number", integer: true };
  const squares = others.map((name): Column => ({ name, type: "number" }));
  const then = nodes(relation, columns, context);
  then.add(squares, squaresOf(columnsNamed(columns, features), centres));
  then.add([square], [k === 1 ? cell(squares[0]) : call("least", ...squares.map(cell))], squares);
  // Only the distance that counts goes on.
  const own = chosen(squares, (each) => call("lessEqual", cell(each), cell(square)), indexOf);
  then.add([cluster], [own], [square]);
  return { relation: then.relation(), steps: then.steps, square, cluster };
}

/** Measures each row's squared distance from the centre of the cluster that it is in by one of its columns. */
export function fromOwnCentre(
  { relation, columns, features }: Measuring,
  labels: Column,
  centres: Float64Array,
  context: Pick<BlockContext, "block">,
): { readonly relation: Relation; readonly square: Column } {
  const names = columns.map(({ name }) => name);
  const [least, ...others] = freshNames(["own square", ...squareNames(centres.length / features.length)], names);
  const square: Column = { name: least, type: "number" };
  const squares = others.map((name): Column => ({ name, type: "number" }));
  const then = nodes(relation, columns, context);
  then.add(squares, squaresOf(columnsNamed(columns, features), centres));
  then.add(
    [square],
    [
      chosen(
        squares,
        (_, c) => call("equal", cell(labels), indexOf(c)),
        (c) => cell(squares[c]),
      ),
    ],
  );
  return { relation: then.relation(), square };
}

const squareNames = (k: number) => Array.from({ length: k }, (_, c) => `square ${c}`);
const indexOf = (c: number) => value(c, "integer");

/** What stands for the first column in which something is true. */
function chosen(columns: readonly Column[], is: (each: Column, c: number) => Expr, then: (c: number) => Expr): Expr {
  return columns.reduceRight<Expr>((rest, each, c) => call("choose", is(each, c), then(c), rest), value(null));
}

/** The squared distance from each centre. */
function squaresOf(features: readonly Column[], centres: Float64Array): Expr[] {
  const d = features.length;
  return Array.from({ length: centres.length / d }, (_, c) => {
    const parts = features.map((each, j) => {
      const off = call("subtract", numberOf(each), value(centres[c * d + j], "number"));
      return call("multiply", off, off);
    });
    return parts.slice(1).reduce<Expr>((sum, part) => call("add", sum, part), parts[0]);
  });
}

/** Nodes behind a plan that keep its columns, and what was made before where it is named. */
function nodes(from: Relation, columns: readonly Column[], { block: { id, name } }: Pick<BlockContext, "block">) {
  let relation = from;
  const steps: Step[] = [];
  return {
    steps,
    relation: () => relation,
    add(made: readonly Column[], exprs: readonly Expr[], kept: readonly Column[] = []): void {
      const passed = [...columns, ...kept].map((column): Output => ({ column }));
      const outputs = [...passed, ...made.map((column, k): Output => ({ column, expr: exprs[k] }))];
      const step = { block: id, name, outputs };
      steps.push(step);
      relation = addStep(relation, step);
    },
  };
}
