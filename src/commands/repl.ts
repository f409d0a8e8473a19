import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArgsError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import { isShowable, viewOf } from "../core/view.ts";
import { defaultHome } from "../index.ts";
import { plain } from "../notebook/display.ts";
import {
  type Graphics,
  graphicsKinds,
  graphicsOf,
  type Pictures,
  type TextOptions,
  toLines,
  toPictureLines,
} from "../render/index.ts";
import { runJson, runLines, runOne } from "../repl/lines.ts";
import type { TerminalAnswers } from "../repl/terminal-answers.ts";
import { runTour } from "../repl/tour.ts";
import { readOptions } from "./options.ts";
import { openWorkbench, type Workbench } from "./workbench.ts";

const sinks = {
  out: (text: string) => void process.stdout.write(text),
  err: (text: string) => void process.stderr.write(text),
};

/** `blocklab`: the prompt in a terminal; without one, cells from stdin or `-e`, or a short tour. */
export async function replCommand(words: readonly string[]): Promise<number> {
  const { values } = readOptions("repl", words, {
    eval: { type: "string", short: "e" },
    json: { type: "boolean", default: false },
    home: { type: "string" },
    graphics: { type: "string" },
    "screen-reader": { type: "boolean", default: process.env.INK_SCREEN_READER === "true" },
  });
  if (values.home !== undefined) process.env.BLOCKLAB_HOME = values.home;
  const options = promptOptions({ graphics: values.graphics, isSpoken: values["screen-reader"] });
  if (values.eval !== undefined) return await withBench((bench) => evalOnce(values.eval as string, values.json, bench));
  if (process.stdin.isTTY && process.stdout.isTTY) {
    const { startRepl } = await import("../repl/start.ts");
    return await startRepl({ ...options, open: openWorkbench });
  }
  const text = await readStdin();
  return text.trim() === "" ? await tourInPrivate() : await withBench((bench) => runLines(text, onPaper(bench), sinks));
}

async function evalOnce(code: string, json: boolean, bench: Workbench): Promise<number> {
  if (json) return await runJson(code, onPaper(bench), sinks);
  return (await runOne(code, onPaper(bench), sinks)) ? 0 : 1;
}

/** What the prompt is started with, whoever starts it. */
export function promptOptions({ graphics, isSpoken }: { graphics: string | undefined; isSpoken: boolean }) {
  const wanted = isSpoken ? "none" : graphicsFor(graphics);
  return {
    isSpoken,
    asksTerminal: (wanted === null || wanted === "sixel") && process.env.TERM !== "dumb",
    show: (value: unknown, options: TextOptions, told: TerminalAnswers) =>
      show(value, options, picturesBy(wanted, told)),
    doctor: async () => await (await import("./doctor.ts")).doctorView(),
    home: defaultHome(),
    historyFile: join(defaultHome(), "history"),
  };
}

/** The tour leaves nothing behind in the user's own projects. */
async function tourInPrivate(): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "blocklab-tour-"));
  process.env.BLOCKLAB_HOME = home;
  try {
    return await withBench((bench) => runTour(onPaper(bench), sinks));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function withBench(work: (bench: Workbench) => Promise<number>): Promise<number> {
  const bench = await openWorkbench();
  try {
    return await work(bench);
  } finally {
    await bench.close();
  }
}

/** A bench whose values come out as text. */
function onPaper(bench: Workbench) {
  return { evaluator: bench.evaluator, show: (value: unknown) => show(value, paper()) };
}

/** Text of 80 columns, or of the terminal's width. */
export function paper(): TextOptions {
  const colour = Boolean(process.env.FORCE_COLOR) || (process.stdout.isTTY && !process.env.NO_COLOR);
  return { width: process.stdout.columns || 80, colour };
}

/** A value as lines for a terminal. */
export async function show(
  value: unknown,
  options: TextOptions,
  pictures: Pictures | null = null,
): Promise<readonly string[]> {
  if (value === undefined) return [];
  if (isShowable(value)) {
    const view = await value[viewOf]();
    return pictures ? await toPictureLines(view, options, pictures) : toLines(view, options);
  }
  return plain(value, options.colour).split("\n");
}

/** How pictures are shown: as the option says, else as the terminal says of itself; null when it has to be asked. */
function graphicsFor(option: string | undefined): Graphics | "none" | null {
  if (option === undefined) return graphicsOf(process.env);
  const found = [...graphicsKinds, "none" as const].find((kind) => kind === option);
  if (found) return found;
  throw new ArgsError(`blocklab: --graphics must be kitty, iterm, sixel or none, got ${quoted(option)}.`);
}

/** How pictures go to a terminal that told this of itself; null for none. */
function picturesBy(wanted: Graphics | "none" | null, told: TerminalAnswers): Pictures | null {
  const graphics = wanted ?? (told.sixel ? "sixel" : "none");
  if (graphics === "none") return null;
  return { graphics, ...(told.columnPixels === null ? {} : { columnPixels: told.columnPixels }) };
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
