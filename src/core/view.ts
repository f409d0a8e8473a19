import type { Cell } from "./cell.ts";
import type { Chart } from "./chart.ts";
import type { ColumnType } from "./frame.ts";

export type { Cell } from "./cell.ts";

/** A column of a shown table. */
export interface ViewColumn {
  readonly name: string;
  /** Decides the alignment; `text` for labels that are no data. */
  readonly type: ColumnType | "integer" | "text";
  /** Marks features and targets. */
  readonly role?: "x" | "y";
  /** How many cells of the whole column are missing, where it is known. */
  readonly missing?: number;
  /** Values are shares from -1 to 1 (correlations) or 0 to 1, and may be tinted by size. */
  readonly tint?: "diverging" | "share";
  /** Digits after the point (default: as many as the numbers need, 6 significant at most). */
  readonly digits?: number;
  /** Cells are counts with blanks between, such as "3 14 0 2", and are drawn as small bars. */
  readonly bars?: boolean;
  /** Numbers above zero catch the eye, zero recedes: for counts of what should not be. */
  readonly alarm?: boolean;
  /** The block speaks of it: it is shown where a line is too short for all. */
  readonly named?: boolean;
  /** May stand in a table of its own below, beside the first column, where a line is too short for all. */
  readonly aside?: boolean;
}

/** A table to show: a few rows of what may be many. */
export interface TableView {
  readonly kind: "table";
  readonly title?: string;
  readonly columns: readonly ViewColumn[];
  readonly rows: readonly (readonly Cell[])[];
  /** Rows of the whole, when `rows` is only its beginning. */
  readonly total?: number;
  /** The cells are statistics, not data: their types say nothing and are left out. */
  readonly summary?: boolean;
}

/** One sentence or paragraph. `quiet` recedes, `warning` catches the eye, `code` is a program, whose lines stay whole. */
export interface TextView {
  readonly kind: "text";
  readonly text: string;
  readonly tone?: "plain" | "quiet" | "good" | "warning" | "code";
}

/** Labelled values, one under the other. */
export interface FactsView {
  readonly kind: "facts";
  readonly title?: string;
  readonly items: readonly {
    readonly label: string;
    readonly value: Cell;
    readonly note?: string;
    /** Where the value leads; only http and https become links. */
    readonly href?: string;
  }[];
}

/** A picture described by its data; see Chart. */
export interface ChartView {
  readonly kind: "chart";
  readonly chart: Chart;
}

/** Small pictures side by side. */
export interface ImagesView {
  readonly kind: "images";
  readonly items: readonly {
    /** A PNG in base64. */
    readonly png: string;
    readonly width: number;
    readonly height: number;
    readonly label: string;
  }[];
  /** Pictures of the whole, when `items` are only some of them. */
  readonly total?: number;
}

/** Small grids of numbers side by side, drawn as pictures; each on a scale of its own. */
export interface TilesView {
  readonly kind: "tiles";
  readonly title: string;
  /** Cells of a tile from top to bottom, and from left to right. */
  readonly rows: number;
  readonly columns: number;
  /** `diverging` centres the colours on zero. */
  readonly scale: "sequential" | "diverging";
  /** rows·columns numbers each, row by row. */
  readonly tiles: readonly (readonly number[])[];
  /** Tiles of the whole, when `tiles` are only the first. */
  readonly total?: number;
}

/** A question or an answer in a tree. */
export interface TreeNode {
  readonly label: string;
  /** What follows the label and is never cut, such as " ≤ 0.8". */
  readonly rest?: string;
  /** Something about it, such as how many rows it has. */
  readonly note?: string;
  /** Where each answer leads; none for a leaf. */
  readonly branches?: readonly { readonly when: string; readonly then: TreeNode }[];
}

/** Questions with their answers below, such as a decision tree. */
export interface TreeView {
  readonly kind: "tree";
  readonly title?: string;
  readonly root: TreeNode;
}

/** A block in a graph of blocks. */
export interface GraphNode {
  readonly id: number;
  /** The block it builds on; 0 for none. */
  readonly parent: number;
  readonly label: string;
  /** What else there is to say, such as the model it trained and how long it took. */
  readonly notes: readonly string[];
  /** It trained a model. */
  readonly model?: boolean;
  /** A block before it was replaced. */
  readonly stale?: boolean;
  /** What is called next builds on it. */
  readonly here?: boolean;
}

/** Blocks and how they hang together; each stands behind the one it builds on. */
export interface GraphView {
  readonly kind: "graph";
  readonly nodes: readonly GraphNode[];
}

/** Text that is one click away where there are clicks, such as a record's JSON. */
export interface FoldedView {
  readonly kind: "folded";
  readonly title: string;
  readonly text: string;
}

/** Views one under the other. */
export interface StackView {
  readonly kind: "stack";
  readonly views: readonly View[];
}

/** What a block shows. Plain data: only the render room knows MIME types or terminals. */
export type View =
  | TableView
  | TextView
  | FactsView
  | ChartView
  | ImagesView
  | TilesView
  | TreeView
  | GraphView
  | FoldedView
  | StackView;

/** Views one under the other, the empty ones left out. */
export function stack(...views: readonly (View | null | undefined | false)[]): View {
  const present = views.filter((view): view is View => Boolean(view));
  return present.length === 1 ? present[0] : { kind: "stack", views: present };
}

/** A sentence as a view. */
export function text(words: string, tone: TextView["tone"] = "plain"): TextView {
  return { kind: "text", text: words, tone };
}

/**
 * Values that can be shown carry this method: `[viewOf](): View | Promise<View>`.
 *
 * The notebook, the REPL and `.show()` look for it, so no front end needs to know what a value is.
 */
export const viewOf = Symbol.for("blocklab.view");

/** Anything with a view of its own. */
export interface Showable {
  [viewOf](): View | Promise<View>;
}

/** Does the value have a view of its own? */
export function isShowable(value: unknown): value is Showable {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    typeof (value as Partial<Showable>)[viewOf] === "function"
  );
}
