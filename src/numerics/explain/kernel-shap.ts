import { RandomState } from "../random.ts";

/** Which players take part: sets of them, each a row of ones and zeros. */
export type Coalitions = {
  readonly players: number;
  readonly count: number;
  /** count×players, row-major. */
  readonly masks: Uint8Array;
  /** All there are but the empty one and the whole; else pairs of a drawn one and the others. */
  readonly isAll: boolean;
};

/**
 * All coalitions where there are at most `most`, else as many pairs, drawn by Shapley's weights.
 *
 * O(count · players). Source: Lundberg and Lee, A unified approach to interpreting model predictions (2017), Theorem 2.
 */
export function coalitionsOf(players: number, most: number, seed: number): Coalitions {
  const all = players < 30 ? 2 ** players - 2 : Infinity;
  if (all <= most) {
    const masks = new Uint8Array(Math.max(0, all) * players);
    for (let k = 0; k < all; k++) for (let j = 0; j < players; j++) masks[k * players + j] = ((k + 1) >> j) & 1;
    return { players, count: Math.max(0, all), masks, isAll: true };
  }
  const pairs = Math.max(2, most >> 1);
  const masks = new Uint8Array(2 * pairs * players);
  const shares = sizeShares(players);
  const random = new RandomState(seed);
  const order = Int32Array.from({ length: players }, (_, j) => j);
  for (let pair = 0; pair < pairs; pair++) {
    let rest = random.uniform();
    let size = 1;
    while (size < players - 1 && rest >= shares[size]!) rest -= shares[size++]!;
    random.shuffle(order);
    const at = 2 * pair * players;
    for (let k = 0; k < players; k++) masks[at + (k < size ? 0 : players) + order[k]!] = 1;
  }
  return { players, count: 2 * pairs, masks, isAll: false };
}

/** How likely a coalition of each size is by Shapley's weights: 1/(size · (players − size)). */
function sizeShares(players: number): Float64Array {
  const shares = Float64Array.from({ length: players }, (_, size) => (size === 0 ? 0 : 1 / (size * (players - size))));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

/** What each player adds, and how far that may be off: one standard error, 0 where all coalitions are known. */
export type Attribution = { readonly values: Float64Array; readonly error: Float64Array };

/**
 * Shapley values of a game by what its coalitions come to; they add up to `whole` less `empty`.
 *
 * worth: one number for each coalition. Exact where all are known. Else the weighted least squares of Kernel SHAP; the
 * error is that of their residuals, as Covert and Lee, Improving KernelSHAP (2021), §4. O(count · players) each.
 */
export function attribute(coalitions: Coalitions, worth: Float64Array, empty: number, whole: number): Attribution {
  const { players } = coalitions;
  if (players === 1) return { values: Float64Array.of(whole - empty), error: new Float64Array(1) };
  return coalitions.isAll ? exactly(coalitions, worth, empty, whole) : leastSquares(coalitions, worth, empty, whole);
}

function exactly({ players }: Coalitions, worth: Float64Array, empty: number, whole: number): Attribution {
  const all = 2 ** players;
  const weights = new Float64Array(players);
  weights[0] = 1 / players;
  for (let size = 1; size < players; size++) weights[size] = (weights[size - 1]! * size) / (players - size);
  const worthOf = (set: number) => (set === 0 ? empty : set === all - 1 ? whole : worth[set - 1]!);
  const values = new Float64Array(players);
  for (let set = 0; set < all; set++) {
    const own = worthOf(set);
    let size = 0;
    for (let rest = set; rest > 0; rest &= rest - 1) size++;
    for (let j = 0; j < players; j++) {
      values[j]! += (set >> j) & 1 ? weights[size - 1]! * own : -weights[size]! * own;
    }
  }
  return { values, error: new Float64Array(players) };
}

/** Steps towards the least squares at most; each brings it nearer by the share of what is drawn unevenly. */
const mostSteps = 50;

function leastSquares(coalitions: Coalitions, worth: Float64Array, empty: number, whole: number): Attribution {
  const { players, count, masks } = coalitions;
  const shares = sizeShares(players);
  const both = shares.reduce((sum, share, k) => sum + (share * k * (k - 1)) / (players * (players - 1)), 0);
  // Players are in half of all coalitions, two at once in `both` of them: that is the matrix of the normal equations.
  const apart = 0.5 - both;
  const values = new Float64Array(players).fill((whole - empty) / players);
  const left = new Float64Array(count);
  let least = Infinity;
  for (let step = 0; step < mostSteps; step++) {
    const next = step === 0 ? values.slice() : moved(values, coalitions, left, apart);
    const squares = residuals(left, coalitions, worth, empty, next);
    if (!(squares < least * (1 - 1e-12))) break;
    least = squares;
    values.set(next);
  }
  residuals(left, coalitions, worth, empty, values);
  return { values, error: errorsOf(coalitions, left, apart, masks) };
}

function residuals(
  left: Float64Array,
  { players, count, masks }: Coalitions,
  worth: Float64Array,
  empty: number,
  values: Float64Array,
): number {
  let squares = 0;
  for (let k = 0; k < count; k++) {
    let rest = worth[k]! - empty;
    for (let j = 0; j < players; j++) if (masks[k * players + j] === 1) rest -= values[j]!;
    left[k] = rest;
    squares += rest * rest;
  }
  return squares;
}

/** The values, a step nearer to those that leave least over. Their sum stays. */
function moved(
  values: Float64Array,
  { players, count, masks }: Coalitions,
  left: Float64Array,
  apart: number,
): Float64Array {
  const next = new Float64Array(players);
  for (let k = 0; k < count; k++) {
    for (let j = 0; j < players; j++) if (masks[k * players + j] === 1) next[j]! += left[k]! / count;
  }
  const mean = next.reduce((sum, value) => sum + value, 0) / players;
  return next.map((value, j) => values[j]! + (value - mean) / apart);
}

function errorsOf({ players, count }: Coalitions, left: Float64Array, apart: number, masks: Uint8Array): Float64Array {
  const pairs = count / 2;
  const term = new Float64Array(players);
  const sum = new Float64Array(players);
  const squares = new Float64Array(players);
  for (let pair = 0; pair < pairs; pair++) {
    let mean = 0;
    for (let j = 0; j < players; j++) {
      term[j] = (masks[2 * pair * players + j] === 1 ? left[2 * pair]! : left[2 * pair + 1]!) / 2;
      mean += term[j]! / players;
    }
    for (let j = 0; j < players; j++) {
      const value = (term[j]! - mean) / apart;
      sum[j]! += value;
      squares[j]! += value * value;
    }
  }
  // What the values themselves were fitted to makes the residuals smaller than they are.
  const free = Math.max(1, pairs - players);
  return squares.map((square, j) => Math.sqrt(Math.max(0, square - sum[j]! ** 2 / pairs) / free / pairs));
}
