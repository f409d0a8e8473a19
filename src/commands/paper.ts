import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isShowable, viewOf } from "../core/view.ts";
import { harmless } from "../core/visible.ts";
import { plain } from "../evaluator/display.ts";
import { type Pictures, type TextOptions, toLines, toPictureLines } from "../render/index.ts";
import { runJson, runLines, runOne } from "../repl/lines.ts";
import { runTour } from "../repl/tour.ts";
import { openWorkbench, type Workbench } from "./workbench.ts";

const sinks = {
  out: (text: string) => void process.stdout.write(harmless(text)),
  err: (text: string) => void process.stderr.write(harmless(text)),
};

/** Runs one cell and prints its value, as JSON if wanted; answers the exit status. */
export async function evalOnce(code: string, json: boolean): Promise<number> {
  return await withBench(async (bench) => {
    if (json) return await runJson(code, onPaper(bench), sinks);
    return (await runOne(code, onPaper(bench), sinks)) ? 0 : 1;
  });
}

/** Runs the cells that come from stdin, or a short tour when there are none; answers the exit status. */
export async function runStdin(): Promise<number> {
  const text = await readStdin();
  return text.trim() === "" ? await tourInPrivate() : await withBench((bench) => runLines(text, onPaper(bench), sinks));
}

/** The tour leaves nothing behind in the user's own projects. */
async function tourInPrivate(): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "blocklab-tour-"));
  process.env.BLOCKLAB_HOME = home;
  // Also when whoever reads has had enough.
  process.once("exit", () => rmSync(home, { recursive: true, force: true }));
  return await withBench((bench) => runTour(onPaper(bench), sinks));
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

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
