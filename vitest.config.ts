import { defineConfig } from "vitest/config";

/** `vitest run --mode slow` runs what takes minutes, and only that. */
export default defineConfig(({ mode }) => ({
  test: {
    include: mode === "slow" ? ["test/**/*.slow.ts"] : ["test/**/*.test.ts", "test/**/*.test.tsx"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: "100%",
    retry: process.env.CI ? 1 : 0,
  },
}));
