import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { BlocklabError, NotFoundError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import type { Service } from "../service/service.ts";
import type { KeyStore } from "../store/keys.ts";
import { type Addresses, createAddresses, reachable } from "./addresses.ts";
import { artifactRoutes } from "./artifacts.ts";
import { readJsonBodies } from "./body.ts";
import { datasetRoutes } from "./datasets.ts";
import { engineRoutes } from "./engine.ts";
import { failureOf } from "./failure.ts";
import { guardDoor, requireKey } from "./guard.ts";
import { openRoutes } from "./health.ts";
import { aboutRequest, faultOf, type Log, silent } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { productionRoutes } from "./production.ts";
import { projectRoutes } from "./projects.ts";
import { Rate } from "./rate.ts";
import type { Route, Shared } from "./route.ts";
import { createRuns } from "./runs.ts";
import { stateRoutes } from "./states.ts";
import { EventStreams } from "./streams.ts";
import type { Tls } from "./tls.ts";
import { uploadRoutes } from "./uploads.ts";

/** What a server is made of. */
export interface ServerOptions {
  readonly service: Service;
  readonly keys: Pick<KeyStore, "check" | "isValid">;
  /** How clients reach the server, when not by the address it listens on; such as a proxy's URL. */
  readonly publicUrl?: string;
  readonly logger?: Log;
  /** Certificate chain and private key, in PEM; with them the server speaks HTTPS alone. */
  readonly tls?: Tls;
  /** Bytes of a body at most (default 16 MiB). */
  readonly bodyLimit?: number;
  /** Bytes of an uploaded file at most (default 1 GiB). */
  readonly uploadLimit?: number;
  /** Requests a minute that each key may send (default: as many as it likes). */
  readonly ratePerMinute?: number;
  /** Milliseconds that running blocks may take to finish when the server closes (default 3000). */
  readonly graceMs?: number;
}

const cancelMs = 1000;
/** How often it is asked whether the keys of what runs are still valid; another process revokes them. */
const revokedMs = 500;
const lingerMs = 500;

declare module "fastify" {
  interface FastifyInstance {
    /** Told by `listen` where the server ended up. */
    ownAddresses: Addresses;
  }
}

/** All routes, in the order of the documentation. */
export const routes: readonly Route[] = [
  ...projectRoutes,
  ...engineRoutes,
  ...stateRoutes,
  ...uploadRoutes,
  ...datasetRoutes,
  ...artifactRoutes,
  ...productionRoutes,
  ...openRoutes(() => routes),
];

/**
 * The HTTP face of a service. It does not own the service or the keys: close them after it.
 *
 * `close()` refuses new requests, waits for running blocks up to `graceMs`, then cancels them.
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const { bodyLimit = 16 * 1024 * 1024, graceMs = 3000, logger = silent } = options;
  const { shared, stop } = sharedParts(options, bodyLimit, logger);
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const failure = shared.fail(error, request);
    if (failure.retryAfter !== undefined) reply.header("retry-after", String(failure.retryAfter));
    return reply.code(failure.status).type("application/json; charset=utf-8").send(failure.body);
  };
  const app = fastify({
    bodyLimit,
    logger: false,
    return503OnClosing: false,
    requestTimeout: 300_000,
    genReqId: () => randomBytes(6).toString("hex"),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2000 },
    http: { maxHeaderSize: 64 * 1024, requireHostHeader: false },
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (error, request, reply) => void fail(error, request, reply),
    // Its type knows a plain server alone; routes and hooks are the same on both.
    ...({ https: options.tls ? { ...options.tls, minVersion: "TLSv1.2" } : null } as object),
  });
  app.decorateRequest("owner", "");
  app.decorate("ownAddresses", shared.addresses);
  readJsonBodies(app);
  guardDoor(app, shared);
  // Before the body is looked at: no route of that path or method would read it.
  app.addHook("onRequest", async (request, reply) => {
    if (request.is404) throw unknownRoute(request, reply);
  });
  app.setErrorHandler((error, request, reply) => fail(error, request, reply));
  app.setNotFoundHandler((request, reply) => fail(unknownRoute(request, reply), request, reply));
  app.addHook("onResponse", async (request, reply) => {
    const { url = "unmatched" } = request.is404 ? {} : request.routeOptions;
    shared.metrics.request(request.method, url, reply.statusCode, reply.elapsedTime / 1000);
    const fields = { ...aboutRequest(request), status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    logger.info(fields, "answered");
  });
  const revocations = setInterval(() => {
    try {
      shared.runs.endRevoked(options.keys.isValid);
    } catch {
      // Keys that can't be read just now revoke nothing, and let nobody in either.
    }
  }, revokedMs).unref();
  app.addHook("preClose", async () => {
    stop();
    clearInterval(revocations);
    await shared.runs.drain(graceMs, cancelMs);
    // Downloads and idle connections get a moment more; a client that never reads must not hold us up.
    setTimeout(() => app.server.closeAllConnections(), lingerMs).unref();
  });
  const letIn = requireKey(options.keys, options.ratePerMinute === undefined ? null : new Rate(options.ratePerMinute));
  for (const route of routes) addRoute(app, route, shared, letIn);
  return app;
}

/** What all routes share, and the switch that makes them refuse new requests. */
function sharedParts(
  { service, publicUrl, tls, uploadLimit = 2 ** 30 }: ServerOptions,
  bodyLimit: number,
  logger: Log,
): { shared: Shared; stop: () => void } {
  const runs = createRuns();
  let stopping = false;
  const shared: Shared = {
    service,
    runs,
    uploadLimit,
    streams: new EventStreams(),
    addresses: createAddresses(publicUrl, tls ? "https" : "http"),
    metrics: createMetrics(),
    isStopping: () => stopping,
    fail(error, request) {
      const contentType = request.headers["content-type"];
      const failure = failureOf(error, { requestId: request.id, contentType, bodyLimit, stopping });
      shared.metrics.failure(failure.body.error.code ?? "none");
      if (failure.cause !== undefined) logger.error(faultOf(request, failure.cause), "failed");
      return failure;
    },
  };
  const stop = () => {
    stopping = true;
  };
  return { shared, stop };
}

/** Where to listen. */
export interface ListenOptions {
  /** A loopback address unless said otherwise (default "127.0.0.1"). */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
}

/** Begins to listen, and answers the server's URL. */
export async function listen(app: FastifyInstance, { host = "127.0.0.1", port }: ListenOptions): Promise<string> {
  await app.listen({ host, port });
  const address = app.server.address();
  const taken = typeof address === "object" && address !== null ? address.port : port;
  const url = `${app.ownAddresses.scheme}://${reachable(host)}:${taken}`;
  app.ownAddresses.listening(host, url);
  return url;
}

function addRoute(app: FastifyInstance, route: Route, shared: Shared, letIn: ReturnType<typeof requireKey>): void {
  for (const url of route.paths) {
    app.route({
      method: route.method,
      url,
      config: { multipart: route.multipart === true },
      onRequest: route.open ? [] : [letIn],
      handler: (request, reply) =>
        route.handle({ ...shared, request, reply, caller: shared.addresses.caller(request.owner, request) }),
    });
  }
}

/** No route has this path (404), or it has other methods (405). */
function unknownRoute(request: FastifyRequest, reply: FastifyReply): BlocklabError {
  const path = request.url.split("?")[0].replace(/(.)\/$/, "$1");
  const fits = (pattern: string) =>
    new RegExp(`^${pattern.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+")}$`).test(path);
  const methods = routes.filter((route) => route.paths.some(fits)).map((route) => route.method);
  if (methods.length === 0) {
    return new NotFoundError(`There is no route ${request.method} ${quoted(path)}; see /api/v1/openapi.json.`, {
      code: "unknown_route",
      got: path,
    });
  }
  reply.header("allow", methods.join(", "));
  return new BlocklabError(405, `${quoted(path)} does not take ${request.method}, only ${methods.join(" and ")}.`, {
    code: "method_not_allowed",
    got: request.method,
    expected: methods,
  });
}

/** Answers what is no HTTP at all, in the same form as every other failure. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const [status, message] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ["431 Request Header Fields Too Large", "The headers of the request are larger than 64 KiB."]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ["408 Request Timeout", "The request did not arrive in time."]
        : ["400 Bad Request", "The request is not valid HTTP."];
  const body = JSON.stringify({ status: "false", message, error: { code: "bad_request" } });
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nConnection: close`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
