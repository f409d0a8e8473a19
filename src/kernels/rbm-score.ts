import { RandomState } from "./random.ts";
import { gatherRows, logistic, type Rbm, Room, widthsOf } from "./rbm-room.ts";
import { Cancelled, type Hooks, type Matrix } from "./types.ts";

/** Rows that are worked on between two looks at the hooks. */
const blockRows = 64;

/** Rows of a matrix for a machine; `from` to `to`, all of them unless said. */
export interface RbmRows {
  readonly rbm: Rbm;
  readonly x: Matrix;
  readonly from?: number;
  readonly to?: number;
}

/**
 * Hidden probabilities P(h = 1 | v) of rows: (to − from)×hidden. O(rows·d·hidden) time.
 *
 * A row's numbers don't depend on which rows it is asked with.
 */
export function hiddenRbm({ rbm, x, from = 0, to = x.n }: RbmRows, hooks: Hooks): Matrix {
  const n = to - from;
  const data = new Float64Array(n * rbm.hidden);
  const receive = receiver(rbm);
  forRows(x, from, to, hooks, (row, i) => {
    const received = receive(row);
    for (let k = 0; k < rbm.hidden; k++) data[k * n + i] = logistic(received[k]!);
  });
  return { n, d: rbm.hidden, data };
}

/**
 * The pseudo-likelihood of each row, as scikit-learn's score_samples: one feature, drawn by `seed`, is flipped.
 *
 * −d·log(1 + exp(F(v) − F(v′))) of the free energies before and after; 0 is the best.
 */
export function scoreRbm({ rbm, x, seed }: { rbm: Rbm; x: Matrix; seed: number }, hooks: Hooks): Float64Array {
  return scoreRows(rbm, x, seed, hooks);
}

/** `scoreRbm` for a kernel that is at work already. */
export function scoreRows(rbm: Rbm, x: Matrix, seed: number, hooks: Hooks): Float64Array {
  const { visible: d, hidden, weights, visibleBias } = rbm;
  const flipped = new RandomState(seed).integers(d, x.n);
  const receive = receiver(rbm);
  const scores = new Float64Array(x.n);
  forRows(x, 0, x.n, { ...hooks, cancelled: hooks.cancelled, progress: () => undefined }, (row, i) => {
    const received = receive(row);
    const j = flipped[i]!;
    const change = 1 - 2 * row[j]!;
    // F(v) − F(v′); all that the flip leaves alone falls out.
    let difference = change * visibleBias[j]!;
    for (let k = 0; k < hidden; k++) {
      const z = received[k]!;
      difference += softplus(z + change * weights[k * d + j]!) - softplus(z);
    }
    scores[i] = -d * softplus(difference);
  });
  return scores;
}

/** What the hidden units receive from a row; the answer is overwritten by the next. */
function receiver(rbm: Rbm): (row: Float64Array) => Float64Array {
  const { visible: d, hidden, weights, hiddenBias } = rbm;
  const { row: width, stride } = widthsOf(hidden);
  const room = new Room(8 * (d * stride + 2 * width + d) + 4 * d + 64);
  const [table, bias, out, values] = [d * stride, width, width, d].map((size) => room.doubles(size));
  const rows = room.ints(d);
  for (let j = 0; j < d; j++) for (let k = 0; k < hidden; k++) table![j * stride + k] = weights[k * d + j]!;
  bias!.set(hiddenBias);
  return (row) => {
    let found = 0;
    for (let j = 0; j < d; j++) {
      if (row[j] === 0) continue;
      rows[found] = 8 * j * stride;
      values![found] = row[j]!;
      found++;
    }
    const [at, to] = [rows.byteOffset, out!.byteOffset];
    room.products.weightedRows(
      at,
      at + 4 * found,
      values!.byteOffset,
      table!.byteOffset,
      bias!.byteOffset,
      to,
      8 * width,
    );
    return out!;
  };
}

/** Calls `act` with each row and its place from 0 on. */
function forRows(x: Matrix, from: number, to: number, hooks: Hooks, act: (row: Float64Array, i: number) => void): void {
  const block = new Float64Array(blockRows * x.d);
  for (let first = from; first < to; first += blockRows) {
    const end = Math.min(first + blockRows, to);
    if (hooks.cancelled()) throw new Cancelled();
    gatherRows(x, first, end, block);
    for (let i = first; i < end; i++) act(block.subarray((i - first) * x.d, (i - first + 1) * x.d), i - from);
    hooks.progress(end - from, to - from);
  }
}

/** log(1 + exp(z)) without overflow. */
function softplus(z: number): number {
  return Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)));
}
