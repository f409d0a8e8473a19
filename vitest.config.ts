import { defineConfig } from "vitest/config";
import { FullRun } from "./test/support/report.ts";

/** `--mode slow` runs what takes minutes, and only that. BLOCKLAB_ALL_TESTS=1 lets no test be skipped. */
export default defineConfig(({ mode }) => ({
  test: {
    include: mode === "slow" ? ["test/**/*.slow.ts"] : ["test/**/*.test.ts", "test/**/*.test.tsx"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: "100%",
    reporters: process.env.BLOCKLAB_ALL_TESTS ? ["default", new FullRun()] : ["default"],
    retry: process.env.CI ? 1 : 0,
  },
}));
