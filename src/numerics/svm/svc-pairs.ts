import { RandomState } from "../random.ts";
import { weighty } from "./svm.ts";

/** Rows of two classes, and +1 for those of the first, −1 for the second. */
export type Pair = { rows: Int32Array; y: Float64Array };

/** Parts that the rows of a pair are divided into for its probabilities. */
export const FOLDS = 5;

/** Rows with weight, class by class. */
export function grouped(input: { y: Int32Array; classes: number; sampleWeight?: Float64Array }): Int32Array[] {
  const { y, classes, sampleWeight } = input;
  if (classes < 2) throw new RangeError(`a support vector machine needs at least 2 classes, got ${classes}`);
  const rows = weighty(y.length, sampleWeight);
  return Array.from({ length: classes }, (_, k) => {
    const group = rows.filter((i) => y[i] === k);
    if (group.length === 0) throw new RangeError("a support vector machine needs a row with weight of every class");
    return group;
  });
}

/** The pairs of classes (0,1), (0,2) … (1,2) …. */
export function pairsOf(classes: number): [number, number][] {
  const all = Array.from({ length: classes }, (_, k) => k);
  return all.flatMap((i) => all.slice(i + 1).map((j): [number, number] => [i, j]));
}

/** The rows of a pair of classes, the first class first. */
export function pairRows(groups: readonly Int32Array[], [i, j]: readonly [number, number]): Pair {
  const first = groups[i]!;
  const rows = new Int32Array(first.length + groups[j]!.length);
  rows.set(first);
  rows.set(groups[j]!, first.length);
  return { rows, y: Float64Array.from(rows, (_, k) => (k < first.length ? 1 : -1)) };
}

/**
 * The rows of a pair that a fold is fitted on, and those left out.
 *
 * The classes change places, as they do in libsvm, which sorts them by sign here: a fit ends within its tolerance, so
 * its last digits depend on the order of rows.
 */
export function divided({ rows, y }: Pair, fold: number, orders: Orders): { rest: Pair; left: Int32Array } {
  const left = leftOut(rows.length, fold, orders);
  const out = new Set(left);
  const kept = orders.of(rows.length).filter((k) => !out.has(k));
  const sorted = Int32Array.from([...kept.filter((k) => y[k]! < 0), ...kept.filter((k) => y[k]! > 0)]);
  return {
    left: left.map((k) => rows[k]!),
    rest: { rows: sorted.map((k) => rows[k]!), y: Float64Array.from(sorted, (k) => -y[k]!) },
  };
}

/** Which of a pair's `n` rows a fold leaves out. */
export function leftOut(n: number, fold: number, orders: Orders): Int32Array {
  return orders.of(n).slice(Math.floor((fold * n) / FOLDS), Math.floor(((fold + 1) * n) / FOLDS));
}

/** In which order a pair's rows are shuffled; pairs of equally many rows share one. */
export class Orders {
  readonly #seed: number;
  readonly #known = new Map<number, Int32Array>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** 0 to n−1, shuffled; not to be changed. */
  of(n: number): Int32Array {
    const known = this.#known.get(n) ?? shuffled(n, this.#seed);
    this.#known.set(n, known);
    return known;
  }
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

/** A whole number from 0 to range − 1, every one as likely as the others. */
function below(random: RandomState, range: number): number {
  const wide = BigInt(range);
  const least = (2 ** 32 - range) % range;
  for (;;) {
    const product = BigInt(random.uint32()) * wide;
    if (Number(product & 0xffffffffn) >= least) return Number(product >> 32n);
  }
}
