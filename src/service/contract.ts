import type { Column } from "../core/frame.ts";
import type { Cell } from "../core/view.ts";

/** Who asks, and how artifacts are called for them. */
export interface Caller {
  /** The key's id; owns its projects. The embedded session is "local". */
  readonly owner: string;
  /** The URL under which this caller reads an artifact. */
  url(artifact: string): string;
  /** The artifact id in one of this caller's URLs, or null when it is none. */
  artifactIn(url: string): string | null;
  /** How uploaded files are called for this caller; absent where nothing can be uploaded. */
  readonly uploads?: {
    url(id: string): string;
    idIn(url: string): string | null;
  };
}

/** Which part of a table artifact to read. */
export interface Part {
  readonly columns?: readonly string[];
  readonly offset?: number;
  readonly limit?: number;
  /** The column to sort by, missing cells last (default: table order). */
  readonly sort?: string;
  /** Sort from the largest on. */
  readonly descending?: boolean;
  /** Only rows that hold this text in one of their cells; case does not count. */
  readonly search?: string;
}

/** How a table is read. */
export interface Reading {
  /** Who asked has left: work on a cluster is ended, and CancelledError is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** How a file is written. */
export interface FileOptions {
  /** In CSV, begins texts that a spreadsheet would run as a formula with an apostrophe (default: as they are). */
  readonly formulas?: "escape";
}

/** A table or a part of it, in memory. */
export interface TableData {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Rows of the whole table; with a search, rows that hold it. */
  readonly total: number;
}

/** Some rows of a table, one array per column. */
export interface TableBatch {
  readonly columns: readonly Column[];
  readonly cells: readonly (readonly Cell[])[];
}

/** The formats in which a table can be fetched. */
export const tableFormats = ["csv", "json", "parquet", "arrow", "npy"] as const;

/** One of the formats in which a table can be fetched. */
export type TableFormat = (typeof tableFormats)[number];

/** The formats in which a table or a model can be fetched: models as "json", "onnx", or "onnx-chain", which takes raw rows. */
export type FileFormat = TableFormat | "onnx" | "onnx-chain";

/** A file ready to be sent. `temporary`: remove it afterwards. */
export interface ReadyFile {
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly sha256: string | null;
  readonly temporary: boolean;
}
