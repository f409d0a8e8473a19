import { readFile } from "node:fs/promises";
import { jsonSlices } from "../core/json-slices.ts";
import type { Json } from "../core/record.ts";
import type { EngineTables } from "../engines/duckdb/index.ts";
import type { NewState, State } from "../store/state.ts";
import type { Store } from "../store/store.ts";

/** Letters of an output up to which it lies in the database, which is written on the thread that serves. */
const mostInDatabase = 2 ** 20;

/** A block's output as it is stored: as text, or as a file when it is large. */
export async function storedOutput(
  output: Json | undefined,
  tables: EngineTables,
): Promise<Pick<NewState, "output" | "outputFile">> {
  if (output === undefined) return { output: null, outputFile: null };
  const pieces = jsonSlices(output);
  let begun = "";
  for (let next = await pieces.next(); ; next = await pieces.next()) {
    if (next.done) return { output: begun, outputFile: null };
    begun += next.value;
    if (begun.length > mostInDatabase) break;
  }
  async function* all() {
    yield begun;
    yield* pieces;
  }
  return { output: null, outputFile: await tables.writePieces(all()) };
}

/** The output of a stored state as JSON text, wherever it lies; null where it has none. */
export async function outputOf(state: State, store: Store): Promise<string | null> {
  const { output, outputFile } = state;
  if (outputFile === null) return output;
  await store.artifacts.check(outputFile);
  // With an encoding it would be decoded chunk by chunk, and joined by who looks into it.
  return (await readFile(store.files.path(outputFile))).toString();
}
