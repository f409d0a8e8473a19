import type { FastifyRequest } from "fastify";
import { ArgsError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import type { Caller } from "../service/service.ts";
import { isArtifactId } from "../store/files.ts";

const artifactPath = "/api/v1/artifacts/";
const uploadPath = "/api/v1/engine/upload/";
const loopbackName = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/i;

/** Under which names this server may be called, and how it calls its own artifacts. */
export interface Addresses {
  /** What the server itself speaks, whatever a proxy before it does. */
  readonly scheme: "http" | "https";
  /** Told once the server listens: the name it was asked to listen on, and its URL. */
  listening(host: string, url: string): void;
  /** Is the Host header one of ours? Another name means a DNS rebinding attack, or a proxy not declared. */
  knowsHost(request: FastifyRequest): boolean;
  /** Does the request come from a page of our own, or from no page at all? */
  knowsOrigin(request: FastifyRequest): boolean;
  /** Comes the request from this very machine, not through a proxy? */
  isLocal(request: FastifyRequest): boolean;
  /** Who asks, with URLs as this request can use them. */
  caller(owner: string, request: FastifyRequest): Caller;
}

/** The addresses of one server; `publicUrl` is how clients reach it from outside, such as through a proxy. */
export function createAddresses(publicUrl?: string, scheme: "http" | "https" = "http"): Addresses {
  const outside = publicUrl === undefined ? null : parsePublicUrl(publicUrl);
  const bound = { host: "localhost", url: `${scheme}://127.0.0.1` };

  const knowsHost = (request: FastifyRequest) => {
    const { host } = request.headers;
    // Only HTTP/1.0 may leave it out; a browser, which is what an attack needs, never does.
    if (host === undefined || host === "") return request.raw.httpVersion === "1.0";
    const name = hostName(host);
    if (name === null) return false;
    if (loopbackName.test(name) || name === outside?.hostname || name === bound.host) return true;
    return name.replace(/^\[|\]$/g, "") === plainAddress(request.socket.localAddress);
  };
  const baseOf = (request: FastifyRequest) => {
    if (outside) return outside.href.replace(/\/$/, "");
    return request.headers.host && knowsHost(request) ? `${scheme}://${request.headers.host.toLowerCase()}` : bound.url;
  };
  /** The id in a URL of this server's own below a path; null for any other text, and for other parameters than these. */
  const idIn = (text: string, path: string, request: FastifyRequest, parameters: readonly string[]) => {
    const base = baseOf(request);
    const absolute = text.startsWith(path) ? `${base}${text}` : text;
    const url = URL.canParse(absolute) ? new URL(absolute) : null;
    if (url === null) return null;
    const isOwn =
      url.href.startsWith(`${base}${path}`) ||
      url.href.startsWith(`${bound.url}${path}`) ||
      (loopbackName.test(url.hostname) && url.port === new URL(bound.url).port && url.pathname.startsWith(path));
    if (!isOwn || [...url.searchParams.keys()].some((name) => !parameters.includes(name))) return null;
    const id = url.pathname.split(path)[1] ?? "";
    return isArtifactId(id) ? id : null;
  };

  return {
    scheme,
    listening(host, url) {
      bound.host = (host.includes(":") ? `[${host}]` : host).toLowerCase();
      bound.url = url;
    },
    knowsHost,
    knowsOrigin(request) {
      const { origin } = request.headers;
      if (origin === undefined) return true;
      return origin === outside?.origin || (knowsHost(request) && origin === `${scheme}://${request.headers.host}`);
    },
    isLocal(request) {
      const { forwarded = request.headers["x-forwarded-for"], host } = request.headers;
      const isLocalName = host === undefined || loopbackName.test(hostName(host) ?? "");
      const from = plainAddress(request.socket.remoteAddress);
      return forwarded === undefined && isLocalName && (from === "::1" || from.startsWith("127."));
    },
    caller: (owner, request) => ({
      owner,
      url: (artifact) => `${baseOf(request)}${artifactPath}${artifact}`,
      // A query other than a format asks for a part, which an id can't express.
      artifactIn: (text) => idIn(text, artifactPath, request, ["format"]),
      uploads: {
        url: (id) => `${baseOf(request)}${uploadPath}${id}`,
        idIn: (text) => idIn(text, uploadPath, request, []),
      },
    }),
  };
}

/** The host of a URL that the server listens on: brackets around IPv6, and a wildcard as loopback. */
export function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

/** Does a name or address stay on this machine? */
export function isLoopback(host: string): boolean {
  return loopbackName.test(host.includes(":") ? `[${host}]` : host);
}

function parsePublicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new ArgsError(`The public URL must look like https://lab.example.org, got ${quoted(text)}.`, {
      path: "publicUrl",
      got: text,
    });
  }
  return url;
}

function hostName(host: string): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.exec(host);
  return match ? match[1].toLowerCase() : null;
}

/** IPv4 addresses may arrive wrapped into IPv6 ones. */
function plainAddress(address: string | undefined): string {
  return (address ?? "").replace(/^::ffff:/, "").toLowerCase();
}
