import { render } from "ink";
import { createElement } from "react";
import type { OnOutput } from "../notebook/evaluator.ts";
import type { Session } from "../session/index.ts";
import { App } from "./app.tsx";
import type { Bench } from "./lines.ts";
import { Prompt } from "./prompt.ts";

/** What the app works with. */
export interface ReplBench {
  readonly evaluator: Bench["evaluator"];
  readonly session: Session;
  close(): Promise<void>;
}

/** How the app is started. */
export interface ReplOptions {
  /** Opens evaluator and session; what cells print goes to `onOutput`. */
  open(options: { readonly onOutput: OnOutput; readonly check: "session" }): Promise<ReplBench>;
  /** A value as lines for the terminal. */
  show(value: unknown, width: number, colour: boolean): Promise<readonly string[]>;
  readonly historyFile: string | null;
}

const greeting = `blocklab: explore data, learn machine learning. Try these:

  await session.input("sample:penguins")
  await session.scatter("bill_length_mm", "bill_depth_mm", { color: "species" })
  await session.xy({ y: "species" }).split({ test_size: 0.2 }).missing("mean").missing("mode").encode().forestClassifier().metrics()

help() lists all blocks, Tab completes, :help shows the commands, ctrl-d leaves.
`;

/** The exit status of a program whose terminal went away, as shells have it. */
const hungUp = 129;

/** Runs the prompt until it is left; answers the exit status. */
export async function startRepl(options: ReplOptions): Promise<number> {
  // Cells' output is diverted at process.stdout; the app itself writes past that.
  const write = process.stdout.write.bind(process.stdout);
  const screen: NodeJS.WriteStream = Object.create(process.stdout, { write: { value: write } });
  let print = (text: string): void => void write(text);
  let bench: ReplBench | null = null;
  const colour = !process.env.NO_COLOR;
  const prompt = new Prompt({
    historyFile: options.historyFile,
    print: (text) => print(text),
    async open() {
      const opened = await options.open({ onOutput: (_stream, text) => print(text), check: "session" });
      bench = opened;
      const show = (value: unknown) => options.show(value, process.stdout.columns || 80, colour);
      return { evaluator: opened.evaluator, session: opened.session, show };
    },
  });
  // When the terminal goes away, there is nobody left to leave.
  for (const gone of ["end", "close", "error"]) process.stdin.once(gone, () => process.exit(hungUp));
  process.once("SIGHUP", () => process.exit(hungUp));
  write(`${greeting}\n`);
  const app = render(createElement(App, { prompt, onPrinter: (next) => (print = next) }), {
    stdout: screen,
    exitOnCtrlC: false,
    maxFps: 120,
  });
  await app.waitUntilExit();
  await (bench as ReplBench | null)?.close();
  return 0;
}
