import { RandomState } from "../random.ts";
import { Cancelled, type Hooks, type Matrix } from "../types.ts";
import { gatherRows, logistic, type Rbm, roomOf, widthsOf } from "./rbm-room.ts";
import type { Room } from "./room.ts";

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
  const receiver = new Receiver(rbm.visible, rbm.hidden);
  receiver.load(rbm);
  forRows(x, from, to, hooks, (row, i) => {
    const received = receiver.receive(row);
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

/** `scoreRbm` for a kernel that is at work already; it may ask many times with one receiver. */
export function scoreRows(
  rbm: Rbm,
  x: Matrix,
  seed: number,
  hooks: Hooks,
  receiver = new Receiver(rbm.visible, rbm.hidden),
): Float64Array {
  const { visible: d, hidden, weights, visibleBias } = rbm;
  const flipped = new RandomState(seed).integers(d, x.n);
  receiver.load(rbm);
  const scores = new Float64Array(x.n);
  forRows(x, 0, x.n, { ...hooks, cancelled: hooks.cancelled, progress: () => undefined }, (row, i) => {
    const received = receiver.receive(row);
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

/** Computes what the hidden units of a machine receive from a row. */
export class Receiver {
  readonly #room: Room;
  readonly #visible: number;
  readonly #hidden: number;
  readonly #table: Float64Array;
  readonly #bias: Float64Array;
  readonly #out: Float64Array;
  readonly #values: Float64Array;
  readonly #rows: Int32Array;

  constructor(visible: number, hidden: number) {
    const { row, stride } = widthsOf(hidden);
    const room = roomOf(8 * (visible * stride + 2 * row + visible) + 4 * visible + 64);
    this.#room = room;
    this.#visible = visible;
    this.#hidden = hidden;
    this.#table = room.doubles(visible * stride);
    this.#bias = room.doubles(row);
    this.#out = room.doubles(row);
    this.#values = room.doubles(visible);
    this.#rows = room.ints(visible);
  }

  /** Takes on the parameters of a machine of this size. */
  load({ weights, hiddenBias }: Rbm): void {
    const { stride } = widthsOf(this.#hidden);
    for (let j = 0; j < this.#visible; j++) {
      for (let k = 0; k < this.#hidden; k++) this.#table[j * stride + k] = weights[k * this.#visible + j]!;
    }
    this.#bias.set(hiddenBias);
  }

  /** A number per hidden unit; the answer is overwritten by the next. */
  receive(values: Float64Array): Float64Array {
    const { row, stride } = widthsOf(this.#hidden);
    let found = 0;
    for (let j = 0; j < values.length; j++) {
      if (values[j] === 0) continue;
      this.#rows[found] = 8 * j * stride;
      this.#values[found] = values[j]!;
      found++;
    }
    const from = this.#rows.byteOffset;
    const [table, bias, out] = [this.#table.byteOffset, this.#bias.byteOffset, this.#out.byteOffset];
    this.#room.loops.weightedRows(from, from + 4 * found, this.#values.byteOffset, table, bias, out, 8 * row);
    return this.#out;
  }
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
