import { readdir, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ArgsError } from "../../core/errors.ts";
import { didYouMean, quoted } from "../../core/names.ts";
import { text, type View } from "../../core/view.ts";
import { type Lesson, parseLesson } from "../../notebooks/lesson.ts";
import type { ProgressBook } from "./progress.ts";

/** The notebooks that come with the package, beside `dist` as beside `src`. */
const folder = fileURLToPath(new URL("../../../notebooks/", import.meta.url));

/** The order in which the course is meant to be taken. */
export const courseOrder: readonly string[] = [
  "quickstart",
  "question",
  "two-tables",
  "cleaning",
  "looking",
  "leakage",
  "regression",
  "classification",
  "which-model",
  "how-sure",
  "comparing",
  "why",
  "groups",
  "time-series",
  "text",
  "images",
  "unbalanced",
  "components",
  "text-search",
  "hidden-units",
  "production",
  "as-sql",
  "database",
  "far-tables",
];

/** A lesson that was found. */
export interface Found {
  /** Its name in the course, or its file's path. */
  readonly name: string;
  readonly file: string;
  readonly lesson: Lesson;
  /** The course's next lesson; null after the last and for a file. */
  readonly following: string | null;
}

/** The names of the course's lessons, in order; those that the order doesn't know come last. */
export async function lessonNames(): Promise<string[]> {
  const files = await readdir(folder).catch(() => []);
  const names = files.filter((file) => file.endsWith(".ipynb")).map((file) => file.slice(0, -".ipynb".length));
  const place = (name: string) => courseOrder.indexOf(name) + 1 || Number.POSITIVE_INFINITY;
  return names.sort((a, b) => (place(a) === place(b) ? (a < b ? -1 : 1) : place(a) - place(b)));
}

/** Where a lesson of the course, or one of a path, lies. */
export async function lessonFile(name: string, cwd: string): Promise<{ name: string; file: string }> {
  if (/.\.ipynb$/.test(name)) {
    const file = resolve(cwd, name);
    return { name: file, file };
  }
  const names = await lessonNames();
  if (names.includes(name)) return { name, file: resolve(folder, `${name}.ipynb`) };
  throw new ArgsError(
    `there is no lesson ${quoted(name)}.${didYouMean(name, names)} Lessons: ${names.join(", ")}; or the path of a notebook (.ipynb).`,
    { got: name },
  );
}

/** Finds and reads a lesson. */
export async function findLesson(asked: string, cwd: string): Promise<Found> {
  const { name, file } = await lessonFile(asked, cwd);
  const source = await readFile(file, "utf8").catch((error: unknown) => {
    throw new ArgsError(`there is no notebook ${quoted(asked)}.`, { got: asked }, { cause: error });
  });
  const names = await lessonNames();
  const k = names.indexOf(name);
  return { name, file, lesson: parseLesson(source, asked), following: k < 0 ? null : (names[k + 1] ?? null) };
}

/** The lessons of the course, and how far one got in each. */
export async function lessonList(book: ProgressBook): Promise<View> {
  const names = await lessonNames();
  if (names.length === 0) return text("This installation has no notebooks; give the path of one.", "warning");
  const rows: string[][] = [];
  for (const name of names) {
    const { lesson } = await findLesson(name, ".");
    rows.push([name, lesson.title, String(lesson.steps.length), await standing(name, lesson, book)]);
  }
  return {
    kind: "table",
    summary: true,
    columns: ["lesson", "what it is about", "steps", "progress"].map((name) => ({ name, type: "text" as const })),
    rows,
  };
}

async function standing(name: string, lesson: Lesson, book: ProgressBook): Promise<string> {
  const { at, isFinished } = await book.read(name);
  const k = lesson.steps.findIndex((step) => step.id === at);
  if (k > 0) return `at step ${k + 1}`;
  return isFinished ? "done" : "not begun";
}
