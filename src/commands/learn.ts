import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { ArgsError } from "../core/errors.ts";
import { defaultHome } from "../core/home.ts";
import { count } from "../core/names.ts";
import { harmless } from "../core/visible.ts";
import { proveLesson } from "../notebooks/lesson-check.ts";
import { markdownLines, toLines } from "../render/index.ts";
import { findLesson, lessonFile, lessonList } from "../repl/learn/library.ts";
import { ProgressBook } from "../repl/learn/progress.ts";
import { Printer } from "../repl/printer.ts";
import { readOptions } from "./options.ts";
import { openBehind, promptOptions } from "./prompt-options.ts";
import { paper, show } from "./show.ts";
import { openWorkbench } from "./workbench.ts";

/** `blocklab learn`: lists the lessons; takes one at the prompt, or line by line without a terminal; proves one. */
export async function learnCommand(words: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions("learn", words, {
    check: { type: "boolean", default: false },
    home: { type: "string" },
    graphics: { type: "string" },
    "screen-reader": { type: "boolean", default: process.env.INK_SCREEN_READER === "true" },
  });
  const [name, ...more] = positionals;
  if (more.length > 0 || (values.check && name === undefined))
    throw new ArgsError("blocklab learn takes one lesson's name, or the path of a notebook (.ipynb).");
  if (values.home !== undefined) process.env.BLOCKLAB_HOME = values.home;
  if (name === undefined) return await list();
  if (values.check) return await check(name);
  const { file } = await findLesson(name, process.cwd());
  if (!process.stdin.isTTY || !process.stdout.isTTY) return await byLines(name, dirname(file));
  const { startRepl } = await import("../repl/start.ts");
  const options = promptOptions({ graphics: values.graphics, isSpoken: values["screen-reader"] });
  return await startRepl({ ...options, open: openBehind(dirname(file)), first: `:learn ${name}` });
}

async function list(): Promise<number> {
  const view = await lessonList(new ProgressBook(defaultHome()));
  process.stdout.write(
    `${toLines(view, paper()).join("\n")}\n\nblocklab learn LESSON begins one, or goes on with it.\n`,
  );
  return 0;
}

/** In a data folder of its own, so that nothing that ran before shows. */
async function check(name: string): Promise<number> {
  const { file } = await lessonFile(name, process.cwd());
  const home = mkdtempSync(join(tmpdir(), "blocklab-lesson-"));
  Object.assign(process.env, { BLOCKLAB_HOME: home, BLOCKLAB_URL: "" });
  try {
    const { steps, checks, faults } = await proveLesson(file, openWorkbench);
    for (const fault of faults) process.stderr.write(harmless(`${fault}\n`));
    if (faults.length > 0) return 1;
    process.stdout.write(`${name}: ${count(steps, "step")} and ${count(checks, "check")} hold.\n`);
    return 0;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function byLines(name: string, cwd: string): Promise<number> {
  const { lessonByLines } = await import("../repl/learn/lines.ts");
  // From the start, so that no line is missed while the lesson opens.
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const printer = new Printer((text) => void process.stdout.write(text));
  let close: (() => Promise<void>) | null = null;
  try {
    await lessonByLines(
      name,
      {
        home: defaultHome(),
        print: (text) => printer.print(text),
        page: (lines) => printer.print(`${lines.join("\n")}\n`),
        setTheme: () => undefined,
        explore: async () => {
          throw new ArgsError(":explore needs a terminal.");
        },
        async open(journal) {
          // A lesson's cells import from its folder.
          const bench = await openWorkbench({
            cwd,
            check: "session",
            keepsResults: true,
            onOutput(stream, text) {
              journal.hear(stream, text);
              if (!journal.isQuiet) printer.add(text);
            },
          });
          close = bench.close;
          return {
            ...bench,
            show: (value) => show(value, paper()),
            explain: (markdown) => markdownLines(markdown, paper()),
            doctor: async () => await (await import("./doctor.ts")).doctorView(),
          };
        },
      },
      { [Symbol.asyncIterator]: () => lines },
    );
    return 0;
  } finally {
    await (close as (() => Promise<void>) | null)?.();
  }
}
