import type { Completions, Inspection } from "./evaluator.ts";

/** What the checker is told about a cell's surroundings. */
export interface TypesOptions {
  /** What type errors do (default "off"). */
  readonly check?: TypeCheck;
  /** Declarations that every cell sees. */
  readonly prelude?: string;
  /** Where the types of modules are that need not be installed beside the notebook. */
  readonly paths?: Readonly<Record<string, string>>;
  /** The folder from which cells import (default: the process's). */
  readonly cwd?: string;
}

/**
 * What type errors do: "session" stops a cell where one concerns the session, before it runs; "all" warns of the
 * others as well, and runs it; "off" looks for none.
 */
export type TypeCheck = "session" | "all" | "off";

/** A type error in a cell: TypeScript's words, and the place in the cell. */
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
  /** The other type errors, the first few. */
  warnings(code: string): readonly TypeFault[];
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
