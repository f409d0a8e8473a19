import type { ValueType } from "./types.ts";

/**
 * What a parameter takes.
 *
 * `N` is one type of numbers for all parameters so named: whole numbers as long as all are. `T` is any one type.
 * The words of `constants` are known before anything runs.
 */
export type Kind = "N" | "T" | "any" | ValueType | (typeof constants)[number];

/** Kinds of constants: a pattern, a unit of time, a count from 1, any whole number, a share from 0 to 1, lists, and a file of such. */
export const constants = ["pattern", "unit", "count", "whole", "share", "numbers", "strings", "list", "file"] as const;

/** A parameter of a function. */
export interface Parameter {
  readonly name: string;
  readonly kind: Kind;
  readonly isOptional: boolean;
  /** It stands for any number of arguments, none included. */
  readonly isRest: boolean;
}

/** What a function takes and answers. */
export interface Signature {
  readonly parameters: readonly Parameter[];
  readonly answer: Kind;
}

/** Reads a signature as it stands in the table of functions: "x: N, digits?: whole => N". */
export function readSignature(text: string): Signature {
  const [left, answer] = text.split("=>").map((each) => each.trim());
  const parameters = left === "" ? [] : left.split(",").map(readParameter);
  return { parameters, answer: answer as Kind };
}

function readParameter(text: string): Parameter {
  const [label, kind] = text.split(":").map((each) => each.trim());
  const isRest = label.startsWith("...");
  const isOptional = label.endsWith("?");
  return { name: label.replace(/^\.\.\.|\?$/g, ""), kind: kind as Kind, isOptional, isRest };
}

/** Is what the parameter takes known before anything runs? */
export function isConstant(kind: Kind): boolean {
  return (constants as readonly string[]).includes(kind);
}
