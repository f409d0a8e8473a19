import type { Cell } from "./cell.ts";

/** Anything JSON can hold. */
export type Json = Cell | readonly Json[] | { readonly [key: string]: Json | undefined };

/** A project as the interface answers it. */
export interface ProjectRecord {
  readonly id: number;
  readonly app_id: string;
  readonly project_name: string;
  readonly project_description: string;
  readonly project_compiled_models: null;
  /** ISO 8601 in UTC with microseconds. */
  readonly created_at: string;
}

/** A named data set: what it is called, and the URL that serves as a `dburl`. */
export interface DatasetRecord {
  readonly id: number;
  readonly dataset_name: string;
  readonly dataset_description: string;
  /** What the owner says that it is, such as "csv". */
  readonly dataset_type: string;
  readonly dataset_url: string;
  /** ISO 8601 in UTC with microseconds. */
  readonly created_at: string;
}

/** What a block request says: the project, the place in the chain, the operation and its arguments. */
export interface BlockRequest {
  readonly project_id: number;
  /** Absent for a new block, which then takes the next id of the project. */
  readonly block_id?: number;
  readonly parent_id?: number | null;
  readonly function_code: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** The state record that every block answers. */
export interface StateRecord {
  readonly id: number;
  readonly project: number;
  readonly block_id: number;
  readonly parent_id: number;
  readonly function_code: string;
  readonly dataset_url: string | null;
  readonly x_value_url: string | null;
  readonly y_value_url: string | null;
  readonly x_train_url?: string;
  readonly y_train_url?: string;
  readonly x_test_url?: string;
  readonly y_test_url?: string;
  /** JSON text of an inspection, a model, a prediction, or a plot. */
  readonly output?: string;
  /** Bytes of an output that a list leaves out, being large; the record itself has it. */
  readonly output_bytes?: number;
  /** How many columns DP_6 dropped. */
  readonly function_action?: number;
  /** What the caller should know although all went well, such as a leak. */
  readonly notices?: readonly string[];
  /** A block before this one was replaced; run this one again. */
  readonly stale?: boolean;
}

/** How far a running block is. */
export interface Progress {
  readonly block: number;
  readonly phase: string;
  readonly done: number;
  readonly total: number;
  /** Milliseconds to go, once enough is done to tell. */
  readonly eta_ms: number | null;
}

/** In an `output`, stands for the URL of an artifact until a record is answered to somebody. */
export interface ArtifactRef {
  readonly $artifact: string;
}
