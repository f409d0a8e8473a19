import { PassThrough } from "node:stream";
import { ArgsError, CancelledError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import type { Progress, StateRecord } from "../core/record.ts";
import { accepts } from "./formats.ts";
import { type Call, envelope, envelopeSchema, objectBody, type Route, schemaRef } from "./route.ts";

const eventStream = "text/event-stream";
/** Proxies drop connections that stay silent for a minute. */
const heartbeatMs = 15_000;

const runAnswers = {
  "application/json": envelopeSchema(schemaRef("StateRecord")),
  [eventStream]: {
    type: "string",
    description:
      "Events: any number of `progress`, then one `result` (as in JSON), or one `error` with its status as http_status.",
  },
};

/** Running blocks, and the list of what can be run. */
export const engineRoutes: readonly Route[] = [
  {
    method: "POST",
    paths: ["/api/v1/engine/start"],
    summary: "Runs a block; function_code says which. Leaving the connection cancels it.",
    body: schemaRef("BlockRequest"),
    answers: runAnswers,
    errors: [400, 404, 409, 422],
    handle: async (call) => await answered(call, objectBody(call.request)),
  },
  {
    method: "POST",
    paths: ["/api/v1"],
    summary: "Trains a neural network; the same as /engine/start, for the function codes that end in _T alone.",
    body: schemaRef("TrainingRequest"),
    answers: runAnswers,
    errors: [400, 404, 409, 422],
    async handle(call) {
      const body = objectBody(call.request);
      refuseOther(body.function_code);
      return await answered(call, body);
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

/** The path for training takes the codes of training alone, so that a client that mixes up the two paths hears it. */
function refuseOther(code: unknown): void {
  if (typeof code !== "string" || /^(?:A_)?DL_\w+_T$/.test(code.trim())) return;
  throw new ArgsError(
    `POST /api/v1 trains neural networks, so function_code must end in _T, as in "DL_RBM_T", got ${quoted(code.slice(0, 80))}; POST /api/v1/engine/start runs any block.`,
    { path: "function_code", got: code.slice(0, 80), expected: "a function code such as DL_RBM_T" },
  );
}

/** The state record in the form the client asked for. */
async function answered(call: Call, body: Body): Promise<unknown> {
  if (accepts(call.request.headers.accept, eventStream)) return await streamed(call, body);
  return envelope(await runBlock(call, body));
}

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

/** Fires when the client leaves before it has its answer. */
function goneSignal(response: Call["reply"]["raw"]): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
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
