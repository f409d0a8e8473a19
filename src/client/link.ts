import type { TypedColumns } from "../core/column-values.ts";
import type { Explanation } from "../core/explanation.ts";
import type { BlockRequest, ProjectRecord, StateRecord } from "../core/record.ts";
import type { View } from "../core/view.ts";
import type {
  FileFormat,
  FileOptions,
  FunctionEntry,
  Part,
  Reading,
  RunOptions,
  TableBatch,
  TableData,
  Which,
} from "../service/service.ts";

/** Options of a run. In-process `onView` is not called: there a view is no further request. */
export type LinkRunOptions = Pick<RunOptions, "signal" | "onProgress" | "onView">;

/**
 * A session's way to a service: in-process, or over HTTP. Both keep this one contract.
 *
 * Errors are BlocklabErrors with the same words on both.
 */
export interface Link {
  /** "embedded", or the service's URL. */
  readonly where: string;
  createProject(name: string, description?: string): Promise<ProjectRecord>;
  /** All projects, or the one of a name alone. */
  projects(name?: string): Promise<ProjectRecord[]>;
  deleteProject(appId: string): Promise<void>;
  /** Runs a block; without `block_id` a new one, of which a lost answer makes no second. */
  run(request: BlockRequest, options?: LinkRunOptions): Promise<StateRecord>;
  /** The states of a project, without their large outputs. */
  states(project: number, which?: Which): Promise<StateRecord[]>;
  state(id: number): Promise<StateRecord>;
  view(state: number): Promise<View>;
  /** What the block of a state record did and why one would. */
  explain(state: number): Promise<Explanation>;
  sql(state: number): Promise<string>;
  request(state: number): Promise<BlockRequest>;
  /** Keeps a file beside a project's blocks and answers the URL by which they read it; it goes when none does any more. */
  upload(file: { readonly name: string; readonly content: Uint8Array; readonly project: number }): Promise<string>;
  /** A part of a table artifact, by its URL. */
  table(url: string, part?: Part, options?: Reading): Promise<TableData>;
  /** A table artifact while it is read, by its URL, some rows at a time; who stops asking ends the reading. */
  batches(url: string): AsyncGenerator<TableBatch>;
  /** Columns of a table artifact in the forms of their types, all rows; all columns without names. */
  columns(url: string, names?: readonly string[]): Promise<TypedColumns>;
  /** A whole artifact, by its URL. */
  download(url: string, format: FileFormat): Promise<Uint8Array>;
  /** Writes a whole artifact, by its URL, to a file of the caller's. */
  save(url: string, format: FileFormat, path: string, options?: FileOptions): Promise<void>;
  functions(): Promise<readonly FunctionEntry[]>;
  close(): Promise<void>;
}

export {
  type FileFormat,
  type FileOptions,
  type TableBatch,
  type TableData,
  type TableFormat,
  tableFormats,
} from "../service/service.ts";
