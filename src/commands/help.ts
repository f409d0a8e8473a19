import { readFileSync } from "node:fs";
import { didYouMean, quoted } from "../core/names.ts";

const usage = `blocklab: explore data and teach machine learning in TypeScript

  blocklab                         the prompt (reads cells from a pipe as well)
  blocklab -e CODE                 runs one cell and prints its value
  blocklab run FILE                runs a notebook (.ipynb) or script (.ts)
           [--inplace] [--check]   writes outputs back; fails when stored ones differ
  blocklab serve                   the HTTP service
           [--port N] [--host A] [--home DIR] [--files DIR] [--public-url URL]
           [--memory-limit MB] [--threads N] [--verbose]
  blocklab keys create [LABEL]     a key for the service; also: list, revoke ID
  blocklab kernel install          the Jupyter kernel [--user | --sys-prefix | --prefix DIR]
  blocklab kernel uninstall
  blocklab doctor                  says what is installed where, and what is missing

Data lies in --home, BLOCKLAB_HOME, or the platform's data folder. With BLOCKLAB_URL and
BLOCKLAB_KEY the prompt, notebooks and scripts work on a service elsewhere.
`;

/** Prints how the command line is used. */
export function helpCommand(): number {
  process.stdout.write(usage);
  return 0;
}

/** The version of this blocklab. */
export function version(): string {
  const url = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(url, "utf8")) as { version: string }).version;
}

/** Prints the version. */
export function versionCommand(): number {
  process.stdout.write(`${version()}\n`);
  return 0;
}

/** Says that a command is unknown, with the nearest one. */
export function unknownCommand(name: string, known: readonly string[]): number {
  process.stderr.write(
    `blocklab has no command ${quoted(name)}.${didYouMean(name, known)} Commands: ${known.join(", ")}.\n`,
  );
  return 2;
}
