import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { AccessError } from "../core/errors.ts";

/** The blocks that are running, so that a shutdown or the end of a key can cancel them. */
export interface Runs {
  /** Runs work that ends early when `gone` fires, the owner's key is revoked, or the server gives up waiting. */
  track<T>(owner: string, gone: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Cancels what runs for owners that are not valid any more. */
  endRevoked(isValid: (owner: string) => boolean): void;
  /** Waits for what runs, at most `graceMs`; then cancels it and waits as long as `cancelMs` for it to end. */
  drain(graceMs: number, cancelMs: number): Promise<void>;
}

/** No runs yet. */
export function createRuns(): Runs {
  const running = new Map<Promise<unknown>, { readonly owner: string; readonly end: AbortController }>();
  const stop = new AbortController();
  const settled = (limitMs: number) => {
    const timer = new AbortController();
    const all = Promise.allSettled(running.keys()).finally(() => timer.abort());
    return Promise.race([all, sleep(limitMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
  };
  return {
    track(owner, gone, work) {
      const end = new AbortController();
      const run = work(AbortSignal.any([gone, end.signal, stop.signal])).catch((error: unknown) => {
        throw end.signal.aborted ? end.signal.reason : error;
      });
      const entry = run.catch(() => undefined).finally(() => running.delete(entry));
      running.set(entry, { owner, end });
      return run;
    },
    endRevoked(isValid) {
      const valid = new Map<string, boolean>();
      for (const { owner, end } of running.values()) {
        if (!valid.has(owner)) valid.set(owner, isValid(owner));
        if (!valid.get(owner)) end.abort(revoked());
      }
    },
    async drain(graceMs, cancelMs) {
      await settled(graceMs);
      stop.abort();
      await settled(cancelMs);
    },
  };
}

function revoked(): AccessError {
  return new AccessError(401, "The API key was revoked, so what it ran was ended; nothing of it was stored.", {
    code: "revoked",
  });
}

/** Fires when the client leaves before it has its answer. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
