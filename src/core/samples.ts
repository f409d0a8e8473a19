import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where the data sets are that ship with blocklab; both from src/core and from dist/core they lie two folders up. */
export const samplesFolder = fileURLToPath(new URL("../../samples/", import.meta.url));

/** The names of the samples that ship with blocklab. */
export function sampleNames(): string[] {
  return readdirSync(samplesFolder)
    .filter((name) => /\.(csv|json|zip)$/.test(name))
    .map((name) => name.replace(/\.\w+$/, ""))
    .sort();
}
