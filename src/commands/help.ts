import { readFileSync } from "node:fs";
import { didYouMean, quoted } from "../core/names.ts";

const usage = `blocklab: explore data and teach machine learning in TypeScript

  blocklab                         the prompt (reads cells from a pipe as well)
  blocklab -e CODE                 runs one cell and prints its value
  blocklab run FILE                runs a notebook (.ipynb) or script (.ts)
           [--inplace] [--check]   writes outputs back; fails when stored ones differ
  blocklab learn [LESSON]          the course, step by step; without a name it lists the lessons
           [--check]               proves a lesson that you wrote
  blocklab serve                   the HTTP service
           [--port N] [--host A] [--home DIR] [--files DIR] [--public-url URL]
           and limits: see blocklab serve --help
  blocklab keys create [LABEL]     a key for the service; also: list, revoke ID
  blocklab kernel install          the Jupyter kernel [--user | --sys-prefix | --prefix DIR]
  blocklab kernel uninstall
  blocklab doctor                  says what is installed where, and what is missing
  blocklab COMMAND --help          more of one command

Data lies in --home, BLOCKLAB_HOME, or the platform's data folder. With BLOCKLAB_URL and
BLOCKLAB_KEY the prompt, notebooks and scripts work on a service elsewhere.
`;

/** What `blocklab COMMAND --help` prints. */
const details: Readonly<Record<string, string>> = {
  repl: `blocklab [-e CODE]: the prompt; with a pipe it runs what comes in, a cell at a time

  -e, --eval CODE    runs one cell, prints its value, and ends
  --json             with -e: prints the value as JSON
  --home DIR         where projects lie (default: BLOCKLAB_HOME, or the data folder of the user)
  --graphics KIND    shows pictures: kitty, iterm, sixel or none (default: as the terminal says of itself)
  --screen-reader    plain lines, charts in words (also: INK_SCREEN_READER=true)

Exit status 1 at the first cell that fails. Type help() or :help at the prompt.
`,
  run: `blocklab run FILE [--inplace | --check] [--fresh]: runs a notebook (.ipynb) or script (.ts) without Jupyter

  --inplace          writes the outputs back into the notebook
  --check            fails when what comes out differs from the stored outputs
  --fresh            in an empty data folder that goes afterwards, so that nothing run before shows

Cells import from the file's own folder. Exit status 1 at the first cell that fails.
`,
  learn: `blocklab learn [LESSON | FILE.ipynb]: a notebook taken step by step at the prompt

Without a name it lists the lessons of the course, and how far you got. Each step explains, asks what you expect,
runs the cell that you may change, and checks what came. Enter goes on; the progress is kept in the data folder.
Without a terminal it prints lines and reads them: an empty one does what enter does.

  :next, :back       goes on, or back a step
  :hint              a hint, the next one each time
  :skip              runs the solution
  :why               tells why a cell came out as it did
  :play              lets you try things freely; again: returns to the step
  :restart           begins the step anew, after the cells before it
  :learn end         leaves the lesson

  --check            proves a lesson in an empty data folder: its metadata is valid, every solution runs and passes
                     its checks, and no unmodified start does; exit status 1 with a sentence for each fault
  --home DIR, --graphics KIND, --screen-reader: as for the prompt

docs/lessons.md tells how to write one.
`,
  serve: `blocklab serve: the HTTP service, until it is stopped (ctrl-c or SIGTERM)

  --port N           the port (default 8765; 0: any free one, printed)
  --host A           the address to listen on (default 127.0.0.1: this machine alone)
  --home DIR         where projects, keys and artifacts lie (default: BLOCKLAB_HOME, or the data folder of the user)
  --files DIR        the one folder whose files callers may name in an input (default: none)
  --engine spark=sc://HOST:15002
                     the Spark whose tables and files callers may read (default: BLOCKLAB_ENGINE_SPARK, else none)
  --public-url URL   what artifact addresses begin with, when a proxy stands before the service
  --tls-cert FILE    HTTPS: the certificate chain, in PEM; and
  --tls-key FILE     its private key
  --fetch-from LIST  hosts and networks inside your own network that inputs may name (10.1.0.0/16,data.intern);
                     otherwise public addresses alone
  --threads N        threads of the table engine and of the models (default: one per core)
  --verbose          logs every request, as JSON lines on stderr; faults are logged always

Limits; what goes beyond one is refused, or its block ended, and the answer says which limit it was:

  --memory-limit MB  what running blocks may take together (default: half of the machine's, or container's)
  --block-timeout S  seconds that a block may run (default: as long as it takes)
  --blocks N         blocks that run side by side (default: twice the cores, at least 4)
  --queue N          blocks that may wait for a turn, shared out fairly between keys (default 200)
  --rate N           requests a minute of each key (default: no limit)
  --body-limit MB    size of a JSON request (default 16)
  --upload-limit MB  size of an uploaded file (default 1024)
  --quota MB         what each key may have on disk (default: as much as there is)

Every route but the open ones wants a key. For a class: a key each, and a service with limits that one
runaway loop can't pass. On the teacher's machine, here called "teacher":

  for name in ada bob cem; do blocklab keys create $name; done     prints each key, this once
  blocklab serve --host 0.0.0.0 --public-url http://teacher:8765 --files ./data \\
    --memory-limit 4000 --block-timeout 120 --rate 600 --quota 2000

and on Ada's:

  BLOCKLAB_URL=http://teacher:8765 BLOCKLAB_KEY=bl_… blocklab

A key sees its own projects alone. Give --tls-cert and --tls-key when the network is not yours: docs/services.md.
`,
  keys: `blocklab keys create [LABEL] | list | revoke ID [--home DIR]: who may use the service

  create [LABEL]     makes a key and prints it, this once
  list               all keys, without their secrets
  revoke ID          ends a key at once

  --home DIR         the service's folder, as for blocklab serve
`,
  kernel: `blocklab kernel install | uninstall [--user | --sys-prefix | --prefix DIR] [--types all]: the Jupyter kernel

  --user             for this user (default)
  --sys-prefix       for the active Python environment
  --prefix DIR       below DIR/share/jupyter
  --types all        what type errors do: "session" stops a cell that calls the session
                     wrongly (default), "all" warns of the others too, "off" does neither

Then pick "TypeScript (blocklab)" in JupyterLab, VS Code or nbclient.
`,
  doctor: `blocklab doctor: says what is installed where, what is missing, and the cure
`,
};

/** Prints how the command line is used, or one command of it. */
export function helpCommand(command?: string): number {
  process.stdout.write((command === undefined ? undefined : details[command]) ?? usage);
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
