/** Where a cell comes from and how it can be stopped. */
export interface CellOptions {
  /** The notebook's id of the cell; a cell run again replaces its own blocks. */
  readonly cellId?: string;
  /** The number under which the front end shows the cell; errors name it (default: how many have run). */
  readonly number?: number;
  /** Aborts the cell and what it started. */
  readonly signal?: AbortSignal;
}

/** What running a cell came to. */
export type CellResult =
  | {
      readonly kind: "value";
      readonly value: unknown;
      /** The name under which later cells find the value again, such as "_3", where results are kept. */
      readonly name?: string;
    }
  | { readonly kind: "error"; readonly error: CellError };

/** An error as front ends show it: no frames of our own, positions in the cell. */
export interface CellError {
  readonly name: string;
  readonly message: string;
  /** Short stack, a line each, without colour. */
  readonly trace: readonly string[];
  /** What was thrown. */
  readonly cause: unknown;
}

/** One entry of a completion menu. */
export interface Completion {
  readonly text: string;
  readonly kind: string;
  /** A signature or a short type. */
  readonly detail?: string;
  readonly docs?: string;
}

/** Completions and the stretch of code that the chosen one replaces. */
export interface Completions {
  readonly start: number;
  readonly end: number;
  readonly items: readonly Completion[];
  /** Nothing else may stand there, whatever the program knows. */
  readonly isAll?: boolean;
  /** The types, which know more, were still being loaded. */
  readonly isEarly?: boolean;
}

/** What is known about the name under the cursor. */
export interface Inspection {
  readonly signature: string;
  readonly docs: string;
  /** The docs as Markdown, where lines are to stay lines (default: the docs as they are). */
  readonly markdown?: string;
}

/** A name that cells declared, and what it stands for now. */
export interface Variable {
  readonly name: string;
  /** What kind of value it is, such as "number" or "Array(3)". */
  readonly type: string;
  /** The value in a few words. */
  readonly value: string;
}

/** Is the text a whole cell? */
export type Completeness =
  | { readonly status: "complete" | "invalid" }
  | { readonly status: "incomplete"; readonly indent: string };

/** Text that a cell wrote to a stream, told as it comes. */
export type OnOutput = (stream: "stdout" | "stderr", text: string, cellId: string | undefined) => void;

/**
 * Evaluates TypeScript cells one after the other, keeping names between them.
 *
 * One maker serves the Jupyter kernel, the REPL and `blocklab run`.
 */
export interface Evaluator {
  /** Runs a cell; the value is that of its last expression, awaited, and undefined when there is none. */
  run(code: string, options?: CellOptions): Promise<CellResult>;
  complete(code: string, cursor: number): Promise<Completions>;
  inspect(code: string, cursor: number): Promise<Inspection | null>;
  isComplete(code: string): Completeness;
  /** The value of an expression in one line, found without any effect; null where that can't be had at once. */
  preview(code: string): string | null;
  /** What cells declared, in order. */
  variables(): readonly Variable[];
  /** Stops the running cell, a synchronous loop too; names keep their values. */
  interrupt(): void;
  close(): Promise<void>;
}
