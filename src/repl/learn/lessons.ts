import { ArgsError } from "../../core/errors.ts";
import type { View } from "../../core/view.ts";
import type { Learner, LessonHost, Wants } from "./learner.ts";
import { ProgressBook } from "./progress.ts";

/** The prompt's desk for lessons: lists them, begins one, and knows the one that is open. */
export class Lessons {
  readonly #host: (book: ProgressBook) => Promise<LessonHost>;
  readonly #book: ProgressBook;
  readonly #cwd: string;
  #learner: Learner | null = null;

  /** `home` is where the progress is kept, `cwd` where paths of notebooks start. */
  constructor(home: string, cwd: string, host: (book: ProgressBook) => Promise<LessonHost>) {
    this.#book = new ProgressBook(home);
    this.#cwd = cwd;
    this.#host = host;
  }

  /** Who takes the open lesson; null outside of lessons. */
  get learner(): Learner | null {
    return this.#learner?.isOver === false ? this.#learner : null;
  }

  /** What the prompt is to do next. */
  get wants(): Wants {
    return this.learner?.wants ?? { asks: false, prefill: null, offers: null };
  }

  /** All lessons of the course, and how far one got. */
  async list(): Promise<View> {
    const { lessonList } = await import("./library.ts");
    return await lessonList(this.#book);
  }

  /** Begins a lesson, or goes on with it. */
  async begin(name: string): Promise<void> {
    // Loaded when a lesson begins, so that the prompt doesn't wait for it.
    const [{ findLesson }, { Learner }] = await Promise.all([import("./library.ts"), import("./learner.ts")]);
    const learner = new Learner(await findLesson(name, this.#cwd), await this.#host(this.#book));
    this.#learner = learner;
    await learner.begin();
  }

  /** Leaves the lesson; the progress is kept. */
  end(): void {
    if (!this.learner) throw new ArgsError(":learn end: no lesson is open; :learn lists them.");
    this.#learner = null;
  }
}
