import { Refusal } from "./problem.ts";

/** An expression is at most so large: engines plan larger ones in quadratic time, or not at all. */
export const limits = { letters: 10_000, levels: 64, parts: 2_000 } as const;

/** The text of an expression is too long. */
export function tooLong(letters: number): Refusal {
  return tooLarge(`${grouped(limits.letters)} characters, and ${grouped(letters)} came`);
}

/** The parts of an expression stand too deep within each other. */
export function tooDeep(): Refusal {
  return tooLarge(`${limits.levels} levels within each other`);
}

/** An expression has too many parts. */
export function tooManyParts(): Refusal {
  return tooLarge(`${grouped(limits.parts)} parts`);
}

function tooLarge(most: string): Refusal {
  return new Refusal({ code: "size", message: `an expression has at most ${most}` });
}

function grouped(number: number): string {
  return number.toLocaleString("en-US");
}
