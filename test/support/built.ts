import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Builds `dist` before tests that drive it, unless it is younger than all of `src`. */
export function setup(): void {
  const built = statSync(join(root, "dist/cli.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const files = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true });
  const isFresh = files.every((file) => statSync(join(file.parentPath, file.name)).mtimeMs <= built);
  if (!isFresh) execFileSync(process.execPath, [join(root, "scripts/build.mjs")], { cwd: root, stdio: "inherit" });
}
