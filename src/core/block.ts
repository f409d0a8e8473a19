import { z } from "zod";
import type { Relation } from "../plan/node.ts";
import type { ClusterSource, Collecting, Surveyed } from "./cluster.ts";
import type { DatabaseQuery } from "./database.ts";
import type { BlockExplain } from "./explanation.ts";
import type { Finished } from "./finished.ts";
import type { Frame, Subset } from "./frame.ts";
import type { ModelFile } from "./model.ts";
import type { OnnxGraph } from "./onnx.ts";
import type { Json } from "./record.ts";
import type { Selection } from "./selection.ts";
import type { Ingested, SourceFile, Tables } from "./tables.ts";
import type { ImagesView, TableView, View } from "./view.ts";

export type { Finished } from "./finished.ts";

/** What a kernel is told while it runs: say how far it is, ask whether to stop. */
export interface KernelHooks {
  progress(done: number, total: number): void;
  cancelled(): boolean;
}

/** A block earlier in a chain, as it ran. */
export interface EarlierBlock {
  readonly id: number;
  readonly code: string;
  /** Its arguments, defaults and drawn seeds included. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the runner hands a block besides its frame and arguments. */
export interface BlockContext {
  readonly block: { readonly id: number; readonly code: string; readonly name: string };
  readonly signal: AbortSignal;
  readonly tables: Tables;
  /** Threads that `compute` can use at once. */
  readonly threads: number;
  /** Says how far the block is. */
  progress(phase: string, done: number, total: number): void;
  /** Does one part of a longer work: how far it says it is moves the bar of the whole by its share. */
  within<T>(phase: string, done: number, total: number, part: () => Promise<T>): Promise<T>;
  /**
   * Does work that may be cut short: null where it took longer than so many milliseconds.
   *
   * It gets a context of its own, which does not say how far it is, and whose notices are the caller's only where they are
   * to be `heard`. What it writes is discarded. Of several that run at once each must be given its share of the `threads`:
   * work on many threads waits for all of them, and two such hold each other up.
   */
  limited<T>(
    ms: number,
    work: (context: BlockContext) => Promise<T>,
    how?: { readonly heard?: boolean; readonly threads?: number },
  ): Promise<T | null>;
  /** Tells the caller something although all goes well. */
  notice(sentence: string): void;
  /** Runs a kernel on a worker; `progress` names the phase it reports, or hears how far it is. */
  compute<I, O>(
    kernel: (input: I, hooks: KernelHooks) => O,
    input: I,
    progress?: string | ((done: number, total: number) => void),
  ): Promise<O>;
  /** The file behind a `dburl`: a path, a URL, a sample, or an artifact of the caller's own; out of gzip or Zstandard. */
  open(dburl: string): Promise<SourceFile>;
  /** The file of a zip archive that is chosen by its path; null where none is. */
  entry(source: SourceFile, choose: (paths: readonly string[]) => string | null): Promise<SourceFile | null>;
  /** Runs one SELECT on a database and keeps its rows as an artifact. For SQLite, `address` is a file that was opened. */
  query(database: DatabaseQuery): Promise<Ingested>;
  /** Brings the rows of a cluster's table or files here and keeps them as an artifact; how many there are is told first. */
  collect(collecting: Collecting): Promise<Ingested>;
  /** Looks at a cluster's table or Parquet files, whose rows stay there: their columns, and how many they are. */
  survey(source: ClusterSource): Promise<Surveyed>;
  /** The relation behind `x_test_url`-like names, variables' names, and artifact URLs; null for all else, such as a file. */
  resolve(frame: Frame, reference: string): Promise<{ relation: Relation; selection: Selection } | null>;
  /** The table of another block of the project: this block is made of it as well, and becomes stale with it. */
  table(block: number): Promise<Frame>;
  /**
   * Works with the chain up to here as it would be with these of its rows as training and test rows.
   *
   * Every block since the rows last changed is run again, so that what it fits is fitted on those training rows. What
   * was fitted before stays, and its blocks are named in `fixed`. Nothing of it is kept.
   */
  refit<T>(
    train: Int32Array,
    test: Int32Array,
    work: (frame: Frame, fixed: readonly string[]) => Promise<T>,
  ): Promise<T>;
  /**
   * What was written down in the project under a key: for long work that goes on where it stopped.
   *
   * It stays although the block is cancelled or the process ends, and goes with the project.
   */
  notes(key: string): { read(): Json | null; write(value: Json): void };
  /** A model of the project, by its name. */
  model(name: string): Promise<{ readonly file: ModelFile; readonly artifact: string }>;
  /** The block whose model of that name the project keeps; null where there is none. */
  keeper(name: string): number | null;
  /** Where the model of that name was trained; null where that was right before this block, or is not known any more. */
  trainedOn(name: string): TrainedOn | null;
  /** The arguments of another block, checked as a request's are and with its defaults; ArgsError where they are wrong. */
  checked(block: string | ArgsSpec, args: object): Readonly<Record<string, unknown>>;
  /** The nearest block before this one in its chain that ran one of these function codes; null where there is none. */
  before(codes: readonly string[]): EarlierBlock | null;
}

/** What work on all threads asks of a context. */
export type Computing = Pick<BlockContext, "block" | "threads" | "progress" | "compute">;

/** Where a model of the project was trained, as seen from another state. */
export interface TrainedOn {
  /** The block that trained it. */
  readonly block: number;
  readonly frame: Frame;
  /** Its rows came of the same run of the same input. */
  readonly isSameInput: boolean;
  /** The same run of a block split its rows and these, or none did. */
  readonly isSameSplit: boolean;
}

/** What a block answers. */
export interface Outcome {
  readonly frame: Frame;
  /** Goes into the record's `output`; an ArtifactRef inside becomes a URL. */
  readonly output?: Json;
  /** What the block did, in numbers, for its view and for explanations: JSON-safe, not sent to clients. */
  readonly report?: object;
  /** Columns dropped (DP_6). */
  readonly functionAction?: number;
  /** Arguments that were not given and that the block chose itself, such as a model's name; recorded with the given ones. */
  readonly chosen?: Readonly<Record<string, Json>>;
  /** A model to keep in the project under its name. */
  readonly model?: { readonly name: string; readonly artifact: string };
}

/** How the first rows of a frame are shown. */
export interface HeadOptions {
  readonly rows?: number;
  readonly subset?: Subset;
  /** Columns that the block speaks of, which are shown whatever is left out. */
  readonly named?: readonly string[];
}

/** What a view may read: the first rows of a frame, as a table with roles and types. */
export interface Reader {
  head(frame: Frame, options?: HeadOptions): Promise<TableView>;
  /** A few pictures of a tensor column, named by other columns; null when its cells are no pictures. */
  pictures(frame: Frame, column: string, labels: readonly string[]): Promise<ImagesView | null>;
}

/** A block's arguments as its author gets them, defaults filled in. */
export type ArgsOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

/** What a model learns of a target: numbers, or classes. */
export type Task = "regression" | "classification";

/** The one declaration of a block; everything else derives from it. */
export interface BlockSpec<
  Code extends string = string,
  Name extends string = string,
  Shape extends z.ZodRawShape = z.ZodRawShape,
  Aliases extends Readonly<Record<string, string>> = Readonly<Record<string, string>>,
  Positional extends readonly string[] = readonly string[],
> {
  /** The function code on the wire, such as "DP_2". */
  readonly code: Code;
  /** The helper's name, such as "missing". */
  readonly name: Name;
  /** A raw zod shape; wrapping it in z.object would lose the fields' hover docs. */
  readonly args: Shape;
  /** Friendly names for arguments, typed and documented. */
  readonly aliases?: Aliases;
  /** Misspelt names that clients in the wild send; accepted, not advertised. */
  readonly tolerates?: Readonly<Record<string, string>>;
  /** Other function codes that mean this block. */
  readonly codes?: readonly string[];
  /** Arguments that a helper takes by position; a last one written "...name" takes all that follow. */
  readonly positional?: Positional;
  /** Arguments that are never stored, shown or logged, such as a password. */
  readonly secrets?: readonly string[];
  /** Arguments that clients may also send beside `args`, at the top level of a request. */
  readonly beside?: readonly string[];
  /** Arguments that name a table; helpers take rows, columns, tables and results for them too. */
  readonly tables?: readonly string[];
  /** Arguments that may name a file; the block runs again when that has changed. */
  readonly files?: readonly string[];
  /** Starts a chain: true takes no parent, "optional" can do without one. */
  readonly source?: boolean | "optional";
  /** What the model learns that this block trains, asks or judges, "either" where its target says; absent where there is none, and for networks. */
  readonly task?: Task | "either" | "clustering" | undefined;
  /** A runnable line for help and docs. */
  readonly example: string;
  /** The arguments by which it is fitted anew on rows that are split already, of a block that splits them itself (default: it only splits). */
  anew?(args: ArgsOf<Shape>): ArgsOf<Shape>;
  /** The table that it reads in place of the frame's own, whose file then need not be written (default: null, none). */
  behind?(frame: Frame): Relation | null;
  run(frame: Frame, args: ArgsOf<Shape>, context: BlockContext): Promise<Outcome>;
  view?(finished: Finished<ArgsOf<Shape>>, read: Reader): View | Promise<View>;
  /** What it did and why one would, in words (default: told from its docs and what changed). */
  readonly explain?: BlockExplain<ArgsOf<Shape>>;
  /** Blocks that come with this one, such as a model's prediction and metrics. */
  readonly derived?: readonly Block[];
  /** A model that this block trained, as ONNX operators. */
  onnx?(file: ModelFile): OnnxGraph;
}

/** What checks arguments and says whose they are. */
export type ArgsSpec = Pick<BlockSpec, "code" | "name" | "args" | "aliases" | "tolerates" | "secrets">;

/** A block as the registry and the runner see it, whatever its arguments. */
export interface Block extends BlockSpec {
  readonly kind: "block";
}

/** A declared block; keeps the exact types of its code, name and arguments for the typed helpers. */
export type Declared<
  Code extends string,
  Name extends string,
  Shape extends z.ZodRawShape,
  Aliases extends Readonly<Record<string, string>>,
  Positional extends readonly string[],
> = BlockSpec<Code, Name, Shape, Aliases, Positional> & { readonly kind: "block" };

/**
 * Declares a block: its code, helper name, arguments, and what it does.
 *
 * The HTTP check, OpenAPI, the typed helper, help, completion and the rendering all derive from this.
 */
export function defineBlock<
  const Code extends string,
  const Name extends string,
  Shape extends z.ZodRawShape,
  const Aliases extends Readonly<Record<string, keyof Shape & string>> = Record<never, never>,
  const Positional extends readonly string[] = readonly [],
>(spec: BlockSpec<Code, Name, Shape, Aliases, Positional>): Declared<Code, Name, Shape, Aliases, Positional> {
  return { ...spec, kind: "block" };
}

/** A column by name or index. */
export function columnRef() {
  return z.union([z.string(), z.int()]);
}

/** More columns than any table has. */
const mostColumns = 100_000;

/** Longer than any slice of which a person made sense. */
const longestSlice = 10_000;

const json = z.json();

/** Any JSON. As a schema it says so in one word: that of `z.json` refers to itself, which generators of clients can't read. */
export function anyJson(): z.ZodType<z.output<typeof json>> {
  return z.unknown().refine((value) => json.safeParse(value).success, "must be JSON") as z.ZodType<
    z.output<typeof json>
  >;
}

/** Several columns by name or index, and nothing else. */
export function columnRefs() {
  return z.array(columnRef()).max(mostColumns);
}

/** Several columns by name or index; one alone may be given bare. */
export function columnList() {
  return z.union([z.string(), z.int(), columnRefs()]);
}

/** Slice notation: `":, 0:3"`, `"age:city"`, `-1`, or a list of names and indices. */
export function slice() {
  return z.union([z.string().max(longestSlice), z.int(), columnRefs()]);
}
