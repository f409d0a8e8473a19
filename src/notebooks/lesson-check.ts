import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { ArgsError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import { parseNotebook } from "./ipynb.ts";
import { readLesson, type Step } from "./lesson.ts";
import { type Verdict, verdictsOn } from "./lesson-verdicts.ts";
import type { OpenBench, RunBench } from "./run.ts";

/** What a proof of a lesson came to. */
export interface Proof {
  readonly steps: number;
  readonly checks: number;
  /** What is wrong, a sentence each. */
  readonly faults: readonly string[];
}

/**
 * Proves a lesson: its metadata is valid, every solution runs and passes its checks, and no start does.
 *
 * A start that can't run at all is as good as one that fails a check.
 */
export async function proveLesson(file: string, open: OpenBench): Promise<Proof> {
  const source = await readFile(file, "utf8").catch((error: unknown) => {
    throw new ArgsError(`there is no file ${quoted(file)} to check.`, { got: file }, { cause: error });
  });
  const name = basename(file);
  const { lesson, faults } = readLesson(parseNotebook(source, name));
  const checks = lesson.steps.reduce((sum, step) => sum + step.checks.length, 0);
  const proof = { steps: lesson.steps.length, checks };
  if (faults.length > 0) return { ...proof, faults: faults.map((fault) => `${name}: ${fault}`) };
  // What cells print concerns nobody here.
  const bench = await open({ onOutput: () => undefined, cwd: dirname(resolve(file)) });
  try {
    const found: string[] = [];
    for (const [k, step] of lesson.steps.entries()) {
      const { faults: more, isGood } = await faultsOf(step, bench);
      found.push(...more.map((fault) => `${name}, step ${k + 1} (${quoted(step.id)}): ${fault}`));
      // What comes after may need what this step should have made.
      if (!isGood) break;
    }
    return { ...proof, faults: found };
  } finally {
    await bench.close();
  }
}

async function faultsOf(step: Step, bench: RunBench): Promise<{ faults: string[]; isGood: boolean }> {
  const faults: string[] = [];
  if (step.start.trim() !== step.solution.trim()) {
    const { error, verdicts } = await attempt(step, step.start, bench);
    if (error === null && verdicts.every((verdict) => verdict.holds)) {
      const why = step.checks.length === 0 ? "there is no check that could fail" : "all its checks hold";
      faults.push(`the unmodified start passes already: ${why}.`);
    }
  }
  const { error, verdicts } = await attempt(step, step.solution, bench);
  if (error !== null) return { faults: [...faults, `the solution fails: ${error}`], isGood: false };
  const failed = verdicts.filter((verdict) => !verdict.holds).map(failureOf);
  return { faults: [...faults, ...failed], isGood: true };
}

async function attempt(step: Step, source: string, bench: RunBench) {
  const result = await bench.evaluator.run(source, { cellId: step.id });
  if (result.kind === "error") return { error: sentence(result.error), verdicts: [] };
  return { error: null, verdicts: await verdictsOn(result.value, step.checks, bench.evaluator) };
}

function failureOf({ check, error }: Verdict): string {
  const came = error === null ? "" : `, it fails: ${oneLine(error)}`;
  return `with the solution the check ${quoted(check.expr)} does not hold${came}${came.endsWith(".") ? "" : "."}`;
}

function sentence(error: { readonly name: string; readonly message: string }): string {
  return oneLine(`${error.name}: ${error.message}`).replace(/\.?$/, ".");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
