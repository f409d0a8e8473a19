import type { Column } from "./column.ts";
import type { Expr, SortKey } from "./expr.ts";

/**
 * A table as a plan: one immutable file, whose rows have their position as id, and the nodes over it.
 *
 * It is data: it stands in state records, goes over wires, and is read by engines that blocks know nothing of.
 */
export interface Relation {
  readonly artifact: string;
  readonly steps: readonly Step[];
  /** What the file was written for; absent where it was read, or made of numbers in memory. */
  readonly holds?: Made;
  /** The table of a cluster that the plan is over, in place of a file; `artifact` is empty then, and behind it too. */
  readonly cluster?: ClusterTable;
}

/** A table or files that lie on a cluster, as they were when a chain began with them. */
export interface ClusterTable {
  /** By its name there, or an address of Parquet files. */
  readonly source: { readonly table: string } | { readonly address: string };
  readonly columns: readonly ClusterColumn[];
  /**
   * Its files by name and how many rows each has: rows are numbered file after file.
   *
   * Null where there are too many to list, which are in the same order, and where rows come of no such files: these are
   * sorted by all columns.
   */
  readonly files: readonly { readonly path: string; readonly rows: number }[] | null;
  readonly order: "files" | "columns";
}

/** A column of a cluster's table, and how its cells become ours there. */
export interface ClusterColumn {
  readonly column: Column;
  readonly from: "integer" | "number" | "boolean" | "text" | "date" | "json";
  /** Is it a map, which has no order of its own? */
  readonly isMap?: boolean;
}

/** What a file of ours holds the rows of: so a plan forgets nothing, though an engine wrote it down on the way. */
export type Made = Settled | Sorted | Taken | Grouped | Joined | Appended | Longer | Wider | Queried;

/** The rows of a plan as they are, written since reading them again and again would take long. */
export interface Settled {
  readonly made: "same";
  readonly of: Relation;
  /** Which rows train and which test: windows of the last node look along the rows of each part alone. */
  readonly within?: { readonly artifact: string };
}

/** Rows in another order; those with equal keys stay in theirs. */
export interface Sorted {
  readonly made: "sort";
  readonly of: Relation;
  readonly by: readonly SortKey[];
  /** The place of the first row that stays, and of the one behind the last (default: all stay). */
  readonly part?: { readonly from: number; readonly to: number };
}

/** Some rows by their numbers, in the order of a list: a file with one column, "row". One may come more than once. */
export interface Taken {
  readonly made: "take";
  readonly of: Relation;
  readonly rows: { readonly artifact: string };
}

/** One row for each group, by the groups' keys ascending, missing last; without keys one row for all. */
export interface Grouped {
  readonly made: "groups";
  readonly of: Relation;
  /** The rows that count, where a table is split: those that train. */
  readonly train?: { readonly artifact: string };
  /** The same on a cluster, where the plan carries the split: the side whose rows count. */
  readonly side?: "train" | "test";
  readonly by: readonly string[];
  /** Aggregates, behind the keys. */
  readonly outputs: readonly Output[];
}

/** Rows of two tables side by side, where they are alike in some columns; a missing cell is like no other. */
export interface Joined {
  readonly made: "join";
  readonly of: Relation;
  readonly other: Relation;
  readonly how: "inner" | "left" | "right" | "full" | "semi" | "anti" | "cross";
  readonly on: readonly KeyPair[];
  /** A left join that finds one row of the other table at most for each of its own, so that these stay as they are. */
  readonly isLookup?: true;
  /** The columns: the left table's, then those of the other that are kept, each under its new name. */
  readonly columns: readonly { readonly column: Column; readonly from: string; readonly isOther: boolean }[];
}

/** A column and the one of another table that it is compared with. */
export interface KeyPair {
  readonly column: string;
  readonly other: string;
}

/** Tables one below the other, by their columns' names; what a table does not have is missing. */
export interface Appended {
  readonly made: "append";
  readonly of: readonly Relation[];
  readonly columns: readonly Column[];
  /** Which of the columns each table has. */
  readonly has: readonly (readonly string[])[];
}

/** A row for each of some columns of a row: its name, and its cell. */
export interface Longer {
  readonly made: "longer";
  readonly of: Relation;
  readonly kept: readonly string[];
  readonly columns: readonly string[];
  readonly names: string;
  readonly values: Column;
}

/** A column for each value of a column: one row for all that are alike in the keys, in order of first appearance. */
export interface Wider {
  readonly made: "wider";
  readonly of: Relation;
  readonly keys: readonly string[];
  readonly names: string;
  readonly values: string;
  /** The values that were found, in order of first appearance (null: missing), and the columns they became. */
  readonly found: readonly { readonly value: string | number | boolean | null; readonly output: Output }[];
}

/** What one SELECT answers over tables that it calls by names. */
export interface Queried {
  readonly made: "query";
  readonly sql: string;
  readonly over: Readonly<Record<string, Relation>>;
  readonly columns: readonly Column[];
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
  readonly sideTable?: { readonly artifact: string };
  /** Which of the rows train and which test from here on, on a cluster, where a plan carries it along. */
  readonly split?: ClusterSplit;
}

/**
 * How the rows of a cluster's table are divided into training and test rows.
 *
 * The first rows train and the next test; or a list of ours says it, a file as `writeSplit` writes; or a hash of each
 * row's number, with which the rows of each stratum below `test` test, and those from there to below `train` train.
 */
export type ClusterSplit =
  | { readonly kind: "runs"; readonly train: number; readonly test: number }
  | { readonly kind: "list"; readonly artifact: string }
  | {
      readonly kind: "hash";
      readonly seed: number;
      /** The column that tells the strata apart (default: all rows are one). */
      readonly by?: string;
      readonly strata: readonly HashStratum[];
    };

/** Where a stratum is cut, among hashes from 0 to 2^53. */
export interface HashStratum {
  /** The cell that its rows have in common, where there are several. */
  readonly value?: string | number | boolean;
  readonly test: number;
  readonly train: number;
}

/** Which of a table's rows are left: by a list of a side table, in a form that is the engine's, or by a condition. */
export interface Kept {
  /** The list's name in the side table; absent where the rows are written down, and this says which. */
  readonly list?: string;
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
  /** It is a cell of another file, in place of an expression. */
  readonly match?: Match;
}

/** The cell of another file's column, in the only row that is alike in some columns; missing where there is none. */
export interface Match {
  readonly artifact: string;
  readonly column: string;
  readonly on: readonly KeyPair[];
  /** Missing cells are like each other (default: like no other). */
  readonly isMissingAlike?: boolean;
}

/**
 * Cells by lists of the side table, which are named here: those that fill gaps of the column, or a number of a row's part;
 * or by an expression, on a cluster, where no file of ours is.
 */
export type Own =
  | { readonly atHand: Expr }
  | {
      /** The rows whose gaps are filled, and what fills them, by `places` where these are fewer. */
      readonly gaps: string;
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

/** A table, behind all those that the rows of its file, and of theirs, were made of. */
export function withHeld(relation: Relation): readonly Relation[] {
  const { holds } = relation;
  return [...(holds ? tablesOf(holds).flatMap(withHeld) : []), relation];
}

/** Does a plan run on a cluster, where its rows lie? */
export function isOnCluster({ cluster, holds }: Relation): boolean {
  return cluster !== undefined || (holds !== undefined && tablesOf(holds).some(isOnCluster));
}

/** The tables that a node which is no step was made of. */
export function tablesOf(made: Made): readonly Relation[] {
  if (made.made === "append") return made.of;
  if (made.made === "query") return Object.values(made.over);
  return made.made === "join" ? [made.of, made.other] : [made.of];
}

/** A plan without the files that were only written on the way: their plans' nodes, and those behind them. */
export function unsettled(relation: Relation): Relation {
  const { holds, steps } = relation;
  if (holds?.made !== "same" || holds.within) return relation;
  const before = unsettled(holds.of);
  return { ...before, steps: [...before.steps, ...steps] };
}

/** Appends a node; nothing is written. */
export function addStep(relation: Relation, step: Step): Relation {
  return { ...relation, steps: [...relation.steps, step] };
}

/** The plan, some of whose last node's columns the rows at hand have of their own; `sideTable` holds the lists that are named. */
export function withOwn(
  relation: Relation,
  own: ReadonlyMap<string, Own>,
  sideTable?: { readonly artifact: string },
): Relation {
  const last = relation.steps.at(-1);
  if (!last) return relation;
  const outputs = last.outputs.map((output): Output => {
    const cells = own.get(output.column.name);
    return cells ? { ...output, own: cells } : output;
  });
  const before = { ...relation, steps: relation.steps.slice(0, -1) };
  return addStep(before, { ...last, outputs, ...(sideTable ? { sideTable } : {}) });
}

/** By what expression the rows at hand have a column; absent where it passes through, or by what is in a file of ours. */
export function exprAtHand({ expr, own }: Output): Expr | undefined {
  return own ? ("atHand" in own ? own.atHand : undefined) : expr;
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

/** Are these the same rows in the same places, though one of the plans was written down on the way? */
export function isSameRows(a: Relation, b: Relation): boolean {
  return isSameTable(unwritten(a), unwritten(b));
}

function unwritten({ holds, ...relation }: Relation): Relation {
  if (holds?.made !== "same") return relation;
  const before = unwritten(holds.of);
  return { ...before, steps: [...before.steps, ...relation.steps] };
}

/** Are these the same file's rows, though other columns may be made of them? */
export function isSameTable(a: Relation, b: Relation): boolean {
  const begun = ({ steps }: Relation) => JSON.stringify(steps.slice(0, begin(steps)));
  // Plans over clusters have no file, and are told apart by what they are over.
  const over = ({ artifact, cluster, holds }: Relation) => artifact || JSON.stringify([cluster, holds]);
  return over(a) === over(b) && begun(a) === begun(b);
}
