import type { Column } from "./column.ts";
import type { Expr } from "./expr.ts";

/**
 * A table as a plan: one immutable file, whose rows have their position as id, and the nodes over it.
 *
 * It is data: it stands in state records, goes over wires, and is read by engines that blocks know nothing of.
 */
export interface Relation {
  readonly artifact: string;
  readonly steps: readonly Step[];
}

/**
 * A node: a projection with its fitted constants. It changes no row's place, and may leave rows out.
 *
 * Whatever answers a plan leaves out what nobody asks for, so a node names all of its columns.
 */
export interface Step {
  readonly block: number;
  readonly name: string;
  readonly outputs: readonly Output[];
  /**
   * How many rows are left: those that `kept` says, else the first ones (default: all).
   *
   * With such a node a table of its own begins: its rows are others than those before, numbered anew from 0.
   */
  readonly rows?: number;
  /** Which rows are left, in their order. */
  readonly kept?: Kept;
  /** Cells that the step has not learnt, column by column, for rows that come later. */
  readonly unseen?: readonly Unseen[];
  /** Lists over all rows, which expressions look up by a row's number: columns of a file of one row. */
  readonly beside?: { readonly artifact: string };
}

/** Which of a table's rows are left: a list beside it, in a form that is the engine's. */
export interface Kept {
  /** The list's name in the file beside the table. */
  readonly list: string;
  /** The condition that was true in these rows alone, where a row's own cells say it. */
  readonly where?: Expr;
}

/** An output column of a node: passed through by its name, or computed. */
export interface Output {
  readonly column: Column;
  /** How it is computed; absent when the column passes through unchanged. */
  readonly expr?: Expr;
  /** It is a place of sparse rows, in place of an expression. */
  readonly entry?: Entry;
  /** What the rows at hand have, in place of what the expression makes of new ones. */
  readonly own?: Own;
}

/** Cells by lists beside the table, which are named here: those that fill gaps of the column, or a number of a row's part. */
export type Own =
  | {
      /** The rows whose gaps are filled, and what fills them, by `places` where these are fewer. */
      readonly holes: string;
      readonly fills: string;
      readonly places?: string;
      /** Is no gap left? */
      readonly isWhole: boolean;
    }
  | {
      /** The part that each row is in, from 0. */
      readonly parts: string;
      /** The numbers of all parts, one part behind the other, so many in each. */
      readonly numbers: string;
      readonly size: number;
      /** Which of its part's numbers a row has, from -1. */
      readonly place: Expr;
    };

/**
 * One place of the sparse rows that two list columns hold: the weight that stands where `at` stands among the terms.
 *
 * Neither list is ever missing, both are of one length, and no term stands in a row twice. A place that a row does not
 * have is 0. An engine looks each up; who reads many of them at once takes the lists as they are, see `sparseReading`.
 */
export interface Entry {
  /** The column that lists each row's places, whole numbers from 0. */
  readonly terms: string;
  /** The column that lists the numbers at these places. */
  readonly weights: string;
  readonly at: number;
}

/** Which cells of a column a step has not learnt, by a condition over the table before it, and what becomes of them. */
export interface Unseen {
  readonly column: string;
  readonly where: Expr;
  /** As in "became all zeros". */
  readonly become: string;
}

/** Appends a node; nothing is written. */
export function addStep(relation: Relation, step: Step): Relation {
  return { ...relation, steps: [...relation.steps, step] };
}

/** How many rows a plan's nodes leave; null where they leave all of the file's. */
export function rowsLeft({ steps }: Relation): number | null {
  return steps.findLast(({ rows }) => rows !== undefined)?.rows ?? null;
}

/** The nodes since a plan's table began. */
export function stepsSince(steps: readonly Step[]): readonly Step[] {
  return steps.slice(begin(steps));
}

function begin(steps: readonly Step[]): number {
  return steps.findLastIndex(({ rows }) => rows !== undefined) + 1;
}

/** Are these the same file's rows, though other columns may be made of them? */
export function isSameTable(a: Relation, b: Relation): boolean {
  const begun = ({ steps }: Relation) => JSON.stringify(steps.slice(0, begin(steps)));
  return a.artifact === b.artifact && begun(a) === begun(b);
}
