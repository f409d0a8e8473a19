import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { Agent, type Dispatcher } from "undici";
import { ArgsError, BlocklabError, CancelledError, type ErrorDetail, errorFromStatus } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import type { BlockRequest, Progress, ProjectRecord, StateRecord } from "../core/record.ts";
import type { View } from "../core/view.ts";
import type { FileOptions, TableBatch, TableData } from "../service/service.ts";
import { arrowColumns } from "./arrow-file.ts";
import { linesIn, readEvents } from "./event-stream.ts";
import type { FileFormat, Link, LinkRunOptions } from "./link.ts";
import { saveFile } from "./save-file.ts";

/** Where the service is, and how to get in. */
export interface HttpLinkOptions {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The API key; without one, a service answers that it needs one. */
  readonly key?: string;
  /** How requests travel (default: connections of the link's own, kept alive); closed by who made it. */
  readonly dispatcher?: Dispatcher;
}

interface Call {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  /** A body as it goes out, with its media type. */
  readonly raw?: { readonly type: string; readonly bytes: Uint8Array };
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Names the request, so that it may be sent twice. */
  readonly key?: string;
}

type Answer = Dispatcher.ResponseData;

/** The answer to a block: its record, and what it shows where that was asked for. */
interface Done {
  readonly message: StateRecord;
  readonly view?: View;
}

/** A service's URL in the pieces that requests need, and as it is shown. */
interface Base {
  readonly origin: string;
  readonly prefix: string;
  readonly where: string;
}

interface StreamedError {
  readonly message: string;
  readonly error: ErrorDetail;
  readonly http_status: number;
}

/** Entries of a list that are asked for at once. */
const pageLength = 500;

/** A link to a service over HTTP; its errors are those the service threw, with the same words. */
export function httpLink(options: HttpLinkOptions): Link {
  const base = baseOf(options.url);
  const key = keyOf(options.key);
  // A block answers when it is done, however long that takes; only connecting has a limit.
  const agent = options.dispatcher ?? new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 10_000 } });
  let isClosed = false;
  /** Ends the readings that nobody goes on with. */
  const closing = new AbortController();

  async function send({
    method,
    path,
    body,
    raw,
    accept = "application/json",
    signal,
    key: once,
  }: Call): Promise<Answer> {
    if (isClosed) throw new BlocklabError(503, `The link to ${base.where} is closed.`, { code: "closed" });
    if (signal?.aborted) throw new CancelledError();
    const headers: Record<string, string> = { accept };
    if (key) headers["x-svc-key"] = key;
    if (once) headers["idempotency-key"] = once;
    const text = body === undefined ? undefined : jsonOf(body);
    if (text !== undefined) headers["content-type"] = "application/json";
    if (raw) headers["content-type"] = raw.type;
    try {
      const answer = await agent.request({
        origin: base.origin,
        path: `${base.prefix}${path}`,
        method,
        headers,
        body: raw?.bytes ?? text,
        signal,
      });
      if (answer.statusCode >= 300) throw await refusal(answer, base);
      return answer;
    } catch (error) {
      throw explained(error, base, signal);
    }
  }

  async function answerTo<T extends { readonly message: unknown }>(call: Call): Promise<T> {
    const answer = await send(call);
    const body = await read(base, () => answer.body.json() as Promise<Partial<T>>, call.signal);
    if (body?.message === undefined) throw stranger(answer, base);
    // A cast because what a service of ours answers has the form of its route.
    return body as T;
  }

  async function message<T>(call: Call): Promise<T> {
    return (await answerTo<{ readonly message: T }>(call)).message;
  }

  const get = <T>(path: string) => message<T>({ method: "GET", path });
  /** A whole list, a page at a time. */
  async function list<T extends { readonly id: number }>(path: string): Promise<T[]> {
    const found: T[] = [];
    for (;;) {
      const page = await get<T[]>(`${path}limit=${pageLength}&after=${found.at(-1)?.id ?? 0}`);
      found.push(...page);
      if (page.length < pageLength) return found;
    }
  }

  const artifact = (
    url: string,
    format: FileFormat,
    { formulas, columns }: FileOptions & { readonly columns?: readonly string[] } = {},
  ) => {
    const query = new URLSearchParams({ format });
    if (formulas !== undefined) query.set("formulas", formulas);
    if (columns !== undefined) query.set("columns", JSON.stringify(columns));
    return send({ method: "GET", path: `${artifactPath(url)}?${query}`, accept: "*/*" });
  };
  const states = "/api/v1/engine/statemanagement";
  return {
    where: base.where,
    createProject: (project_name, project_description) =>
      message({ method: "POST", path: "/api/v1/project", body: { project_name, project_description } }),
    projects: (name) =>
      list<ProjectRecord>(`/api/v1/project?${name === undefined ? "" : `${new URLSearchParams({ name })}&`}`),
    async deleteProject(appId) {
      await message({ method: "DELETE", path: `/api/v1/project/${encodeURIComponent(appId)}` });
    },
    async run(request, { signal, onProgress, onView }: LinkRunOptions = {}) {
      const isNew = request.block_id === undefined;
      const path = `/api/v1/engine/start${onView ? "?view=true" : ""}`;
      const call = { method: "POST", path, body: request, signal, ...(isNew ? { key: randomUUID() } : {}) } as const;
      const run = async (): Promise<Done> => {
        if (!onProgress) return await answerTo<Done>(call);
        const answer = await send({ ...call, accept: "text/event-stream" });
        return await followed(bytesOf(answer, base, signal), onProgress, base);
      };
      // The key makes sure that a block whose answer was lost is not made twice.
      const { message, view } = await run().catch((error: unknown) => {
        if (isNew && isCut(error)) return run();
        throw error;
      });
      if (view) onView?.(view);
      return message;
    },
    states(project, which = {}) {
      const asked = Object.entries(which).flatMap(([name, value]) => (value ? [`&${name}=${value}`] : []));
      return list(`${states}?project=${project}${asked.join("")}&`);
    },
    state: (id) => get(`${states}/${id}`),
    view: (id) => get(`${states}/${id}/view`),
    explain: (id) => get(`${states}/${id}/explain`),
    sql: async (id) => (await get<{ sql: string }>(`${states}/${id}/sql`)).sql,
    request: (id) => get<BlockRequest>(`${states}/${id}/request`),
    async upload({ name, content, project }) {
      const raw = multipart(name, content);
      const path = `/api/v1/engine/upload?project=${project}`;
      return (await message<{ url: string }>({ method: "POST", path, raw })).url;
    },
    async table(url, part = {}, { signal } = {}) {
      const query = new URLSearchParams();
      if (part.columns) query.set("columns", JSON.stringify(part.columns));
      if (part.offset !== undefined) query.set("offset", String(part.offset));
      if (part.limit !== undefined) query.set("limit", String(part.limit));
      if (part.sort !== undefined) query.set("sort", part.sort);
      if (part.descending !== undefined) query.set("descending", String(part.descending));
      if (part.search !== undefined) query.set("search", part.search);
      const path = `${artifactPath(url)}${query.size > 0 ? `?${query}` : ""}`;
      const answer = await send({ method: "GET", path, accept: "application/vnd.blocklab.table+json", signal });
      return read(base, () => answer.body.json() as Promise<TableData>, signal);
    },
    async *batches(url) {
      const { signal } = closing;
      const answer = await send({
        method: "GET",
        path: artifactPath(url),
        accept: "application/vnd.blocklab.batches+x-ndjson",
        signal,
      });
      let columns: TableBatch["columns"] | null = null;
      for await (const line of linesIn(bytesOf(answer, base, signal))) {
        // The first line names the columns, each other holds the cells of some rows.
        if (columns === null) columns = JSON.parse(line) as TableBatch["columns"];
        else yield { columns, cells: JSON.parse(line) as TableBatch["cells"] };
      }
    },
    async columns(url, names) {
      const { columns } = await this.table(url, { ...(names ? { columns: names } : {}), limit: 0 });
      const { body } = await artifact(url, "arrow", names ? { columns: names } : {});
      const bytes = await read(base, () => body.bytes());
      return { columns, values: await arrowColumns(bytes) };
    },
    async download(url, format) {
      const { body } = await artifact(url, format);
      return read(base, () => body.bytes());
    },
    async save(url, format, path, options) {
      await saveFile(path, async (whole) => {
        const { body } = await artifact(url, format, options);
        await read(base, () => pipeline(body, createWriteStream(whole)));
      });
    },
    functions: () => get("/api/v1/engine/functionsdb"),
    async close() {
      if (isClosed) return;
      isClosed = true;
      closing.abort();
      if (!options.dispatcher) await agent.close();
    },
  };
}

/** A file as the one field of a multipart body. */
function multipart(name: string, content: Uint8Array): { type: string; bytes: Uint8Array } {
  const boundary = `blocklab-${randomUUID()}`;
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const bytes = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${boundary}`, bytes };
}

function jsonOf(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : "no reason given";
    throw new ArgsError(`The arguments can't be written as JSON: ${reason}.`, {}, { cause: error });
  }
}

async function read<T>(base: Base, body: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await body();
  } catch (error) {
    throw explained(error, base, signal);
  }
}

/** The bytes of an answer as they come; what breaks the connection is told in words. */
async function* bytesOf(answer: Answer, base: Base, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* answer.body;
  } catch (error) {
    throw explained(error, base, signal);
  }
}

/** Follows a running block: hands on its progress, answers its record. */
async function followed(
  bytes: AsyncIterable<Uint8Array>,
  onProgress: (progress: Progress) => void,
  base: Base,
): Promise<Done> {
  let done: Done | undefined;
  // Read to the end, so that the connection can be used again.
  for await (const { event, data } of readEvents(bytes)) {
    if (event === "progress") onProgress(JSON.parse(data) as Progress);
    else if (event === "result") done = JSON.parse(data) as Done;
    else if (event === "error") {
      const { message, error, http_status } = JSON.parse(data) as StreamedError;
      throw thrown(http_status, message, error);
    }
  }
  if (done) return done;
  throw new BlocklabError(
    502,
    `The connection to ${base.where} ended before the block did; nothing of it was stored.`,
    {
      code: "connection_lost",
    },
  );
}

/** The error that a refused request carries. */
async function refusal(answer: Answer, base: Base): Promise<BlocklabError> {
  const body: unknown = await answer.body.json().catch(() => null);
  const { message, error } = (body ?? {}) as { message?: unknown; error?: ErrorDetail };
  return typeof message === "string" ? thrown(answer.statusCode, message, error ?? {}) : stranger(answer, base);
}

function thrown(status: number, message: string, detail: ErrorDetail): BlocklabError {
  return status === 499 ? new CancelledError(message) : errorFromStatus(status, message, detail);
}

function stranger(answer: Answer, base: Base): BlocklabError {
  const hint = "Check BLOCKLAB_URL.";
  const message = `What answers at ${base.where} is no blocklab service (status ${answer.statusCode}). ${hint}`;
  return new BlocklabError(502, message, { code: "no_service", hint });
}

/** A failed connection in words; our own errors as they are. */
function explained(error: unknown, base: Base, signal?: AbortSignal): BlocklabError {
  if (error instanceof BlocklabError) return error;
  if (signal?.aborted) return new CancelledError();
  const code = codeOf(error);
  if (error instanceof SyntaxError) {
    return new BlocklabError(502, `What ${base.where} answers can't be read as JSON; is it a blocklab service?`, {
      code: "no_service",
    });
  }
  const reason =
    reasons[code] ?? `the connection failed (${code || (error instanceof Error ? error.message : "unknown")})`;
  const hint = 'Start one with "blocklab serve", or check BLOCKLAB_URL.';
  const message = `No blocklab service answers at ${base.where}: ${reason}. ${hint}`;
  return new BlocklabError(503, message, { code: "unreachable", hint }, { cause: error });
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name can't be looked up now",
  ETIMEDOUT: "connecting took too long",
  UND_ERR_CONNECT_TIMEOUT: "connecting took too long",
  ECONNRESET: "the connection was cut",
  UND_ERR_SOCKET: "the connection was cut",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the network can't be reached",
  UND_ERR_CLOSED: "the link was closed",
  UND_ERR_DESTROYED: "the link was closed",
};

/** Was the connection cut, so that nobody knows what became of the request? */
function isCut(error: unknown): boolean {
  if (!(error instanceof BlocklabError)) return false;
  return error.detail.code === "connection_lost" || ["ECONNRESET", "UND_ERR_SOCKET"].includes(codeOf(error.cause));
}

/** The code of an error, or of what several attempts to connect ran into. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

function baseOf(text: string): Base {
  const trimmed = text
    .trim()
    .replace(/(?<!\/)\/+$/, "")
    .replace(/\/api\/v1$/, "");
  const url = URL.canParse(trimmed) ? new URL(trimmed) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw new ArgsError(`A service's URL looks like http://127.0.0.1:8080, got ${quoted(text)}.`, {
      path: "url",
      got: text,
    });
  }
  if (url.username || url.password) {
    throw new ArgsError("A service's URL holds no user name or password; its key goes into BLOCKLAB_KEY.", {
      path: "url",
    });
  }
  const where = url.href.replace(/\/$/, "");
  return { origin: url.origin, prefix: where.slice(url.origin.length), where };
}

/** Only the characters that a header can carry; the message must not repeat a secret. */
function keyOf(text: string | undefined): string | undefined {
  const key = text?.trim();
  if (!key) return undefined;
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new ArgsError("The API key holds characters that no key has; copy it again, on one line.", { path: "key" });
}

/** The path of an artifact's URL. Its host is left out: the key goes to the link's own service and nowhere else. */
function artifactPath(url: string): string {
  const match = /\/api\/v1\/artifacts\/([A-Za-z0-9_-]+)(?:[?#]|$)/.exec(url);
  if (match) return `/api/v1/artifacts/${match[1]}`;
  throw new ArgsError(`${quoted(url)} is no artifact URL; a state record's URLs are.`, { path: "url", got: url });
}
