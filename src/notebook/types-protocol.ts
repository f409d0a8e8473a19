import type { Completions, Inspection } from "./evaluator.ts";

/** What the checker is told about a cell's surroundings. */
export interface TypesOptions {
  /** "session": type errors in what concerns the session stop a cell before it runs (default "off"). */
  readonly check?: "session" | "off";
  /** Declarations that every cell sees. */
  readonly prelude?: string;
  /** Where the types of modules are that need not be installed beside the notebook. */
  readonly paths?: Readonly<Record<string, string>>;
  /** The folder from which cells import (default: the process's). */
  readonly cwd?: string;
}

/** A type error that stops a cell: TypeScript's words, and the place in the cell. */
export interface TypeFault {
  readonly message: string;
  readonly excerpt: readonly string[];
}

/** What can be asked of the checker, by the name of its method. */
export interface Questions {
  complete(code: string, cursor: number): Completions;
  inspect(code: string, cursor: number): Inspection | null;
  /** The first type error in what concerns the session. */
  fault(code: string): TypeFault | null;
  /** Remembers a cell that ran: later ones see what it declares. */
  add(code: string): null;
}

/** A question on its way to the checker's thread. */
export interface Question {
  readonly id: number;
  readonly name: keyof Questions;
  readonly code: string;
  readonly cursor: number;
}

/** The checker's answer; null also when it could not tell. */
export interface Answer {
  readonly id: number;
  readonly result: unknown;
}
