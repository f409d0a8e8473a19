import { connect, isIP, type Socket } from "node:net";
import { ArgsError } from "../../core/errors.ts";
import { quoted } from "../../core/names.ts";
import type { Reach } from "../addresses.ts";

/** A server's place on the network. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Reads `host`, `host:port`, `[::1]:port`. */
export function placeOf(address: string, defaultPort: number): Place {
  const text = address.trim();
  const isBare = text.split(":").length > 2 && /^[0-9a-f:.]+$/i.test(text);
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::(\d{1,5}))?$/i.exec(text);
  const host = isBare ? text : (match?.[1] ?? match?.[2]);
  const port = Number(match?.[3] ?? defaultPort);
  if (host === undefined || port < 1 || port > 65_535) {
    throw new ArgsError(`input: dburl must be a database's host, or host:port, got ${quoted(address)}.`, {
      path: "dburl",
      got: address.slice(0, 80),
    });
  }
  return { host, port };
}

/**
 * Connects to a server. With a `reach`, addresses outside of it are refused; the check is on
 * the address that is connected to, so a name can't be turned between check and use.
 */
export async function dial({ host, port }: Place, reach: Reach | null, signal: AbortSignal): Promise<Socket> {
  if (reach && isIP(host) !== 0 && !reach.allows(host, host)) {
    throw Object.assign(new Error("not public"), { code: "ENOTPUBLIC" });
  }
  const socket = connect({ host, port, noDelay: true, ...(reach ? { lookup: reach.lookup } : {}) });
  const stop = () => socket.destroy(new Error("stopped"));
  signal.addEventListener("abort", stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return socket;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
