import { text, type View } from "../../core/view.ts";
import type { Evaluator } from "../../evaluator/evaluator.ts";
import { verdictsOn } from "../../notebooks/lesson-verdicts.ts";
import type { Session } from "../../session/index.ts";
import { type Act, type Event, move, type Place, placeIn, stepOf, type Wish } from "./course.ts";
import { madeSoFar, takePlaces } from "./earlier.ts";
import type { Found } from "./library.ts";
import { noProgress, type ProgressBook } from "./progress.ts";

/** How a lesson's cell is run. */
export interface LessonRun {
  /** Under this id it may run again, in the place of its own blocks. */
  readonly cellId: string;
  /** The cell's metadata, for when the session is saved as a notebook. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Is nothing of it shown? */
  readonly isQuiet: boolean;
}

/** What came of a cell of a lesson. */
export interface LessonOutcome {
  readonly isGood: boolean;
  readonly value: unknown;
  /** What it printed and showed, as text. */
  readonly shown: string;
}

/** What a lesson needs of the prompt, or of a program without a terminal. */
export interface LessonHost {
  readonly session: Session;
  readonly evaluator: Evaluator;
  readonly book: ProgressBook;
  run(source: string, how: LessonRun): Promise<LessonOutcome>;
  /** Prints code as if it had been typed. */
  echo(source: string): void;
  /** Prints markdown. */
  explain(markdown: string): void;
  show(view: View): Promise<void>;
  /** Aborts when the learner cancels what runs. */
  signal(): AbortSignal | undefined;
}

/** What the prompt is to do until the next line. */
export interface Wants {
  /** Is the next line an answer? */
  readonly asks: boolean;
  /** What the editor begins with. */
  readonly prefill: string | null;
  /** What enter runs while nothing is typed. */
  readonly offers: string | null;
}

/** Where a session stands. */
interface Position {
  readonly project: string;
  readonly last: number;
}

/** Takes somebody through a lesson: does what the course says, and tells it what came. */
export class Learner {
  readonly #found: Found;
  readonly #host: LessonHost;
  #place: Place;
  /** Where the session stood when so many steps had run. */
  readonly #positions = new Map<number, Position>();
  #left: Position | null = null;

  constructor(found: Found, host: LessonHost) {
    this.#found = found;
    this.#host = host;
    this.#place = placeIn(found.lesson, noProgress);
  }

  /** Begins, or goes on where the learner left. */
  async begin(): Promise<void> {
    const progress = await this.#host.book.read(this.#found.name);
    this.#place = placeIn(this.#found.lesson, progress);
    await this.#host.show(text(`In a lesson: ${keys}`, "quiet"));
    if (progress.earlier && (await takePlaces(this.#host.session, progress.earlier)))
      await this.#host.show(text("You were here before: each cell runs in the place of the blocks it made.", "quiet"));
    await this.#take({ kind: "begin" });
  }

  get isOver(): boolean {
    return this.#place.phase === "over";
  }

  /** Where the learner stands, for the status line. */
  get standing(): string {
    const { at, lesson, phase } = this.#place;
    return `step ${at + 1} of ${lesson.steps.length}${phase === "playing" ? ", playing" : ""}`;
  }

  /** What the prompt is to do next. */
  get wants(): Wants {
    const { phase, draft } = this.#place;
    const offers = phase === "done" ? ":next" : null;
    return { asks: phase === "asked", prefill: phase === "open" ? draft : null, offers };
  }

  /** Does the next line that is no command belong to the lesson? Elsewhere it runs as any other cell. */
  get takesCell(): boolean {
    return this.#place.phase === "open";
  }

  /** Does what a command asks for. */
  async wish(wish: Wish): Promise<void> {
    await this.#take({ kind: "wish", wish });
  }

  /** Takes the answer to the question before a cell; an empty one skips it. */
  async answer(typed: string): Promise<void> {
    await this.#take({ kind: "answer", text: typed });
  }

  /** Runs what the learner made of the step's cell. */
  async cell(source: string): Promise<LessonOutcome> {
    return await this.#run(source, false);
  }

  async #take(event: Event): Promise<void> {
    const { place, acts } = move(this.#place, event);
    this.#place = place;
    for (const act of acts) await this.#do(act);
    if (!this.isOver || event.kind !== "wish" || this.#found.following === null) return;
    await this.#host.show(text(`The next lesson: :learn ${this.#found.following}`, "quiet"));
  }

  async #do(act: Act): Promise<void> {
    const host = this.#host;
    switch (act.kind) {
      case "say":
        return host.explain(act.markdown);
      case "tell":
        return await host.show(text(act.text, act.tone));
      case "keep":
        return await this.#keep();
      case "stand":
        return await this.#goTo(this.#positions.get(act.after) ?? null);
      case "leave":
        this.#left = await this.#here();
        return;
      case "return":
        return await this.#goTo(this.#left);
      case "solve":
        host.echo(act.step.solution);
        await this.#run(act.step.solution, true);
        return;
      case "prepare":
        return await this.#prepare(act.before);
    }
  }

  async #keep(): Promise<void> {
    const { book, session } = this.#host;
    const { progress } = this.#place;
    const earlier = (await madeSoFar(session, this.#cellIds)) ?? progress.earlier;
    await book.write(this.#found.name, { ...progress, ...(earlier ? { earlier } : {}) });
  }

  /** How the ids of the lesson's cells begin. */
  get #cellIds(): string {
    return `${this.#found.file}#`;
  }

  async #run(source: string, isSkip: boolean): Promise<LessonOutcome> {
    const { session, evaluator } = this.#host;
    const step = stepOf(this.#place);
    const outcome = await this.#host.run(source, this.#howTo(this.#place.at, false));
    const before = outcome.isGood ? await this.#here() : null;
    const verdicts = outcome.isGood ? await verdictsOn(outcome.value, step.checks, evaluator, this.#host.signal()) : [];
    // A check should only look; one that ran a block is undone.
    if (before && session.last !== before.last) await this.#goTo(before);
    if (before) this.#positions.set(this.#place.at + 1, before);
    await this.#take({ kind: "ran", ran: { source, isSkip, verdicts, ...outcome } });
    return outcome;
  }

  async #prepare(before: number): Promise<void> {
    let reached = 0;
    for (const [k, step] of this.#found.lesson.steps.slice(0, before).entries()) {
      if (!(await this.#host.run(step.solution, this.#howTo(k, true))).isGood) break;
      reached = k + 1;
      this.#positions.set(reached, await this.#here());
    }
    await this.#take({ kind: "prepared", reached, at: before });
  }

  #howTo(at: number, isQuiet: boolean): LessonRun {
    const { id, metadata } = this.#found.lesson.steps[at];
    return { cellId: `${this.#cellIds}${id}`, metadata, isQuiet };
  }

  async #here(): Promise<Position> {
    const { session } = this.#host;
    return { project: (await session.current()).project_name, last: session.last };
  }

  async #goTo(position: Position | null): Promise<void> {
    if (position === null) return;
    const { session } = this.#host;
    if ((await session.current()).project_name !== position.project) await session.project(position.project);
    // Before the first block there is nothing to go back to.
    if (position.last !== 0 && session.last !== position.last) await session.at(position.last);
  }
}

const keys = ":next, :back, :hint, :skip, :why, :play to try things freely, :restart, :learn end to leave.";
