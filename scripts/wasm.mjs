// Compiles src/numerics/wasm/assembly to WebAssembly, kept as text in code.ts and boost-code.ts above it.
// `--check` fails when the text is not fresh.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "blocklab-wasm-"));
const options = ["-O3", "--runtime", "stub", "--noAssert", "--importMemory", "--enable", "simd"];
const shared = ["--enable", "threads", "--sharedMemory", "--initialMemory", "1", "--maximumMemory", "65536"];
try {
  compile("index.ts", "code.ts", "The loops of assembly/", []);
  compile("boost.ts", "boost-code.ts", "The loops of assembly/boost.ts, over shared memory,", shared);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function compile(source, name, what, more) {
  const file = join(folder, "code.wasm");
  const asc = `${root}node_modules/assemblyscript/bin/asc.js`;
  const args = [asc, `src/numerics/wasm/assembly/${source}`, "-o", file, ...options, ...more];
  execFileSync(process.execPath, args, { stdio: "inherit", cwd: root });
  const lines = readFileSync(file)
    .toString("base64")
    .match(/.{1,100}/g);
  const text = `/** ${what} as WebAssembly, in base64; \`npm run build\` writes it. */\nexport const code =\n${lines.map((line) => `  "${line}"`).join(" +\n")};\n`;
  const target = `${root}src/numerics/wasm/${name}`;
  if (!process.argv.includes("--check")) writeFileSync(target, text);
  else if (readFileSync(target, "utf8") !== text) {
    console.error(`src/numerics/wasm/${name} is not what assembly/ compiles to; run npm run build.`);
    process.exitCode = 1;
  }
}
