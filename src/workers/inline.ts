import { Cancelled, type Kernel } from "../numerics/types.ts";
import { throttled } from "./messages.ts";

/** How one run is watched. */
export type RunOptions = {
  /** Aborting it cancels the run, or takes it out of the queue. */
  signal?: AbortSignal;
  /** Hears how far the kernel is, at most 20 times a second; `done` never falls. */
  onProgress?(done: number, total: number): void;
  /** Whose job it is, such as a block's: each has `size` workers at most (default: all that say nothing are one). */
  group?: object;
};

/** Runs a kernel on the calling thread, where there are no workers. */
export async function runInline<I, O>(kernel: Kernel<I, O>, input: I, { signal, onProgress }: RunOptions): Promise<O> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
  try {
    return kernel(input, {
      progress: throttled((done, total) => onProgress?.(done, total)),
      cancelled: () => signal?.aborted ?? false,
    });
  } catch (error) {
    throw error instanceof Cancelled && signal?.aborted ? signal.reason : error;
  }
}
