import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** The blocks that are running, so that a shutdown can wait for them and then cancel them. */
export interface Runs {
  /** Runs work that ends early when `gone` fires or the server gives up waiting. */
  track<T>(gone: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Waits for what runs, at most `graceMs`; then cancels it and waits as long as `cancelMs` for it to end. */
  drain(graceMs: number, cancelMs: number): Promise<void>;
}

/** No runs yet. */
export function createRuns(): Runs {
  const running = new Set<Promise<unknown>>();
  const stop = new AbortController();
  const settled = (limitMs: number) => {
    const timer = new AbortController();
    const all = Promise.allSettled(running).finally(() => timer.abort());
    return Promise.race([all, sleep(limitMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
  };
  return {
    track(gone, work) {
      const run = work(AbortSignal.any([gone, stop.signal]));
      const entry = run.catch(() => undefined).finally(() => running.delete(entry));
      running.add(entry);
      return run;
    },
    async drain(graceMs, cancelMs) {
      await settled(graceMs);
      stop.abort();
      await settled(cancelMs);
    },
  };
}

/** Fires when the client leaves before it has its answer. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
