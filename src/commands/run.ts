import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ArgsError } from "../core/errors.ts";
import { runFile } from "../notebooks/run.ts";
import { readOptions } from "./options.ts";
import { openWorkbench } from "./workbench.ts";

/** `blocklab run FILE`: runs a notebook or a script without Jupyter. */
export async function runCommand(words: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions("run", words, {
    inplace: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    fresh: { type: "boolean", default: false },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0)
    throw new ArgsError("blocklab run takes one file, a notebook (.ipynb) or a script (.ts).");
  // As Jupyter tells its kernels.
  if (file.endsWith(".ipynb")) process.env.JPY_SESSION_NAME = resolve(file);
  if (!values.fresh) return await runFile(file, values, openWorkbench);
  const home = mkdtempSync(join(tmpdir(), "blocklab-fresh-"));
  Object.assign(process.env, { BLOCKLAB_HOME: home, BLOCKLAB_URL: "" });
  try {
    return await runFile(file, values, openWorkbench);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
