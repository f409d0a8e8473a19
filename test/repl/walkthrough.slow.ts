import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { notebooks } from "../support/notebooks.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

it("runs the cells of all notebooks that need no server at the prompt, one after the other", {
  timeout: 180_000,
}, () => {
  const home = mkdtempSync(join(tmpdir(), "blocklab-walk-"));
  const env = { ...process.env, NODE_OPTIONS: "", BLOCKLAB_HOME: home, BLOCKLAB_URL: "" };
  // The table of far-tables lies on Spark, which no prompt brings along.
  const read = notebooks.filter(({ file }) => file !== "far-tables.ipynb");
  const input = `${read.flatMap(({ cells }) => cells).join("\n\n")}\n`;
  const done = spawnSync(process.execPath, [join(root, "dist", "cli.js")], { input, encoding: "utf8", env, cwd: home });
  rmSync(home, { recursive: true });
  expect(done).toMatchObject({ status: 0, stderr: "" });
  expect(done.stdout.match(/judged on [\d,]+ test rows/g)?.length).toBeGreaterThan(20);
});
