import type { View } from "../core/view.ts";
import type { Bundle } from "../evaluator/display.ts";
import type { OnOutput } from "../evaluator/evaluator.ts";
import type { TextOptions } from "../render/index.ts";
import type { Session } from "../session/index.ts";
import { showApp, type Terminal } from "./app.tsx";
import { Borrowed } from "./borrowed.ts";
import { directScreen, hungUp } from "./direct.ts";
import type { Bench } from "./lines.ts";
import { Printer } from "./printer.ts";
import { Prompt } from "./prompt.ts";
import { askTerminal, noAnswers, type TerminalAnswers } from "./terminal-answers.ts";
import type { Theme } from "./theme.ts";

/** What the app works with. */
export interface ReplBench {
  readonly evaluator: Bench["evaluator"];
  readonly session: Session;
  display(value: unknown): Promise<readonly Bundle[]>;
  close(): Promise<void>;
}

/** How the app is started. */
export interface ReplOptions {
  /** Opens evaluator and session; what cells print goes to `onOutput`. */
  open(options: {
    readonly onOutput: OnOutput;
    readonly check: "session";
    readonly keepsResults: true;
    readonly startsInUse: true;
  }): Promise<ReplBench>;
  /** A value as lines for the terminal, which told this of itself. */
  show(value: unknown, options: TextOptions, told: TerminalAnswers): Promise<readonly string[]>;
  /** Does the terminal have to be asked how it draws pictures? */
  readonly asksTerminal: boolean;
  /** What is installed where, for `:doctor`. */
  doctor(): Promise<View>;
  readonly historyFile: string | null;
  /** The data folder, where the progress in lessons is kept. */
  readonly home: string;
  /** What runs before anything is typed, such as ":learn quickstart"; the greeting makes way for it. */
  readonly first?: string;
  /** Does somebody listen to the screen? */
  readonly isSpoken: boolean;
}

const greeting = `blocklab: explore data, learn machine learning. Try these:

  await session.input("sample:penguins")
  await session.scatter("bill_length_mm", "bill_depth_mm", { color: "species" })
  await session.xy({ y: "species" }).split().auto().treeClassifier().metrics()

help() lists all blocks, Tab completes, :help shows the commands, ctrl-d leaves.
`;

/** Runs the prompt until it is left; answers the exit status. */
export async function startRepl(options: ReplOptions): Promise<number> {
  const screen = directScreen(process.stdout);
  const borrowed = new Borrowed((text) => void screen.write(text));
  const printer = new Printer((text) => borrowed.print(text));
  const { isSpoken } = options;
  let theme: Theme = isSpoken || process.env.NO_COLOR ? "none" : "auto";
  let told = noAnswers;
  let bench: ReplBench | null = null;
  const prompt = new Prompt({
    historyFile: options.historyFile,
    home: options.home,
    first: options.first ?? null,
    theme,
    print: (text) => printer.print(text),
    setTheme: (next) => {
      theme = next;
    },
    painted: () => borrowed.painted(),
    // Who listens to the screen is told all at once.
    rows: () => (isSpoken ? Number.POSITIVE_INFINITY : process.stdout.rows || 24),
    async explore(source) {
      const { showExplorer } = await import("./explore/view.tsx");
      await borrowed.whole(() => showExplorer(source, screen));
    },
    // What is seldom wanted is loaded when it is, so that the prompt doesn't wait for it.
    async edit(text) {
      const { editOutside } = await import("./external-editor.ts");
      return await borrowed.whole(() => editOutside(text));
    },
    async open(journal) {
      const onOutput: OnOutput = (stream, text) => {
        journal.hear(stream, text);
        if (!journal.isQuiet) printer.add(text);
      };
      const { markdownLines } = await import("../render/index.ts");
      const opened = await options.open({ onOutput, check: "session", keepsResults: true, startsInUse: true });
      bench = opened;
      const show = (value: unknown) => options.show(value, textOptions(theme, isSpoken), told);
      const explain = (markdown: string) => markdownLines(markdown, textOptions(theme, isSpoken));
      return { ...opened, show, explain, doctor: options.doctor };
    },
  });
  // When the terminal goes away, there is nobody left to leave.
  for (const gone of ["end", "close", "error"]) process.stdin.once(gone, () => process.exit(hungUp));
  process.once("SIGHUP", () => process.exit(hungUp));
  if (options.first === undefined) screen.write(`${greeting}\n`);
  const onReady = (terminal: Terminal) => {
    borrowed.take(terminal);
    // Nobody waits for the answers: a terminal that gives none shows its pictures as text.
    if (options.asksTerminal)
      askTerminal(
        process.stdin,
        (text) => screen.write(text),
        (answers) => {
          told = answers;
        },
      );
  };
  await showApp({ prompt, onReady }, screen, isSpoken);
  await (bench as ReplBench | null)?.close();
  return 0;
}

function textOptions(theme: Theme, isSpoken: boolean): TextOptions {
  return {
    width: process.stdout.columns || 80,
    colour: theme !== "none",
    ...(isSpoken ? { spoken: true, unicode: false } : {}),
    ...(theme === "light" || theme === "dark" ? { theme } : {}),
  };
}
