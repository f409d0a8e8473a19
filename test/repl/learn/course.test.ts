import { describe, expect, it } from "vitest";
import type { Lesson, Step } from "../../../src/notebooks/lesson.ts";
import {
  type Act,
  type Event,
  move,
  type Place,
  placeIn,
  type Ran,
  type Wish,
} from "../../../src/repl/learn/course.ts";
import { noProgress, type Progress } from "../../../src/repl/learn/progress.ts";

function step(id: string, more: Partial<Step> = {}): Step {
  const plain = { explain: `About ${id}.`, start: id, solution: id, outcome: null, predict: null };
  return { id, ...plain, checks: [], hints: [], why: null, metadata: {}, ...more };
}

const check = { expr: "_ > 1", message: "Make it more than one." };

const lesson: Lesson = {
  title: "Numbers",
  steps: [
    step("one"),
    step("two", {
      start: "___",
      solution: "1 + 1",
      outcome: "2",
      checks: [check],
      hints: ["Think.", "Add."],
      why: "It *is* two.",
      predict: { ask: "How much?", options: ["two", "three"], answer: "two" },
    }),
    step("three", { predict: { ask: "And then?" } }),
  ],
  closing: "Farewell.",
};

/** A lesson that is taken, with what it said on the way. */
class Taken {
  place: Place;
  acts: readonly Act[] = [];

  constructor(progress: Progress = noProgress) {
    this.place = placeIn(lesson, progress);
    this.on({ kind: "begin" });
  }

  on(event: Event): this {
    const { place, acts } = move(this.place, event);
    this.place = place;
    this.acts = acts;
    return this;
  }

  wish(wish: Wish): this {
    return this.on({ kind: "wish", wish });
  }

  answer(text: string): this {
    return this.on({ kind: "answer", text });
  }

  ran(more: Partial<Ran> = {}): this {
    const ran = { source: this.place.draft, isGood: true, shown: "", verdicts: [], isSkip: false, ...more };
    return this.on({ kind: "ran", ran });
  }

  get kinds(): string[] {
    return this.acts.map((act) => act.kind);
  }

  get words(): string {
    return this.acts.map((act) => (act.kind === "say" ? act.markdown : act.kind === "tell" ? act.text : "")).join("\n");
  }
}

describe("a lesson that is taken", () => {
  it("explains a step, offers its cell, and goes on once it has run", () => {
    const taken = new Taken();
    expect(taken.words).toContain("Step 1 of 3\n\nAbout one.");
    expect(taken.place).toMatchObject({ at: 0, phase: "open", draft: "one" });
    expect(taken.wish("next").words).toBe("Step 1 has not run yet: run its cell, or :skip to have the solution run.");
    expect(taken.ran().place).toMatchObject({
      phase: "done",
      reached: 1,
      progress: { steps: { one: { result: "done" } } },
    });
    expect(taken.wish("next").place).toMatchObject({ at: 1, phase: "asked", progress: { at: "two" } });
    expect(taken.kinds).toEqual(["stand", "say", "keep"]);
  });

  it("asks what comes, with the cell in view, and takes an option by number or by its words", () => {
    const taken = new Taken().ran().wish("next");
    expect(taken.words).toContain("```\n___\n```\n\n**What will come?** How much?\n\n1. two\n2. three");
    expect(taken.answer("7").words).toBe("Answer with a number from 1 to 2, or skip the question with enter.");
    expect(taken.place.phase).toBe("asked");
    expect(taken.answer("2").place).toMatchObject({ phase: "open", prediction: "three", draft: "___" });
    const other = new Taken().ran().wish("next");
    expect(other.answer(" TWO ").place.prediction).toBe("two");
    expect(new Taken().ran().wish("next").answer("").place).toMatchObject({ phase: "open", prediction: null });
  });

  it("keeps a cell that failed, or a check that doesn't hold, for another try", () => {
    const taken = new Taken().ran().wish("next").answer("");
    expect(taken.ran({ source: "oops", isGood: false }).place).toMatchObject({ phase: "open", draft: "oops" });
    expect(taken.words).toBe("Change the cell and run it again; :hint gives 2 hints, :skip runs the solution.");
    taken.ran({ source: "1", verdicts: [{ check, holds: false, error: null }] });
    expect(taken.place).toMatchObject({ phase: "open", draft: "1", reached: 1 });
    expect(taken.acts[0]).toEqual({ kind: "tell", text: "Make it more than one.", tone: "warning" });
    taken.ran({ verdicts: [{ check, holds: false, error: "TypeError: x" }] });
    expect(taken.words).toContain("Make it more than one. (The check came to TypeError: x)");
  });

  it("compares with the prediction, the checks and the solution's outcome", () => {
    const verdicts = [{ check, holds: true, error: null }];
    const right = new Taken().ran().wish("next").answer("1").ran({ source: "1+1", shown: "Run again.\n2", verdicts });
    expect(right.words).toBe(
      "As you expected: two.\n1 check holds.\nThe solution:\n\n```\n1 + 1\n```\nIt shows the same as your cell.\n:why tells why it came out so.\n",
    );
    const wrong = new Taken().ran().wish("next").answer("2").ran({ source: "3", shown: "3", verdicts });
    expect(wrong.words).toContain("You expected: three. It is: two.");
    expect(wrong.words).toContain("It shows:\n\n```\n2\n```");
    expect(wrong.place.progress.steps.two).toEqual({ result: "done", prediction: "three", isRight: false });
    const open = new Taken().ran().wish("next").answer("").ran().wish("next").answer("a *guess*").ran();
    expect(open.words).toContain("You expected: a *guess*. What came stands above.");
  });

  it("gives one hint after the other, and remembers which", () => {
    const taken = new Taken();
    expect(taken.wish("hint").words).toContain("This step has no hint");
    taken.ran().wish("next");
    expect(taken.wish("hint").words).toContain("**Hint 1 of 2.** Think.");
    expect(taken.wish("hint").words).toContain("**Hint 2 of 2.** Add.\nThat was the last one");
    expect(taken.wish("hint").words).toContain("**Hint 2 of 2.** Add.");
    expect(taken.place.progress.hints).toEqual({ two: 2 });
    expect(taken.place.phase).toBe("asked");
  });

  it("tells why only once the cell has run", () => {
    const taken = new Taken().ran().wish("next").answer("");
    expect(taken.wish("why").words).toContain("Run the cell first");
    expect(taken.ran({ source: "1 + 1" }).wish("why").words).toBe("It *is* two.");
    expect(new Taken().ran().wish("why").words).toContain("no more to say");
  });

  it("runs the solution of a step that is skipped, and counts it as such", () => {
    const taken = new Taken().ran().wish("next").wish("skip");
    expect(taken.acts).toEqual([{ kind: "solve", step: lesson.steps[1] }]);
    expect(taken.ran({ source: "1 + 1", isSkip: true }).place).toMatchObject({
      phase: "done",
      reached: 2,
      progress: { steps: { two: { result: "skipped" } } },
    });
    expect(taken.wish("skip").words).toBe("This step has run; :next goes on.");
    const again = new Taken().ran().wish("next").wish("back").wish("skip").ran({ isSkip: true });
    expect(again.place.progress.steps.one).toEqual({ result: "done" });
  });

  it("goes back, and forward again over what has run", () => {
    const taken = new Taken();
    expect(taken.wish("back").words).toBe("This is the first step.");
    taken.ran().wish("next").wish("back");
    expect(taken.place).toMatchObject({ at: 0, phase: "open" });
    expect(taken.wish("next").place.at).toBe(1);
  });

  it("lets one play, and leads back to the step from wherever one is", () => {
    const taken = new Taken().ran().wish("next").answer("1").wish("play");
    expect(taken.place).toMatchObject({ phase: "playing", at: 1 });
    expect(taken.kinds).toEqual(["leave", "tell"]);
    expect(taken.wish("play").place).toMatchObject({ phase: "open", prediction: "two" });
    expect(taken.kinds).toEqual(["return", "tell"]);
    taken.wish("play").wish("hint");
    expect(taken.kinds).toEqual(["return", "say", "keep"]);
    expect(taken.place.phase).toBe("open");
  });

  it("begins a step anew after the cells before it, its hints forgotten", () => {
    const taken = new Taken().ran().wish("next").wish("hint").wish("restart");
    expect(taken.acts.at(-1)).toEqual({ kind: "prepare", before: 1 });
    taken.on({ kind: "prepared", reached: 1, at: 1 });
    expect(taken.place).toMatchObject({ at: 1, phase: "asked", reached: 1, progress: { hints: {} } });
    expect(new Taken().ran().wish("restart").place).toMatchObject({ at: 0, phase: "open", reached: 0 });
  });

  it("goes on where it was left, once the cells before have run again", () => {
    const taken = new Taken({ ...noProgress, at: "three" });
    expect(taken.words).toContain("Going on at step 3 of 3");
    expect(taken.acts.at(-1)).toEqual({ kind: "prepare", before: 2 });
    expect(taken.on({ kind: "prepared", reached: 2, at: 2 }).place).toMatchObject({ at: 2, reached: 2 });
    const broken = new Taken({ ...noProgress, at: "three" }).on({ kind: "prepared", reached: 1, at: 2 });
    expect(broken.words).toContain("Step 2 failed on the way, so it comes first.");
    expect(broken.place).toMatchObject({ at: 1, reached: 1 });
    expect(new Taken({ ...noProgress, at: "no longer there" }).place.at).toBe(0);
  });

  it("ends with what was done", () => {
    const taken = new Taken()
      .ran()
      .wish("next")
      .answer("1")
      .ran({ isSkip: true })
      .wish("next")
      .answer("")
      .ran()
      .wish("next");
    expect(taken.place).toMatchObject({ phase: "over", progress: { at: null, isFinished: true } });
    expect(taken.words).toBe(
      "Farewell.\nThe end of this lesson: 3 steps done, 1 of them skipped, 1 of 1 prediction came true.\n",
    );
  });
});
