import type { BlockContext } from "../../core/block.ts";
import { stackClasses, stackNumbers } from "../../numerics/search/stack.ts";
import type { Matrix } from "../../numerics/types.ts";
import { createMatrix } from "../../numerics/types.ts";
import { worth } from "../models/grid-search.ts";
import { type Answers, scoreOf } from "./fit.ts";
import type { Trial } from "./halving.ts";
import type { Problem, Rows } from "./problem.ts";

/** Models of a stack at most, and of one kind. */
const mostMembers = 6;
const mostOfKind = 2;

/** A smaller weight than this says nothing. */
const leastWeight = 0.01;

/** Models whose weighted answers do better than the best alone. */
export interface Stack {
  readonly members: readonly Trial[];
  readonly weights: readonly number[];
  readonly mean: number;
  readonly std: number;
}

/**
 * A weighted mean of the best models, where it does better than the best of them; else null.
 *
 * What each answered for rows that it had not learnt from is weighted, and the weights are judged crosswise: those for a
 * fold come of the other folds alone. Wolpert, Stacked generalization (Neural Networks 5, 1992).
 */
export async function stackOf(
  finalists: readonly Trial[],
  problem: Problem,
  scoring: string,
  context: BlockContext,
): Promise<Stack | null> {
  const able = finalists.filter(({ answers }) => answers.every(({ numbers, probability }) => numbers ?? probability));
  const kinds = new Map<string, number>();
  const chosen = able.filter(({ pipeline: { helper } }) => {
    kinds.set(helper, (kinds.get(helper) ?? 0) + 1);
    return (kinds.get(helper) ?? 0) <= mostOfKind;
  });
  let members = chosen.slice(0, mostMembers);
  if (members.length < 2) return null;
  const all = problem.folds.map((_, fold) => fold);
  // Those that weigh nothing are left out, and the others weighed anew.
  const first = await weightsOf(members, all, problem, context);
  members = members.filter((_, k) => first[k] >= leastWeight);
  if (members.length < 2) return null;
  const scores: number[] = [];
  for (const fold of all) {
    const others = all.filter((each) => each !== fold);
    const weights = await weightsOf(members, others, problem, context);
    const answers = combined(
      members.map((trial) => trial.answers[fold]),
      weights,
    );
    const score = await scoreOf(answers, problem.folds[fold].test, problem.labels.length, scoring, context);
    if (score === null) return null;
    scores.push(score);
  }
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const std = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length);
  if (worth({ mean }, scoring) <= worth(finalists[0], scoring)) return null;
  return { members, weights: [...(await weightsOf(members, all, problem, context))], mean, std };
}

/** The weights that serve these folds best. */
async function weightsOf(
  members: readonly Trial[],
  folds: readonly number[],
  problem: Problem,
  context: BlockContext,
): Promise<Float64Array> {
  const parts = folds.map((fold) => ({
    test: problem.folds[fold].test,
    answers: members.map((each) => each.answers[fold]),
  }));
  const rows = parts.flatMap(({ test, answers }) => truthsOf(test).map((i) => ({ test, answers, i })));
  const p = createMatrix(rows.length, members.length);
  const isNumbers = problem.task === "regression";
  for (const [at, { test, answers, i }] of rows.entries()) {
    for (const [k, { numbers, probability }] of answers.entries()) {
      p.data[k * p.n + at] = isNumbers ? (numbers as Float64Array)[i] : cell(probability as Matrix, i, test.codes[i]);
    }
  }
  if (!isNumbers) return await context.compute(stackClasses, { p });
  return await context.compute(stackNumbers, { p, y: Float64Array.from(rows, ({ test, i }) => test.y[i]) });
}

/** Rows whose class the models can know; all rows of numbers. */
function truthsOf({ x, codes }: Rows): number[] {
  const all = Array.from({ length: x.n }, (_, i) => i);
  return codes.length === 0 ? all : all.filter((i) => codes[i] >= 0);
}

function cell({ n, data }: Matrix, i: number, k: number): number {
  return data[k * n + i];
}

/** The weighted answers of several models; the class is the likeliest, of equals the first. */
export function combined(answers: readonly Answers[], weights: ArrayLike<number>): Answers {
  const [{ numbers, probability }] = answers;
  if (numbers) {
    const sum = numbers.map((_, i) =>
      answers.reduce((all, each, k) => all + weights[k] * (each.numbers as Float64Array)[i], 0),
    );
    return { numbers: sum, codes: new Int32Array(0), probability: null };
  }
  const { n, d } = probability as Matrix;
  const data = new Float64Array(n * d);
  for (const [k, each] of answers.entries()) {
    const own = (each.probability as Matrix).data;
    for (let at = 0; at < data.length; at++) data[at] += weights[k] * own[at];
  }
  const codes = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    for (let k = 1; k < d; k++) if (data[k * n + i] > data[codes[i] * n + i]) codes[i] = k;
  }
  return { numbers: null, codes, probability: { n, d, data } };
}
