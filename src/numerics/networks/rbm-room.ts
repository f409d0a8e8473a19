import type { Matrix } from "../types.ts";
import { Room } from "./room.ts";

/** Rows of the loops' tables are as wide as a multiple of this many doubles, the rest zeros. */
const rowDoubles = 16;

/** The parameters of a restricted Boltzmann machine with binary units. */
export interface Rbm {
  /** Visible units: the features. */
  readonly visible: number;
  readonly hidden: number;
  /** hidden×visible numbers, all of the first hidden unit first. */
  readonly weights: Float64Array;
  readonly hiddenBias: Float64Array;
  readonly visibleBias: Float64Array;
}

/** What to lower where a machine takes too much memory. */
const cure = "lower n_components or batch_size, or use fewer features";

/** Memory for a machine of so many bytes. */
export function roomOf(bytes: number): Room {
  return new Room(bytes, cure);
}

/** How wide rows of hidden units are in memory, in doubles. */
export interface Widths {
  /** The hidden units, rounded up to whole registers. */
  readonly row: number;
  /** From one row of weights to the next: an odd number of cache lines, or rows would fight for the same places. */
  readonly stride: number;
}

/** The widths for this many hidden units. */
export function widthsOf(hidden: number): Widths {
  const row = Math.ceil(hidden / rowDoubles) * rowDoubles;
  return { row, stride: row + 8 };
}

/** Bytes of weights that are worked through for all rows of a batch before the next: they fit into a core's own cache. */
const cachedBytes = 1 << 17;
/** Bytes of a table that is read again for each feature; they fit into the fastest cache. */
const fastBytes = 24_576;

/** How far a table of `rows` rows is gone along at once, in bytes of a row. */
export function stripOf(rows: number, width: number, most = fastBytes): number {
  const whole = 8 * rowDoubles;
  return Math.min(width, Math.max(whole, Math.floor(most / rows / whole) * whole));
}

/** Strips of weights of `rows` features, for all rows of a batch. */
export function weightStrip(rows: number, width: number): number {
  return stripOf(rows, width, cachedBytes);
}

/** How many rows of weights are gone through for all rows of a batch; a multiple of four. */
export function rowsAtOnce(stride: number): number {
  return Math.max(4, Math.floor(cachedBytes / stride / 4) * 4);
}

/** Rows of zeros that make a multiple of `of`. */
export function padded(n: number, of: number): number {
  return Math.ceil(n / of) * of;
}

/** Rows `from` to `to` of a matrix, row by row. */
export function gatherRows({ n, d, data }: Matrix, from: number, to: number, out: Float64Array): void {
  for (let j = 0; j < d; j++) {
    for (let i = from, at = j, column = j * n; i < to; i++, at += d) out[at] = data[column + i]!;
  }
}

/** P(on) from what an unit receives. */
export function logistic(z: number): number {
  return 1 / (1 + Math.exp(-z));
}

/** `logistic` at every 32nd from −reach to reach, for `isBelow`. */
const reach = 32;
const steps = 32;
const known = Float64Array.from({ length: 2 * reach * steps + 1 }, (_, i) => logistic(i / steps - reach));
/** Far more than rounding can do, far less than anybody would notice. */
const margin = 1e-12;

/**
 * 1 where `u` is below `logistic(z)`, else 0.
 *
 * Where u lies outside of two known values around z no exponential is needed; written so that only that is asked,
 * since processors can't guess what is drawn.
 */
export function drawn(u: number, z: number): number {
  const place = Math.floor((z + reach) * steps);
  if (!(place >= 0 && place < 2 * reach * steps)) return Number(u < logistic(z));
  const low = known[place]! - margin;
  const high = known[place + 1]! + margin;
  return (u - low) * (high - u) > 0 ? Number(u < logistic(z)) : Number(u < low);
}
