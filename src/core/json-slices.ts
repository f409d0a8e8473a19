import { setImmediate as turn } from "node:timers/promises";
import type { Json } from "./record.ts";

/** How long the thread may be kept before others have their turn. */
const sliceMs = 20;

/** A value as JSON.stringify writes it, with turns for others between the lists of a large one. */
export async function jsonInSlices(value: Json): Promise<string> {
  let pieces = "";
  let since = performance.now();
  for (const piece of piecesOf(value)) {
    pieces += piece;
    if (performance.now() - since < sliceMs) continue;
    await turn();
    since = performance.now();
  }
  return pieces;
}

/** Lists of numbers and texts are a piece each. */
function* piecesOf(value: Json | undefined): Generator<string> {
  if (Array.isArray(value) && value.some((item) => typeof item === "object" && item !== null)) {
    for (const [k, item] of value.entries()) {
      yield k === 0 ? "[" : ",";
      yield* piecesOf(item as Json);
    }
    yield "]";
  } else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
    yield "{";
    for (const [k, [name, inner]] of fields.entries()) {
      yield `${k > 0 ? "," : ""}${JSON.stringify(name)}:`;
      yield* piecesOf(inner as Json);
    }
    yield "}";
  } else yield JSON.stringify(value) ?? "null";
}
