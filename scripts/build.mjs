// Compiles src to dist. Runs after `npm ci`, so that a fresh clone can start at once.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundleApp } from "./bundle-app.mjs";
import { bundleTslab } from "./bundle-tslab.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const node = (...args) => execFileSync(process.execPath, args, { stdio: "inherit", cwd: root });
rmSync(`${root}dist`, { recursive: true, force: true });
node(`${root}scripts/wasm.mjs`);
node(`${root}scripts/prose.mjs`);
// The `tsc` on the path is tslab's own, an older one.
node(`${root}node_modules/typescript/bin/tsc`, "-p", `${root}tsconfig.build.json`);
await bundleApp(`${root}dist/`);
await bundleTslab(`${root}dist/`);

// What `import "blocklab/expressions"` gives to a checker that isn't ours. There is nothing to run: expressions are read.
const { expressionDeclarations } = await import(`${root}dist/session/expression-types.js`);
writeFileSync(`${root}dist/expressions.d.ts`, `export {};\n${expressionDeclarations()}\n`);
writeFileSync(`${root}dist/expressions.js`, "export {};\n");
