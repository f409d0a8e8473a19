import { z } from "zod";
import { DataError } from "../core/errors.ts";
import { didYouMean, quoted } from "../core/names.ts";
import { fromLines, type Notebook, type NotebookCell, parseNotebook } from "./ipynb.ts";

const words = z.string().trim().min(1);

const predict = z.preprocess(
  (given) => (typeof given === "string" ? { ask: given } : given),
  z
    .strictObject({
      /** What the learner is asked before the cell runs. */
      ask: words,
      /** Answers to choose from (default: the learner writes one). */
      options: z.array(words).min(2).optional(),
      /** What came, where it can be told; one of the options when there are any. */
      answer: z.union([words, z.number()]).optional(),
    })
    .refine(({ options, answer }) => !options || answer === undefined || options.includes(String(answer)), {
      path: ["answer"],
      message: "must be one of the options",
    }),
);

const metadata = z
  .strictObject({
    predict: predict.optional(),
    /** Expressions that hold once the cell has run; `_` is its value. */
    checks: z.array(z.strictObject({ expr: words, message: words })).optional(),
    /** From a nudge to nearly the answer; each call shows the next. */
    hints: z.array(words).optional(),
    /** What the learner starts from; the cell itself is the solution. */
    start: z.string().optional(),
    /** The solution; the cell itself is what the learner starts from. */
    solution: words.optional(),
    /** Why it came out as it did, for after the run. */
    why: words.optional(),
  })
  .refine(({ start, solution }) => start === undefined || solution === undefined, {
    path: ["start"],
    message: "can't stand beside solution: the cell is one of the two",
  });

/** What `cell.metadata.blocklab` of a lesson may hold. */
export type LessonMetadata = z.output<typeof metadata>;

/** A question about what comes. */
export type Prediction = NonNullable<LessonMetadata["predict"]>;

/** An expression that must hold after the cell, and what to say when it doesn't. */
export type Check = NonNullable<LessonMetadata["checks"]>[number];

/** One code cell of a lesson, with what leads to it. */
export interface Step {
  /** The cell's id, or its place where it has none. */
  readonly id: string;
  /** The markdown before the cell. */
  readonly explain: string;
  readonly start: string;
  readonly solution: string;
  /** What the solution showed when the notebook was last run; null where it isn't known. */
  readonly outcome: string | null;
  readonly predict: Prediction | null;
  readonly checks: readonly Check[];
  readonly hints: readonly string[];
  readonly why: string | null;
  /** The cell's metadata as the file has it. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A notebook as a lesson: a step for each code cell. */
export interface Lesson {
  readonly title: string;
  readonly steps: readonly Step[];
  /** The markdown after the last cell. */
  readonly closing: string;
}

/** What is wrong with a lesson's notebook, a sentence each, and the lesson as far as it goes. */
export interface ReadLesson {
  readonly lesson: Lesson;
  readonly faults: readonly string[];
}

/** Reads a notebook as a lesson; metadata that is wrong is an error that names the first fault. */
export function parseLesson(json: string, name: string): Lesson {
  const { lesson, faults } = readLesson(parseNotebook(json, name));
  if (faults.length === 0) return lesson;
  throw new DataError(`${quoted(name)} is not a lesson: ${faults[0]}`, { code: "bad_lesson" });
}

/** Reads a notebook as a lesson, collecting all faults of its metadata. */
export function readLesson(book: Notebook): ReadLesson {
  const faults: string[] = [];
  const steps: Step[] = [];
  let explain: string[] = [];
  for (const [k, cell] of book.cells.entries()) {
    const source = fromLines(cell.source);
    const isCode = cell.cell_type === "code";
    if (cell.cell_type === "markdown") explain.push(source);
    if (!isCode && cell.metadata.blocklab !== undefined)
      faults.push(`cell ${k + 1} has lesson metadata, but is a ${cell.cell_type} cell; put it into a code cell.`);
    if (!isCode || source.trim() === "") continue;
    const id = cell.id ?? `cell-${k + 1}`;
    if (steps.some((step) => step.id === id))
      faults.push(`cell ${k + 1} has the id ${quoted(id)}, as an earlier one; ids must differ.`);
    const found = metadataOf(cell);
    faults.push(...found.faults.map((fault) => `cell ${k + 1} (${quoted(id)}): ${fault}`));
    steps.push(toStep(cell, id, explain.join("\n\n"), found.value));
    explain = [];
  }
  if (steps.length === 0) faults.push("it has no code cell, so there is no step to take.");
  return { lesson: { title: titleOf(book), steps, closing: explain.join("\n\n") }, faults };
}

function toStep(cell: NotebookCell, id: string, explain: string, meta: LessonMetadata): Step {
  const source = fromLines(cell.source);
  return {
    id,
    explain,
    start: meta.start ?? source,
    solution: meta.solution ?? source,
    outcome: meta.solution === undefined ? outcomeOf(cell) : null,
    predict: meta.predict ?? null,
    checks: meta.checks ?? [],
    hints: meta.hints ?? [],
    why: meta.why ?? null,
    metadata: cell.metadata,
  };
}

function metadataOf(cell: NotebookCell): { readonly value: LessonMetadata; readonly faults: readonly string[] } {
  const given = cell.metadata.blocklab;
  if (given === undefined) return { value: {}, faults: [] };
  // Through JSON once more, so that a number which is kept as its text is a number here.
  const checked = metadata.safeParse(JSON.parse(JSON.stringify(given)));
  if (checked.success) return { value: checked.data, faults: [] };
  return { value: {}, faults: checked.error.issues.map(faultOf) };
}

const keys: Readonly<Record<string, readonly string[]>> = {
  "": Object.keys(metadata.shape),
  predict: ["ask", "options", "answer"],
  checks: ["expr", "message"],
};

function faultOf(issue: z.core.$ZodIssue): string {
  const path = ["metadata.blocklab", ...issue.path.map(String)].join(".");
  if (issue.code === "unrecognized_keys") {
    const known = keys[String(issue.path[0] ?? "")] ?? [];
    const [first] = issue.keys;
    return `${path} has no ${quoted(first)}.${didYouMean(first, known)} It takes ${known.join(", ")}.`;
  }
  if (issue.code === "invalid_type") return `${path} must be ${withArticle(issue.expected)}.`;
  if (issue.code === "too_small")
    return `${path} must ${issue.origin === "array" ? `have at least ${issue.minimum} entries` : "not be empty"}.`;
  return `${path} ${issue.code === "custom" ? issue.message : "must be a text or a number"}.`;
}

function withArticle(type: string): string {
  const known: Readonly<Record<string, string>> = { string: "text", array: "a list", object: "an object" };
  return Object.hasOwn(known, type) ? known[type] : `a ${type}`;
}

/** The first heading, or the first line of prose. */
function titleOf(book: Notebook): string {
  const lines = book.cells
    .filter((cell) => cell.cell_type === "markdown")
    .flatMap((cell) => fromLines(cell.source).split("\n"));
  const heading = lines.find((line) => /^#+ /.test(line)) ?? lines.find((line) => line.trim() !== "");
  return heading?.replace(/^#+ +/, "").trim() ?? "";
}

/** The stored outputs of a cell as text; null where it has none. */
function outcomeOf(cell: NotebookCell): string | null {
  const texts = (cell.outputs ?? []).map((output) => {
    const data = output.data as Readonly<Record<string, unknown>> | undefined;
    const text = output.output_type === "stream" ? output.text : data?.["text/plain"];
    return typeof text === "string" || Array.isArray(text) ? fromLines(text as string[]) : "";
  });
  return texts.length === 0 ? null : texts.join("\n");
}
