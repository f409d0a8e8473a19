import { count } from "../../core/names.ts";
import type { Lesson, Prediction, Step } from "../../notebooks/lesson.ts";
import type { Verdict } from "../../notebooks/lesson-verdicts.ts";
import type { Progress } from "./progress.ts";

/** What came of a cell. */
export interface Ran {
  readonly source: string;
  readonly isGood: boolean;
  /** What it showed, as text. */
  readonly shown: string;
  readonly verdicts: readonly Verdict[];
  /** Was it the solution, run in the learner's stead? */
  readonly isSkip: boolean;
}

/** What is to be done then, in order. */
export type Act =
  | { readonly kind: "say"; readonly markdown: string }
  | { readonly kind: "tell"; readonly text: string; readonly tone: "plain" | "quiet" | "good" | "warning" }
  /** Run the steps before one again without showing them; answered by "prepared". */
  | { readonly kind: "prepare"; readonly before: number }
  /** Run a step's solution; answered by "ran". */
  | { readonly kind: "solve"; readonly step: Step }
  /** Put the session where it stood when so many steps had run. */
  | { readonly kind: "stand"; readonly after: number }
  /** Remember where the session stands, and go back there. */
  | { readonly kind: "leave" | "return" }
  /** Write the progress. */
  | { readonly kind: "keep" };

/** How many lines of what a solution shows stand beside the learner's own outcome. */
const mostLines = 14;

/** What leads to a step. */
export function explanation(lesson: Lesson, at: number): string {
  return `Step ${at + 1} of ${lesson.steps.length}\n\n${lesson.steps[at].explain}`.trim();
}

/** The question before a cell runs, with the cell. */
export function question({ ask, options }: Prediction, source: string): string {
  const list = options?.map((option, k) => `${k + 1}. ${option}`).join("\n");
  return [fenced(source), `**What will come?** ${ask}`, ...(list ? [list] : [])].join("\n\n");
}

/** What a typed answer means: an option by its number or its words, or the answer itself; null for none of the options. */
export function chosen({ options }: Prediction, typed: string): string | null {
  const answer = typed.trim();
  if (!options) return answer;
  const same = options.find((option) => option.toLowerCase() === answer.toLowerCase());
  return same ?? (/^\d{1,3}$/.test(answer) ? (options[Number(answer) - 1] ?? null) : null);
}

/** Is the prediction what came? null where the lesson doesn't tell. */
export function agrees({ answer }: Prediction, prediction: string): boolean | null {
  if (answer === undefined) return null;
  if (typeof answer === "number") return Number(prediction.replaceAll(",", "")) === answer;
  return answer.trim().toLowerCase() === prediction.trim().toLowerCase();
}

/** A check that does not hold. */
export function missed({ check, error }: Verdict): string {
  return error === null ? check.message : `${check.message} (The check came to ${error})`;
}

/** What can be done about a cell that is not right yet. */
export function cure(step: Step): string {
  const hints = step.hints.length > 0 ? `:hint gives ${count(step.hints.length, "hint")}, ` : "";
  return `Change the cell and run it again; ${hints}:skip runs the solution.`;
}

/** What was expected beside what came, and the learner's way beside the solution. */
export function comparison(step: Step, ran: Ran, prediction: string | null, isRight: boolean | null): Act[] {
  const acts: Act[] = [];
  if (prediction !== null && isRight === null)
    acts.push(tell(`You expected: ${prediction}. What came stands above.`, "plain"));
  if (isRight === true) acts.push(tell(`As you expected: ${prediction}.`, "good"));
  if (isRight === false) acts.push(tell(`You expected: ${prediction}. It is: ${step.predict?.answer}.`, "warning"));
  if (ran.verdicts.length > 0) {
    const one = ran.verdicts.length === 1;
    acts.push(tell(`${count(ran.verdicts.length, "check")} ${one ? "holds" : "hold"}.`, "good"));
  }
  acts.push(...besideSolution(step, ran));
  if (step.why !== null) acts.push(tell(":why tells why it came out so.", "quiet"));
  return acts;
}

function besideSolution(step: Step, ran: Ran): Act[] {
  if (squeezed(ran.source) === squeezed(step.solution)) return [];
  const solution: Act = { kind: "say", markdown: `The solution:\n\n${fenced(step.solution)}` };
  if (step.outcome === null) return [solution];
  // A cell that ran again first says so; what it shows comes behind.
  if (squeezed(ran.shown).endsWith(squeezed(step.outcome)))
    return [solution, tell("It shows the same as your cell.", "good")];
  const lines = step.outcome.trimEnd().split("\n");
  const more = lines.length > mostLines ? `\n… and ${count(lines.length - mostLines, "more line", "more lines")}` : "";
  const shown = lines.slice(0, mostLines).join("\n") + more;
  return [solution, { kind: "say", markdown: `It shows:\n\n${fenced(shown)}` }];
}

/** What was done, at the end. */
export function summary(lesson: Lesson, progress: Progress): string {
  const records = lesson.steps.map((step) => progress.steps[step.id]).filter((record) => record !== undefined);
  const skipped = records.filter((record) => record.result === "skipped").length;
  const judged = records.filter((record) => record.isRight !== undefined);
  const right = judged.filter((record) => record.isRight).length;
  const parts = [
    `${count(lesson.steps.length, "step")} done`,
    ...(skipped > 0 ? [`${skipped} of them skipped`] : []),
    ...(judged.length > 0 ? [`${right} of ${count(judged.length, "prediction")} came true`] : []),
  ];
  return `The end of this lesson: ${parts.join(", ")}.`;
}

function tell(text: string, tone: (Act & { kind: "tell" })["tone"]): Act {
  return { kind: "tell", text, tone };
}

/** A text as a block of code, whatever it holds. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
