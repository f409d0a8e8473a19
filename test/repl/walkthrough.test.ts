import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { declared } from "../../src/registry/index.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The code of all notebooks, cell after cell. */
const cells = readdirSync(join(root, "notebooks"))
  .filter((name) => name.endsWith(".ipynb"))
  .flatMap((name) => {
    const book = JSON.parse(readFileSync(join(root, "notebooks", name), "utf8")) as {
      cells: { cell_type: string; source: string[] }[];
    };
    return book.cells.filter((cell) => cell.cell_type === "code").map((cell) => cell.source.join(""));
  });

it("shows every block in some notebook", () => {
  const code = cells.join("\n");
  const missing = declared.filter(({ name }) => !new RegExp(`\\.${name}\\(`).test(code)).map(({ name }) => name);
  expect(missing).toEqual([]);
});

it("runs every notebook's cells at the prompt, one after the other", { timeout: 180_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), "blocklab-walk-"));
  const env = { ...process.env, NODE_OPTIONS: "", BLOCKLAB_HOME: home, BLOCKLAB_URL: "" };
  const input = `${cells.join("\n\n")}\n`;
  const done = spawnSync(process.execPath, [join(root, "dist", "cli.js")], { input, encoding: "utf8", env, cwd: home });
  rmSync(home, { recursive: true });
  expect(done).toMatchObject({ status: 0, stderr: "" });
  expect(done.stdout.match(/judged on [\d,]+ test rows/g)?.length).toBeGreaterThan(20);
});
