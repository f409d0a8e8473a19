import { statSync } from "node:fs";
import { resolve } from "node:path";
import { ArgsError } from "../core/errors.ts";
import { defaultHome } from "../core/home.ts";
import { quoted } from "../core/names.ts";
import { ownMemory } from "../core/own-memory.ts";
import { serve } from "../server/serve.ts";
import { readOptions, wholeNumber } from "./options.ts";

/** `blocklab serve`: the HTTP service, until it is stopped. */
export async function serveCommand(words: readonly string[]): Promise<number> {
  const { values } = readOptions("serve", words, {
    port: { type: "string", default: "8765" },
    host: { type: "string", default: "127.0.0.1" },
    home: { type: "string" },
    files: { type: "string" },
    engine: { type: "string" },
    "public-url": { type: "string" },
    "fetch-from": { type: "string", multiple: true },
    "tls-cert": { type: "string" },
    "tls-key": { type: "string" },
    "memory-limit": { type: "string" },
    "block-timeout": { type: "string" },
    blocks: { type: "string" },
    queue: { type: "string" },
    rate: { type: "string" },
    "body-limit": { type: "string" },
    "upload-limit": { type: "string" },
    quota: { type: "string" },
    threads: { type: "string" },
    verbose: { type: "boolean", default: false },
  });
  const files = values.files === undefined ? null : resolve(values.files);
  if (files !== null && !statSync(files, { throwIfNoEntry: false })?.isDirectory())
    throw new ArgsError(`blocklab serve: --files must name a folder, and ${quoted(files)} is none. Make it first.`);
  /** An option in megabytes, seconds or so, times what one of them is; nothing when it isn't given. */
  const given = <N extends string>(name: N, option: keyof typeof values, most: number, unit = 1, least = 1) => {
    const text = values[option];
    if (typeof text !== "string") return {} as { readonly [K in N]?: number };
    return { [name]: wholeNumber("serve", option, text, least, most) * unit } as { readonly [K in N]?: number };
  };
  const megabyte = 2 ** 20;
  const serving = await serve({
    port: wholeNumber("serve", "port", values.port, 0, 65_535),
    host: values.host,
    home: resolve(values.home ?? defaultHome()),
    files,
    ...engineOf(values.engine),
    publicUrl: values["public-url"],
    fetchFrom: values["fetch-from"]?.flatMap((list) => list.split(",")),
    tlsCert: values["tls-cert"],
    tlsKey: values["tls-key"],
    verbose: values.verbose,
    memoryLimit: Math.floor(ownMemory() / 2),
    ...given("memoryLimit", "memory-limit", 1_000_000, megabyte, 64),
    ...given("blockTimeoutMs", "block-timeout", 86_400, 1000),
    ...given("atOnce", "blocks", 1000),
    ...given("queue", "queue", 100_000),
    ...given("ratePerMinute", "rate", 1_000_000),
    ...given("bodyLimit", "body-limit", 1000, megabyte),
    ...given("uploadLimit", "upload-limit", 1_000_000, megabyte),
    ...given("quota", "quota", 100_000_000, megabyte),
    ...given("threads", "threads", 256, 1, 0),
  });
  return await serving.closed;
}

/** `--engine spark=sc://HOST:15002`. The address may hold a token, so it is not repeated. */
function engineOf(engine: string | undefined): { readonly spark?: string } {
  if (engine === undefined) return {};
  if (engine.startsWith("spark=") && engine.length > "spark=".length) return { spark: engine.slice("spark=".length) };
  throw new ArgsError("blocklab serve: --engine must look like spark=sc://HOST:15002.", { path: "engine" });
}
