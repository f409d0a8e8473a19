import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as turn } from "node:timers/promises";
import type { CellError, CellResult, Evaluator } from "../evaluator/evaluator.ts";
import type { Broadcast } from "./broadcast.ts";
import { History } from "./history.ts";
import type { Bundle, KernelHost } from "./host.ts";
import { errorContent, errorOf } from "./traceback.ts";
import type { ExecuteRequest, Outlet } from "./tslab.ts";
import type { Message } from "./wire.ts";

/** A cell that runs, or has run and may still write. */
export interface Execution {
  readonly request: Message;
  readonly number: number;
  /** The number that front ends show beside the cell. */
  readonly count: number;
  readonly cellId: string;
  /** Nothing of it is to be seen. */
  readonly silent: boolean;
  readonly abort: AbortController;
}

/** What executions need of the kernel around them. */
export interface ExecutionContext {
  readonly broadcast: Broadcast;
  readonly host: Promise<KernelHost>;
  publishStatus(status: "busy" | "idle", request: Message): void;
  reply(request: Message, outlet: Outlet, content: Record<string, unknown>, metadata?: Record<string, unknown>): void;
  /** Told the number of the cell that interrupts are meant for from now on. */
  onBegin(number: number): void;
  /** Told the number of the cell that has been answered. */
  onEnd(number: number): void;
  /** Told the number of the cell that starts, 0 when it ends. */
  onCell(number: number): void;
}

interface Job {
  readonly request: Message;
  readonly outlet: Outlet;
}

interface Shown {
  readonly kind: "value";
  readonly bundles: readonly Bundle[];
  readonly expressions: Record<string, unknown>;
}

type Outcome = Shown | { readonly kind: "error"; readonly error: CellError };

/** A cell that an interrupt could not stop is left to itself after this long. */
const graceMs = 1_000;
/** Cells whose late output still finds its place. */
const remembered = 1_000;
/** Turns of the event loop in which requests that had been sent before an error are still taken in. */
const settleTurns = 4;

/** Runs the cells of execute_requests, one after the other. */
export class Executions {
  readonly history = new History();
  readonly #context: ExecutionContext;
  readonly #queue: Job[] = [];
  readonly #byCell = new Map<string, Execution>();
  readonly #scope = new AsyncLocalStorage<Execution>();
  #draining = false;
  #evaluator: Evaluator | null = null;
  #running: Execution | null = null;
  #last: Execution | null = null;
  #number = 0;
  #count = 0;

  constructor(context: ExecutionContext) {
    this.#context = context;
  }

  /** The cell that runs now. */
  get running(): Execution | null {
    return this.#running;
  }

  /** The cell whose code is asking: by its id, by where the call comes from, else the newest one. */
  find(cellId?: string): Execution | null {
    const known = cellId === undefined ? undefined : this.#byCell.get(cellId);
    return known ?? this.#scope.getStore() ?? this.#running ?? this.#last;
  }

  /** Queues a request. */
  add(request: Message, outlet: Outlet): void {
    this.#queue.push({ request, outlet });
    if (!this.#draining) void this.#drain();
  }

  /** Stops the running cell, if it still is the one that was meant. */
  interrupt(cell = this.#running?.number): void {
    const running = this.#running;
    if (!running || running.number !== cell) return;
    running.abort.abort(Object.assign(new Error("the cell was interrupted"), { name: "Interrupted" }));
    this.#evaluator?.interrupt();
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    while (this.#queue.length > 0) {
      // A cell must not start inside a socket's callback: a loop that is stopped there takes the
      // socket's pending work with it.
      await turn();
      const job = this.#queue.shift()!;
      this.#context.publishStatus("busy", job.request);
      await this.#execute(job);
      this.#context.publishStatus("idle", job.request);
    }
    this.#draining = false;
  }

  async #execute(job: Job): Promise<void> {
    // A cast because the content comes from outside; each field is read with its default.
    const content = job.request.content as Partial<ExecuteRequest>;
    const code = String(content.code ?? "");
    const silent = content.silent ?? false;
    const stored = !silent && (content.store_history ?? true);
    const started = new Date().toISOString();
    if (stored) this.history.add(++this.#count, code);
    const count = this.#count;
    // Before anyone hears of it, and may interrupt it.
    const execution = this.#begin(job.request, silent, count);
    this.#context.broadcast.begin(job.request);
    if (!silent) this.#context.broadcast.publish(job.request, "execute_input", { code, execution_count: count });
    const outcome = await this.#outcome(execution, code, content.user_expressions).catch(
      (error: unknown): Outcome => ({ kind: "error", error: errorOf(error) }),
    );
    this.#running = null;
    this.#context.onCell(0);
    const stale = outcome.kind === "error" && (content.stop_on_error ?? true) ? await this.#takeQueue() : [];
    this.#context.broadcast.settle(job.request);
    const reply = this.#tell(execution, outcome, count, stored);
    this.#context.reply(job.request, job.outlet, reply, { started, status: reply.status });
    for (const other of stale) this.#abort(other);
    this.#context.onEnd(execution.number);
  }

  #begin(request: Message, silent: boolean, count: number): Execution {
    const given = request.metadata.cellId;
    const cellId = typeof given === "string" && given !== "" ? given : `request:${request.header.msg_id}`;
    const execution = { request, number: ++this.#number, count, cellId, silent, abort: new AbortController() };
    this.#byCell.delete(cellId);
    this.#byCell.set(cellId, execution);
    if (this.#byCell.size > remembered) this.#byCell.delete(this.#byCell.keys().next().value!);
    this.#running = execution;
    this.#last = execution;
    this.#context.onBegin(execution.number);
    return execution;
  }

  async #outcome(execution: Execution, code: string, expressions: unknown): Promise<Outcome> {
    const host = await this.#context.host;
    const { signal } = execution.abort;
    signal.throwIfAborted();
    this.#evaluator = host.evaluator;
    // From here on the worker may stop the thread, so not while the host is being loaded.
    this.#context.onCell(execution.number);
    const work = async (): Promise<Outcome> => {
      const result = await host.evaluator.run(code, {
        cellId: execution.cellId,
        number: execution.count,
        signal,
      });
      if (result.kind === "error") return result;
      const bundles = execution.silent || result.value === undefined ? [] : await host.display(result.value);
      return { kind: "value", bundles, expressions: await evaluateAll(host, expressions) };
    };
    return await Promise.race([this.#scope.run(execution, work), afterGrace(signal)]);
  }

  /** Says what the cell came to, and makes the reply. */
  #tell(execution: Execution, outcome: Outcome, count: number, stored: boolean): Record<string, unknown> {
    if (outcome.kind === "error") return this.#tellError(execution, outcome.error, count);
    try {
      return this.#tellValue(execution, outcome, count, stored);
    } catch (error) {
      // A bundle that is no JSON.
      return this.#tellError(execution, errorOf(error), count);
    }
  }

  #tellError(execution: Execution, error: CellError, count: number): Record<string, unknown> {
    const content = errorContent(error);
    if (!execution.silent) this.#context.broadcast.publish(execution.request, "error", { ...content });
    return { status: "error", execution_count: count, ...content, user_expressions: {}, payload: [] };
  }

  #tellValue(execution: Execution, outcome: Shown, count: number, stored: boolean): Record<string, unknown> {
    const { broadcast } = this.#context;
    outcome.bundles.forEach((bundle, index) => {
      if (index < outcome.bundles.length - 1) broadcast.display(execution.request, bundle);
      else broadcast.result(execution.request, bundle, count);
    });
    const text = outcome.bundles.at(-1)?.data["text/plain"];
    if (stored && typeof text === "string") this.history.setOutput(count, text);
    return { status: "ok", execution_count: count, user_expressions: outcome.expressions, payload: [] };
  }

  /**
   * Takes the requests that were sent before the error became known, and no later one.
   *
   * They may still lie in the socket when the cell never let the event loop turn.
   */
  async #takeQueue(): Promise<Job[]> {
    for (let left = settleTurns; left > 0; left--) await turn();
    return this.#queue.splice(0);
  }

  #abort(job: Job): void {
    this.#context.publishStatus("busy", job.request);
    this.#context.reply(
      job.request,
      job.outlet,
      { status: "aborted", execution_count: this.#count },
      { status: "aborted" },
    );
    this.#context.publishStatus("idle", job.request);
  }
}

/** Rejects a while after the signal, for code that doesn't listen to interrupts. */
function afterGrace(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => setTimeout(() => reject(signal.reason), graceMs), { once: true });
  });
}

/** The user_expressions of a request: each is a cell of its own, its error kept to itself. */
async function evaluateAll(host: KernelHost, expressions: unknown): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  if (typeof expressions !== "object" || expressions === null) return answers;
  for (const [name, expression] of Object.entries(expressions)) {
    answers[name] = await answerOf(host, await runQuietly(host.evaluator, String(expression)));
  }
  return answers;
}

function runQuietly(evaluator: Evaluator, expression: string): Promise<CellResult> {
  return evaluator.run(expression).catch((error: unknown) => ({ kind: "error", error: errorOf(error) }));
}

async function answerOf(host: KernelHost, result: CellResult): Promise<Record<string, unknown>> {
  if (result.kind === "error") return { status: "error", ...errorContent(result.error) };
  const bundle = (await host.display(result.value)).at(-1);
  return { status: "ok", data: bundle?.data ?? { "text/plain": "undefined" }, metadata: bundle?.metadata ?? {} };
}
