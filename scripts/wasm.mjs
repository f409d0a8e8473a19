// Compiles src/numerics/wasm/assembly to WebAssembly, kept as text in code.ts above it.
// `--check` fails when the text is not fresh.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = `${root}src/numerics/wasm/code.ts`;
const folder = mkdtempSync(join(tmpdir(), "blocklab-wasm-"));
const file = join(folder, "code.wasm");
const options = ["-O3", "--runtime", "stub", "--noAssert", "--importMemory", "--enable", "simd"];
try {
  execFileSync(
    process.execPath,
    [`${root}node_modules/assemblyscript/bin/asc.js`, "src/numerics/wasm/assembly/index.ts", "-o", file, ...options],
    { stdio: "inherit", cwd: root },
  );
  const lines = readFileSync(file)
    .toString("base64")
    .match(/.{1,100}/g);
  const text = `/** The loops of assembly/ as WebAssembly, in base64; \`npm run build\` writes it. */\nexport const code =\n${lines.map((line) => `  "${line}"`).join(" +\n")};\n`;
  if (!process.argv.includes("--check")) writeFileSync(target, text);
  else if (readFileSync(target, "utf8") !== text) {
    console.error("src/numerics/wasm/code.ts is not what assembly/ compiles to; run npm run build.");
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
