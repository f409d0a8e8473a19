import { createRequire } from "node:module";
import { type Bundle, display } from "../evaluator/display.ts";
import type { Evaluator, OnOutput } from "../evaluator/evaluator.ts";
import { createEvaluator } from "../evaluator/index.ts";
import type { TypeCheck } from "../evaluator/types-protocol.ts";
import * as blocklab from "../index.ts";
import * as tslab from "../jupyter/tslab-display.ts";
import { withSessionHelp } from "./cell-help.ts";
import { expressionLanguage, tablesOf } from "./cell-tables.ts";
import { madeInUse } from "./evaluator-in-use.ts";
import { displayBelow } from "./show.ts";

/** How a workbench is set up. */
export interface WorkbenchOptions {
  /** Hears what cells print (default: it goes to the process's own streams). */
  readonly onOutput?: OnOutput;
  /** Empties what a cell has shown, when it calls `console.clear()` (default: as Node does). */
  readonly onClear?: () => void;
  /** What type errors do (default "off"). */
  readonly check?: TypeCheck;
  /** The folder from which cells import (default: where the process was started). */
  readonly cwd?: string;
  /** Keep the last results as `_1`, `_2`, … (default false). */
  readonly keepsResults?: boolean;
  /** Make the evaluator, and load its checker, only when it is first used (default false). */
  readonly startsInUse?: boolean;
}

/** What every front end works with: an evaluator whose cells have `session`, `help` and `display` at hand. */
export interface Workbench {
  readonly evaluator: Evaluator;
  readonly session: blocklab.Session;
  display(value: unknown): Promise<readonly Bundle[]>;
  close(): Promise<void>;
}

/** Opens the evaluator with the shared session in scope, with its types. */
export async function openWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const { session, help } = blocklab;
  const make = () =>
    createEvaluator({
      cwd: options.cwd ?? process.cwd(),
      globals: { session, help, display: displayBelow },
      // The functions of expressions are known here without it.
      modules: { blocklab, "blocklab/expressions": {}, tslab },
      keepsResults: options.keepsResults ?? false,
      ...(options.onOutput ? { onOutput: options.onOutput } : {}),
      ...(options.onClear ? { onClear: options.onClear } : {}),
      tables: tablesOf(session),
      types: {
        check: options.check ?? "off",
        prelude:
          'declare const session: import("blocklab").Session; declare const help: typeof import("blocklab").help; /** Shows a value below the running cell, as its last value would be shown. */ declare const display: (value: unknown) => Promise<void>;',
        language: expressionLanguage(),
        paths: { blocklab: typesFile("index"), tslab: typesFile("jupyter/tslab-display") },
      },
    });
  const evaluator = options.startsInUse ? madeInUse(make) : make();
  return {
    evaluator: withSessionHelp(evaluator, session),
    session,
    display,
    async close() {
      await evaluator.close();
      await session.close();
    },
  };
}

/** Where the types of a module of blocklab are: beside the compiled code, or the source when run from it. */
function typesFile(module: string): string {
  const own = import.meta.url;
  return createRequire(own).resolve(`../${module}${own.endsWith(".ts") ? ".ts" : ".d.ts"}`);
}
