import { SparkError } from "./errors.ts";

/** Where a Spark Connect server is, and as whom it is asked. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
  readonly token?: string | undefined;
  readonly userId?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Further parameters, sent with each request for whatever stands between. */
  readonly headers: Readonly<Record<string, string>>;
}

const defaultPort = 15_002;

/** Hosts to which a token may go unencrypted, since nothing leaves the machine. */
const ownHosts = ["localhost", "127.0.0.1", "::1"];

/** Header names as HTTP/2 takes them; those that gRPC keeps for itself are none of ours. */
const headerName = /^(?!grpc-)[a-z0-9_.-]+$/;

/**
 * Reads a connection string, `sc://HOST:PORT/;name=value;…`, as PySpark does.
 *
 * Names: `token`, `use_ssl`, `user_id`, `user_agent`, `session_id`; any other is sent as a header. A token asks for
 * TLS unless the server is on this machine. Throws BAD_ADDRESS, without repeating the string, which may hold a token.
 */
export function connectionOf(text: string): Connection {
  const form = /^sc:\/\/(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::(\d{1,5}))?(?:\/(?:;(.*))?)?$/is.exec(text.trim());
  const port = Number(form?.[3] ?? defaultPort);
  if (!form || port < 1 || port > 65_535) {
    throw badAddress(
      "an address of Spark Connect must look like sc://HOST:15002 or sc://HOST:15002/;token=…;use_ssl=true",
    );
  }
  const host = (form[1] ?? form[2]).toLowerCase();
  const { token, use_ssl, user_id, user_agent, session_id, ...headers } = parametersOf(form[4] ?? "");
  if (session_id !== undefined && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(session_id)) {
    throw badAddress("session_id of an address of Spark Connect must be a UUID");
  }
  // A header holds visible characters of ASCII.
  if ([token, ...Object.values(headers)].some((value) => value !== undefined && !/^[\x20-\x7e]*$/.test(value))) {
    throw badAddress("a token and headers in an address of Spark Connect must be ASCII");
  }
  const wrong = Object.keys(headers).find((name) => !headerName.test(name));
  if (wrong !== undefined)
    throw badAddress(`${JSON.stringify(wrong)} in an address of Spark Connect is no parameter's name`);
  return {
    host,
    port,
    isEncrypted: use_ssl?.toLowerCase() === "true" || (token !== undefined && !ownHosts.includes(host)),
    token,
    userId: user_id,
    userAgent: user_agent,
    sessionId: session_id,
    headers,
  };
}

/** What to call a server in sentences. */
export function placeOf({ host, port }: Pick<Connection, "host" | "port">): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function parametersOf(text: string): Readonly<Record<string, string>> {
  const parts = text.split(";").filter((part) => part !== "");
  return Object.fromEntries(
    parts.map((part) => {
      const at = part.indexOf("=");
      if (at < 1) throw badAddress("parameters of an address of Spark Connect must look like name=value");
      return [part.slice(0, at), decoded(part.slice(at + 1))];
    }),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw badAddress("a % in an address of Spark Connect must begin a code such as %20");
  }
}

function badAddress(rule: string): SparkError {
  return new SparkError(`${rule[0].toUpperCase()}${rule.slice(1)}.`, { code: "BAD_ADDRESS" });
}
