import type { Expr } from "./expr.ts";

/** A stretch of the text that an expression was read from: from one place up to another. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What is wrong with an expression, as data: who words it knows the block, the text and the nearest names. */
export interface Problem {
  readonly code: "syntax" | "unknown_column" | "unknown_parameter" | "unknown_function" | "type" | "size" | "not_here";
  /** One clause: the rule and what came. */
  readonly message: string;
  /** What to do in place of it, as a sentence; of unknown names the nearest of `candidates` is one. */
  readonly cure?: string;
  readonly got?: string;
  readonly candidates?: readonly string[];
  readonly span?: Span;
}

/** A name as a problem's message says it: in quotes, and cut where nobody would read on. */
export function inQuotes(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 57)}…` : name);
}

/** Thrown within this room alone, where a problem is found deep in a tree. */
export class Refusal extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Where each part of an expression stood in its text. */
export type Spans = ReadonlyMap<Expr, Span>;

/** Does work that may refuse, and answers the problem as data. */
export function caught<T>(work: () => T): T | { readonly problem: Problem } {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.problem };
    throw error;
  }
}
