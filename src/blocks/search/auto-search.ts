import { z } from "zod";
import type { BlockContext, Outcome, Task } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { column, type Frame } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import { count, didYouMean, listed, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { WriteColumn } from "../../core/tables.ts";
import { RandomState } from "../../numerics/random.ts";
import { timeFoldsArg } from "../models/folds.ts";
import { allScores, scoringFor } from "../models/grid-search.ts";
import { modelName } from "../models/model-name.ts";
import { refuseHuge } from "../models/model-size.ts";
import { type AutoParameters, autoFile } from "./auto-model.ts";
import type { AutoReport, FinalMember, LeaderRow } from "./auto-view.ts";
import { fitPipeline, type Member } from "./fit.ts";
import { Race, type Trial } from "./halving.ts";
import { type ChainColumns, chainText, pipelineRounds, searchable, usualModels } from "./pipelines.ts";
import { leftOut, mostCategories, type Problem, readProblem } from "./problem.ts";
import { type Stack, stackOf } from "./stacking.ts";

/** The arguments of a search of models and preparations. */
export const autoArgs = {
  /** Seconds that it may take in all; it ends sooner when all candidates have been judged (default: 60, or as long as it takes where max_trials is given). */
  time_left: z.number().min(1).max(86_400).optional(),
  /** Seconds that one fit on one fold may take (default: a tenth of time_left, but 5 s or half of it at least; as long as it takes where time_left does not count). */
  run_time_limit: z.number().min(0.1).max(86_400).optional(),
  /** Candidates that are fitted at once; -1 as many as there are threads (default -1). */
  n_jobs: z.int().min(-1).max(1024).default(-1),
  /** Candidates at most: each kind of model as it comes, then drawn arguments (default 32). */
  max_trials: z.int().min(1).max(1000).optional(),
  /** Kinds of models to try, by their helpers' names (default: all that serve the task; poisson where the target is counts, quantileRegressor where scoring is "mae"). */
  models: z.array(z.string().min(1).max(100)).min(1).optional(),
  /** Weigh the best models together where that is better than the best alone (default true). */
  stack: z.boolean().default(true),
  /** Folds by which candidates are judged; { kind: "time" } for folds that are judged on later rows (default: 5, and 3 from 50,000 training rows on). */
  cv: z.union([z.int().min(2).max(20), timeFoldsArg]).optional(),
  /** The score that the best has (default: accuracy, or r2 for numbers). */
  scoring: z.literal([...allScores]).optional(),
  /** The name under which the model is kept in the project (default: the helper's name, numbered from the second on). */
  model_name: z.string().min(1).max(200).optional(),
  /** Seed of folds, candidates and models (default 0). */
  random_state: z.int().min(0).max(4294967295).default(0),
  /** max_trials as an object, in which clients of automated networks send it. */
  hyp_params: z.strictObject({ max_trials: z.int().min(1).max(1000).optional() }).optional(),
  /** Accepted for clients that send it; nothing here learns by passes over the rows. */
  epochs: z.int().min(1).optional(),
};

type Args = z.output<z.ZodObject<typeof autoArgs>>;

/** Candidates and seconds where nothing is said. */
const usualTrials = 32;
const usualSeconds = 60;

/** Searches preparation, model and arguments, and trains the best on all training rows. */
export async function autoSearch(
  task: Task,
  { code, name: helper }: { readonly code: string; readonly name: string },
  frame: Frame,
  args: Args,
  context: BlockContext,
): Promise<Outcome> {
  const began = performance.now();
  const who = `${helper} (${code})`;
  const scoring = scoringFor(task, args.scoring, who);
  refuseModels(args.models, task, who);
  const { random_state: seed, max_trials = args.hyp_params?.max_trials } = args;
  const trials = max_trials ?? usualTrials;
  // Who says how many candidates to try gets the same answer on any machine, however busy.
  const timeLeft = args.time_left ?? (max_trials === undefined ? usualSeconds : Infinity);
  const ms = timeLeft * 1000;
  // Reading is under the same clock, and says itself what it can't read.
  const problem = await readInTime(frame, task, args, timeLeft, began, context, who);
  const { name, chosen } = modelName(args.model_name, helper, context, who);
  const rows = Math.max(...problem.folds.map(({ train }) => train.x.n));
  const models = args.models ?? usualModels(task, { scoring, targets: problem.all.y });
  const rounds = pipelineRounds({ task, models, trials, rows, seed }, new RandomState(seed));
  const budget = {
    began,
    ms,
    fit: Math.min(ms, 1000 * (args.run_time_limit ?? usualLimit(timeLeft))),
    lanes: lanesOf(args, context),
  };
  const race = new Race(problem, { scoring, budget, seed }, context, who);
  await race.run(rounds);
  const ranking = race.ranked();
  const [best] = ranking;
  if (!best || best.mean === null) throw nothingJudged(ranking, timeLeft, who);
  const stack = args.stack ? await stacked(race, problem, scoring, began + ms, context) : null;
  const found = await trainedIn(began + 1.04 * ms - performance.now(), stack, best, problem, context, who);
  const columns = columnsOf(frame, problem);
  const dropped = columns.dropped;
  if (dropped.length > 0) context.notice(`${who}: ${leftOut(dropped)}`);
  if (race.isCut) {
    context.notice(
      `${who}: time_left ${timeLeft} s was over when ${count(ranking.filter(({ mean }) => mean !== null).length, "candidate")} of ${count(rounds.flat().length, "candidate")} had been judged, so another run may find another model. Give it more, or fewer candidates by max_trials.`,
    );
  }
  const parameters: AutoParameters = { weights: found.weights, members: found.members };
  refuseHuge(parameters, who);
  const named = { function_code: code, helper, model_name: name, args: args as Json };
  const file = autoFile(named, frame, problem.all, problem, parameters);
  const artifact = await context.tables.writeJson(file);
  const leaderboard = ranking.map((trial, k) => leaderRow(trial, k + 1, columns));
  const final = found.trials.map(({ pipeline }, k): FinalMember => {
    return { weight: found.weights[k], model: pipeline.helper, chain: chainText(pipeline, columns) };
  });
  const judged = found.trials.length > 1 && stack ? stack : best;
  const candidates = await context.tables.writeColumns(leaderColumns(leaderboard));
  const report: AutoReport = {
    ...{ task, target: problem.target, classes: problem.labels.length, features: problem.features.length },
    ...{ rows: problem.all.x.n, on: frame.split ? "train" : "all", scoring, folds: foldsOf(best) },
    ...{ mean: judged.mean as number, std: judged.std as number, isCut: race.isCut },
    ...{ members: final, leaderboard },
    made: {
      members: found.trials.map(({ pipeline: { helper, args, preparation } }, k) => {
        return { model: helper, weight: found.weights[k], args, preparation };
      }),
      dropped,
    },
  };
  const told = {
    ...{ scoring, folds: report.folds, mean: report.mean, std: report.std, members: final, leaderboard },
  } as unknown as Record<string, Json>;
  return {
    frame,
    ...chosen,
    model: { name, artifact },
    output: {
      [name]: { function_code: code, model_url: { $artifact: artifact }, ...told },
      candidates_url: { $artifact: candidates },
    },
    report,
  };
}

function foldsOf({ scores }: Trial): number {
  return scores.length;
}

function refuseModels(given: readonly string[] | undefined, task: Task, who: string): void {
  const known = searchable(task);
  const other = given?.find((name) => !known.includes(name));
  if (other === undefined) return;
  throw new ArgsError(
    `${who}: models holds ${quoted(other)}, which is not searched for ${task}.${didYouMean(other, known)} Models: ${listed(known, 20)}.`,
    { path: "models", got: other.slice(0, 80), expected: known },
  );
}

/** A tenth of all time, but enough for a fit where time is short. */
function usualLimit(seconds: number): number {
  return Math.max(seconds / 10, Math.min(5, seconds / 2));
}

function lanesOf({ n_jobs: jobs }: Args, { threads }: BlockContext): number {
  return jobs < 1 ? threads : Math.min(jobs, threads);
}

async function readInTime(
  frame: Frame,
  task: Task,
  { cv, random_state: seed }: Args,
  seconds: number,
  began: number,
  context: BlockContext,
  who: string,
): Promise<Problem> {
  const read = (inner: BlockContext) => readProblem(frame, task, { cv, seed }, inner, who);
  const left = began + 1000 * seconds - performance.now();
  const found = await context.limited(Math.max(1, left), read, { heard: true });
  if (found) return found;
  throw outOfTime(`time_left ${seconds} s was over before the rows of all folds were read`, who);
}

function outOfTime(what: string, who: string): DataError {
  return new DataError(`${who}: ${what}. Give it more, or search on fewer rows, as of sample (BL_SAMPLE).`, {
    code: "out_of_time",
    path: "time_left",
  });
}

function nothingJudged(ranking: readonly Trial[], seconds: number, who: string): DataError {
  const failure = ranking.find((trial) => trial.failure !== null)?.failure;
  if (failure) return new DataError(`${who}: no candidate could be judged; the first says: ${failure}`, {});
  return outOfTime(`time_left ${seconds} s was over before any candidate was judged`, who);
}

/** The stack, where it is better and its models can all be trained before the end. */
async function stacked(
  race: Race,
  problem: Problem,
  scoring: string,
  end: number,
  context: BlockContext,
): Promise<Stack | null> {
  const finalists = race.finalists();
  if (finalists.length < 2) return null;
  const room = end - performance.now() - race.toRefit(finalists.slice(0, 1));
  const stack = await context.limited(Math.max(1, room), (inner) => stackOf(finalists, problem, scoring, inner));
  return stack && race.toRefit(stack.members) <= end - performance.now() ? stack : null;
}

/** What was trained on all rows, with the candidates it came of. */
interface Trained {
  readonly trials: readonly Trial[];
  readonly weights: readonly number[];
  readonly members: readonly Member[];
}

/** Trains the stack or the best on all rows; what can't be done in time is answered by less, which is told. */
async function trainedIn(
  ms: number,
  stack: Stack | null,
  best: Trial,
  problem: Problem,
  context: BlockContext,
  who: string,
): Promise<Trained> {
  const end = performance.now() + ms;
  const train = async (trials: readonly Trial[]) => {
    const members: Member[] = [];
    for (const [k, { pipeline }] of trials.entries()) {
      context.progress(`training ${pipeline.helper} on all rows`, k, trials.length);
      const left = Math.max(1, end - performance.now());
      const member = await context.limited(left, (inner) => fitPipeline(pipeline, problem.all, problem, inner, who));
      if (!member) return null;
      members.push(member);
    }
    return members;
  };
  if (stack) {
    const members = await train(stack.members);
    if (members) return { trials: stack.members, weights: stack.weights, members };
    context.notice(
      `${who}: time was over before all models of the stack were trained on all rows, so one stands alone.`,
    );
  }
  const members = await train([best]);
  if (members) return { trials: [best], weights: [1], members };
  if (!best.member) throw outOfTime("time was over before the best model was trained on all rows", who);
  context.notice(
    `${who}: time was over before ${best.pipeline.helper} was trained on all rows, so the model is that of the first fold, which learnt from ${count(best.rows, "row")}.`,
  );
  return { trials: [best], weights: [1], members: [best.member] };
}

/** What chains must do to the columns, by all training rows. */
function columnsOf(frame: Frame, { features, all }: Problem): ChainColumns {
  const isGap = (name: string) => columnOf(all.x, features.indexOf(name)).some(Number.isNaN);
  const isEmpty = (name: string) => columnOf(all.x, features.indexOf(name)).every(Number.isNaN);
  const isText = (name: string) => Object.hasOwn(all.categories, name);
  const dropped = features.filter(
    (name) => isEmpty(name) || (isText(name) && all.categories[name].length > mostCategories),
  );
  const kept = features.filter((name) => !dropped.includes(name));
  const gaps = kept.filter(isGap);
  const isNumber = (name: string) => column(frame, name).type === "number" && !isText(name);
  return {
    dropped,
    gaps: { numbers: gaps.filter(isNumber), others: gaps.filter((name) => !isNumber(name)) },
    texts: kept.filter(isText),
  };
}

function leaderRow(trial: Trial, rank: number, columns: ChainColumns): LeaderRow {
  const { pipeline, mean, std, scores, rows, failure } = trial;
  return {
    ...{ rank, model: pipeline.helper, mean, std, folds: scores.length, rows, chain: chainText(pipeline, columns) },
    ...(failure === null ? {} : { failure }),
  };
}

function leaderColumns(rows: readonly LeaderRow[]): WriteColumn[] {
  const whole = { type: "number", integer: true } as const;
  return [
    { column: { name: "rank", ...whole }, values: rows.map(({ rank }) => rank) },
    { column: { name: "model", type: "string" }, values: rows.map(({ model }) => model) },
    { column: { name: "mean", type: "number" }, values: rows.map(({ mean }) => mean) },
    { column: { name: "std", type: "number" }, values: rows.map(({ std }) => std) },
    { column: { name: "folds", ...whole }, values: rows.map(({ folds }) => folds) },
    { column: { name: "rows", ...whole }, values: rows.map(({ rows }) => rows) },
    { column: { name: "chain", type: "string" }, values: rows.map(({ chain }) => chain) },
    { column: { name: "failure", type: "string" }, values: rows.map(({ failure }) => failure ?? null) },
  ];
}
