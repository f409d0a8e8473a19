import { setTimeout as wait } from "node:timers/promises";
import type { Channel } from "./channel.ts";
import { isForgotten, isTransient } from "./failures.ts";
import { type ExecutePlanResponse, interruptTypes, type PlanMessage } from "./messages.ts";
import * as methods from "./methods.ts";
import { whileAlive } from "./patience.ts";
import type { Of } from "./protobuf.ts";

/** What the server sends while it works a plan out. */
export type Response = Of<typeof ExecutePlanResponse>;

/** Who asks, as each request of a session tells it. */
export interface Caller {
  readonly session_id: string;
  readonly user_context: { readonly user_id: string; readonly user_name: string };
  readonly client_type: string;
}

/** A plan that is worked out, under an id of the client's choice. */
export interface Task {
  readonly caller: Caller;
  /** The server's own name for the session, by which it tells that it has forgotten it. */
  readonly serverSession: string | undefined;
  readonly operation: string;
  readonly plan: PlanMessage;
  readonly tags: readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** For how long a connection that broke is tried again, and in which a silent server is asked whether it lives. */
  readonly patienceMs: number;
  readonly silenceMs: number;
}

/**
 * Works a plan out and answers what the server sends, each response once and in order.
 *
 * A stream that breaks, or that the server ends before the result is complete, goes on behind the last response that
 * was read. The server keeps responses until they are released, so that none is lost; they are released as they are
 * read. Who stops reading, or aborts, interrupts the work on the server.
 */
export async function* execute(channel: Channel, task: Task): AsyncGenerator<Response, void, undefined> {
  const { caller, operation, plan, tags, signal, patienceMs, serverSession } = task;
  const observed = { client_observed_server_side_session_id: serverSession };
  const request = {
    ...caller,
    ...observed,
    operation_id: operation,
    plan,
    tags,
    request_options: [{ reattach_options: { reattachable: true } }],
  };
  const releases = new Releases(channel, task);
  let last: string | undefined;
  let isFirst = true;
  let isComplete = false;
  let isFailed = false;
  let brokenSince: number | null = null;
  let pauseMs = 50;
  try {
    while (!isComplete) {
      try {
        signal?.throwIfAborted();
        const reattach = { ...caller, ...observed, operation_id: operation, last_response_id: last };
        const stream = isFirst
          ? await channel.stream(methods.executePlan, request)
          : await channel.stream(methods.reattachExecute, reattach);
        isFirst = false;
        for await (const response of watched(stream, channel, task)) {
          brokenSince = null;
          pauseMs = 50;
          last = response.response_id ?? last;
          isComplete ||= response.result_complete !== undefined;
          yield response;
          if (last !== undefined && !isComplete) releases.until(last);
        }
        // A server may end a stream in good order, to have it taken up again.
        if (!isComplete) await wait(pauseMs, undefined, { signal });
      } catch (error) {
        signal?.throwIfAborted();
        // The request never came there, so it is made anew.
        isFirst = last === undefined && isForgotten(error);
        brokenSince ??= Date.now();
        isFailed = !(isFirst || isTransient(error)) || Date.now() - brokenSince > patienceMs;
        if (isFailed) throw error;
        await wait(pauseMs, undefined, { signal });
        pauseMs = Math.min(1000, 2 * pauseMs);
      }
    }
  } finally {
    // What failed on the server ended there, and what can't be reached can't be stopped.
    if (isComplete || isFailed) releases.all();
    else void stop(channel, task, releases);
  }
}

/** A stream's responses, as long as the server lives. */
async function* watched(
  stream: AsyncIterable<Response> & { cancel(): void },
  channel: Channel,
  { signal, caller, silenceMs }: Task,
): AsyncGenerator<Response, void, undefined> {
  const cancel = () => stream.cancel();
  const askForLife = () => channel.ask(methods.analyzePlan, { ...caller, spark_version: {} });
  signal?.addEventListener("abort", cancel, { once: true });
  const responses = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done } = await whileAlive(responses.next(), askForLife, silenceMs, cancel);
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
  }
}

/** Ends the work on the server. A request to stop may overtake the request to begin, so it is made again. */
async function stop(channel: Channel, { caller, operation }: Task, releases: Releases): Promise<void> {
  const request = { ...caller, interrupt_type: interruptTypes.operation, operation_id: operation };
  try {
    for (const pauseMs of [0, 100, 300, 1000]) {
      await wait(pauseMs);
      const { interrupted_ids = [] } = await channel.ask(methods.interrupt, request);
      if (interrupted_ids.length > 0) break;
    }
  } catch {
    // A server that can't be asked any more has ended it, or will, when nobody comes back for its rows.
  }
  releases.all();
}

/** Tells the server what it need not keep, one message at a time and only the newest. */
class Releases {
  readonly #channel: Channel;
  readonly #task: Task;
  #isSending = false;
  #waiting: string | "all" | null = null;

  constructor(channel: Channel, task: Task) {
    this.#channel = channel;
    this.#task = task;
  }

  until(response: string): void {
    this.#send(response);
  }

  all(): void {
    this.#send("all");
  }

  #send(what: string): void {
    if (this.#waiting !== "all") this.#waiting = what;
    if (this.#isSending || this.#waiting === null) return;
    const { caller, operation } = this.#task;
    const release = this.#waiting === "all" ? { release_all: {} } : { release_until: { response_id: this.#waiting } };
    const isLast = this.#waiting === "all";
    this.#waiting = null;
    this.#isSending = true;
    const again = () => {
      this.#isSending = false;
      if (!isLast && this.#waiting !== null) this.#send(this.#waiting);
    };
    // What is not released the server lets go of by itself, after a while.
    this.#channel.ask(methods.releaseExecute, { ...caller, operation_id: operation, ...release }).then(again, again);
  }
}
