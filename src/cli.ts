#!/usr/bin/env node
import * as nodeModule from "node:module";
import { BlocklabError } from "./core/errors.ts";
import { whyTooOld } from "./core/needs-node.ts";
import { harmless } from "./core/visible.ts";

const tooOld = whyTooOld(process.versions.node);
if (tooOld) {
  process.stderr.write(`${tooOld} In a checkout "npm start" brings its own.
`);
  process.exit(1);
}

// Compiled code is kept between starts; it halves the time to the prompt.
nodeModule.enableCompileCache();

/** What a command gets: the words after its name. */
type Command = (words: readonly string[]) => Promise<number>;

/** Each command is loaded when it is called, so that the prompt does not wait for the server's code. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  repl: async () => (await import("./commands/repl.ts")).replCommand,
  serve: async () => (await import("./commands/serve.ts")).serveCommand,
  run: async () => (await import("./commands/run.ts")).runCommand,
  learn: async () => (await import("./commands/learn.ts")).learnCommand,
  keys: async () => (await import("./commands/keys.ts")).keysCommand,
  kernel: async () => (await import("./commands/kernel.ts")).kernelCommand,
  doctor: async () => (await import("./commands/doctor.ts")).doctorCommand,
};

async function main(words: readonly string[]): Promise<number> {
  const [first = "repl", ...rest] = words;
  if (first === "--help" || first === "-h" || first === "help")
    return (await import("./commands/help.ts")).helpCommand();
  if (first === "--version" || first === "-v") return (await import("./commands/help.ts")).versionCommand();
  if (Object.hasOwn(commands, first) && rest.some((word) => word === "--help" || word === "-h"))
    return (await import("./commands/help.ts")).helpCommand(first);
  // Options alone belong to the prompt: `blocklab -e 'code'`.
  if (first.startsWith("-")) return await (await commands.repl())(words);
  if (!Object.hasOwn(commands, first))
    return (await import("./commands/help.ts")).unknownCommand(first, Object.keys(commands));
  return await (await commands[first]())(rest);
}

/** A service and a kernel go on when nobody reads what they print any more; other commands have ended then. */
function outliveReaders(command: string | undefined): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      if (command !== "serve" && command !== "kernel") process.exit();
    });
  }
}

outliveReaders(process.argv[2]);
main(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    process.stderr.write(
      harmless(
        `${error instanceof BlocklabError ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
      ),
    );
    process.exitCode = 1;
  },
);
