/** What the pool sends a worker: one kernel to run. */
export type Request = {
  id: number;
  /** The kernel's export name in numerics/index. */
  name: string;
  input: unknown;
  /** One shared cell, 0; the pool stores 1 in it to cancel. */
  flag: Int32Array;
};

/** What a worker says: once that it is there, then to each request any number of progress messages, and a result or an error. */
export type Answer =
  /** `thread`: the operating system's number for it, 0 where that can't be told. */
  | { kind: "ready"; thread: number }
  | { kind: "progress"; id: number; done: number; total: number }
  | { kind: "result"; id: number; output: unknown }
  | { kind: "error"; id: number; error: { name: string; message: string; stack?: string } };

const EVERY_MS = 50;

/**
 * Lets progress through at most 20 times a second, and never backwards.
 *
 * The last word, done = total, always passes.
 */
export function throttled(report: (done: number, total: number) => void): (done: number, total: number) => void {
  let next = 0;
  let most = -1;
  return (done, total) => {
    if (done <= most) return;
    const now = performance.now();
    if (now < next && done < total) return;
    next = now + EVERY_MS;
    most = done;
    report(done, total);
  };
}

/** A kernel's error as it was thrown, but for its class: name, message and the worker's stack cross over. */
export function revived({ name, message, stack }: { name: string; message: string; stack?: string }): Error {
  const error = new Error(message);
  error.name = name;
  if (stack) error.stack = stack;
  return error;
}
