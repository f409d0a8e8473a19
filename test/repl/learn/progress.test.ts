import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { courseOrder, findLesson, lessonNames } from "../../../src/repl/learn/library.ts";
import { noProgress, ProgressBook } from "../../../src/repl/learn/progress.ts";

it("keeps the progress of each lesson, paths included, in a file of its own", async () => {
  const home = mkdtempSync(join(tmpdir(), "blocklab-progress-"));
  const book = new ProgressBook(home);
  const now = { ...noProgress, at: "c4", steps: { c2: { result: "done" as const } } };
  expect(await book.read("leakage")).toEqual(noProgress);
  await book.write("leakage", now);
  await book.write("/somewhere/../my lesson.ipynb", { ...now, isFinished: true });
  expect(await new ProgressBook(home).read("leakage")).toEqual(now);
  expect((await book.read("/somewhere/../my lesson.ipynb")).isFinished).toBe(true);
  expect(readdirSync(join(home, "lessons"))).toEqual([
    expect.stringMatching(/^file-[0-9a-f]{24}\.json$/),
    "leakage.json",
  ]);
  for (const broken of ["{", '{"at": 3}', ""]) {
    writeFileSync(join(home, "lessons", "leakage.json"), broken);
    expect(await book.read("leakage")).toEqual(noProgress);
  }
  writeFileSync(join(home, "taken"), "");
  await expect(new ProgressBook(join(home, "taken")).write("leakage", now)).rejects.toThrow(
    /^the progress in this lesson can't be kept in ".*" \(ENOTDIR\)\.$/,
  );
  rmSync(home, { recursive: true });
});

it("knows every notebook of the course, in its order", async () => {
  expect(await lessonNames()).toEqual(courseOrder);
  const lessons = await Promise.all(courseOrder.map(async (name) => (await findLesson(name, ".")).lesson));
  const guided = lessons.filter(({ steps }) => {
    const has = (key: "predict" | "why") => steps.some((step) => step[key] !== null);
    const hasList = (key: "checks" | "hints") => steps.some((step) => step[key].length > 0);
    return has("predict") && has("why") && hasList("checks") && hasList("hints");
  });
  expect(guided.length).toBeGreaterThanOrEqual(5);
});
