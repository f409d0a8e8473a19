import { ArgsError, CancelledError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import type { Progress, StateRecord } from "../core/record.ts";
import type { View } from "../core/view.ts";
import { accepts } from "./formats.ts";
import { type Extra, recordPieces, sendRecord } from "./large-record.ts";
import { type Call, envelope, envelopeSchema, flag, objectBody, type Route, schemaRef, wholeNumber } from "./route.ts";
import { goneSignal } from "./runs.ts";

const eventStream = "text/event-stream";
const longestGraceSeconds = 300;

const runAnswers = {
  "application/json": envelopeSchema(schemaRef("StateRecord")),
  [eventStream]: {
    type: "string",
    description:
      "Events: any number of `progress`, then one `result` (as in JSON), or one `error` with its status as http_status.",
  },
};

const runQuery = {
  view: {
    description:
      "true: what the block shows comes with its record, as `view` beside `message`; not for a table of more than 200,000 cells, whose view is a request of its own.",
    schema: { type: "boolean", default: false },
  },
  resume: {
    description:
      "With events: seconds for which the block goes on when the connection is lost. Send the request again with the last event's id as Last-Event-ID to hear the rest.",
    schema: { type: "integer", minimum: 0, maximum: longestGraceSeconds, default: 0 },
  },
};

/** Running blocks, and the list of what can be run. */
export const engineRoutes: readonly Route[] = [
  {
    method: "POST",
    paths: ["/api/v1/engine/start"],
    summary:
      "Runs a block; function_code says which. Leaving the connection cancels it. Without block_id it is a new one under the next id; sent again with the same `Idempotency-Key`, the request answers the block that it made. With `If-None-Match: *` a block that is there already is left alone (409).",
    query: runQuery,
    body: schemaRef("BlockRequest"),
    answers: runAnswers,
    errors: [400, 404, 409, 422],
    handle: async (call) => await answered(call, objectBody(call.request)),
  },
  {
    method: "POST",
    paths: ["/api/v1"],
    summary: "Trains a neural network; the same as /engine/start, for the function codes that end in _T alone.",
    query: runQuery,
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
  const query = call.request.query as Readonly<Record<string, string | string[] | undefined>>;
  const seconds = wholeNumber("resume", [query.resume ?? ""].flat()) ?? 0;
  if (seconds > longestGraceSeconds) {
    throw new ArgsError(`The query's resume must be at most ${longestGraceSeconds} seconds, got ${seconds}.`, {
      path: "resume",
      got: seconds,
      expected: longestGraceSeconds,
    });
  }
  const isViewed = flag("view", [query.view ?? ""].flat());
  if (accepts(call.request.headers.accept, eventStream))
    return streamed(call, body, { isViewed, graceMs: seconds * 1000 });
  const { record, ...extra } = await runBlock(call, body, { isViewed, gone: goneSignal(call.reply.raw) });
  return sendRecord(call.reply, record, extra);
}

async function runBlock(
  call: Call,
  body: Body,
  how: { readonly isViewed: boolean; readonly gone: AbortSignal; readonly onProgress?: (progress: Progress) => void },
): Promise<{ record: StateRecord } & Extra> {
  const { service, caller, metrics, runs } = call;
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  try {
    // As HTTP says it: only where there is nothing yet.
    const isNew = call.request.headers["if-none-match"] === "*";
    const key = keyOf(call.request.headers["idempotency-key"]);
    let view: View | undefined;
    const onView = how.isViewed ? (shown: View) => (view = shown) : undefined;
    const record = await runs.track(caller.owner, how.gone, (signal) =>
      service.run(caller, body, { signal, onProgress: how.onProgress, isNew, key, onView }),
    );
    metrics.block(record.function_code, "done", seconds());
    return { record, ...(view ? { view } : {}) };
  } catch (error) {
    const asked = typeof body.function_code === "string" ? body.function_code.trim() : "";
    const known = service.functions().some(({ function_code }) => function_code === asked);
    metrics.block(known ? asked : "unknown", error instanceof CancelledError ? "cancelled" : "failed", seconds());
    throw error;
  }
}

/** The key of a request that may come twice; undefined without the header. */
function keyOf(header: string | readonly string[] | undefined): string | undefined {
  const key = [header].flat().at(-1)?.trim();
  if (!key || key.length <= 200) return key || undefined;
  throw new ArgsError(`Idempotency-Key must have 200 characters at most, got ${key.length}.`, {
    path: "Idempotency-Key",
    got: key.length,
    expected: 200,
  });
}

/** Answers with events. Once the stream is open its status is 200, so an error carries its own. */
function streamed(call: Call, body: Body, how: { readonly isViewed: boolean; readonly graceMs: number }): unknown {
  const { caller, reply, request, streams } = call;
  reply.header("cache-control", "no-cache, no-transform").header("x-accel-buffering", "no");
  reply.type(`${eventStream}; charset=utf-8`);
  const before = streams.find(caller.owner, [request.headers["last-event-id"]].flat().at(-1));
  if (before) return reply.send(before.stream.listen(before.last));
  const stream = streams.open(caller.owner, how.graceMs);
  const events = stream.listen();
  const onProgress = (progress: Progress) => {
    if (!stream.isSlow) stream.send("progress", progress);
  };
  runBlock(call, body, { isViewed: how.isViewed, gone: stream.gone, onProgress })
    .then(({ record, ...extra }) => stream.sendPieces("result", recordPieces(record, extra)))
    .catch((error: unknown) => {
      const failure = call.fail(error, request);
      stream.send("error", { ...failure.body, http_status: failure.status });
    })
    .finally(() => stream.end());
  return reply.send(events);
}
