// Puts Ink, React and all that they import into one file beside the prompt's own.
//
// They come as 570 modules, which take 0.2 s to find, read and link; as one file it is 0.08 s. React's production
// build is taken as well, whatever NODE_ENV says later: it is faster, and keeps less.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { rolldown } from "rolldown";

/** What the app's files import, and the one file that stands for all of it. */
const entry = `export * from "ink";
export { createElement, useEffect, useSyncExternalStore } from "react";
export { Fragment, jsx, jsxs } from "react/jsx-runtime";
`;
const imported = /(?<=^import .* from )"(?:ink|react|react\/jsx-runtime)"/gm;

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
        resolveId: (id) => (id === "blocklab:ink" ? join(dist, "repl/ink.js") : null),
        load: (id) => (id === join(dist, "repl/ink.js") ? entry : null),
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

/** The licences of the packages that the modules belong to. */
function licensesOf(modules) {
  const folders = modules.map((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0]);
  return [...new Set(folders.filter((each) => each !== undefined))]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      return `${name} ${version}\n\n${file ? readFileSync(join(folder, file), "utf8").trim() : license}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}
