import { count } from "../../core/names.ts";
import type { Lesson, Step } from "../../notebooks/lesson.ts";
import type { Progress } from "./progress.ts";
import type { Act, Ran } from "./words.ts";
import * as words from "./words.ts";

export type { Act, Ran } from "./words.ts";

/**
 * Where the learner stands in a step: asked what comes, at its cell, or past it; trying things freely; or at the end.
 */
export type Phase = "asked" | "open" | "done" | "playing" | "over";

/** The whole state of a lesson that is being taken; plain data. */
export interface Place {
  readonly lesson: Lesson;
  /** Which step, from 0. */
  readonly at: number;
  readonly phase: Phase;
  /** What goes on once the playing ends. */
  readonly before: Phase;
  /** What the editor begins with. */
  readonly draft: string;
  readonly prediction: string | null;
  /** How many steps ran in this session, so that their names and blocks are there. */
  readonly reached: number;
  /** What is kept across sessions. */
  readonly progress: Progress;
}

/** What the learner may ask for. */
export const wishes = ["next", "back", "play", "hint", "skip", "why", "restart"] as const;

/** One of them. */
export type Wish = (typeof wishes)[number];

/** What happens to a lesson. */
export type Event =
  | { readonly kind: "begin" }
  | { readonly kind: "wish"; readonly wish: Wish }
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "ran"; readonly ran: Ran }
  /** The cells before a step have run again, up to the one that failed. */
  | { readonly kind: "prepared"; readonly reached: number; readonly at: number };

/** A place and what is to be done. */
export interface Move {
  readonly place: Place;
  readonly acts: readonly Act[];
}

/** A lesson's first place, before it has begun. */
export function placeIn(lesson: Lesson, progress: Progress): Place {
  return { lesson, at: 0, phase: "open", before: "open", draft: "", prediction: null, reached: 0, progress };
}

/** The step where the learner stands. */
export function stepOf({ lesson, at }: Place): Step {
  return lesson.steps[at];
}

/** The next place after an event; pure. */
export function move(place: Place, event: Event): Move {
  switch (event.kind) {
    case "begin":
      return begin(place);
    case "wish":
      return event.wish === "play" ? play(place) : wished(place, event.wish);
    case "answer":
      return answered(place, event.text);
    case "ran":
      return ran(place, event.ran);
    case "prepared": {
      const missed = event.reached < event.at;
      const note = missed ? [tell(`Step ${event.reached + 1} failed on the way, so it comes first.`, "warning")] : [];
      return after(note, enter({ ...place, reached: event.reached }, event.reached));
    }
  }
}

function begin(place: Place): Move {
  const { lesson, progress } = place;
  const at = lesson.steps.findIndex((step) => step.id === progress.at);
  if (at < 1) return enter(place, 0);
  const text = `Going on at step ${at + 1} of ${lesson.steps.length}; the cells before it run again.`;
  return { place, acts: [tell(text, "quiet"), { kind: "prepare", before: at }] };
}

/** A step from its beginning. */
function enter(place: Place, at: number): Move {
  const { lesson, progress } = place;
  const step = lesson.steps[at];
  const asks = step.predict !== null;
  const parts = [words.explanation(lesson, at), ...(step.predict ? [words.question(step.predict, step.start)] : [])];
  const acts: Act[] = [{ kind: "stand", after: at }, say(parts.join("\n\n"))];
  return {
    place: {
      ...place,
      at,
      phase: asks ? "asked" : "open",
      draft: step.start,
      prediction: null,
      progress: { ...progress, at: step.id },
    },
    acts: [...acts, { kind: "keep" }],
  };
}

/** Everything but playing leaves the playing first. */
function wished(place: Place, wish: Exclude<Wish, "play">): Move {
  if (place.phase !== "playing") return wishMoves[wish](place);
  return after([{ kind: "return" }], wishMoves[wish]({ ...place, phase: place.before }));
}

const wishMoves: Readonly<Record<Exclude<Wish, "play">, (place: Place) => Move>> = {
  next(place) {
    const { lesson, at, reached } = place;
    if (at >= reached) {
      const cure = "run its cell, or :skip to have the solution run";
      return { place, acts: [tell(`Step ${at + 1} has not run yet: ${cure}.`, "warning")] };
    }
    return at + 1 < lesson.steps.length ? enter(place, at + 1) : finish(place);
  },
  back(place) {
    if (place.at === 0) return { place, acts: [tell("This is the first step.", "warning")] };
    return enter(place, place.at - 1);
  },
  hint(place) {
    const step = stepOf(place);
    const shown = place.progress.hints[step.id] ?? 0;
    if (step.hints.length === 0)
      return { place, acts: [tell("This step has no hint; :skip runs the solution.", "quiet")] };
    const k = Math.min(shown, step.hints.length - 1);
    const last = k === step.hints.length - 1 ? " That was the last one; :skip runs the solution." : "";
    const hints = { ...place.progress.hints, [step.id]: k + 1 };
    return {
      place: { ...place, progress: { ...place.progress, hints } },
      acts: [
        say(`**Hint ${k + 1} of ${step.hints.length}.** ${step.hints[k]}`),
        ...(last ? [tell(last.trim(), "quiet")] : []),
        { kind: "keep" },
      ],
    };
  },
  skip(place) {
    if (place.phase === "done") return { place, acts: [tell("This step has run; :next goes on.", "quiet")] };
    return { place, acts: [{ kind: "solve", step: stepOf(place) }] };
  },
  why(place) {
    const { why } = stepOf(place);
    if (place.phase !== "done") return { place, acts: [tell("Run the cell first; :why tells afterwards.", "quiet")] };
    return { place, acts: [why === null ? tell("There is no more to say about this step.", "quiet") : say(why)] };
  },
  restart(place) {
    const { [stepOf(place).id]: _, ...hints } = place.progress.hints;
    const fresh = { ...place, reached: 0, progress: { ...place.progress, hints } };
    if (place.at === 0) return enter(fresh, 0);
    const text = `${count(place.at, "cell")} before this step ${place.at === 1 ? "runs" : "run"} again.`;
    return { place: fresh, acts: [tell(text, "quiet"), { kind: "prepare", before: place.at }] };
  },
};

function play(place: Place): Move {
  if (place.phase !== "playing") {
    const text = "Try what you like; nothing counts. :play again leads back to the step.";
    return {
      place: { ...place, phase: "playing", before: place.phase },
      acts: [{ kind: "leave" }, tell(text, "quiet")],
    };
  }
  const text = `Back at step ${place.at + 1}: the blocks are as they were, names keep their values.`;
  return { place: { ...place, phase: place.before }, acts: [{ kind: "return" }, tell(text, "quiet")] };
}

function answered(place: Place, typed: string): Move {
  const { predict } = stepOf(place);
  if (place.phase !== "asked" || predict === null) return { place, acts: [] };
  if (typed.trim() === "") return { place: { ...place, phase: "open" }, acts: [] };
  const prediction = words.chosen(predict, typed);
  if (prediction === null) {
    const text = `Answer with a number from 1 to ${predict.options?.length}, or skip the question with enter.`;
    return { place, acts: [tell(text, "warning")] };
  }
  return {
    place: { ...place, phase: "open", prediction },
    acts: [tell(`You expect: ${prediction}. Now run the cell.`, "quiet")],
  };
}

function ran(place: Place, ran: Ran): Move {
  const step = stepOf(place);
  const draft = ran.isSkip ? step.start : ran.source;
  const failed = ran.verdicts.filter((verdict) => !verdict.holds);
  if (!ran.isGood) return { place: { ...place, phase: "open", draft }, acts: [tell(words.cure(step), "quiet")] };
  if (failed.length > 0) {
    const acts = failed.map((verdict) => tell(words.missed(verdict), "warning"));
    return { place: { ...place, phase: "open", draft }, acts: [...acts, tell(words.cure(step), "quiet")] };
  }
  const isRight = place.prediction === null || !step.predict ? null : words.agrees(step.predict, place.prediction);
  const record = {
    // Who did it once has done it.
    result: ran.isSkip && place.progress.steps[step.id]?.result !== "done" ? ("skipped" as const) : ("done" as const),
    ...(place.prediction === null ? {} : { prediction: place.prediction }),
    ...(isRight === null ? {} : { isRight }),
  };
  const steps = { ...place.progress.steps, [step.id]: record };
  return {
    place: {
      ...place,
      phase: "done",
      draft,
      reached: Math.max(place.reached, place.at + 1),
      progress: { ...place.progress, steps },
    },
    acts: [...words.comparison(step, ran, place.prediction, isRight), { kind: "keep" }],
  };
}

function finish(place: Place): Move {
  const { lesson } = place;
  const progress = { ...place.progress, at: null, isFinished: true };
  const acts: Act[] = lesson.closing.trim() === "" ? [] : [say(lesson.closing)];
  return {
    place: { ...place, phase: "over", progress },
    acts: [...acts, tell(words.summary(lesson, progress), "good"), { kind: "keep" }],
  };
}

function after(acts: readonly Act[], move: Move): Move {
  return { place: move.place, acts: [...acts, ...move.acts] };
}

function say(markdown: string): Act {
  return { kind: "say", markdown };
}

function tell(text: string, tone: (Act & { kind: "tell" })["tone"]): Act {
  return { kind: "tell", text, tone };
}
