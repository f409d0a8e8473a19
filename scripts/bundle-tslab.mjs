// Puts the parts of tslab that the kernel builds on into one file of dist, in the place of what loads them in a checkout.
//
// tslab brings a TypeScript compiler and a rollup, 50 MB, of which the kernel uses nothing; with its code in dist it is a
// package for development alone.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { licensesOf } from "./licenses.mjs";

/** Bundles them within dist, and writes down whose work is in it. */
export async function bundleTslab(dist) {
  const file = join(dist, "jupyter/tslab-jupyter.js");
  const bundle = await rolldown({
    input: { "tslab-jupyter": file },
    platform: "node",
    external: ["zeromq"],
    plugins: [
      {
        name: "parts",
        // The converter is the compiler; jupyter.js asks it for one function that our handler replaces.
        resolveId: (id) => (id === "./converter" ? id : null),
        load(id) {
          if (id === file) return 'import jupyter from "tslab/dist/jupyter.js";\nexport { jupyter };\n';
          return id === "./converter" ? "export {};" : null;
        },
      },
    ],
  });
  const { output } = await bundle.generate({ format: "esm" });
  writeFileSync(file, output[0].code);
  writeFileSync(join(dist, "jupyter/tslab-jupyter.LICENSES.txt"), licensesOf(output[0].moduleIds));
}
