import { defineConfig } from "vitest/config";
import { FullRun } from "./test/support/report.ts";

/** Rooms whose tests start programs, or touch what a whole process has. */
const ofProcesses = ["commands", "evaluator", "jupyter", "notebooks"];
/** Rooms whose tests drive `dist`. */
const ofBuilt = ["repl"];

/** `--mode slow` runs what takes minutes, and only that. BLOCKLAB_ALL_TESTS=1 lets no test be skipped. */
export default defineConfig(({ mode }) => {
  const isSlow = mode === "slow";
  const kind = isSlow ? "slow.ts" : "test.{ts,tsx}";
  const files = (rooms: readonly string[]) => rooms.map((room) => `test/${room}/**/*.${kind}`);
  const exclude = files([...ofProcesses, ...ofBuilt]);
  return {
    test: {
      testTimeout: 30_000,
      hookTimeout: 30_000,
      maxWorkers: "100%",
      reporters: process.env.BLOCKLAB_ALL_TESTS ? ["default", new FullRun()] : ["default"],
      retry: process.env.CI ? 1 : 0,
      projects: [
        // One process per core for all of them; what takes minutes also measures, and is alone.
        {
          extends: true,
          test: {
            name: "unit",
            include: [`test/**/*.${kind}`],
            exclude,
            isolate: isSlow,
            globalSetup: "test/support/spark-shared.ts",
          },
        },
        { extends: true, test: { name: "process", include: files(ofProcesses) } },
        { extends: true, test: { name: "built", include: files(ofBuilt), globalSetup: "test/support/built.ts" } },
      ],
    },
  };
});
