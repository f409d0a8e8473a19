import type { TypedColumns } from "../core/column-values.ts";
import type { Explanation } from "../core/explanation.ts";
import type { BlockRequest, Json, Progress, ProjectRecord, StateRecord } from "../core/record.ts";
import type { Cell, View } from "../core/view.ts";
import type { Page, Which } from "../store/state.ts";
import type { Caller, FileFormat, FileOptions, Part, Reading, ReadyFile, TableBatch, TableData } from "./contract.ts";
import type { LibraryService } from "./library.ts";
import type { ServiceLoad } from "./load.ts";

export type { Page, Which } from "../store/state.ts";
export {
  type Caller,
  type FileFormat,
  type FileOptions,
  type Part,
  type Reading,
  type ReadyFile,
  type TableBatch,
  type TableData,
  type TableFormat,
  tableFormats,
} from "./contract.ts";

/** Options of a run: stop it, and hear how far it is. */
export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Refuse (409) a block id that is taken, rather than replace its block (default false).
   */
  readonly isNew?: boolean;
  /** Names the request for a new block: sent again with the same key, it answers the block that it made (default: none). */
  readonly key?: string;
  /** Told what the block shows, before the answer, unless its table is so large that reading it takes a while. */
  readonly onView?: (view: View) => void;
}

/** An argument of a function code, for clients that build requests. */
export interface FunctionEntry {
  readonly function_code: string;
  readonly name: string;
  readonly family: string;
  readonly summary: string;
  readonly description: string;
  readonly example: string;
  /** Other names by which the arguments are accepted. */
  readonly aliases: Readonly<Record<string, string>>;
  /** JSON Schema (2020-12) of `args`. */
  readonly args: Json;
}

/** Predictions for new rows. */
export interface Produced {
  /** One per row: a number, a class, or a list of hidden activations. */
  readonly y_pred: readonly (Cell | readonly Cell[])[];
  /** For classes: the share of each, by its column's name. */
  readonly y_proba?: readonly Readonly<Record<string, Cell>>[];
  /** Where the prediction asked for them: each row's number and columns, and its answer. */
  readonly rows?: readonly Readonly<Record<string, Cell>>[];
  /** What is worth knowing of the rows, such as a category that was not learnt. */
  readonly notices?: readonly string[];
}

/** The whole service, in-process. The embedded link and the HTTP server both stand on this. */
export interface Service {
  createProject(caller: Caller, name: string, description?: string): Promise<ProjectRecord>;
  /** All projects, or the one of a name alone. */
  projects(caller: Caller, page?: Page, name?: string): Promise<ProjectRecord[]>;
  /** By app_id. */
  project(caller: Caller, appId: string): Promise<ProjectRecord>;
  /** By app_id; removes its states, models and artifacts too. */
  deleteProject(caller: Caller, appId: string): Promise<void>;
  /** Validates, runs and stores one block; `request` is untrusted. */
  run(caller: Caller, request: unknown, options?: RunOptions): Promise<StateRecord>;
  /** State records without their large outputs, in the order of their ids. */
  states(caller: Caller, project?: number, page?: Page & Which): Promise<StateRecord[]>;
  state(caller: Caller, id: number): Promise<StateRecord>;
  deleteState(caller: Caller, id: number): Promise<void>;
  /** What the block of a state record shows. */
  view(caller: Caller, id: number, options?: Reading): Promise<View>;
  /** What the block of a state record did and why one would, in plain words. */
  explain(caller: Caller, id: number): Promise<Explanation>;
  /** The frame behind a state record as SQL text. */
  sql(caller: Caller, id: number): Promise<string>;
  /** The request that made a state record, with the arguments as stored (drawn seeds included). */
  request(caller: Caller, id: number): Promise<BlockRequest>;
  /** Predicts for new raw rows with the chain of a prediction block's record; `data` is untrusted. */
  produce(caller: Caller, flow: number, data: unknown, options?: { readonly signal?: AbortSignal }): Promise<Produced>;
  /** Is the artifact a table or a model (JSON)? */
  artifactKind(caller: Caller, artifact: string): Promise<"table" | "json">;
  /** A part of a table artifact in memory. */
  table(caller: Caller, artifact: string, part?: Part, options?: Reading): Promise<TableData>;
  /** A part of a table artifact while it is read, some rows at a time; who stops asking ends the reading. */
  batches(caller: Caller, artifact: string, part?: Part): AsyncGenerator<TableBatch>;
  /** A part of a table artifact in memory, column by column in the forms of their types. */
  columns(caller: Caller, artifact: string, part?: Part): Promise<TypedColumns>;
  /** A table artifact (or a part of it) as a file; a model as ONNX when `format` is "onnx", else as JSON. */
  file(caller: Caller, artifact: string, format: FileFormat, part?: Part & FileOptions): Promise<ReadyFile>;
  /** Writes what `file` hands out to a file of the caller's own, and keeps nothing of it. */
  save(caller: Caller, artifact: string, format: FileFormat, path: string, options?: FileOptions): Promise<void>;
  functions(): readonly FunctionEntry[];
  /** Looks whether blocks can be run: reads what the service stands on, and throws (503) when that is damaged. */
  ready(): Promise<void>;
  /** How busy it is: blocks, workers, disk. */
  load(): ServiceLoad;
  /** Uploaded files and named data sets. */
  readonly library: LibraryService;
  close(): Promise<void>;
}

/** How a service is set up. */
export interface ServiceOptions {
  /** The folder of projects and artifacts. */
  readonly home: string;
  /** The one folder below which a `dburl` may name local files; null: none; undefined: any (embedded). */
  readonly files?: string | null;
  /** Hosts and networks that it may fetch from besides public ones; embedded it may fetch from anywhere. */
  readonly fetchFrom?: readonly string[];
  /** The Spark that reads tables and files for callers, sc://HOST:15002 (default: the environment's BLOCKLAB_ENGINE_SPARK, else none). */
  readonly spark?: string;
  /** Cells of a table on Spark that come here for a model that learns in many steps, each a question there (default 2,000,000). */
  readonly broughtCells?: number;
  /** Worker threads for kernels (default: the number of cores; 0 runs inline). */
  readonly threads?: number;
  /** Bytes that running blocks may take together (default: no watch; DuckDB a quarter of the machine's memory). */
  readonly memoryLimit?: number;
  /** Milliseconds that a block may run (default: as long as it takes). */
  readonly blockTimeoutMs?: number;
  /** Blocks that run side by side (default: twice the cores, at least 4). */
  readonly atOnce?: number;
  /** Blocks that may wait for their turn (default 200). */
  readonly queue?: number;
  /** Bytes on disk that each key may have (default: as much as there is). */
  readonly quota?: number;
  /** Told, in a sentence, what an operator should see to (default: nobody). */
  readonly warn?: (sentence: string) => void;
}
