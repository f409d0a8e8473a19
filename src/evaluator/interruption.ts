/** What the work comes to, or an interruption once the signal aborts; the work itself may go on. */
export async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (signal.aborted) throw interruption();
  const { promise, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(interruption());
  signal.addEventListener("abort", end, { once: true });
  const done = work();
  try {
    return await Promise.race([done, promise]);
  } finally {
    signal.removeEventListener("abort", end);
    // What still fails after an interrupt concerns nobody.
    done.catch(() => undefined);
  }
}

/** V8 ends a loop with an exception that tells nothing else. */
export function isTermination(text: string): boolean {
  return /terminated|-32603/i.test(text);
}

/** What a cell that was stopped fails with. */
export function interruption(): Error {
  return Object.assign(new Error("the cell was interrupted; names keep their values"), {
    name: "Interrupted",
    stack: "",
  });
}
