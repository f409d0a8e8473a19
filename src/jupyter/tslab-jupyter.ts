import { createRequire } from "node:module";
import type { TslabJupyter } from "./tslab.ts";

const require = createRequire(import.meta.url);

/**
 * Loads tslab's Jupyter parts, without the TypeScript compiler that comes with them.
 *
 * This is how sources run in a checkout. What is built has tslab's own code in the place of this file, so that who
 * installs blocklab gets neither tslab's compiler (38 MB) nor its rollup. While jupyter.js loads, its converter is stood in
 * for; whoever asks for the converter afterwards gets the real one.
 */
function loadJupyter(): TslabJupyter {
  const converter = require.resolve("tslab/dist/converter.js");
  if (require.cache[converter]) return require("tslab/dist/jupyter.js") as TslabJupyter;
  const standIn = { id: converter, filename: converter, loaded: true, exports: {}, children: [], paths: [] };
  // A cast because a module record has more members than a reader of the cache looks at.
  require.cache[converter] = standIn as unknown as NodeJS.Module;
  try {
    return require("tslab/dist/jupyter.js") as TslabJupyter;
  } finally {
    delete require.cache[converter];
  }
}

/** tslab's Jupyter parts. */
export const jupyter: TslabJupyter = loadJupyter();
