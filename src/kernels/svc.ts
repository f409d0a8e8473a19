import { fitSigmoid } from "./platt.ts";
import { RandomState } from "./random.ts";
import { pick, type SvmOptions, solveTwoClasses, weighty } from "./svm.ts";
import { type KernelSpec, specOf } from "./svm-kernel.ts";
import { decideSvm } from "./svm-predict.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "./types.ts";

/** What `fitSvc` needs to know. */
export type SvcInput = SvmOptions & {
  /** n×d features. */
  x: Matrix;
  /** n class codes, 0…classes−1. */
  y: Int32Array;
  /** Number of classes, at least 2, each with a row of weight above 0. */
  classes: number;
  /** A weight per row, at least 0, which multiplies c; class weights come in here as well (default 1). */
  sampleWeight?: Float64Array;
  /** Learn to answer probabilities too, by five further fits on 4/5 of the rows (default false). */
  probability?: boolean;
  /** Divides the rows into the five parts, 0 to 2³²−1 (default 0). */
  seed?: number;
};

/** A fitted support vector classification: one machine per pair of classes (0,1), (0,2) … (1,2) …. */
export type Svc = {
  spec: KernelSpec;
  classes: number;
  /** Support vectors, class by class. */
  vectors: Matrix;
  /** Rows of x that became support vectors. */
  support: Int32Array;
  /** Support vectors of each class. */
  counts: Int32Array;
  /** (classes−1)×vectors row-major: for pair (i, j), row j−1 at the vectors of class i, and row i at those of j. */
  coef: Float64Array;
  /** One per pair. */
  intercept: Float64Array;
  /** One per pair: the sigmoids that make probabilities; empty when they were not learnt. */
  sigmoidA: Float64Array;
  sigmoidB: Float64Array;
  iterations: number;
  converged: boolean;
};

/** One fit: the machine of a pair on all its rows (fold −1), or without one fifth of them (fold 0…4). */
export type Task = { pair: number; fold: number; rows: number };

/** What a task came to. */
export type Solved = {
  pair: number;
  fold: number;
  /** β per row of the pair; empty for a fold. */
  coef: Float64Array;
  rho: number;
  /** Decisions on the rows left out; empty for fold −1. */
  held: Float64Array;
  iterations: number;
  converged: boolean;
};

const FOLDS = 5;

/**
 * Support vector classification, one machine per pair of classes, as scikit-learn's SVC.
 *
 * Also its probabilities, row for row, for the same seed. RangeError when a class has no row with weight, or kernel
 * values overflow. The fits are independent: `svcTasks`, `solvePairs` and `assembleSvc` are its parts for several threads.
 * Source: Chang and Lin, LIBSVM (2011), §2.1, §7 and §8.
 */
export function fitSvc(input: SvcInput, hooks: Hooks = quiet): Svc {
  return assembleSvc({ ...input, solved: solvePairs({ ...input, tasks: svcTasks(input) }, hooks) });
}

/** All fits that a classification needs, the largest first. */
export function svcTasks(input: Pick<SvcInput, "y" | "classes" | "sampleWeight" | "probability">): Task[] {
  const groups = grouped(input);
  const folds = input.probability ? [-1, 0, 1, 2, 3, 4] : [-1];
  return pairsOf(input.classes)
    .flatMap(([i, j], pair) => {
      const rows = groups[i]!.length + groups[j]!.length;
      return folds.map((fold) => ({ pair, fold, rows: fold < 0 ? rows : rows - foldSize(rows, fold) }));
    })
    .sort((a, b) => b.rows - a.rows);
}

/** Does some of the fits of a classification; the answer does not depend on how they are shared out. */
export function solvePairs(input: SvcInput & { tasks: readonly Task[] }, hooks: Hooks = quiet): Solved[] {
  const groups = grouped(input);
  const pairs = pairsOf(input.classes);
  const cost = (task: Task) => task.rows ** 2;
  const total = input.tasks.reduce((sum, task) => sum + cost(task), 0);
  const spec = specOf(input.x, input.kernel);
  let done = 0;
  return input.tasks.map((task) => {
    checkCancelled(hooks);
    const tell = (share: number) => {
      hooks.progress(Math.floor((1000 * (done + cost(task) * Math.min(Math.max(share, 0), 1))) / total), 1000);
    };
    const [i, j] = pairs[task.pair]!;
    const solved = solvePair({ ...input, spec }, joined(groups[i]!, groups[j]!), task, tell, hooks);
    done += cost(task);
    tell(0);
    return solved;
  });
}

/** The rows of a pair, and +1 for the first class, −1 for the second. */
type Pair = { rows: Int32Array; y: Float64Array };

function solvePair(
  input: SvcInput & { spec: KernelSpec },
  pair: Pair,
  task: Task,
  tell: (share: number) => void,
  hooks: Hooks,
): Solved {
  const { x, sampleWeight: weight } = input;
  const empty = new Float64Array(0);
  if (task.fold < 0) {
    const { beta, rho, ...end } = solveTwoClasses({ ...input, ...pair, weight }, tell, hooks);
    return { pair: task.pair, fold: -1, coef: beta, rho, held: empty, ...end };
  }
  const { rest, left } = divided(pair, task.fold, input.seed ?? 0);
  const nothing = { pair: task.pair, fold: task.fold, coef: empty, rho: 0, iterations: 0, converged: true };
  const lone = rest.y.every((sign) => sign === rest.y[0]);
  // With one class left there is nothing to fit; every row is decided to be of that class.
  if (lone) return { ...nothing, held: new Float64Array(left.length).fill(-(rest.y[0] ?? 0)) };
  const { beta, rho, ...end } = solveTwoClasses({ ...input, ...rest, weight }, tell, hooks);
  const found = Int32Array.from(beta.keys()).filter((k) => beta[k] !== 0);
  const coef = Float64Array.from(found, (k) => beta[k]!);
  const support = found.map((k) => rest.rows[k]!);
  const model = { spec: input.spec, vectors: pick(x, support), coef, intercept: Float64Array.of(-rho) };
  const decisions = decideSvm({ x: pick(x, left), model }, { ...quiet, cancelled: () => hooks.cancelled() });
  return { ...nothing, held: decisions.data.map((value) => -value), ...end };
}

/** Puts the fits of a classification together. */
export function assembleSvc(input: SvcInput & { solved: readonly Solved[] }): Svc {
  const { x, classes, solved, probability, seed = 0 } = input;
  const groups = grouped(input);
  const pairs = pairsOf(classes);
  const mains = pairs.map((_, pair) => solved.find((each) => each.pair === pair && each.fold < 0)!);
  const offsets = groups.map((_, k) => groups.slice(0, k).reduce((sum, rows) => sum + rows.length, 0));
  const rows = joined(...groups).rows;
  const used = new Uint8Array(rows.length);
  const places = pairs.map(([i, j]) => (k: number) => {
    const first = groups[i]!.length;
    return k < first ? offsets[i]! + k : offsets[j]! + k - first;
  });
  mains.forEach(({ coef }, p) => {
    for (let k = 0; k < coef.length; k++) if (coef[k] !== 0) used[places[p]!(k)] = 1;
  });
  const found = Int32Array.from(used.keys()).filter((at) => used[at] === 1);
  const slot = new Int32Array(rows.length);
  found.forEach((at, s) => {
    slot[at] = s;
  });
  const coef = new Float64Array((classes - 1) * found.length);
  mains.forEach((main, p) => {
    const [i, j] = pairs[p]!;
    for (let k = 0; k < main.coef.length; k++) {
      const row = k < groups[i]!.length ? j - 1 : i;
      if (main.coef[k] !== 0) coef[row * found.length + slot[places[p]!(k)]!] = main.coef[k]!;
    }
  });
  const support = found.map((at) => rows[at]!);
  const sigmoids = probability
    ? pairs.map(([i, j], p) => calibrated(joined(groups[i]!, groups[j]!), p, solved, seed))
    : [];
  return {
    spec: specOf(x, input.kernel),
    classes,
    vectors: pick(x, support),
    support,
    counts: Int32Array.from(groups, (group, k) =>
      found.reduce((sum, at) => sum + (at >= offsets[k]! && at < offsets[k]! + group.length ? 1 : 0), 0),
    ),
    coef,
    intercept: Float64Array.from(mains, ({ rho }) => -rho),
    sigmoidA: Float64Array.from(sigmoids, ({ a }) => a),
    sigmoidB: Float64Array.from(sigmoids, ({ b }) => b),
    iterations: mains.reduce((sum, each) => sum + each.iterations, 0),
    converged: solved.every((each) => each.converged),
  };
}

function calibrated(pair: Pair, p: number, solved: readonly Solved[], seed: number) {
  const order = shuffled(pair.rows.length, seed);
  const values = new Float64Array(pair.rows.length);
  for (const { pair: of, fold, held } of solved) {
    if (of !== p || fold < 0) continue;
    const start = foldStart(order.length, fold);
    for (let k = 0; k < held.length; k++) values[order[start + k]!] = held[k]!;
  }
  return fitSigmoid(values, pair.y);
}

/** Rows with weight, class by class. */
function grouped({ y, classes, sampleWeight }: Pick<SvcInput, "y" | "classes" | "sampleWeight">): Int32Array[] {
  if (classes < 2) throw new RangeError(`a support vector machine needs at least 2 classes, got ${classes}`);
  const rows = weighty(y.length, sampleWeight);
  return Array.from({ length: classes }, (_, k) => {
    const group = rows.filter((i) => y[i] === k);
    if (group.length === 0) throw new RangeError("a support vector machine needs a row with weight of every class");
    return group;
  });
}

function pairsOf(classes: number): [number, number][] {
  const all = Array.from({ length: classes }, (_, k) => k);
  return all.flatMap((i) => all.slice(i + 1).map((j): [number, number] => [i, j]));
}

function joined(...groups: readonly Int32Array[]): Pair {
  const rows = Int32Array.from(groups.flatMap((group) => [...group]));
  const first = groups[0]!.length;
  return { rows, y: Float64Array.from(rows, (_, k) => (k < first ? 1 : -1)) };
}

function foldStart(rows: number, fold: number): number {
  return Math.floor((fold * rows) / FOLDS);
}

function foldSize(rows: number, fold: number): number {
  return foldStart(rows, fold + 1) - foldStart(rows, fold);
}

/**
 * The rows of a pair that a fold is fitted on, and those left out.
 *
 * The classes change places, as they do in libsvm, which sorts them by sign here: a fit ends within its tolerance, so
 * its last digits depend on the order of rows.
 */
function divided({ rows, y }: Pair, fold: number, seed: number): { rest: Pair; left: Int32Array } {
  const order = shuffled(rows.length, seed);
  const start = foldStart(rows.length, fold);
  const end = foldStart(rows.length, fold + 1);
  const kept = order.filter((_, at) => at < start || at >= end);
  const sorted = Int32Array.from([...kept.filter((k) => y[k]! < 0), ...kept.filter((k) => y[k]! > 0)]);
  return {
    left: order.slice(start, end).map((k) => rows[k]!),
    rest: { rows: sorted.map((k) => rows[k]!), y: Float64Array.from(sorted, (k) => -y[k]!) },
  };
}

/**
 * 0 to n−1 in the order in which scikit-learn's libsvm shuffles a pair's rows for this `random_state`.
 *
 * scikit-learn draws libsvm's seed from the random_state; libsvm seeds its generator anew at every fit, thus each
 * pair begins with the same numbers. Whole numbers by multiplication: Lemire (ACM TOMACS 29, 2019).
 */
function shuffled(n: number, seed: number): Int32Array {
  const random = new RandomState(new RandomState(seed).randomInterval(2 ** 31 - 2));
  const order = Int32Array.from({ length: n }, (_, k) => k);
  for (let i = 0; i < n; i++) {
    const j = i + below(random, n - i);
    const kept = order[i]!;
    order[i] = order[j]!;
    order[j] = kept;
  }
  return order;
}

function below(random: RandomState, range: number): number {
  const wide = BigInt(range);
  const least = (2 ** 32 - range) % range;
  for (;;) {
    const product = BigInt(random.uint32()) * wide;
    if (Number(product & 0xffffffffn) >= least) return Number(product >> 32n);
  }
}
