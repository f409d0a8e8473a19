import { createRequire, isBuiltin, registerHooks } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { didYouMean, quoted } from "../core/names.ts";
import { forget, versionOf } from "./fresh.ts";

/** Marks an import that comes from a cell; the part before the second colon names the evaluator. */
const scheme = "blocklab-cell";

/** Tells the version of a local file in its URL, so that a changed file is another module. */
const versionKey = "blocklab";

let nextResolver = 1;
const folders = new Map<string, string>();
/** Where cells' imports led, by what was asked for. */
const roots = new Map<string, string>();
let isHooked = false;

type Import = (specifier: string, options?: ImportCallOptions) => Promise<object>;

const nativeModule = "data:text/javascript,export const nativeImport = (name, options) => import(name, options)";

/** Node's own `import()`, out of reach of bundlers and test runners, which replace the one in a source file. */
async function nativeImport(specifier: string, options?: ImportCallOptions): Promise<object> {
  const native = (await import(/* @vite-ignore */ nativeModule)) as { readonly nativeImport: Import };
  return await native.nativeImport(specifier, options);
}

/** How a cell imports: what it writes, the options behind it, and the names that the module must export. */
export type CellImport = ((
  specifier: string,
  options?: ImportCallOptions,
  needed?: readonly string[],
) => Promise<object>) & {
  readonly meta: { readonly url: string; readonly dirname: string };
};

/**
 * Imports for cells: modules handed over first, then from the notebook's folder, then from blocklab's own install.
 *
 * Local files are imported anew when they changed.
 */
export function cellImports(folder: string, modules: Readonly<Record<string, object>>): CellImport {
  hookOnce();
  const id = String(nextResolver++);
  const url = pathToFileURL(resolve(folder, "cell.js")).href;
  folders.set(id, url);
  const find = async (specifier: string, options?: ImportCallOptions): Promise<object> => {
    if (Object.hasOwn(modules, specifier)) return modules[specifier];
    if (isBuiltin(specifier)) return await nativeImport(specifier);
    const asked = `${scheme}:${id}:${specifier}`;
    try {
      return await nativeImport(asked, withJson(specifier, options));
    } catch (error) {
      const file = plainUrl(roots.get(asked));
      if (file !== null) forget(file);
      throw withCure(error);
    }
  };
  const load: (...call: Parameters<CellImport>) => Promise<object> = async (specifier, options, needed = []) => {
    // A program may compute what it imports, and hand over a URL.
    const name = String(specifier);
    return withNames(await find(name, options), name, needed);
  };
  return Object.assign(load, { meta: { url, dirname: resolve(folder) } });
}

/** Node says which package is not there; people want to know what to do. */
function withCure(error: unknown): unknown {
  const { code, message } = error as { code?: string; message?: string };
  const name =
    code === "ERR_MODULE_NOT_FOUND" ? /^Cannot find package '((?:@[^/']+\/)?[^/']+)/.exec(message ?? "")?.[1] : null;
  if (!name) return error;
  return Object.assign(error as Error, {
    message: `There is no package ${quoted(name)} beside the notebook. In its folder: npm install ${name}`,
  });
}

/** `require` for cells, from the notebook's folder. */
export function cellRequire(folder: string): NodeJS.Require {
  return createRequire(resolve(folder, "cell.js"));
}

/** Sees to it that a module has the names a cell imports; Node can't always tell those of a CommonJS module. */
function withNames(found: object, specifier: string, needed: readonly string[]): object {
  const missing = needed.filter((name) => !(name in found));
  if (missing.length === 0) return found;
  const inner: unknown = (found as { default?: unknown }).default;
  const isContainer = (typeof inner === "object" && inner !== null) || typeof inner === "function";
  const lost = missing.find((name) => !isContainer || !(name in inner));
  if (lost === undefined) {
    const extra = missing.map((name) => [name, (inner as Record<string, unknown>)[name]] as const);
    return { ...found, ...Object.fromEntries(extra) };
  }
  const what = lost === "default" ? "no default export" : `no export named ${quoted(lost)}`;
  throw new SyntaxError(`The module ${quoted(specifier)} has ${what}.${didYouMean(lost, Object.keys(found))}`);
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
      if (cell) {
        const found = fresh(resolveFor(cell[2], folders.get(cell[1]), context, nextResolve), null);
        roots.set(specifier, found.url);
        return found;
      }
      const importer = plainUrl(context.parentURL);
      const found = nextResolve(specifier, context);
      return importer === null ? found : fresh(found, importer);
    },
  });
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>;

function resolveFor(
  specifier: string,
  parentURL: string | undefined,
  context: Parameters<Resolve>[1],
  nextResolve: Parameters<Resolve>[2],
) {
  try {
    return nextResolve(specifier, { ...context, parentURL });
  } catch (error) {
    // What is not installed beside the notebook may be among blocklab's own packages.
    if (/^[./]/.test(specifier) || (error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    try {
      return nextResolve(specifier, { ...context, parentURL: import.meta.url });
    } catch {
      throw error;
    }
  }
}

/** The URL of a local file as it was before its version was added; null for any other module. */
function plainUrl(url: string | undefined): string | null {
  return url?.startsWith("file:") && url.includes(`?${versionKey}=`) ? url.split("?", 1)[0] : null;
}

/** A local file's URL carries its version. */
function fresh<T extends { url: string }>(resolved: T, importer: string | null): T {
  const { url } = resolved;
  if (!url.startsWith("file:") || url.includes("/node_modules/") || url.includes("?")) return resolved;
  return { ...resolved, url: `${url}?${versionKey}=${versionOf(url, importer)}` };
}
