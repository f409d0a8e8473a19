import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { createSession } from "../../src/index.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-projects-"));
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(home, { recursive: true, force: true }));

it.each([
  ["/home/ada/Which penguin.ipynb", "Which penguin"],
  ["C:\\books\\iris.ipynb", "iris"],
  [`/x/${"n".repeat(250)}.ipynb`, "n".repeat(200)],
  ["/home/ada/console-1-6f1e", "default"],
  ["/home/ada/ .ipynb", "default"],
  [undefined, "default"],
])("a session that Jupyter starts for %s opens a project of that name", async (notebook, name) => {
  vi.stubEnv("JPY_SESSION_NAME", notebook);
  const session = createSession({ home });
  expect((await session.current()).project_name).toBe(name);
  await session.project("another");
  expect((await session.current()).project_name).toBe("another");
  await session.close();
});
