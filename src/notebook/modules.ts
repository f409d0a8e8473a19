import { statSync } from "node:fs";
import { createRequire, isBuiltin, registerHooks } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Marks an import that comes from a cell; the part before the second colon names the evaluator. */
const scheme = "blocklab-cell";

let nextResolver = 1;
const folders = new Map<string, string>();
let isHooked = false;

/** How a cell imports: what it writes, and the options behind it. */
export type CellImport = ((specifier: string, options?: ImportCallOptions) => Promise<unknown>) & {
  readonly meta: { readonly url: string; readonly dirname: string };
};

/**
 * Imports for cells: modules handed over first, then from the notebook's folder, then from blocklab's own install.
 *
 * Local files are imported anew when they changed.
 */
export function cellImports(folder: string, modules: Readonly<Record<string, unknown>>): CellImport {
  hookOnce();
  const id = String(nextResolver++);
  folders.set(id, pathToFileURL(join(folder, "cell.js")).href);
  const load = async (specifier: string, options?: ImportCallOptions): Promise<unknown> => {
    if (Object.hasOwn(modules, specifier)) return modules[specifier];
    if (isBuiltin(specifier)) return await import(specifier);
    return await import(`${scheme}:${id}:${specifier}`, withJson(specifier, options));
  };
  return Object.assign(load, { meta: { url: pathToFileURL(join(folder, "cell.js")).href, dirname: folder } });
}

/** `require` for cells, from the notebook's folder. */
export function cellRequire(folder: string): NodeJS.Require {
  return createRequire(join(folder, "cell.js"));
}

function withJson(specifier: string, options?: ImportCallOptions): ImportCallOptions | undefined {
  return options ?? (specifier.endsWith(".json") ? { with: { type: "json" } } : undefined);
}

function hookOnce(): void {
  if (isHooked) return;
  isHooked = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const cell = /^blocklab-cell:(\d+):([\s\S]+)$/.exec(specifier);
      if (!cell) return nextResolve(specifier, context);
      const parentURL = folders.get(cell[1]);
      try {
        return fresh(nextResolve(cell[2], { ...context, parentURL }));
      } catch (error) {
        // What is not installed beside the notebook may be among blocklab's own packages.
        if (/^[./]/.test(cell[2]) || (error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
        try {
          return nextResolve(cell[2], { ...context, parentURL: import.meta.url });
        } catch {
          throw error;
        }
      }
    },
  });
}

/** A local file's URL carries the time of its last change, so that a changed file is another module. */
function fresh<T extends { url: string }>(resolved: T): T {
  if (!resolved.url.startsWith("file:") || resolved.url.includes("/node_modules/")) return resolved;
  const changed = statSync(fileURLToPath(resolved.url), { throwIfNoEntry: false })?.mtimeMs;
  return changed === undefined ? resolved : { ...resolved, url: `${resolved.url}?changed=${changed}` };
}
