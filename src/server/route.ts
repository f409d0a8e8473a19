import type { FastifyReply, FastifyRequest } from "fastify";
import { ArgsError, NotFoundError } from "../core/errors.ts";
import { didYouMean, listed, quoted } from "../core/names.ts";
import type { Json } from "../core/record.ts";
import type { Caller, Service } from "../service/service.ts";
import type { Addresses } from "./addresses.ts";
import type { Failure } from "./failure.ts";
import type { Metrics } from "./metrics.ts";
import type { Runs } from "./runs.ts";
import type { EventStreams } from "./streams.ts";

/** What the routes of one server share. */
export interface Shared {
  readonly service: Service;
  readonly addresses: Addresses;
  readonly metrics: Metrics;
  readonly runs: Runs;
  readonly streams: EventStreams;
  /** Bytes of an uploaded file at most. */
  readonly uploadLimit: number;
  isStopping(): boolean;
  /** The answer to an error, its cause logged when the fault is ours. */
  fail(error: unknown, request: FastifyRequest): Failure;
}

/** One request, as a route gets it. */
export interface Call extends Shared {
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A query parameter, for the check and for the documentation. */
export interface QueryParameter {
  readonly description: string;
  readonly schema: Json;
}

/** One route: what is served, and what the OpenAPI document says about it. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** The first is the documented one, the others mean the same. `:name` is a parameter. */
  readonly paths: readonly [string, ...string[]];
  /** Needs no key. */
  readonly open?: boolean;
  readonly summary: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryParameter>>;
  /** The body is multipart/form-data, which the route reads itself; JSON otherwise. */
  readonly multipart?: boolean;
  /** JSON Schema of the body. */
  readonly body?: Json;
  /** JSON Schema per media type of a successful answer. */
  readonly answers: Readonly<Record<string, Json>>;
  /** Statuses of the errors that are this route's own. */
  readonly errors?: readonly number[];
  handle(call: Call): Promise<unknown>;
}

/** A successful answer. */
export interface Envelope<T> {
  readonly status: "true";
  readonly message: T;
}

/** Wraps what a route answers. */
export function envelope<T>(message: T): Envelope<T> {
  return { status: "true", message };
}

/** JSON Schema of a successful answer around its message. */
export function envelopeSchema(message: Json): Json {
  return {
    type: "object",
    required: ["status", "message"],
    properties: { status: { type: "string", const: "true" }, message },
  };
}

/** A reference to a schema of the OpenAPI document. */
export function schemaRef(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** The body as an object; anything else is a 400. */
export function objectBody(request: FastifyRequest): Readonly<Record<string, unknown>> {
  const body = request.body;
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  const got = body === undefined ? "nothing" : body === null ? "null" : Array.isArray(body) ? "an array" : typeof body;
  throw new ArgsError(`The body must be a JSON object, got ${got}.`, { code: "bad_body", got, expected: "object" });
}

/** A path parameter as text. */
export function pathParameter(request: FastifyRequest, name: string): string {
  return (request.params as Readonly<Record<string, string>>)[name] ?? "";
}

/** A path parameter that is the number of a state record; no other text can name one. */
export function stateId(request: FastifyRequest): number {
  const text = pathParameter(request, "id");
  const id = /^\d{1,15}$/.test(text) ? Number(text) : null;
  if (id === null) {
    throw new NotFoundError(`There is no state record ${quoted(text)}; its id is a whole number.`, { got: text });
  }
  return id;
}

/** The query by name; a name that the route does not know is a 400, so that a typo can't pass unseen. */
export function queryOf(request: FastifyRequest, known: readonly string[]): Readonly<Record<string, string[]>> {
  const query = request.query as Readonly<Record<string, string | string[]>>;
  for (const name of Object.keys(query)) {
    if (known.includes(name)) continue;
    const message = `The query has no parameter ${quoted(name)}.${didYouMean(name, known)} Parameters: ${listed(known)}.`;
    throw new ArgsError(message, { code: "unknown_query", path: name, expected: known });
  }
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat()]));
}

/** A query parameter that is "true" or "false"; false when it is absent or empty. */
export function flag(name: string, values: readonly string[] | undefined): boolean {
  const text = values?.at(-1)?.trim();
  if (text === undefined || text === "" || text === "false") return false;
  if (text === "true") return true;
  throw new ArgsError(`The query's ${name} must be true or false, got ${quoted(text)}.`, {
    path: name,
    got: text,
    expected: ["true", "false"],
  });
}

/** A query parameter as a whole number from 0; undefined when it is absent or empty. */
export function wholeNumber(name: string, values: readonly string[] | undefined): number | undefined {
  const text = values?.at(-1)?.trim();
  if (text === undefined || text === "") return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ArgsError(`The query's ${name} must be a whole number from 0, got ${quoted(text)}.`, {
    path: name,
    got: text,
    expected: "whole number from 0",
  });
}
