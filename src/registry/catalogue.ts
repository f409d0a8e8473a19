import * as blocks from "../blocks/index.ts";
import type { Block } from "../core/block.ts";
import { ArgsError } from "../core/errors.ts";
import { didYouMean, quoted } from "../core/names.ts";

/** Every declared block by its helper's name, as written in blocks/index.ts. */
export type Blocks = typeof blocks;

/** The blocks that have a helper, in the order of their names. */
export const declared: readonly Block[] = Object.values(blocks as Record<string, unknown>).filter(isBlock);

/** Every block, prediction and metrics included. */
export const allBlocks: readonly Block[] = declared.flatMap((block) => [block, ...(block.derived ?? [])]);

const byCodes = new Map<string, Block>(
  allBlocks.flatMap((block) => [block.code, ...(block.codes ?? [])].map((code) => [code, block] as const)),
);

const byNames = new Map(declared.map((block) => [block.name, block]));

/** The block of a function code; blanks around it don't count, an unknown one is answered with the nearest. */
export function byCode(code: string): Block {
  const found = byCodes.get(code.trim());
  if (found) return found;
  const known = [...byCodes.keys()];
  throw new ArgsError(
    `function_code ${quoted(code)} is unknown.${didYouMean(code, known)} GET /api/v1/engine/functionsdb lists all ${known.length}.`,
    { code: "unknown_function", path: "function_code", got: code.slice(0, 80) },
  );
}

/** The block whose helper has that name, if there is one. */
export function byName(name: string): Block | undefined {
  return byNames.get(name);
}

function isBlock(value: unknown): value is Block {
  return typeof value === "object" && value !== null && (value as { kind?: unknown }).kind === "block";
}
