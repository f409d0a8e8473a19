import { allDone } from "../../core/all-done.ts";
import type { BlockContext } from "../../core/block.ts";
import { BlocklabError, CancelledError } from "../../core/errors.ts";
import { worth } from "../models/grid-search.ts";
import { type Answers, ask, fitPipeline, type Member, scoreOf } from "./fit.ts";
import type { Pipeline } from "./pipelines.ts";
import { drawnRows, type Fold, type Problem, rowsAt } from "./problem.ts";

/** A candidate on its way through a search. */
export interface Trial {
  /** Its place in the order in which candidates were made, from 0. */
  readonly k: number;
  readonly pipeline: Pipeline;
  /** How far it came: 0 is the first step, with fewest rows; −1 where it was not judged. */
  rung: number;
  /** Rows it learnt from in its last step, of each fold at most. */
  rows: number;
  /** The score of each fold of that step. */
  scores: readonly number[];
  /** Mean and deviation of these; null where there are none. */
  mean: number | null;
  std: number | null;
  failure: string | null;
  /** What one fit of that step took at most, in seconds. */
  seconds: number;
  /** Of one judged on all folds: what it answered for the rows held out. */
  answers: readonly Answers[];
  /** The model of its last fold, kept of the best alone. */
  member: Member | null;
}

/** A step of the race: how many rows of which folds each candidate gets. */
interface Rung {
  readonly rows: number;
  readonly folds: number;
}

/** What a race may take. */
export interface Budget {
  /** When it began, and what it may take, in milliseconds. */
  readonly began: number;
  readonly ms: number;
  /** What one fit may take, in milliseconds. */
  readonly fit: number;
  /** Candidates that run at once. */
  readonly lanes: number;
}

/** Of so many candidates one goes on to the next step, but so many at least. */
const eta = 3;
const fewest = 3;

/** Below so many rows the first steps would tell nothing. */
const fewestRows = 500;

/** A race of candidates by successive halving, which ends when its time does. */
export class Race {
  readonly trials: Trial[] = [];
  /** Its time was over before all had been judged. */
  isCut = false;
  readonly #problem: Problem;
  readonly #scoring: string;
  readonly #budget: Budget;
  readonly #context: BlockContext;
  readonly #who: string;
  readonly #seed: number;
  readonly #rungs: readonly Rung[];
  readonly #drawn = new Map<string, Fold>();
  #hasEnded = false;
  #done = 0;
  #total = 0;

  constructor(
    problem: Problem,
    how: { readonly scoring: string; readonly budget: Budget; readonly seed: number },
    context: BlockContext,
    who: string,
  ) {
    this.#problem = problem;
    this.#scoring = how.scoring;
    this.#budget = how.budget;
    this.#seed = how.seed;
    this.#context = context;
    this.#who = who;
    this.#rungs = rungsOf(problem);
  }

  /**
   * Runs round after round, each a race of its own, in which a third goes on at every step.
   *
   * Jamieson and Talwalkar, Non-stochastic best arm identification (AISTATS 2016); the rounds are Hyperband's brackets
   * with one shape. What is decided depends on scores alone, never on what ended first.
   */
  async run(rounds: readonly (readonly Pipeline[])[]): Promise<void> {
    this.#total = rounds.reduce((sum, round) => sum + this.#jobsOf(round.length), 0);
    for (const round of rounds) {
      const trials = round.map((pipeline) => this.#enter(pipeline));
      if (!(await this.#raced(trials))) {
        this.isCut = true;
        return;
      }
    }
  }

  /**
   * The candidates from the best to the worst: by how far they came, then by score; of equals the first.
   *
   * As long as no round has come to its end, by score alone: who was judged further by then is chance.
   */
  ranked(): Trial[] {
    const rung = ({ mean, rung: own }: Trial) => (mean === null ? -1 : this.#hasEnded ? own : 0);
    return [...this.trials].sort(
      (a, b) => rung(b) - rung(a) || worth(b, this.#scoring) - worth(a, this.#scoring) || a.k - b.k,
    );
  }

  /** Those that were judged on all rows of all folds, the best first. */
  finalists(): Trial[] {
    return this.ranked().filter(({ rung, mean }) => rung === this.#rungs.length - 1 && mean !== null);
  }

  /** Milliseconds until the search must end, so that the best can still be trained on all rows. */
  left(): number {
    const { began, ms } = this.#budget;
    if (ms === Infinity) return Infinity;
    // What few rows took says little of all rows, and a model of fewer rows stands in where the estimate was too low.
    const reserve = Math.min(0.35 * ms, Math.max(0.03 * ms, this.toRefit(this.ranked().slice(0, 1))));
    return began + ms - performance.now() - reserve;
  }

  /** Milliseconds that it will take to train these on all rows, about. */
  toRefit(trials: readonly Trial[]): number {
    const rows = this.#problem.all.x.n;
    return trials.reduce((sum, { seconds, rows: own }) => sum + (own > 0 ? (1000 * seconds * rows) / own : 0), 0);
  }

  #enter(pipeline: Pipeline): Trial {
    const trial: Trial = {
      ...{ k: this.trials.length, pipeline, rung: -1, rows: 0, scores: [], mean: null, std: null },
      ...{ failure: null, seconds: 0, answers: [], member: null },
    };
    this.trials.push(trial);
    return trial;
  }

  /** Fits of a round of so many candidates. */
  #jobsOf(size: number): number {
    let [jobs, alive] = [0, size];
    for (const { folds } of this.#rungs) {
      jobs += alive * folds;
      alive = survivors(alive);
    }
    return jobs;
  }

  /** Whether the round came to its end. */
  async #raced(trials: readonly Trial[]): Promise<boolean> {
    let alive = trials;
    for (const [k, rung] of this.#rungs.entries()) {
      if (!(await this.#step(alive, k, rung))) return false;
      alive = alive
        .filter((trial) => trial.rung === k)
        .sort((a, b) => worth(b, this.#scoring) - worth(a, this.#scoring) || a.k - b.k)
        .slice(0, survivors(alive.length));
    }
    this.#hasEnded = true;
    const [best] = this.ranked();
    for (const trial of this.trials) if (trial !== best) trial.member = null;
    return true;
  }

  /** Judges candidates on a step's rows; false where time was over before all were. */
  async #step(alive: readonly Trial[], k: number, rung: Rung): Promise<boolean> {
    const jobs = alive.flatMap((trial) => Array.from({ length: rung.folds }, (_, fold) => ({ trial, fold })));
    const found = new Map<Trial, (Judged | undefined)[]>(alive.map((trial) => [trial, []]));
    const failures = new Map<Trial, string>();
    let isOver = false;
    const next = jobs.values();
    const lane = async () => {
      for (const { trial, fold } of next) {
        if (failures.has(trial)) continue;
        if (isOver || this.left() <= 0) {
          isOver = true;
          return;
        }
        this.#tell(trial);
        const judged = await this.#judge(trial.pipeline, this.#fold(fold, rung.rows));
        if (judged === "over") isOver = true;
        else if (typeof judged === "string") failures.set(trial, judged);
        else (found.get(trial) as (Judged | undefined)[])[fold] = judged;
        this.#done++;
      }
    };
    await allDone(Array.from({ length: this.#budget.lanes }, lane));
    for (const [trial, parts] of found) {
      const failure = failures.get(trial);
      if (failure === undefined) this.#take(trial, k, rung, parts);
      // What it reached before on fewer rows stands.
      else if (trial.mean === null) trial.failure = failure;
    }
    return !isOver;
  }

  /** What a step found of a candidate, once all of its folds are in. */
  #take(trial: Trial, k: number, rung: Rung, parts: readonly (Judged | undefined)[]): void {
    const whole = parts.filter((part) => part !== undefined);
    if (whole.length < rung.folds) return;
    const scores = whole.map(({ score }) => score);
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    const std = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length);
    const isLast = k === this.#rungs.length - 1;
    Object.assign(trial, {
      ...{ rung: k, scores, mean, std, rows: Math.max(...whole.map(({ rows }) => rows)) },
      seconds: Math.max(...whole.map(({ seconds }) => seconds)),
      answers: isLast ? whole.map(({ answers }) => answers) : [],
      member: whole[0].member,
    });
  }

  /** A fold with so many of its rows to learn from. */
  #fold(fold: number, rows: number): Fold {
    const whole = this.#problem.folds[fold];
    if (whole.train.x.n <= rows) return whole;
    const key = `${fold} ${rows}`;
    const known = this.#drawn.get(key);
    if (known) return known;
    const drawn = { ...whole, train: rowsAt(whole.train, drawnRows(whole.train, rows, this.#seed)) };
    this.#drawn.set(key, drawn);
    return drawn;
  }

  /** How a pipeline does on a fold; its refusal in words, or "over" where the time of the whole race was. */
  async #judge(pipeline: Pipeline, fold: Fold): Promise<Judged | string> {
    const problem = this.#problem;
    const left = this.left();
    const { fit } = this.#budget;
    const work = async (context: BlockContext): Promise<Judged | string> => {
      const began = performance.now();
      const member = await fitPipeline(pipeline, fold.train, problem, context, this.#who);
      const seconds = (performance.now() - began) / 1000;
      const labels = problem.labels.length;
      const answers = await ask(member, fold.test.x, labels, context, this.#who);
      const score = await scoreOf(answers, fold.test, labels, this.#scoring, context);
      if (score === null || !Number.isFinite(score)) return `not every fold has ${this.#scoring}.`;
      return { score, seconds, answers, member, rows: fold.train.x.n };
    };
    const threads = Math.max(1, Math.floor(this.#context.threads / this.#budget.lanes));
    const found = await this.#context
      .limited(Math.max(1, Math.min(fit, left)), work, { threads })
      .catch((error: unknown) => {
        const isRefusal = error instanceof BlocklabError && !(error instanceof CancelledError) && error.status < 500;
        if (!isRefusal) throw error;
        return error.message;
      });
    if (found !== null) return found;
    return left <= fit ? "over" : `one fit took longer than run_time_limit, ${fit / 1000} s.`;
  }

  /** Who leads, while it runs. */
  #tell({ pipeline }: Trial): void {
    const [best] = this.ranked().filter(({ mean }) => mean !== null);
    const lead = best ? `, ${best.pipeline.helper} leads with ${this.#scoring} ${best.mean?.toPrecision(4)}` : "";
    this.#context.progress(`${pipeline.helper}${lead}`, this.#done, this.#total);
  }
}

/** How a candidate did on one fold. */
interface Judged {
  readonly score: number;
  readonly seconds: number;
  readonly answers: Answers;
  readonly member: Member;
  readonly rows: number;
}

/** A few rows of one fold, more of two, all of all; where rows are few the steps differ by their folds alone. */
function rungsOf({ folds }: Problem): readonly Rung[] {
  const rows = Math.max(...folds.map(({ train }) => train.x.n));
  const some = (share: number, least: number) => Math.min(rows, Math.max(least, Math.ceil(rows / share)));
  const steps = [
    { rows: some(eta * eta, fewestRows), folds: 1 },
    { rows: some(eta, eta * fewestRows), folds: Math.min(2, folds.length) },
    { rows, folds: folds.length },
  ];
  return steps.filter(({ rows, folds }, k) => k === 0 || rows > steps[k - 1].rows || folds > steps[k - 1].folds);
}

function survivors(alive: number): number {
  return Math.min(alive, Math.max(fewest, Math.ceil(alive / eta)));
}
