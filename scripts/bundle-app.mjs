// Puts Ink, React and all that they import into one file beside the prompt's own.
//
// They come as 570 modules, which take 0.2 s to find, read and link; as one file it is 0.08 s. React's production
// build is taken as well, whatever NODE_ENV says later: it is faster, and keeps less.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { licensesOf } from "./licenses.mjs";

/** What the app's files import, and the one file that stands for all of it. */
const entry = `export * from "ink";
export { createElement, useEffect, useSyncExternalStore } from "react";
export { Fragment, jsx, jsxs } from "react/jsx-runtime";
export { default } from "string-width";
`;
const imported = /(?<=^import .* from )"(?:ink|react|react\/jsx-runtime|string-width)"/gm;

/** What makes V8 load Unicode's tables: 25 ms for the first segmenter and the first class of properties. */
const tables = /^const (\w+) = (new Intl\.Segmenter\(.*\)|new RegExp\(.*\\p\{.*\)|\/.*\\p\{.*\/[gimsuvy]*);$/gm;

/** Bundles what the prompt's app imports within dist, and writes down whose work is in it. */
export async function bundleApp(dist) {
  const folder = join(dist, "repl/bundled");
  const bundle = await rolldown({
    input: { ink: "blocklab:ink" },
    platform: "node",
    // Asked for by Ink when DEV=true is set, and never installed here.
    external: ["react-devtools-core"],
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
    plugins: [
      {
        name: "entry",
        resolveId(id) {
          if (id === "blocklab:ink") return join(dist, "repl/ink.js");
          // Ink's own copies are five; with one, it and the prompt agree on how wide a letter is.
          return id === "string-width" ? fileURLToPath(import.meta.resolve("string-width")) : null;
        },
        load: (id) => (id === join(dist, "repl/ink.js") ? entry : null),
        transform: (code, id) => (/yoga-layout.*yoga-wasm/.test(id) ? withoutFetch(code) : whenUsed(code)),
      },
    ],
  });
  const { output } = await bundle.write({ dir: folder, format: "esm", chunkFileNames: "[name].js" });
  writeFileSync(join(folder, "LICENSES.txt"), licensesOf(output.flatMap((chunk) => chunk.moduleIds ?? [])));
  for (const name of readdirSync(join(dist, "repl"), { recursive: true })) {
    const file = join(dist, "repl", name);
    if (!file.endsWith(".js") || file.startsWith(folder)) continue;
    const text = readFileSync(file, "utf8");
    const path = relative(dirname(file), join(folder, "ink.js"))
      .replaceAll("\\", "/")
      .replace(/^(?!\.)/, "./");
    if (text.search(imported) >= 0) writeFileSync(file, text.replace(imported, `"${path}"`));
  }
}

/**
 * Yoga (3.2) fetches its WebAssembly from a data URL; Node loads all of undici for that, 40 ms before the first picture.
 *
 * Without a `fetch` it decodes the URL itself. To be deleted when Yoga does so in Node.
 */
function withoutFetch(code) {
  const asked = /"function"\s*!=\s*typeof fetch/g;
  if (!asked.test(code)) throw new Error("Yoga no longer fetches its WebAssembly: bundle-app's withoutFetch can go.");
  return code.replace(asked, "true");
}

/** Puts off what loads Unicode's tables until it is used: plain letters do without. */
function whenUsed(code) {
  const names = [...code.matchAll(tables)].map(([, name]) => name);
  if (names.length === 0) return null;
  const put = code.replace(
    tables,
    (_, name, made) => `let made_${name};\nconst put_${name} = () => made_${name} ??= ${made};`,
  );
  return names.reduce(
    (text, name) => text.replace(new RegExp(`(?<![\\w.$])${name}(?![\\w$])`, "g"), `put_${name}()`),
    put,
  );
}
