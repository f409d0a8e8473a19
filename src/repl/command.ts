import type { View } from "../core/view.ts";
import type { Completion, Evaluator } from "../evaluator/evaluator.ts";
import type { Session } from "../session/index.ts";
import type { Source } from "./explore/explorer.ts";
import type { Journal } from "./journal.ts";
import type { Lessons } from "./learn/lessons.ts";
import type { Theme } from "./theme.ts";

/** What commands work with. */
export interface CommandRoom {
  readonly session: Session;
  readonly evaluator: Evaluator;
  readonly journal: Journal;
  /** The folder that file names start from. */
  readonly cwd: string;
  /** What is installed where, and the cure for what is missing. */
  doctor(): Promise<View>;
  /** Runs a cell as if it had been typed; says whether it went well. */
  runCell(source: string, cellId: string, metadata?: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** The lessons, and the one that is open. */
  readonly lesson: Pick<Lessons, "learner" | "list" | "begin" | "end">;
  setTheme(theme: Theme): void;
  /** Shows a table full-screen until it is left. */
  explore(source: Source): Promise<void>;
}

/** A line that is a command, with its colon; null for code. A lone `.help` is one as well, which Node's prompt has taught. */
export function commandIn(line: string): string | null {
  const typed = line.trim();
  if (typed.startsWith(":")) return typed;
  return /^\.(help|exit|save|load)\b(?!\s*[(.=])/.test(typed) ? `:${typed.slice(1)}` : null;
}

/** A `:` command of the prompt. */
export interface Command {
  readonly takes: string;
  readonly does: string;
  /** `null` as an answer leaves the prompt. */
  run(room: CommandRoom, rest: string): Promise<View | null>;
  /** What may stand after its name. */
  complete?(room: CommandRoom, typed: string): Promise<readonly Completion[]>;
}
