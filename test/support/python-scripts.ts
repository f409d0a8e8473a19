import { type ChildProcess, spawn } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Cell } from "../../src/core/view.ts";

/** A table that a script made, column by column. */
export interface PythonTable {
  readonly names: readonly string[];
  readonly columns: readonly (readonly Cell[])[];
  readonly rows: number;
}

/** What a script came to: its tables by the names of our artifacts, its last metrics, and what it printed. */
export interface Ran {
  readonly artifacts: Readonly<Record<string, PythonTable>>;
  readonly scores: Readonly<Record<string, unknown>> | null;
  readonly printed: string;
  /** The exception that ended it, and in which line. */
  readonly error?: string;
}

/** One Python that runs many scripts, each in a namespace of its own; a process for each would import for seconds. */
export class ScriptRunner {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #last: Promise<unknown> = Promise.resolve();

  /** `options` are Python's own, such as which warnings are errors; without them none is shown. */
  constructor(python: string, options: readonly string[] = []) {
    const runner = fileURLToPath(new URL("run-scripts.py", import.meta.url));
    this.#process = spawn(python, [...options, runner], { stdio: ["pipe", "pipe", "inherit"] });
    const lines: Interface = createInterface({ input: this.#process.stdout as NodeJS.ReadableStream });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** Runs a script after those before it. */
  run(script: string): Promise<Ran> {
    const ran = this.#last.then(async () => {
      this.#process.stdin?.write(`${JSON.stringify(script)}\n`);
      const { value, done } = await this.#lines.next();
      if (done) throw new Error("Python ended before its script did");
      return JSON.parse(value as string) as Ran;
    });
    this.#last = ran.catch(() => undefined);
    return ran;
  }

  close(): void {
    this.#process.stdin?.end();
  }
}
