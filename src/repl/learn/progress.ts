import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { DataError } from "../../core/errors.ts";
import { quoted } from "../../core/names.ts";
import { replaceText } from "../../core/replace-file.ts";

const progress = z.object({
  /** The id of the step where the learner stands; null at the beginning, and again at the end. */
  at: z.string().nullable(),
  isFinished: z.boolean(),
  steps: z.record(
    z.string(),
    z.object({
      result: z.enum(["done", "skipped"]),
      prediction: z.string().optional(),
      isRight: z.boolean().optional(),
    }),
  ),
  /** How many hints of each step were shown. */
  hints: z.record(z.string(), z.number().int().nonnegative()),
  /** The blocks that the lesson's cells made, so that they run in their place in the next session. */
  earlier: z
    .object({
      app_id: z.string(),
      cells: z.record(
        z.string(),
        z.object({
          before: z.number().int().nonnegative(),
          made: z.array(z.object({ block: z.number().int(), state: z.number().int() })).readonly(),
        }),
      ),
    })
    .optional(),
});

/** How far a learner got in a lesson. */
export type Progress = z.output<typeof progress>;

/** Nothing done yet. */
export const noProgress: Progress = { at: null, isFinished: false, steps: {}, hints: {} };

/** Keeps the progress of each lesson in a file of its own, so that two prompts don't undo each other's. */
export class ProgressBook {
  readonly #folder: string;

  /** `home` is the data folder. */
  constructor(home: string) {
    this.#folder = join(home, "lessons");
  }

  /** The progress in a lesson; none yet where the file is not there or not to be read. */
  async read(lesson: string): Promise<Progress> {
    try {
      return progress.parse(JSON.parse(await readFile(this.#file(lesson), "utf8")));
    } catch {
      return noProgress;
    }
  }

  /** Writes it whole or not at all. */
  async write(lesson: string, now: Progress): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await replaceText(this.#file(lesson), `${JSON.stringify(now)}\n`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new DataError(
        `the progress in this lesson can't be kept in ${quoted(this.#folder)} (${code}).`,
        {},
        { cause: error },
      );
    }
  }

  /** A lesson's name may be a path, so the file's is made from it. */
  #file(lesson: string): string {
    const plain = /^[a-z][a-z0-9-]{0,60}$/.test(lesson);
    return join(
      this.#folder,
      `${plain ? lesson : `file-${createHash("sha256").update(lesson).digest("hex").slice(0, 24)}`}.json`,
    );
  }
}
