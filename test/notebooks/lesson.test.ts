import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createEvaluator } from "../../src/evaluator/create.ts";
import { display } from "../../src/evaluator/display.ts";
import { makeCell, type Notebook, writeNotebook } from "../../src/notebooks/ipynb.ts";
import { parseLesson, readLesson } from "../../src/notebooks/lesson.ts";
import { proveLesson } from "../../src/notebooks/lesson-check.ts";
import { verdictsOn } from "../../src/notebooks/lesson-verdicts.ts";
import type { OpenBench } from "../../src/notebooks/run.ts";

type Part = string | { readonly id: string; readonly code: string; readonly blocklab?: object };

/** A notebook of markdown and code cells. */
function bookOf(...parts: readonly Part[]): Notebook {
  const cells = parts.map((part) => {
    if (typeof part === "string") return makeCell("markdown", part);
    const metadata = part.blocklab === undefined ? {} : { blocklab: part.blocklab };
    return { ...makeCell("code", part.code), id: part.id, metadata };
  });
  return { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 };
}

function faultsOf(blocklab: object): readonly string[] {
  return readLesson(bookOf({ id: "a", code: "1", blocklab })).faults;
}

describe("a lesson", () => {
  it("has a step for each code cell, with the markdown before it", () => {
    const { lesson, faults } = readLesson(
      bookOf(
        "# Sums\n\nOne.",
        "Two.",
        { id: "a", code: "1 + 1" },
        { id: "b", code: "2" },
        { id: "c", code: "  " },
        "Bye.",
      ),
    );
    expect(faults).toEqual([]);
    expect(lesson).toMatchObject({ title: "Sums", closing: "Bye." });
    expect(lesson.steps.map((step) => [step.id, step.explain, step.start, step.solution])).toEqual([
      ["a", "# Sums\n\nOne.\n\nTwo.", "1 + 1", "1 + 1"],
      ["b", "", "2", "2"],
    ]);
  });

  it("takes the start or the solution from the metadata, and the outcome of the solution alone", () => {
    const book = bookOf(
      { id: "a", code: "2", blocklab: { start: "1", predict: "What?", hints: ["h"], why: "so" } },
      { id: "b", code: "1", blocklab: { solution: "2" } },
    );
    for (const cell of book.cells)
      cell.outputs = [{ output_type: "execute_result", data: { "text/plain": ["two\n", "lines"] } }];
    const [a, b] = readLesson(book).lesson.steps;
    expect(a).toMatchObject({ start: "1", solution: "2", outcome: "two\nlines", predict: { ask: "What?" }, why: "so" });
    expect(b).toMatchObject({ start: "1", solution: "2", outcome: null, predict: null, hints: [], checks: [] });
  });

  it.each<[object, string]>([
    [{ hint: ["x"] }, 'metadata.blocklab has no "hint". Did you mean "hints"? It takes predict, checks'],
    [{ hints: "x" }, "metadata.blocklab.hints must be a list."],
    [{ hints: [" "] }, "metadata.blocklab.hints.0 must not be empty."],
    [{ checks: [{ expr: "1" }] }, "metadata.blocklab.checks.0.message must be text."],
    [{ checks: [{ expr: "1", message: "m", mesage: "" }] }, 'checks.0 has no "mesage". Did you mean "message"?'],
    [{ predict: { ask: "a", options: ["x"] } }, "metadata.blocklab.predict.options must have at least 2 entries."],
    [{ predict: { ask: "a", options: ["x", "y"], answer: "z" } }, "predict.answer must be one of the options."],
    [{ predict: 3 }, "metadata.blocklab.predict must be an object."],
    [{ predict: { ask: "a", answer: true } }, "metadata.blocklab.predict.answer must be a text or a number."],
    [{ start: "1", solution: "2" }, "metadata.blocklab.start can't stand beside solution: the cell is one of the two."],
    [[], "metadata.blocklab must be an object."],
  ])("says in a sentence what is wrong with %j", (blocklab, sentence) => {
    const [fault, ...more] = faultsOf(blocklab);
    expect(more).toEqual([]);
    expect(fault).toContain(`cell 1 ("a"): `);
    expect(fault).toContain(sentence);
  });

  it("may have the metadata that docs/lessons.md shows", () => {
    const page = readFileSync(new URL("../../docs/lessons.md", import.meta.url), "utf8");
    const { blocklab } = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "") as { blocklab: object };
    expect(faultsOf(blocklab)).toEqual([]);
    expect(Object.keys(blocklab)).toEqual(["predict", "start", "checks", "hints", "why"]);
  });

  it("reads an answer that Python writes as 2.0 as the number two", () => {
    const json = writeNotebook(bookOf({ id: "a", code: "1", blocklab: { predict: { ask: "a", answer: 2 } } }));
    const { steps } = parseLesson(json.replace('"answer": 2', '"answer": 2.0'), "x");
    expect(steps[0].predict?.answer).toBe(2);
  });

  it("wants cells with ids of their own, one at least, and metadata where it is read", () => {
    const twice = readLesson(bookOf({ id: "a", code: "1" }, { id: "a", code: "2" }));
    expect(twice.faults).toEqual(['cell 2 has the id "a", as an earlier one; ids must differ.']);
    expect(readLesson(bookOf("words")).faults).toEqual(["it has no code cell, so there is no step to take."]);
    const book = bookOf("words", { id: "a", code: "1" });
    book.cells[0].metadata = { blocklab: {} };
    expect(readLesson(book).faults[0]).toBe(
      "cell 1 has lesson metadata, but is a markdown cell; put it into a code cell.",
    );
    expect(() => parseLesson(writeNotebook(book), "my.ipynb")).toThrow('"my.ipynb" is not a lesson: cell 1 has');
  });
});

describe("checks", () => {
  it("see the value of their cell as _ and the names of the scope, and leave no result behind", async () => {
    const evaluator = createEvaluator({ cwd: tmpdir(), keepsResults: true });
    const { value } = (await evaluator.run("const lessonName = 3; lessonName * 2")) as { value: unknown };
    const checks = [
      "_ === 6 && lessonName === 3",
      "await Promise.resolve(false)",
      "_ === 6 // six",
      "nowhere.x",
      "a) b",
    ];
    const verdicts = await verdictsOn(
      value,
      checks.map((expr) => ({ expr, message: "m" })),
      evaluator,
    );
    expect(verdicts.map(({ holds, error }) => [holds, error?.replace(/:.*/s, "") ?? null])).toEqual([
      [true, null],
      [false, null],
      [true, null],
      [false, "ReferenceError"],
      [false, "SyntaxError"],
    ]);
    expect(await evaluator.run("[_, _1, typeof _2]")).toMatchObject({ value: [6, 6, "undefined"] });
    await evaluator.close();
  });
});

describe("a proof", () => {
  const folder = mkdtempSync(join(tmpdir(), "blocklab-lesson-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  const open: OpenBench = async ({ onOutput, cwd }) => {
    const evaluator = createEvaluator({ cwd, onOutput });
    return { evaluator, display, close: () => evaluator.close() };
  };

  async function faultsIn(...parts: readonly Part[]): Promise<readonly string[]> {
    const file = join(folder, "l.ipynb");
    writeFileSync(file, writeNotebook(bookOf(...parts)));
    return (await proveLesson(file, open)).faults;
  }

  const check = { expr: "_ === 4", message: "four" };

  it("holds for a lesson whose starts fail and whose solutions pass", async () => {
    expect(
      await faultsIn(
        "# T",
        { id: "a", code: "const base = 2; base + 2", blocklab: { start: "const base = 2; base", checks: [check] } },
        { id: "b", code: "base * ___", blocklab: { solution: "base * 2", checks: [check] } },
        { id: "c", code: "console.log('heard by nobody')" },
      ),
    ).toEqual([]);
  });

  it("fails where the metadata is wrong, before anything runs", async () => {
    expect(await faultsIn({ id: "a", code: "nowhere", blocklab: { hints: 1 } })).toEqual([
      'l.ipynb: cell 1 ("a"): metadata.blocklab.hints must be a list.',
    ]);
  });

  it("fails where a solution does not run, and goes no further", async () => {
    expect(await faultsIn({ id: "a", code: "nowhere" }, { id: "b", code: "nowhere" })).toEqual([
      'l.ipynb, step 1 ("a"): the solution fails: ReferenceError: nowhere is not defined.',
    ]);
  });

  it("fails where a check does not hold with the solution, or can't be evaluated", async () => {
    const lost = { expr: "nowhere.x", message: "m" };
    expect(
      await faultsIn({ id: "a", code: "3", blocklab: { checks: [check, lost] } }, { id: "b", code: "nowhere" }),
    ).toEqual([
      'l.ipynb, step 1 ("a"): with the solution the check "_ === 4" does not hold.',
      'l.ipynb, step 1 ("a"): with the solution the check "nowhere.x" does not hold, it fails: ReferenceError: nowhere is not defined.',
      'l.ipynb, step 2 ("b"): the solution fails: ReferenceError: nowhere is not defined.',
    ]);
  });

  it("fails where an unmodified start passes", async () => {
    expect(
      await faultsIn(
        { id: "a", code: "2 + 2", blocklab: { start: "3 + 1", checks: [check] } },
        { id: "b", code: "4", blocklab: { start: "3" } },
      ),
    ).toEqual([
      'l.ipynb, step 1 ("a"): the unmodified start passes already: all its checks hold.',
      'l.ipynb, step 2 ("b"): the unmodified start passes already: there is no check that could fail.',
    ]);
  });
});
