import { execFileSync, spawnSync } from "node:child_process";

/** A Python that can import these modules: BLOCKLAB_PYTHON, else python3; null where there is none. */
export function pythonWith(...modules: readonly string[]): string | null {
  const canImport = (python: string) => spawnSync(python, ["-c", `import ${modules.join(", ")}`]).status === 0;
  return [process.env.BLOCKLAB_PYTHON, "python3"].find((python) => python && canImport(python)) ?? null;
}

/** Why a test that needs these modules doesn't run, for its title; empty when it does. */
export function whyNoPython(python: string | null, ...modules: readonly string[]): string {
  return python ? "" : `, skipped: no Python with ${modules.join(", ")}; set BLOCKLAB_PYTHON=$(.ci/python)`;
}

/** Runs Python and answers what it printed, read as JSON; `input` comes to it as JSON on stdin. */
export function askPython<T>(python: string, script: string, input: unknown): T {
  const options = { input: JSON.stringify(input), encoding: "utf8", maxBuffer: 1 << 28 } as const;
  return JSON.parse(execFileSync(python, ["-c", script], options)) as T;
}
