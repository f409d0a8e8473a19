import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AccessError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import type { KeyStore } from "../store/keys.ts";
import { stopping } from "./failure.ts";
import type { Rate } from "./rate.ts";
import type { Shared } from "./route.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The owner behind the request's key; empty on routes that need none. */
    owner: string;
  }
}

const keyHeader = "x-svc-key";

/** Refuses, on every path, what no client of ours sends: foreign host names and pages of other sites. */
export function guardDoor(app: FastifyInstance, shared: Pick<Shared, "addresses" | "isStopping">): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-request-id": request.id,
    });
    if (shared.isStopping()) throw stopping();
    if (!shared.addresses.knowsHost(request)) {
      const got = request.headers.host ?? "";
      throw new AccessError(403, `The host name ${quoted(got)} is not one of this service.`, {
        code: "foreign_host",
        got,
        hint: "Call it by the address it listens on, or start it with that name as its public URL.",
      });
    }
    if (!shared.addresses.knowsOrigin(request)) {
      const got = request.headers.origin ?? "";
      throw new AccessError(403, `Pages of ${quoted(got)} may not call this service.`, { code: "foreign_origin", got });
    }
  });
}

/** Lets a request in by its key, and notes who asks. */
export function requireKey(keys: Pick<KeyStore, "check">, rate: Rate | null = null) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const key = request.headers[keyHeader];
    const owner = typeof key === "string" && key !== "" ? keys.check(key) : null;
    if (owner !== null) {
      request.owner = owner;
      rate?.take(owner);
      return;
    }
    reply.header("www-authenticate", 'ApiKey realm="blocklab"');
    throw new AccessError(
      401,
      key
        ? "The API key in the header X-SVC-KEY is unknown or was revoked."
        : "The request has no API key: send one in the header X-SVC-KEY.",
      { path: "X-SVC-KEY", hint: 'Make a key with "blocklab keys create"; a session reads it from BLOCKLAB_KEY.' },
    );
  };
}
