import { createRequire } from "node:module";
import type { ExecuteReply, JupyterHandlerImpl, ZmqServer } from "tslab/dist/jupyter.js";
import type { Publisher, Reply, Router } from "zeromq";

/** The connection file's content, as tslab reads it. */
export type ConnectionInfo = ZmqServer["connInfo"];
/** The content of an execute_request. */
export type ExecuteRequest = Parameters<JupyterHandlerImpl["handleExecute"]>[0];
/** The content of an is_complete_reply. */
export type IsCompleteReply = ReturnType<JupyterHandlerImpl["handleIsComplete"]>;
/** The content of an inspect_reply. */
export type InspectReply = ReturnType<JupyterHandlerImpl["handleInspect"]>;
/** The content of a complete_reply; `metadata` is ours to fill, tslab leaves it empty. */
export type CompleteReply = Omit<ReturnType<JupyterHandlerImpl["handleComplete"]>, "metadata"> & {
  metadata: Record<string, unknown>;
};
/** The content of a kernel_info_reply. */
export type KernelInfoReply = ReturnType<JupyterHandlerImpl["handleKernel"]>;
export type { ExecuteReply };

/** Anything replies can be sent through: a zeromq socket, or the way to one on another thread. */
export interface Outlet {
  send(frames: (Buffer | string)[]): Promise<void> | void;
}

/** A message as tslab's server handles it; ours is `Message` in wire.ts. */
export interface TslabMessage {
  header: { msg_type: string };
  content: unknown;
  createReply(): TslabMessage;
  signAndSend(key: string, outlet: Outlet): void;
}

/** What tslab's server asks of its handler from the methods we keep. */
export interface TslabHandler {
  handleKernel(): KernelInfoReply;
  close(): void;
}

/**
 * tslab's server with the members a subclass replaces.
 *
 * Written out because tslab's typings make `bindSocket` private, which forbids replacing it.
 */
export interface TslabServer {
  handler: TslabHandler;
  connInfo: ConnectionInfo;
  iopub: Publisher;
  shell: Router;
  control: Router;
  stdin: Router;
  hb: Reply;
  bindSocket(socket: Publisher | Router | Reply, port: number): Promise<void>;
  publishStatus(status: string, parent: TslabMessage): void;
  handleShellMessage(socket: Outlet, ...frames: Buffer[]): Promise<void>;
  handleKernelInfo(socket: Outlet, message: TslabMessage): void;
  init(): Promise<void>;
  close(): void;
}

/** The parts of `tslab/dist/jupyter.js` the kernel builds on. */
export interface TslabJupyter {
  ZmqServer: new (handler: TslabHandler, connectionFile: string) => TslabServer;
  JupyterHandlerImpl: new (executor: null, isJs: boolean) => TslabHandler;
  /** Where `tslab.display` sends its bundles; a cell that imports tslab shows its pictures through it. */
  lastWriteDisplayData: ((data: TslabDisplay, update: boolean) => void) | null;
}

/** What `tslab.display.*` hands over. */
export interface TslabDisplay {
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly transient?: { readonly display_id?: string };
}

const require = createRequire(import.meta.url);

/**
 * Loads tslab's Jupyter parts, without the TypeScript compiler that comes with them.
 *
 * tslab 1.0.22 loads its 5 MB compiler (0.12 to 0.2 s) with jupyter.js, for one function that our
 * handler replaces. While it loads, its converter is stood in for; whoever asks for the converter
 * afterwards gets the real one. Can go once tslab loads its compiler on first use.
 */
function loadJupyter(): TslabJupyter {
  const converter = require.resolve("tslab/dist/converter.js");
  if (require.cache[converter]) return require("tslab/dist/jupyter.js") as TslabJupyter;
  const standIn = { id: converter, filename: converter, loaded: true, exports: {}, children: [], paths: [] };
  // A cast because a module record has more members than a reader of the cache looks at.
  require.cache[converter] = standIn as unknown as NodeJS.Module;
  try {
    return require("tslab/dist/jupyter.js") as TslabJupyter;
  } finally {
    delete require.cache[converter];
  }
}

/** tslab's Jupyter parts. */
export const jupyter: TslabJupyter = loadJupyter();

/** The zeromq that tslab brings: one native library for all sockets of the process. */
export function loadZeromq(): typeof import("zeromq") {
  return createRequire(require.resolve("tslab/dist/jupyter.js"))("zeromq") as typeof import("zeromq");
}
