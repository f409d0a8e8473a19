import type { Evaluator, OnOutput } from "../evaluator/evaluator.ts";

/** A value as Jupyter shows it: one representation per MIME type. */
export interface Bundle {
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What the kernel runs cells with. */
export interface KernelHost {
  readonly evaluator: Evaluator;
  /** Shows a cell's value: none, one or several bundles. */
  display(value: unknown): Promise<readonly Bundle[]>;
  /** A line of greeting for consoles. */
  readonly banner: string;
  /** Lets go of everything the host holds; the process ends after it. */
  close(): Promise<void>;
}

/** Which display a bundle belongs to. */
export interface DisplayOptions {
  /** Names the display, so that it can be updated later. */
  readonly displayId?: string;
  /** Replaces what the display shows instead of adding to the cell (default false). */
  readonly update?: boolean;
  /** Goes, and leaves nothing behind, when the cell is done (default false). */
  readonly passing?: boolean;
}

/** The front end as a host sees it: all of it reaches the cell that is being run. */
export interface KernelIO {
  /** Give this to the evaluator: text reaches the cell that wrote it, a finished one too. */
  readonly onOutput: OnOutput;
  /** Shows a bundle in the cell, beside its value. */
  displayData(bundle: Bundle, options?: DisplayOptions): void;
  /** The number of the cell that runs now, 0 when none does. */
  runningCell(): number;
  /** Empties the cell's output, at once or (`wait`) when the next output comes. */
  clearOutput(wait?: boolean): void;
  /** Asks the person for a line; also what a cell finds as the global `prompt()`. */
  prompt(text?: string, options?: PromptOptions): Promise<string>;
}

/** How a question is asked. */
export interface PromptOptions {
  /** Hides what is typed (default false). */
  readonly password?: boolean;
}

/** Makes the host; called once, behind the first answer to the client. */
export type MakeHost = (io: KernelIO) => Promise<KernelHost>;
