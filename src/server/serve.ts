import { ArgsError, messageOf } from "../core/errors.ts";
import { harmless } from "../core/visible.ts";
import { createService } from "../service/index.ts";
import type { Service, ServiceOptions } from "../service/service.ts";
import { type KeyStore, openKeys } from "../store/keys.ts";
import { isLoopback } from "./addresses.ts";
import { createLog } from "./log.ts";
import { createServer, listen } from "./server.ts";
import { tlsFrom } from "./tls.ts";

/** How the service is started from the command line. */
export interface ServeOptions extends ServiceOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** The address to listen on (default "127.0.0.1", this machine alone). */
  readonly host?: string;
  /** How clients reach the service through a proxy. */
  readonly publicUrl?: string;
  /** Files of a certificate chain and its private key, in PEM: HTTPS instead of HTTP. Both or neither. */
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  /** A key that is valid without being stored (default: the environment's BLOCKLAB_KEY). */
  readonly key?: string;
  /** Bytes of a JSON body at most (default 16 MiB). */
  readonly bodyLimit?: number;
  /** Bytes of an uploaded file at most (default 1 GiB). */
  readonly uploadLimit?: number;
  /** Requests a minute that each key may send (default: as many as it likes). */
  readonly ratePerMinute?: number;
  /** Logs every request, not just faults of ours; a JSON object a line on stderr. */
  readonly verbose?: boolean;
}

/** A running service. */
export interface Serving {
  readonly url: string;
  /** Stops it: running blocks may finish, then are cancelled. */
  close(): Promise<void>;
  /** Settles once it has stopped, by `close` or by a signal; answers the exit code. */
  readonly closed: Promise<number>;
}

const longestStopMs = 5000;
const signals = ["SIGINT", "SIGTERM"] as const;

/** Starts service, keys and server; prints one line on stdout when ready, and stops at SIGINT or SIGTERM. */
export async function serve(
  options: ServeOptions,
  makeService: (options: ServiceOptions) => Promise<Service> = createService,
): Promise<Serving> {
  const { port, host = "127.0.0.1", publicUrl, key = process.env.BLOCKLAB_KEY, verbose = false } = options;
  const { bodyLimit, uploadLimit, ratePerMinute, tlsCert, tlsKey, ...rest } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ArgsError(`The port must be a whole number from 0 to 65535, got ${port}.`, { path: "port", got: port });
  }
  const tls = tlsFrom(tlsCert, tlsKey);
  // A service lets nobody read the machine's files unless it is told which.
  const service = await makeService({ warn: say, ...rest, files: rest.files ?? null });
  const keys = await keysOf(service, rest.home, key);
  const logger = createLog(verbose);
  const app = createServer({ service, keys, publicUrl, logger, tls, bodyLimit, uploadLimit, ratePerMinute });
  const stop = async () => {
    await app.close();
    await service.close();
    keys.close();
  };
  const url = await listen(app, { host, port }).catch(async (error: unknown) => {
    await stop();
    throw listenError(error, host, port);
  });
  const serving = stoppable(url, stop);
  process.stdout.write(`blocklab listening on ${url}\n`);
  if (!keys.hasKeys()) {
    say('There is no API key yet, so every request is refused: make one with "blocklab keys create".');
  }
  if (!isLoopback(host) && !tls) {
    say(
      "Keys and data travel unencrypted; give --tls-cert and --tls-key, or put a proxy with TLS in front of this address.",
    );
  }
  return serving;
}

/** The keys of a home; without them there is no service either. */
async function keysOf(service: Service, home: string, fixed: string | undefined): Promise<KeyStore> {
  try {
    return openKeys(home, { fixed });
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** Stops once, when asked to or at a signal. */
function stoppable(url: string, stop: () => Promise<void>): Serving {
  const stopped = Promise.withResolvers<number>();
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= stop()
      .then(
        () => stopped.resolve(0),
        (error: unknown) => {
          stopped.resolve(1);
          throw error;
        },
      )
      .finally(() => {
        for (const signal of signals) process.off(signal, onSignal);
      });
    return closing;
  };
  const onSignal = () => {
    // Asked twice, or stuck: whatever a block does, the process ends. Nothing half-written counts as stored.
    if (closing) process.exit(1);
    setTimeout(() => process.exit(1), longestStopMs).unref();
    close().catch((error: unknown) => {
      say(`blocklab did not stop cleanly: ${messageOf(error)}`);
    });
  };
  for (const signal of signals) process.on(signal, onSignal);
  return { url, close, closed: stopped.promise };
}

function say(line: string): void {
  process.stderr.write(harmless(`${line}\n`));
}

function listenError(error: unknown, host: string, port: number): Error {
  const code = (error as NodeJS.ErrnoException).code;
  const place = `${host}:${port}`;
  if (code === "EADDRINUSE") {
    return new ArgsError(
      `Port ${port} on ${host} is taken by another program; give another --port (0 takes a free one).`,
      {
        path: "port",
        got: port,
      },
      { cause: error },
    );
  }
  if (code === "EACCES")
    return new ArgsError(
      `This user may not listen on ${place}; ports below 1024 need rights.`,
      { path: "port", got: port },
      { cause: error },
    );
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new ArgsError(`This machine has no address ${host}.`, { path: "host", got: host }, { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error));
}
