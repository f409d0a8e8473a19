import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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

/** A Python that has these modules: BLOCKLAB_PYTHON, else python3; null when it lacks one. */
export function pythonWith(...modules: readonly string[]): string | null {
  const python = process.env.BLOCKLAB_PYTHON ?? "python3";
  const found = spawnSync(python, ["-c", `import ${modules.join(", ")}`], { stdio: "ignore" });
  return found.status === 0 ? python : null;
}
