import type { ConnectionInfo } from "./tslab.ts";

/** Places in the memory that the main thread and the control worker share. */
export const slot = {
  /** What the main thread is at: `loading`, `idle`, or the number of the running cell. */
  cell: 0,
  /** How many urgent requests the main thread has seen. */
  seen: 1,
  /** The newest cell that was begun; it may still wait for the host, or have ended. */
  begun: 2,
  /** The newest cell that has been answered. */
  ended: 3,
} as const;

/** The host is still being loaded: never stopped by force. */
export const loading = -1;
/** No cell runs. */
export const idle = 0;

/** What the worker starts with. */
export interface ControlData {
  readonly info: ConnectionInfo;
  readonly key: string;
  readonly state: SharedArrayBuffer;
  /** End the kernel when its parent process dies. */
  readonly watchParent: boolean;
}

/** From the worker to the main thread. */
export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "orphaned" }
  /** Is anybody there? Counts as an urgent request. */
  | { readonly kind: "ping"; readonly number: number }
  | {
      readonly kind: "control";
      readonly frames: readonly Uint8Array[];
      /** How many urgent requests there have been, this one included. */
      readonly number: number;
      /** The newest cell that was begun when the request came. */
      readonly cell: number;
    };

/** From the main thread to the worker. */
export type ToWorker =
  | { readonly kind: "send"; readonly frames: readonly (Uint8Array | string)[] }
  | { readonly kind: "close" };
