import { createWriteStream } from "node:fs";
import { isIP } from "node:net";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Agent, request } from "undici";
import { ArgsError, CancelledError, DataError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import type { Reach } from "./addresses.ts";

/** Limits on what is fetched for a caller. */
export interface FetchLimits {
  /** Where it may connect to, for a service that fetches for others; null: anywhere. */
  readonly reach: Reach | null;
  readonly mostBytes: number;
  readonly timeoutMs: number;
}

const mostRedirects = 5;

/** Downloads an http(s) URL into a file. Redirects are followed by hand, each checked like the first. */
export async function download(url: string, path: string, limits: FetchLimits, signal: AbortSignal): Promise<void> {
  const agent = new Agent({
    connect: limits.reach ? { lookup: limits.reach.lookup } : {},
    maxRedirections: 0,
  } as ConstructorParameters<typeof Agent>[0]);
  const stop = AbortSignal.any([signal, AbortSignal.timeout(limits.timeoutMs)]);
  try {
    let at = new URL(url);
    for (let hop = 0; ; hop++) {
      if (hop > mostRedirects)
        throw new ArgsError(`input: ${quoted(url)} redirects more than ${mostRedirects} times.`, { got: url });
      refusePrivate(at, limits);
      const answer = await request(at, { dispatcher: agent, signal: stop, headers: { "accept-encoding": "identity" } });
      const location = answer.headers.location;
      if (answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === "string") {
        await answer.body.dump();
        at = new URL(location, at);
        continue;
      }
      if (answer.statusCode !== 200) {
        await answer.body.dump();
        throw new DataError(`input: ${quoted(at.href)} answered ${answer.statusCode}; check the URL.`, {
          got: answer.statusCode,
          expected: 200,
        });
      }
      await pipeline(answer.body as Readable, bounded(limits.mostBytes, url), createWriteStream(path));
      return;
    }
  } catch (error) {
    if (signal.aborted) throw new CancelledError();
    if (error instanceof ArgsError || error instanceof DataError) throw error;
    throw new DataError(
      `input: ${quoted(url)} can't be fetched: ${reasonOf(error, limits)}.`,
      { got: url },
      { cause: error },
    );
  } finally {
    await agent.close().catch(() => undefined);
  }
}

function refusePrivate(url: URL, limits: FetchLimits): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ArgsError(`input: only http and https can be fetched, got ${quoted(url.protocol)}.`, {
      got: url.protocol,
    });
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (limits.reach && isIP(host) !== 0 && !limits.reach.allows(host, host)) {
    throw new ArgsError(
      `input: ${quoted(url.host)} is not a public address, so this service does not fetch from it. Upload the file instead, or have its operator allow the host by --fetch-from.`,
      {
        got: url.host,
      },
    );
  }
}

function bounded(most: number, url: string): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes <= most) return done(null, chunk);
      done(
        new DataError(
          `input: ${quoted(url)} is larger than ${Math.round(most / 2 ** 20)} MB, the most that is fetched.`,
          { expected: most },
        ),
      );
    },
  });
}

function reasonOf(error: unknown, limits: FetchLimits): string {
  const { code, message, name } = error as { code?: string; message?: string; name?: string };
  if (name === "TimeoutError") return `no answer within ${limits.timeoutMs / 1000} s`;
  if (code === "ENOTPUBLIC") return "its address is not public, so this service does not fetch from it";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its host is not known";
  if (code === "ECONNREFUSED") return "nothing listens there";
  // Node repeats the host's name in it, however long that is.
  return message?.slice(0, 200) ?? "the connection failed";
}
