import type { Expr, SortKey } from "../plan/expr.ts";
import type { Joined, Made, Queried, Relation } from "../plan/node.ts";
import type { Column, Reading, Subset } from "./frame.ts";
import type { ImageOptions, IngestedImages } from "./images.ts";
import type { ClassColumn, NumberColumns, SparseColumns } from "./matrix.ts";
import type { Marks } from "./number-marks.ts";
import type { Selection } from "./selection.ts";
import type { Cell } from "./view.ts";

/** A file that a block may read, with how to call it in messages and who removes it. */
export interface SourceFile {
  readonly path: string;
  readonly name: string;
  /** What it is for certain, whatever the caller calls it: Parquet and Arrow say so themselves. */
  readonly format?: "parquet" | "arrow" | "json" | "csv" | undefined;
  /** Removes a temporary copy; does nothing to a user's own file. */
  release(): Promise<void>;
}

/** A list of numbers a row: that of row i are the items from start[i] to start[i + 1] − 1. Those of an integer column are stored as such. */
export interface ListValues {
  readonly start: Int32Array;
  readonly items: Uint8Array | Int32Array | Float64Array;
}

/** Values of one column to write: numbers (NaN is missing), cells, or lists. */
export interface WriteColumn {
  readonly column: Column;
  readonly values: Float64Array | Int32Array | Uint8Array | readonly Cell[] | readonly Float32Array[] | ListValues;
}

/** What a column's whole numbers add up to; missing cells don't count. A sum is null where doubles can't hold it for certain. */
export interface WholeSums {
  readonly n: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly sum: number | null;
  readonly squares: number | null;
}

/** What is made of a column's numbers: of some rows at a time, which are joined in the table's order. */
export interface Summing<Part, All> {
  /** What no rows come to. */
  readonly none: Part;
  /** What the numbers of some rows come to, missing cells as NaN; they may be read until this returns. */
  of(values: Float64Array): Part;
  /** What rows and those behind them come to. */
  joined(before: Part, next: Part): Part;
  /** What all rows come to. */
  ended(all: Part): All;
  /** The same from exact sums, where the engine has these; null where they don't do. */
  ofWhole(sums: WholeSums): All | null;
}

/** Columns of a table, or of one of its subsets. */
export interface TableSelection extends Pick<Selection, "subset" | "split"> {
  readonly columns: readonly string[];
}

/** Rows of a table by their numbers; -1 stands for the next of the made ones, in which columns that are not made are missing. */
export interface Taking {
  readonly columns: readonly string[];
  readonly rows: Int32Array;
  readonly made: readonly WriteColumn[];
}

/** The rows that are looked at: all of a table, or one of its subsets. */
export type Rows = Pick<Selection, "subset" | "split">;

/** Which of equal rows counts as the original; with "none" all of them are repeats. */
export type Keep = "first" | "last" | "none";

/** What is asked of the groups of a table's rows: those that are alike in `by` (all of them in none), where `where` is true. */
export interface Grouping {
  readonly by: readonly Expr[];
  /** Aggregates, and expressions of what the group is alike in. */
  readonly outputs: readonly Expr[];
  /** Which rows count (default: all). */
  readonly where?: Expr;
  /** The order of the groups, missing cells last. */
  readonly order: readonly { readonly expr: Expr; readonly descending?: boolean }[];
  /** How many groups are answered (default: all). */
  readonly limit?: number;
}

/** The groups that were found, and what there were without a limit. */
export interface Groups {
  readonly found: readonly (readonly Cell[])[];
  readonly groups: number;
  readonly rows: number;
}

/** What is drawn of a table's rows: a mark for each of them, or one for all that have the same x. */
export interface Sketching {
  /** Which rows count. */
  readonly where: Expr;
  readonly x: Expr;
  readonly y: Expr;
  /** What tells lines apart. */
  readonly series?: Expr;
  /** The rows that have one x in one series are one mark, and y is an aggregate of theirs. */
  readonly isJoined: boolean;
  /** At most so many marks are answered, or as many as the stretches need. */
  readonly most: number;
  /** Of lines: of each of so many stretches of x the least and the greatest y are answered; else marks drawn at random. */
  readonly stretches?: number;
}

/** Marks that look as all of them do: of lines along x, else in table order. */
export interface Sketch {
  /** An x, a y, and a series where there are such. */
  readonly found: readonly (readonly Cell[])[];
  /** How many marks there are in all, and of how many rows. */
  readonly marks: number;
  readonly rows: number;
}

/** Which of a table's rows are kept, and what the plan says of it. */
export interface Keeping {
  /** All columns of the table. */
  readonly columns: readonly Column[];
  /** A 1 for each row that stays, a 0 for the others. */
  readonly mask: Uint8Array;
  /** The numbers of the rows that stay, ascending. */
  readonly rows: Int32Array;
  /** The block, and the condition that is true in these rows alone, where a row's own cells say it. */
  readonly node: { readonly block: number; readonly name: string; readonly where?: Expr };
}

/** What some columns are for the rows at hand, in place of what their plan makes of new ones. */
export interface Parted {
  /** The names of the columns before the plan's last node. */
  readonly taken: readonly string[];
  /** The part that each row is in, from 0. */
  readonly parts: Uint8Array;
  readonly columns: readonly PartedColumn[];
}

/** A column of the plan's last node that is one of its part's numbers. */
export interface PartedColumn {
  readonly name: string;
  /** Which of them, from -1. */
  readonly place: Expr;
  /** How many a part has. */
  readonly size: number;
  /** Those of all parts, one part behind the other. */
  readonly numbers: Float64Array;
}

/** What fills gaps of the rows at hand, in place of what their plan makes of new ones. */
export interface Filling {
  /** The names of the columns before the plan's last node. */
  readonly taken: readonly string[];
  /** How many rows the table has. */
  readonly rows: number;
  /** How many gaps each of the columns has. */
  readonly gaps: readonly number[];
  /** Finds what fills them. */
  readonly find: () => Promise<readonly GapFills[]>;
}

/** What fills the gaps of one column. */
export interface GapFills {
  readonly name: string;
  /** The rows with a gap that something fills, ascending. */
  readonly rows: Int32Array;
  /** The row whose cell fills each of them. */
  readonly sources: Int32Array;
  /** The numbers that fill them; null where the sources' cells do. */
  readonly numbers: Float64Array | null;
  /** Is no gap left? */
  readonly isWhole: boolean;
}

/** What two tables have in common. */
export interface Pairs {
  /** Pairs of rows that are alike. */
  readonly rows: number;
  /** How many rows of each table have one like them in the other. */
  readonly left: number;
  readonly right: number;
  /** How many rows of the other table are alike at most. */
  readonly most: number;
}

/** What a SELECT answered. */
export interface Selected {
  readonly relation: Relation;
  readonly columns: readonly Column[];
  readonly rows: number;
}

/** What splitting rows into training and test rows asks of a cluster, on which no list of all rows is made unless they are few. */
export interface ClusterSplits {
  /** How many rows of a plan that splits them train, and how many test. */
  sizes(relation: Relation): Promise<{ readonly train: number; readonly test: number }>;
  /** The numbers of the rows on both sides of a plan's split, in their order there; so many are on each. */
  sides(
    relation: Relation,
    sizes: { readonly train: number; readonly test: number },
  ): Promise<{ readonly train: Int32Array; readonly test: Int32Array }>;
  /** The place of each row's cell among labels, -1 for others. */
  codes(relation: Relation, name: string, labels: ClassColumn["labels"], rows: number): Promise<Int32Array>;
  /** How many rows of each stratum have a hash in each of `parts` equal parts of 0 to 2^53; parts without rows are left out. */
  hashParts(
    relation: Relation,
    hashed: Hashing,
    parts: number,
  ): Promise<readonly { readonly value: Cell; readonly part: number; readonly rows: number }[]>;
  /** The hashes of some strata within some bounds, ascending in each stratum. */
  hashes(
    relation: Relation,
    hashed: Hashing,
    wanted: readonly { readonly value?: string | number | boolean; readonly from: number; readonly to: number }[],
  ): Promise<readonly { readonly value: Cell; readonly hash: number }[]>;
}

/** By what a cluster draws rows: a seed, and the column that tells strata apart (default: all rows are one). */
export interface Hashing {
  readonly seed: number;
  readonly by?: string | undefined;
}

/** Trees that are asked of a cluster's own library. */
export interface TreesAsked {
  /** Numbers, none of them missing. */
  readonly features: readonly Expr[];
  /** A number, or the place of a class. */
  readonly target: Expr;
  readonly isClasses: boolean;
  /** How many rows there are to learn from. */
  readonly rows: number;
  readonly trees: number;
  readonly depth: number;
  /** Rows on either side of a split at least. */
  readonly leastRows: number;
  /** Features looked at per split. */
  readonly triedFeatures: number;
  /** Does each tree grow on rows that are drawn anew? */
  readonly isDrawn: boolean;
  readonly criterion: "gini" | "entropy";
  readonly seed: number;
  /** Of trees that each mend what those before leave over: how much of an answer is added, and bins of a feature; of two classes at most. */
  readonly boosting?: { readonly rate: number; readonly bins: number };
}

/** Trees that a cluster's library has grown, as long as it keeps them. */
export interface TreesGrown {
  /** All of them in the library's words, with all digits. */
  readonly text: string;
  /** How much each feature matters, adding up to 1. */
  readonly importances: Float64Array;
  /** Of classes: how much each weighs where a row ends, of some rows for each tree, which stand one after the other. */
  weights(points: readonly Float64Array[]): Promise<Float64Array[]>;
}

/** What a cluster's own library for machine learning does. */
export interface ClusterLibrary {
  /** Grows trees on some of a plan's rows, and forgets them once they are read. */
  growTrees<T>(relation: Relation, rows: Rows, asked: TreesAsked, read: (grown: TreesGrown) => Promise<T>): Promise<T>;
}

/** What a block can do with tables. Ids are artifacts; nothing here holds a table in memory by itself. */
export interface Tables {
  /** Do the rows lie on a cluster, so that what blocks learn of them is asked as aggregates and nothing in memory? */
  readonly isFar: boolean;
  /** The tables of rows that lie here: these, or those of what `collect` brings. */
  readonly here: Tables;
  /** Up to so many cells of a cluster come here where they would be asked about step by step; 0 where rows lie here. */
  readonly broughtCells: number;
  /** How rows are split there; absent where they lie here. */
  readonly cluster?: ClusterSplits;
  /** The library that learns there; absent where rows lie here. */
  readonly library?: ClusterLibrary;
  /** The rows of a cluster, or of a side of their split, in a file here, in their order; the plan as it is where they are here. */
  collect(relation: Relation, columns: readonly Column[], rows: number, subset?: Subset): Promise<Relation>;
  /** What aggregates come to over a table's rows, one cell for each; there may be thousands. */
  aggregate(relation: Relation, rows: Rows, aggregates: readonly Expr[]): Promise<Cell[]>;
  /** What aggregates come to over groups of rows. */
  groups(relation: Relation, rows: Rows, grouping: Grouping): Promise<Groups>;
  /** The first rows in which a condition is true, in table order: the row's number, then a cell for each output. */
  find(
    relation: Relation,
    rows: Rows,
    wanted: { readonly where: Expr; readonly outputs: readonly Expr[]; readonly limit: number },
  ): Promise<Cell[][]>;
  /** Few of many marks that look as all of them do when they are drawn, the same ones each time. */
  sketch(relation: Relation, rows: Rows, sketching: Sketching): Promise<Sketch>;
  /** Numeric columns in memory, missing cells as NaN; integers and booleans as numbers. */
  numbers(relation: Relation, selection: Selection & { readonly columns: readonly string[] }): Promise<NumberColumns>;
  /**
   * The same, which may be kept in memory for whoever reads these numbers next; nobody may change what is kept.
   *
   * What is not is read into `memory` where that is large enough: what the matrix before lay in.
   */
  look(
    relation: Relation,
    selection: TableSelection,
    memory?: Float64Array,
  ): Promise<NumberColumns & { readonly isKept: boolean }>;
  /** What numeric columns add up to over a table's rows, to the last digit the same in whatever order the engine reads them. */
  sums<Part, All>(
    relation: Relation,
    rows: Rows,
    columns: readonly Column[],
    summing: Summing<Part, All>,
  ): Promise<All[]>;
  /** The table with those of its rows alone that a mask keeps, in their order and numbered anew. */
  keep(relation: Relation, keeping: Keeping): Promise<Relation>;
  /** A 1 for each of a table's rows in which a condition is true. */
  mask(relation: Relation, rows: number, where: Expr): Promise<Uint8Array>;
  /** A 1 for each of a table's rows that repeats no other in these columns; missing cells are alike. */
  originals(relation: Relation, rows: number, columns: readonly string[], keep: Keep): Promise<Uint8Array>;
  /**
   * The plan, in whose last node gaps of the rows at hand are filled as told, and not as those of new rows.
   *
   * Null where a table of its own is the quicker one to read; nothing is looked for then.
   */
  filled(relation: Relation, filling: Filling): Promise<Relation | null>;
  /** Writes the rows of a node that is no step over one table, and remembers what they are. */
  settle(made: Made): Promise<{ readonly relation: Relation; readonly rows: number }>;
  /**
   * The same of a node whose rows the caller has counted; the file of a large one is written when somebody reads it.
   *
   * Until then its first rows are found without working out the others.
   */
  settleLater(made: Made, size: { readonly rows: number; readonly columns: number }): Promise<Relation>;
  /** The numbers of a table's rows in the order of these keys; rows with equal ones stay in theirs. */
  order(relation: Relation, by: readonly SortKey[]): Promise<Int32Array>;
  /** How many rows a join of alike cells has, and what of them stands in each table; nothing is joined yet. */
  pairs(made: Joined): Promise<Pairs>;
  /** The left table's row numbers of a join's rows, in their order; -1 where the other table alone has a row. */
  pairRows(made: Joined): Promise<Int32Array>;
  /** What a SELECT over these tables answers, each by the name that it calls it; it can read nothing else. */
  select(query: Pick<Queried, "sql" | "over">, who: string): Promise<Selected>;
  /** How many of some rows repeat one of some others in these columns; missing cells are alike. */
  repeats(relation: Relation, columns: readonly string[], rows: Rows, others: Rows): Promise<number>;
  /** The plan, in whose last node the rows at hand have other numbers than new rows would. */
  parted(relation: Relation, parted: Parted): Promise<Relation>;
  /** How many cells of each column are missing. */
  missing(relation: Relation, names: readonly string[]): Promise<number[]>;
  /**
   * Numeric columns as sparse rows, where they are places of such and nearly all empty; null where a matrix serves as well.
   *
   * `plain` are the columns that are no such places, left empty for the caller to fill.
   */
  sparse(
    relation: Relation,
    selection: Selection & { readonly columns: readonly string[] },
  ): Promise<{ readonly x: SparseColumns; readonly plain: readonly number[] } | null>;
  /** A target's classes: sorted labels and a code per row, -1 where missing. */
  classes(
    relation: Relation,
    name: string,
    selection?: Selection & { readonly labels?: ClassColumn["labels"] },
  ): Promise<ClassColumn>;
  /** Any columns as cells, column by column. */
  cells(relation: Relation, selection: Selection): Promise<Cell[][]>;
  /**
   * Writes columns of a table, or of one of its subsets, into a new Parquet file and answers its artifact id.
   *
   * `made` are those of all rows that come from memory, by their names.
   */
  writeTable(relation: Relation, selection: TableSelection, made?: readonly WriteColumn[]): Promise<string>;
  /** Writes rows of a table in any order, and made ones among them. */
  writeTaken(relation: Relation, taking: Taking): Promise<string>;
  /** Writes columns from memory into a new Parquet file and answers its artifact id. */
  writeColumns(columns: readonly WriteColumn[]): Promise<string>;
  /** Writes JSON as an artifact and answers its id; typed arrays as `modelText` does. */
  writeJson(value: unknown): Promise<string>;
  /** Removes what was written on the way to something else, which no state names. */
  discard(artifact: string): Promise<void>;
  /** The columns and the number of rows of a Parquet artifact. */
  describe(artifact: string): Promise<{ columns: Column[]; rows: number }>;
  /** Reads a data file into a new Parquet artifact; see the input block for the options. */
  ingest(source: SourceFile, options: IngestOptions): Promise<Ingested>;
  /** Reads the pictures of a zip archive into a new Parquet artifact; they are decoded while it is read. */
  images(
    source: SourceFile,
    options: ImageOptions,
    progress: (done: number, total: number) => void,
  ): Promise<IngestedImages>;
  /** The RGB pixels of one picture, row by row, stretched to rows × columns; 0 to 255, or 0 to 1 with `rescale`. */
  picture(source: SourceFile, size: readonly [number, number], rescale: boolean): Promise<Float32Array>;
}

/** How a data file is read; everything left out is detected. */
export interface IngestOptions {
  readonly format: "csv" | "json" | "parquet" | "arrow" | "xlsx";
  readonly delimiter?: string;
  readonly header?: boolean;
  readonly naValues?: readonly string[];
  readonly types?: Readonly<Record<string, string>>;
  /** Every cell is read as the text it is, for a caller who knows the types; Parquet keeps its own. */
  readonly asText?: boolean;
  /** Of a text file. */
  readonly encoding?: string;
  /** What stands before decimals, and between thousands. */
  readonly decimal?: string;
  readonly thousands?: string;
  /** How many lines, or rows of a sheet, come before the first record. */
  readonly skipRows?: number;
  /** Which sheet of a workbook (default: the first). */
  readonly sheet?: string;
}

/** How a sheet turned out to be written. */
export interface SheetForm {
  /** Whether its first row that is not blank names the columns. */
  readonly header: boolean;
}

/** How a CSV file turned out to be written. */
export interface CsvForm {
  readonly delimiter: string;
  readonly encoding: string;
  /** Whether its first record names the columns. */
  readonly header: boolean;
  /** Lines before the first record. */
  readonly skip: number;
  /** How the numbers of columns are written that are not written as 1234.5, by name. */
  readonly marks: Readonly<Record<string, Marks>>;
}

/** A file that was read. */
export interface Ingested {
  readonly artifact: string;
  readonly columns: readonly Column[];
  readonly rows: number;
  readonly notices: readonly string[];
  readonly reading?: Reading;
  /** How a CSV file or a sheet turned out to be written. */
  readonly form?: CsvForm | SheetForm;
}
