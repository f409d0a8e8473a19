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
  /** The language of the functions that stand for an expression over a row (default: there is none). */
  readonly language?: Language;
}

/** What functions of a row may name, and which helpers take such functions. */
export interface Language {
  /** Declares the functions of the language, and types of columns in a namespace `blocklabRows`. */
  readonly declarations: string;
  /** The names that it knows, but for columns. */
  readonly names: readonly string[];
  /** The type of a column, by what a table says of it. */
  readonly types: Readonly<Record<string, string>>;
  /** What a helper does with the columns of a table: keeps them, adds those of its `columns`, adds others, or makes others. */
  readonly helpers: Readonly<Record<string, "keeps" | "adds" | "extends" | "makes">>;
}

/** A column of a table that is there. */
export interface KnownColumn {
  readonly name: string;
  readonly type: string;
}

/** The columns that chains begin with, by the name of the variable; those of the session's last block by "session". */
export type Tables = Readonly<Record<string, readonly KnownColumn[]>>;

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
  complete(code: string, cursor: number, tables?: Tables): Completions;
  inspect(code: string, cursor: number, tables?: Tables): Inspection | null;
  /** The first type error in what concerns the session. */
  fault(code: string, cursor?: number, tables?: Tables): TypeFault | null;
  /** The other type errors, the first few. */
  warnings(code: string, cursor?: number, tables?: Tables): readonly TypeFault[];
  /** Remembers a cell that ran: later ones see what it declares. */
  add(code: string): null;
}

/** A question on its way to the checker's thread. */
export interface Question {
  readonly id: number;
  readonly name: keyof Questions;
  readonly code: string;
  readonly cursor: number;
  readonly tables: Tables;
}

/** The checker's answer; null also when it could not tell. */
export interface Answer {
  readonly id: number;
  readonly result: unknown;
}
