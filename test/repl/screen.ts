import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import xterm from "@xterm/headless";
import { afterAll, beforeAll } from "vitest";

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** Why there is no pseudo-terminal to be had here, in a sentence; null when there is. */
export const whyNoTerminal = existsSync("/usr/bin/script") ? null : "util-linux's script is not installed";

/** The prompt in a terminal of 80 × 30, driven by keys and read as a person would read it. */
export class Screen {
  readonly #terminal = new xterm.Terminal({
    cols: 80,
    rows: 30,
    scrollback: 2_000,
    allowProposedApi: true,
    windowOptions: { getCellSizePixels: true },
  });
  readonly #process: ChildProcess;
  readonly #home: string;
  readonly ended: Promise<number | null>;
  /** Everything that came, with its escape codes. */
  raw = "";

  /** `env` adds to the environment, `words` to the command line; `isSixel`: the terminal says that it draws sixels. */
  constructor(home: string, env: Readonly<Record<string, string>> = {}, words = "", isSixel = false) {
    this.#home = home;
    if (isSixel) {
      this.#answer("c", "\u001b[?62;4;22c");
      this.#answer("t", "\u001b[6;24;12t");
    }
    const program = `echo $$ > '${join(home, "pid")}'; exec '${process.execPath}' '${cli}' ${words}`;
    const command = [
      `tty > '${join(home, "tty")}'; stty rows 30 cols 80`,
      `sh -c "${program.replaceAll("$", "\\$")}"; status=$?`,
      `stty -a > '${join(home, "settings")}'; exit $status`,
    ].join("\n");
    this.#process = spawn("/usr/bin/script", ["-qefc", command, "/dev/null"], {
      env: { PATH: process.env.PATH, HOME: home, BLOCKLAB_HOME: home, TERM: "xterm-256color", LANG: "C.UTF-8", ...env },
      cwd: home,
    });
    this.#process.stdout!.on("data", (data: Buffer) => {
      this.raw += data.toString("latin1");
      this.#terminal.write(data);
    });
    this.#terminal.onData((answer) => this.type(answer));
    this.ended = new Promise((resolve) => this.#process.on("exit", resolve));
  }

  /** Answers a question (CSI … final) so, in place of xterm's own answer. */
  #answer(final: string, answer: string): void {
    this.#terminal.parser.registerCsiHandler({ final }, () => {
      this.type(answer);
      return true;
    });
  }

  /** Sends keys, as a terminal would. */
  type(keys: string): void {
    this.#process.stdin!.write(keys);
  }

  /** Types a cell and return. */
  enter(line: string): void {
    this.type(`${line}\r`);
  }

  /** Everything in the scrollback and on the screen, a line each. */
  get text(): string {
    const buffer = this.#terminal.buffer.active;
    const lines = Array.from({ length: buffer.length }, (_, k) => buffer.getLine(k)?.translateToString(true) ?? "");
    return lines.join("\n").trimEnd();
  }

  /** The colours of a text that stands by itself on a line, without the terminal's own. */
  coloursFrom(text: string): number[] {
    const buffer = this.#terminal.buffer.active;
    const found = Array.from({ length: buffer.length }, (_, k) => buffer.getLine(k)!).findLast(
      (line) => line.translateToString(true) === text,
    );
    const cells = Array.from(text, (_, k) => found!.getCell(k)!);
    return [...new Set(cells.filter((cell) => !cell.isFgDefault()).map((cell) => cell.getFgColor()))];
  }

  /** Waits until the text matches; answers the match. */
  async until(pattern: RegExp, timeoutMs = 15_000): Promise<RegExpExecArray> {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const start = performance.now();
      const found = pattern.exec(this.text);
      if (found) return found;
      if (performance.now() > end) throw new Error(`${pattern} never came; the screen:\n${this.text}`);
      // Looking takes time from the terminal, which may have much to draw.
      await new Promise((resolve) => setTimeout(resolve, 20 + 3 * (performance.now() - start)));
    }
  }

  /** Makes the terminal another width, as when its window is dragged. */
  resize(columns: number): void {
    const tty = readFileSync(join(this.#home, "tty"), "utf8").trim();
    spawn("stty", ["-F", tty, "cols", String(columns)]);
    this.#terminal.resize(columns, 30);
  }

  /** Takes the terminal away, as when its window is closed. */
  kill(): void {
    this.#process.kill("SIGKILL");
  }

  /** How the terminal was left, in stty's words. */
  get settings(): string {
    return readFileSync(join(this.#home, "settings"), "utf8");
  }

  /** What the prompt's process takes of the memory, in MB. */
  get memory(): number {
    const status = readFileSync(`/proc/${readFileSync(join(this.#home, "pid"), "utf8").trim()}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  /** Is the prompt's own process still there? */
  get isAlive(): boolean {
    try {
      process.kill(Number(readFileSync(join(this.#home, "pid"), "utf8")), 0);
      return true;
    } catch {
      return false;
    }
  }
}

/**
 * A prompt for the tests of a describe, in a data folder of its own, whose path it answers; both end with the tests.
 *
 * `prepare` may put files into the folder, and answer what to add to the environment.
 */
export function promptForTests(
  take: (screen: Screen) => void,
  prepare: (home: string) => Readonly<Record<string, string>> | undefined = () => undefined,
): string {
  const home = mkdtempSync(join(tmpdir(), "blocklab-prompt-"));
  let screen: Screen | undefined;
  beforeAll(async () => {
    screen = new Screen(home, prepare(home));
    take(screen);
    await screen.until(/default · no block yet/);
  }, 30_000);
  afterAll(() => {
    screen?.kill();
    rmSync(home, { recursive: true, force: true });
  });
  return home;
}
