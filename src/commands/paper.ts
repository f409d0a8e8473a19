import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArgsError } from "../core/errors.ts";
import { defaultHome } from "../core/home.ts";
import { harmless } from "../core/visible.ts";
import { markdownLines } from "../render/index.ts";
import { Cells } from "../repl/cells.ts";
import { isTyped, runJson, runLines, runOne, toCells } from "../repl/lines.ts";
import { runTour } from "../repl/tour.ts";
import { paper, show } from "./show.ts";
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
  if (text.trim() === "") return await tourInPrivate();
  if (text.split(/\r?\n/).some(isTyped)) return await asAtThePrompt(text);
  return await withBench((bench) => runLines(text, onPaper(bench), sinks));
}

/** Runs lines of which some are the prompt's own, such as `:blocks` or `knn?`, as the prompt does; stops at the first error. */
async function asAtThePrompt(text: string): Promise<number> {
  let failed = false;
  let bench: Workbench | null = null;
  const cells = new Cells({
    home: defaultHome(),
    print: (text) => void process.stdout.write(text),
    page: (lines) => void process.stdout.write(`${lines.join("\n")}\n`),
    fail(words) {
      failed = true;
      sinks.err(words);
    },
    setTheme: () => undefined,
    explore: async () => {
      throw new ArgsError(":explore needs a terminal.");
    },
    async open(journal) {
      bench = await openWorkbench({
        keepsResults: true,
        onOutput(stream, text) {
          journal.hear(stream, text);
          if (!journal.isQuiet) process[stream].write(harmless(text));
        },
      });
      return {
        ...onPaper(bench),
        session: bench.session,
        display: bench.display,
        explain: (markdown) => markdownLines(markdown, paper()),
        doctor: async () => await (await import("./doctor.ts")).doctorView(),
      };
    },
  });
  try {
    const { evaluator } = await cells.bench();
    for (const cell of toCells(text, (code) => evaluator.isComplete(code).status !== "incomplete")) {
      const { isOver } = await cells.run(cell);
      if (failed) return 1;
      if (isOver) break;
    }
    return 0;
  } finally {
    await (bench as Workbench | null)?.close();
  }
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

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
