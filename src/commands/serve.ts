import { statSync } from "node:fs";
import { resolve } from "node:path";
import { ArgsError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import { defaultHome } from "../index.ts";
import { serve } from "../server/serve.ts";
import { readOptions, wholeNumber } from "./options.ts";

/** `blocklab serve`: the HTTP service, until it is stopped. */
export async function serveCommand(words: readonly string[]): Promise<number> {
  const { values } = readOptions("serve", words, {
    port: { type: "string", default: "8765" },
    host: { type: "string", default: "127.0.0.1" },
    home: { type: "string" },
    files: { type: "string" },
    "public-url": { type: "string" },
    "memory-limit": { type: "string" },
    threads: { type: "string" },
    verbose: { type: "boolean", default: false },
  });
  const files = values.files === undefined ? null : resolve(values.files);
  if (files !== null && !statSync(files, { throwIfNoEntry: false })?.isDirectory())
    throw new ArgsError(`blocklab serve: --files must name a folder, and ${quoted(files)} is none. Make it first.`);
  const megabytes = values["memory-limit"];
  const serving = await serve({
    port: wholeNumber("serve", "port", values.port, 0, 65_535),
    host: values.host,
    home: resolve(values.home ?? defaultHome()),
    files,
    publicUrl: values["public-url"],
    verbose: values.verbose,
    ...(megabytes === undefined
      ? {}
      : { memoryLimit: wholeNumber("serve", "memory-limit", megabytes, 64, 1_000_000) * 2 ** 20 }),
    ...(values.threads === undefined ? {} : { threads: wholeNumber("serve", "threads", values.threads, 0, 256) }),
  });
  return await serving.closed;
}
