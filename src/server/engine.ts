import { PassThrough } from "node:stream";
import { CancelledError } from "../core/errors.ts";
import type { Progress, StateRecord } from "../core/record.ts";
import { accepts } from "./formats.ts";
import { type Call, envelope, envelopeSchema, objectBody, type Route, schemaRef } from "./route.ts";
import { goneSignal } from "./runs.ts";

const eventStream = "text/event-stream";
/** Proxies drop connections that stay silent for a minute. */
const heartbeatMs = 15_000;

/** Running blocks, and the list of what can be run. */
export const engineRoutes: readonly Route[] = [
  {
    method: "POST",
    paths: ["/api/v1/engine/start"],
    summary: "Runs a block; function_code says which. Leaving the connection cancels it.",
    body: schemaRef("BlockRequest"),
    answers: {
      "application/json": envelopeSchema(schemaRef("StateRecord")),
      [eventStream]: {
        type: "string",
        description:
          "Events: any number of `progress`, then one `result` (as in JSON), or one `error` with its status as http_status.",
      },
    },
    errors: [400, 404, 409, 422],
    async handle(call) {
      const body = objectBody(call.request);
      if (accepts(call.request.headers.accept, eventStream)) return streamed(call, body);
      return envelope(await runBlock(call, body));
    },
  },
  {
    method: "GET",
    paths: ["/api/v1/engine/functionsdb"],
    summary: "Lists every function code with its arguments and what it does.",
    answers: { "application/json": envelopeSchema({ type: "array", items: schemaRef("Function") }) },
    handle: async ({ service }) => envelope(service.functions()),
  },
];

type Body = Readonly<Record<string, unknown>>;

async function runBlock(call: Call, body: Body, onProgress?: (progress: Progress) => void): Promise<StateRecord> {
  const { service, caller, metrics, runs, reply } = call;
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  try {
    const record = await runs.track(goneSignal(reply.raw), (signal) =>
      service.run(caller, body, { signal, onProgress }),
    );
    metrics.block(record.function_code, "done", seconds());
    return record;
  } catch (error) {
    const asked = typeof body.function_code === "string" ? body.function_code.trim() : "";
    const known = service.functions().some(({ function_code }) => function_code === asked);
    metrics.block(known ? asked : "unknown", error instanceof CancelledError ? "cancelled" : "failed", seconds());
    throw error;
  }
}

/** Answers with events. Once the stream is open its status is 200, so an error carries its own. */
async function streamed(call: Call, body: Body): Promise<unknown> {
  const events = new PassThrough();
  const send = (event: string, data: unknown) => {
    if (events.writable) events.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const comment = (words: string) => {
    if (events.writable) events.write(`: ${words}\n\n`);
  };
  // A first line sends the headers at once, so that the client knows its block is running.
  comment("running");
  const heartbeat = setInterval(comment, heartbeatMs, "running");
  const onProgress = (progress: Progress) => {
    // A client that reads slowly gets fewer reports, rather than all of them in our memory.
    if (!events.writableNeedDrain) send("progress", progress);
  };
  runBlock(call, body, onProgress)
    .then((record) => send("result", envelope(record)))
    .catch((error: unknown) => {
      const failure = call.fail(error, call.request);
      send("error", { ...failure.body, http_status: failure.status });
    })
    .finally(() => {
      clearInterval(heartbeat);
      events.end();
    });
  call.reply.header("cache-control", "no-cache, no-transform").header("x-accel-buffering", "no");
  return call.reply.type(`${eventStream}; charset=utf-8`).send(events);
}
