import type { FastifyRequest } from "fastify";

/** Where the server writes what its operator should know. Lines carry no keys and no passwords. */
export interface Log {
  info(line: string): void;
  error(line: string): void;
}

/** Writes nothing. */
export const silent: Log = { info: () => undefined, error: () => undefined };

/** A fault of ours as lines for the log: what was asked, and the chain of causes with their stacks. */
export function faultLines(request: FastifyRequest, error: unknown): string {
  const asked = `${request.method} ${request.routeOptions.url ?? "(unknown route)"} request ${request.id} failed`;
  const causes: string[] = [];
  for (let cause = error; cause !== undefined && causes.length < 5; ) {
    causes.push(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return hide(`${asked}: ${causes.join("\ncaused by: ")}`, secretsOf(request));
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
