import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Computing } from "../src/core/block.ts";
import type { Result } from "../src/session/index.ts";
import type { Pool } from "../src/workers/index.ts";

/** The checkout's own folder. */
export const root = new URL("..", import.meta.url).pathname;

/** Runs work in a folder of its own, which is removed afterwards. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "blocklab-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Milliseconds that the work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Milliseconds that work takes by the clock, and of processor time of all threads of this process, several times. */
export async function timedWithWork(
  repeats: number,
  work: () => Promise<unknown>,
): Promise<{ readonly clock: number[]; readonly busy: number[] }> {
  const [clock, busy]: [number[], number[]] = [[], []];
  for (let k = 0; k < repeats; k++) {
    const before = process.cpuUsage();
    clock.push(await timed(work));
    const { user, system } = process.cpuUsage(before);
    busy.push((user + system) / 1000);
  }
  return { clock, busy };
}

/** The value below which a share of the values lies: 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Prints a markdown table; the first column is text, the others are numbers. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  console.log([line(header), `|---|${"--:|".repeat(header.length - 1)}`, ...rows.map(line)].join("\n"));
}

/** A row of a table: what was done, the medians of both sides in seconds, and how many times as fast ours is. */
export function comparison(name: string, ours: readonly number[], theirs: readonly number[] | undefined): string[] {
  const [mine, other] = [quantile(ours, 0.5), theirs ? quantile(theirs, 0.5) : null];
  const seconds = (ms: number) => (ms / 1000).toFixed(2);
  return [
    name,
    seconds(mine),
    other === null ? "–" : seconds(other),
    other === null ? "–" : `${(other / mine).toFixed(1)}×`,
  ];
}

/** Ends with a sentence where a name isn't known; an unknown one would else time nothing. */
export function refuseUnknown(
  who: string,
  what: string,
  asked: readonly string[] | undefined,
  known: readonly string[],
): void {
  const unknown = asked?.find((name) => name !== "all" && !known.includes(name));
  if (unknown === undefined) return;
  console.error(`${who}: there is no ${what} "${unknown}". There are: all; ${known.join("; ")}.`);
  process.exit(2);
}

/**
 * Cells of a row by the least times of both sides: seconds by the clock and, in brackets, of CPU, and how many times as fast.
 *
 * Both have milliseconds by name, and under the name with ", cpu" those of CPU.
 */
export function leastBeside(
  name: string,
  ours: Readonly<Record<string, readonly number[]>>,
  theirs: Readonly<Record<string, readonly number[]>>,
): string[] {
  const least = (times: readonly number[]) => Math.min(...times) / 1000;
  const seconds = (times: Readonly<Record<string, readonly number[]>>) =>
    `${least(times[name]!).toFixed(2)} (${least(times[`${name}, cpu`]!).toFixed(2)})`;
  if (!theirs[name]) return [seconds(ours), "–", "–"];
  const share = (key: string) => `${(least(theirs[key]!) / least(ours[key]!)).toFixed(2)}×`;
  return [seconds(ours), seconds(theirs), `${share(name)} (${share(`${name}, cpu`)})`];
}

/**
 * Milliseconds until a block is answered, several times; where a table comes of it, also until all its rows are a file.
 */
export async function timedBlock(
  repeats: number,
  call: () => Promise<Result>,
  save: ((url: string) => Promise<unknown>) | null,
): Promise<{ readonly answered: number[]; readonly file: number[] }> {
  const [answered, file]: [number[], number[]] = [[], []];
  for (let k = 0; k < repeats; k++) {
    const start = performance.now();
    const result = await call();
    answered.push(performance.now() - start);
    if (!save) continue;
    await save(result.dataset.url);
    file.push(performance.now() - start);
  }
  return { answered, file };
}

/** What work on the threads of a pool asks of a context, outside of any block. */
export function computingOn(pool: Pool, threads: number): Computing {
  return {
    block: { id: 1, code: "BENCH", name: "bench" },
    threads,
    progress() {},
    compute: (kernel, input) => pool.run(kernel, input),
  };
}

/** A Python that has these modules: BLOCKLAB_PYTHON, else python3; null when it lacks one. */
export function pythonWith(...modules: readonly string[]): string | null {
  const python = process.env.BLOCKLAB_PYTHON ?? "python3";
  const found = spawnSync(python, ["-c", `import ${modules.join(", ")}`], { stdio: "ignore" });
  return found.status === 0 ? python : null;
}

/**
 * The end of a Python script: prints the milliseconds that each function of `work` took, `repeats` times, as JSON.
 *
 * Under its name with ", cpu" stand those of processor time.
 */
export const timesInPython = `
out = {}
for name, run in work.items():
    times, busy = [], []
    for _ in range(repeats):
        start, begun = time.perf_counter(), time.process_time(); run()
        times.append(1000 * (time.perf_counter() - start)); busy.append(1000 * (time.process_time() - begun))
    out[name], out[name + ", cpu"] = times, busy
print(json.dumps(out))
`;

/** The http service in a process of its own. */
export interface Service {
  readonly url: string;
  readonly child: ChildProcess;
}

/** Runs work on a service with this key and these words of its command line, and stops it afterwards. */
export async function withService<T>(
  key: string,
  words: readonly string[],
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const child = spawn(process.execPath, [join(root, "src/cli.ts"), "serve", "--port", "0", ...words], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, BLOCKLAB_KEY: key },
  });
  const ended = once(child, "exit");
  try {
    return await work({ url: await listening(child), child });
  } finally {
    child.kill();
    await ended;
  }
}

async function listening(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const url = /listening on (\S+)/.exec(line)?.[1];
    if (url) return url;
  }
  throw new Error("the service did not start");
}

/** Memory that a process has resident, and the most that it has had, in MiB; Linux alone. */
export function residentOf(pid: number): { readonly now: number; readonly most: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: mib("VmRSS"), most: mib("VmHWM") };
}

/** Seconds of processor time that a process of this machine has taken so far, its threads with it. Linux alone. */
export function processorSecondsOf(pid: number): number {
  // Fields 14 and 15 are user and system time in hundredths; the name before them may hold blanks.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
