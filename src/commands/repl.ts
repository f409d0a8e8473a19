import { readOptions } from "./options.ts";
import { openBehind, promptOptions } from "./prompt-options.ts";

/**
 * `blocklab`: the prompt in a terminal; without one, cells from stdin or `-e`, or a short tour.
 *
 * Only what draws the prompt is loaded before it is drawn.
 */
export async function replCommand(words: readonly string[]): Promise<number> {
  const { values } = readOptions("repl", words, {
    eval: { type: "string", short: "e" },
    json: { type: "boolean", default: false },
    home: { type: "string" },
    graphics: { type: "string" },
    "screen-reader": { type: "boolean", default: process.env.INK_SCREEN_READER === "true" },
  });
  if (values.home !== undefined) process.env.BLOCKLAB_HOME = values.home;
  const options = promptOptions({ graphics: values.graphics, isSpoken: values["screen-reader"] });
  if (values.eval !== undefined) return await (await import("./paper.ts")).evalOnce(values.eval, values.json);
  if (!process.stdin.isTTY || !process.stdout.isTTY) return await (await import("./paper.ts")).runStdin();
  // What is typed before the prompt stands is the prompt's: the terminal neither shows it nor makes lines of it.
  process.stdin.setRawMode(true);
  const { startRepl } = await import("../repl/start.ts");
  return await startRepl({ ...options, open: openBehind() });
}
