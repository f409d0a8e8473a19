import type { FastifyRequest } from "fastify";
import { type DestinationStream, pino } from "pino";

/** What a line of the log tells beside its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where the server writes what its operator should know. Lines carry no keys and no passwords. */
export interface Log {
  info(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** Writes nothing. */
export const silent: Log = { info: () => undefined, error: () => undefined };

/** Names under which a secret may lie; the server logs none of them, and this is the fence behind that. */
const secretNames = ["x-svc-key", "authorization", "cookie", "password", "dbpassword", "secret", "token"];

/** What JSON leaves as it is and a terminal may obey. */
const unseen = /[\u007f-\u009f\u2028-\u202e\u2060-\u206f]/g;

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A log of one JSON object a line, on stderr: faults of ours, and with `verbose` every request. */
export function createLog(verbose: boolean, to: DestinationStream = pino.destination({ fd: 2, sync: true })): Log {
  return pino(
    {
      level: verbose ? "info" : "error",
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      redact: { paths: secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`]), censor: "***" },
    },
    { write: (line) => to.write(line.replace(unseen, escaped)) },
  );
}

/** Which request a line is about: its number, route, and the key's owner; nothing that the client chose itself. */
export function aboutRequest(request: FastifyRequest): LogFields {
  const route = request.is404 ? undefined : request.routeOptions.url;
  return {
    request: request.id,
    method: request.method,
    route: route ?? "(unknown)",
    owner: request.owner || undefined,
  };
}

/** A fault of ours for the log: the request it is about, and the chain of causes with their stacks. */
export function faultOf(request: FastifyRequest, error: unknown): LogFields {
  const causes: string[] = [];
  for (let cause = error; cause !== undefined && causes.length < 5; ) {
    causes.push(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return { ...aboutRequest(request), error: hide(causes.join("\ncaused by: "), secretsOf(request)) };
}

/** The key, and every string in the body whose name says that it is secret. */
function secretsOf(request: FastifyRequest): string[] {
  const secrets = [request.headers["x-svc-key"]].flat();
  const pending: unknown[] = [request.body];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== "object" || value === null) continue;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === "object") pending.push(inner);
      else if (typeof inner === "string" && /password|passwd|secret|token|key$/i.test(name)) secrets.push(inner);
      else if (typeof inner === "string") secrets.push(passwordIn(inner));
    }
  }
  return secrets.filter((secret): secret is string => typeof secret === "string" && secret.length > 0);
}

/** The password of a URL such as `postgres://user:password@host`. */
function passwordIn(text: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/@\s:]*:([^/@\s]+)@/i.exec(text)?.[1] ?? "";
}

function hide(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "***"), text);
}
