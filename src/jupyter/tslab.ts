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

/** The parts of `tslab/dist/jupyter.js` the kernel builds on; `tslab-jupyter.ts` has them. */
export interface TslabJupyter {
  ZmqServer: new (handler: TslabHandler, connectionFile: string) => TslabServer;
  JupyterHandlerImpl: new (executor: null, isJs: boolean) => TslabHandler;
}

/** The native library of all sockets of the process. */
export function loadZeromq(): typeof import("zeromq") {
  return createRequire(import.meta.url)("zeromq") as typeof import("zeromq");
}
