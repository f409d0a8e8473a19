/**
 * How long it takes from starting the process to a prompt that takes keys, and prints a markdown table.
 *
 * node bench/start.ts [rounds=7]. Runs the built command line in a terminal of its own (`script`, from util-linux),
 * as `npm start` does without npm's own half second.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { inFolder, printTable, quantile, root } from "./measure.ts";

const rounds = Number(process.argv[2] ?? 7);
const cli = join(root, "dist/cli.js");

/** Milliseconds from the start of a command until its output matches. */
async function until(command: string, words: readonly string[], sign: RegExp, home: string): Promise<number> {
  const start = performance.now();
  const env = { ...process.env, BLOCKLAB_HOME: home, COLUMNS: "80", LINES: "24", TERM: "xterm-256color" };
  const child = spawn(command, words, { stdio: ["pipe", "pipe", "ignore"], env });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let heard = "";
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.stdout.on("data", (data: Buffer) => {
    heard += data.toString();
    if (sign.test(heard)) resolve(performance.now() - start);
  });
  child.once("exit", () => reject(new Error(`ended before ${sign} came:\n${heard}`)));
  try {
    return await promise;
  } finally {
    child.kill();
    await ended;
  }
}

const prompt: number[] = [];
const sum: number[] = [];
const node = process.execPath;
for (let round = 0; round < rounds; round++) {
  await inFolder(async (home) => {
    prompt.push(await until("script", ["-qfec", `${node} ${cli}`, "/dev/null"], /session\.input/, home));
    sum.push(await until(node, [cli, "-e", "1 + 1"], /^2$/m, home));
  });
}
const cell = (values: readonly number[]) =>
  `${quantile(values, 0.5).toFixed(0)} (${quantile(values, 0.95).toFixed(0)})`;
console.log(`From the start of the process, median (95th percentile) of ${rounds}, ms\n`);
printTable(
  ["until", "blocklab"],
  [
    ["the prompt is ready", cell(prompt)],
    ["`-e '1 + 1'` has answered", cell(sum)],
  ],
);
