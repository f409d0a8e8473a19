import "./core/newer-node.ts";
import { createRequire } from "node:module";
import type { Link } from "./client/link.ts";
import { defaultHome } from "./core/home.ts";
import { type NotebookWriter, notebookWriter } from "./core/notebook-writer.ts";
import { viewOf } from "./core/view.ts";
import {
  ChainNotebook,
  Comparison,
  Explained,
  Graph,
  HelpPage,
  Model,
  ModelCard,
  Picture,
  Result,
  Session,
  setDraw,
  setPrinter,
  Table,
} from "./session/index.ts";

export { BlocklabError } from "./core/errors.ts";
export { defaultHome } from "./core/home.ts";
export type { Progress, ProjectRecord, StateRecord } from "./core/record.ts";
export {
  Chain,
  ChainNotebook,
  Comparison,
  Explained,
  Graph,
  type Helper,
  type Helpers,
  HelpPage,
  help,
  Model,
  ModelCard,
  type Options,
  Picture,
  Result,
  Session,
  Table,
} from "./session/index.ts";

/** Where a session's service is. */
export interface OpenOptions {
  /** A service's URL (default: BLOCKLAB_URL; without either the service runs in this process). */
  readonly url?: string;
  /** The key for that service (default: BLOCKLAB_KEY). */
  readonly key?: string;
  /** The data folder of an in-process service (default: BLOCKLAB_HOME, else the platform's data folder). */
  readonly home?: string;
}

/** A session of its own, besides the shared `session`. */
export function createSession(options: OpenOptions = {}): Session {
  return new Session(() => openLink(options));
}

async function openLink(options: OpenOptions): Promise<Link> {
  const url = options.url ?? process.env.BLOCKLAB_URL;
  if (url) {
    const { httpLink } = await import("./client/http.ts");
    return httpLink({ url, key: options.key ?? process.env.BLOCKLAB_KEY ?? "" });
  }
  const { embeddedLink } = await import("./client/embedded.ts");
  return await embeddedLink({ home: options.home ?? defaultHome() });
}

/** The session that notebooks, programs and the prompt share. */
export const session = createSession();

/** In a notebook a value is asked for its MIME bundle by this method. */
const jupyterDisplay = Symbol.for("Jupyter.display");

for (const shown of [
  ChainNotebook,
  Comparison,
  Explained,
  Graph,
  HelpPage,
  Model,
  ModelCard,
  Picture,
  Result,
  Session,
  Table,
]) {
  Object.defineProperty(shown.prototype, jupyterDisplay, {
    configurable: true,
    async value(this: InstanceType<typeof shown>) {
      const { toBundle } = await import("./render/index.ts");
      return (await toBundle(await this[viewOf]())).data;
    },
  });
}

/** What the kernel of this process, ours or tslab's own, shows bundles with; null outside of notebooks. */
function writerHere(): NotebookWriter | null {
  const ours = (globalThis as { [notebookWriter]?: NotebookWriter })[notebookWriter];
  if (ours) return ours;
  const { cache } = createRequire(import.meta.url);
  for (const [path, module] of Object.entries(cache)) {
    if (!module || !/[\\/]tslab[\\/]dist[\\/]jupyter\.js$/.test(path)) continue;
    // A cast because a loaded module says nothing of its type; this is the one name that is read.
    const { lastWriteDisplayData: write } = module.exports as { lastWriteDisplayData?: unknown };
    if (typeof write === "function") return write as NotebookWriter;
  }
  return null;
}

setDraw(async (charts, format) => {
  const { pictureFile } = await import("./render/index.ts");
  return await pictureFile(charts, format);
});

setPrinter(async (value) => {
  const { toBundles, toText } = await import("./render/index.ts");
  const view = await value[viewOf]();
  const write = writerHere();
  if (write) {
    for (const bundle of await toBundles(view)) write({ ...bundle, transient: {} }, false);
    return;
  }
  const { isTTY, columns } = process.stdout;
  process.stdout.write(`${toText(view, { width: columns || 80, colour: isTTY && !process.env.NO_COLOR })}\n`);
});
