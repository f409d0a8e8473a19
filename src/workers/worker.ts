import { parentPort } from "node:worker_threads";
import * as kernels from "../numerics/index.ts";
import type { Kernel } from "../numerics/types.ts";
import { type Answer, type Request, throttled } from "./messages.ts";
import { ownThread } from "./priority.ts";

const port = parentPort;
// The pool takes its names from the same module, so an input fits the kernel it was typed against.
const byName = new Map(Object.entries(kernels)) as Map<string, Kernel<unknown, unknown>>;
if (!port) throw new Error("workers/worker is started by the pool, as a worker thread");

port.postMessage({ kind: "ready", thread: ownThread() } satisfies Answer);
port.on("message", ({ id, name, input, flag }: Request) => {
  const send = (answer: Answer, buffers: ArrayBuffer[] = []) => port.postMessage(answer, buffers);
  const progress = throttled((done, total) => send({ kind: "progress", id, done, total }));
  try {
    const kernel = byName.get(name);
    if (!kernel) throw new TypeError(`numerics/index exports no ${name}`);
    const output = kernel(input, { progress, cancelled: () => Atomics.load(flag, 0) === 1 });
    send({ kind: "result", id, output }, buffersOf(output));
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    send({ kind: "error", id, error: { name: error.name, message: error.message, stack: error.stack } });
  }
});

/** The buffers of all typed arrays in a result, to hand over instead of copying; shared memory stays shared. */
function buffersOf(value: unknown, found = new Set<ArrayBuffer>()): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
  } else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) buffersOf(part, found);
  }
  return [...found];
}
