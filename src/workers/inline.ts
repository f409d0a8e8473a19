import { Cancelled, type Kernel } from "../numerics/types.ts";
import { throttled } from "./messages.ts";
import type { RunOptions } from "./pool.ts";

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
