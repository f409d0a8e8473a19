import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { type KernelSpec, specOf } from "./kernel.ts";
import { fitSigmoid, type Sigmoid } from "./platt.ts";
import { decideSvm, type Svc } from "./predict.ts";
import { divided, FOLDS, grouped, leftOut, Orders, type Pair, pairRows, pairsOf } from "./svc-pairs.ts";
import { pick, type SvmOptions, solveTwoClasses } from "./svm.ts";

export type { Svc } from "./predict.ts";

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

/** One fit: the machine of a pair on all its rows (fold −1), or without one fifth of them (fold 0…4). */
export type Task = { pair: number; fold: number; rows: number };

/** What tasks came to, one after the other in few arrays: tens of thousands of small ones would cross threads slowly. */
export type Solved = {
  /** Which pair and fold each task was. */
  pair: Int32Array;
  fold: Int8Array;
  /** β per row of the pair, or of a fold the decisions on the rows left out; `ends` says where each task's end. */
  numbers: Float64Array;
  ends: Int32Array;
  /** One per task; 0 for a fold. */
  rho: Float64Array;
  /** Steps of the fits on all rows of a pair. */
  iterations: number;
  converged: boolean;
};

/**
 * Support vector classification, one machine per pair of classes, as scikit-learn's SVC.
 *
 * Also its probabilities, row for row, for the same seed. RangeError when a class has no row with weight, or kernel
 * values overflow. The fits are independent: `svcTasks`, `solvePairs` and `assembleSvc` are its parts for several threads.
 * Source: Chang and Lin, LIBSVM (2011), §2.1, §7 and §8.
 */
export function fitSvc(input: SvcInput, hooks: Hooks = quiet): Svc {
  return assembleSvc({ ...input, solved: [solvePairs({ ...input, tasks: svcTasks(input) }, hooks)] });
}

/** All fits that a classification needs, the largest first. */
export function svcTasks(input: Pick<SvcInput, "y" | "classes" | "sampleWeight" | "probability">): Task[] {
  const groups = grouped(input);
  const folds = [-1, ...(input.probability ? Array.from({ length: FOLDS }, (_, fold) => fold) : [])];
  return pairsOf(input.classes)
    .flatMap(([i, j], pair) => {
      const rows = groups[i]!.length + groups[j]!.length;
      return folds.map((fold) => ({ pair, fold, rows: fold < 0 ? rows : Math.ceil(rows * (1 - 1 / FOLDS)) }));
    })
    .sort((a, b) => b.rows - a.rows);
}

/** Does some of the fits of a classification; the answer does not depend on how they are shared out. */
export function solvePairs(input: SvcInput & { tasks: readonly Task[] }, hooks: Hooks = quiet): Solved {
  const { tasks } = input;
  const groups = grouped(input);
  const pairs = pairsOf(input.classes);
  const cost = (task: Task) => task.rows ** 2;
  const total = tasks.reduce((sum, task) => sum + cost(task), 0);
  const spec = specOf(input.x, input.kernel);
  const orders = new Orders(input.seed ?? 0);
  let done = 0;
  const solved = tasks.map((task) => {
    checkCancelled(hooks);
    const tell = (share: number) => {
      hooks.progress(Math.floor((1000 * (done + cost(task) * Math.min(Math.max(share, 0), 1))) / total), 1000);
    };
    const end = solvePair({ ...input, spec, orders }, pairRows(groups, pairs[task.pair]!), task, tell, hooks);
    done += cost(task);
    tell(0);
    return end;
  });
  let end = 0;
  const ends = Int32Array.from(solved, ({ numbers }) => (end += numbers.length));
  const numbers = new Float64Array(end);
  solved.forEach((each, k) => {
    numbers.set(each.numbers, ends[k]! - each.numbers.length);
  });
  return {
    pair: Int32Array.from(tasks, ({ pair }) => pair),
    fold: Int8Array.from(tasks, ({ fold }) => fold),
    numbers,
    ends,
    rho: Float64Array.from(solved, ({ rho }) => rho),
    iterations: solved.reduce((sum, { iterations }, k) => sum + (tasks[k]!.fold < 0 ? iterations : 0), 0),
    converged: solved.every(({ converged }) => converged),
  };
}

/** What one task came to. */
type End = { numbers: Float64Array; rho: number; iterations: number; converged: boolean };

function solvePair(
  input: SvcInput & { spec: KernelSpec; orders: Orders },
  pair: Pair,
  task: Task,
  tell: (share: number) => void,
  hooks: Hooks,
): End {
  const { x, sampleWeight: weight } = input;
  if (task.fold < 0) {
    const { beta, ...end } = solveTwoClasses({ ...input, ...pair, weight }, tell, hooks);
    return { ...end, numbers: beta };
  }
  const { rest, left } = divided(pair, task.fold, input.orders);
  const lone = rest.y.every((sign) => sign === rest.y[0]);
  if (lone) {
    // With one class left there is nothing to fit; every row is decided to be of that class.
    return { numbers: new Float64Array(left.length).fill(-(rest.y[0] ?? 0)), rho: 0, iterations: 0, converged: true };
  }
  const { beta, rho, ...end } = solveTwoClasses({ ...input, ...rest, weight }, tell, hooks);
  const found = Int32Array.from(beta.keys()).filter((k) => beta[k] !== 0);
  const coef = Float64Array.from(found, (k) => beta[k]!);
  const support = found.map((k) => rest.rows[k]!);
  const model = { spec: input.spec, vectors: pick(x, support), coef, intercept: Float64Array.of(-rho) };
  const decisions = decideSvm({ x: pick(x, left), model }, { ...quiet, cancelled: () => hooks.cancelled() });
  return { ...end, numbers: decisions.data.map((value) => -value), rho: 0 };
}

/** Puts the fits of a classification together. */
export function assembleSvc(input: SvcInput & { solved: readonly Solved[] }, hooks: Hooks = quiet): Svc {
  const { x, classes, solved, probability } = input;
  const groups = grouped(input);
  const pairs = pairsOf(classes);
  const mains = mainsOf(pairs.length, solved);
  const vectors = vectorsOf(groups, mains);
  const support = Int32Array.from(vectors.flatMap((rows) => [...rows]));
  const sigmoids = probability ? calibrated(groups, input, hooks) : [];
  return {
    spec: specOf(x, input.kernel),
    classes,
    vectors: pick(x, support),
    support,
    counts: Int32Array.from(vectors, (rows) => rows.length),
    coef: coefficients(groups, vectors, mains, x.n),
    intercept: Float64Array.from(mains, ({ rho }) => -rho),
    sigmoidA: Float64Array.from(sigmoids, ({ a }) => a),
    sigmoidB: Float64Array.from(sigmoids, ({ b }) => b),
    iterations: solved.reduce((sum, { iterations }) => sum + iterations, 0),
    converged: solved.every(({ converged }) => converged),
  };
}

/** The machine of each pair: β per row of the pair. */
type Main = { coef: Float64Array; rho: number };

/** The machines that were fitted on all rows, pair by pair. */
function mainsOf(pairs: number, solved: readonly Solved[]): Main[] {
  const mains = new Array<Main>(pairs);
  for (const part of solved) {
    part.pair.forEach((pair, k) => {
      if (part.fold[k]! < 0) mains[pair] = { coef: numbersOf(part, k), rho: part.rho[k]! };
    });
  }
  return mains;
}

/** The numbers of a part's task k, a view. */
function numbersOf({ numbers, ends }: Solved, k: number): Float64Array {
  return numbers.subarray(k > 0 ? ends[k - 1] : 0, ends[k]);
}

/** The rows of each class that any of its machines rests on. */
function vectorsOf(groups: readonly Int32Array[], mains: readonly Main[]): Int32Array[] {
  const used = groups.map((group) => new Uint8Array(group.length));
  pairsOf(groups.length).forEach(([i, j], p) => {
    const first = groups[i]!.length;
    mains[p]!.coef.forEach((value, k) => {
      if (value !== 0) (k < first ? used[i]! : used[j]!)[k < first ? k : k - first] = 1;
    });
  });
  return groups.map((group, c) => group.filter((_, k) => used[c]![k] === 1));
}

function coefficients(
  groups: readonly Int32Array[],
  vectors: readonly Int32Array[],
  mains: readonly Main[],
  n: number,
): Float64Array {
  const support = vectors.flatMap((rows) => [...rows]);
  const place = new Int32Array(n);
  support.forEach((row, s) => {
    place[row] = s;
  });
  const out = new Float64Array((groups.length - 1) * support.length);
  pairsOf(groups.length).forEach(([i, j], p) => {
    const { rows, y } = pairRows(groups, [i, j]);
    mains[p]!.coef.forEach((value, k) => {
      if (value !== 0) out[(y[k]! > 0 ? j - 1 : i) * support.length + place[rows[k]!]!] = value;
    });
  });
  return out;
}

/** The sigmoid of each pair, from the decisions on the rows that its folds left out. */
function calibrated(
  groups: readonly Int32Array[],
  { classes, solved, seed = 0 }: SvcInput & { solved: readonly Solved[] },
  hooks: Hooks,
): Sigmoid[] {
  const orders = new Orders(seed);
  const pairs = pairsOf(classes).map((pair) => pairRows(groups, pair));
  const held = pairs.map(({ rows }) => new Float64Array(rows.length));
  for (const part of solved) {
    part.pair.forEach((pair, k) => {
      const fold = part.fold[k]!;
      if (fold < 0) return;
      const values = held[pair]!;
      const numbers = numbersOf(part, k);
      leftOut(values.length, fold, orders).forEach((at, m) => {
        values[at] = numbers[m]!;
      });
    });
  }
  return pairs.map(({ y }, p) => {
    checkCancelled(hooks);
    return fitSigmoid(held[p]!, y);
  });
}
