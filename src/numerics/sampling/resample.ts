import { type Rows, rowMajor } from "../neighbors/distance.ts";
import { nearestOthers, nearestRows, rowsAt } from "../neighbors/neighbors.ts";
import { RandomState } from "../random.ts";
import { pairwiseSum } from "../statistics/pairwise-sum.ts";
import { type Hooks, type Matrix, quiet } from "../types.ts";
import { nearMiss, tomekLinks } from "./undersample.ts";

/** The ways to even out classes. */
export const resamplers = [
  "RandomOverSampler",
  "RandomUnderSampler",
  "SMOTE",
  "BorderlineSMOTE",
  "ADASYN",
  "NearMiss",
  "TomekLinks",
  "SMOTETomek",
] as const;

/** One of the ways. */
export type Resampler = (typeof resamplers)[number];

/** What `resample` needs to know. */
export type ResampleInput = {
  readonly resampler: Resampler;
  /** n×d features; not looked at by the random samplers. */
  readonly x: Matrix;
  /** n class codes from 0. */
  readonly y: Int32Array;
  /** How many rows of each class there shall be; not looked at by TomekLinks. */
  readonly wanted: Float64Array;
  /** The classes that are sampled, in order. */
  readonly sampled: readonly number[];
  readonly seed: number;
  /** Neighbours that new rows are drawn towards (SMOTE and its kin), or that judge nearness (NearMiss, ADASYN). */
  readonly neighbors: number;
  /** Neighbours that tell the border (BorderlineSMOTE), or candidates per minority row (NearMiss 3). */
  readonly border: number;
  /** NearMiss 1, 2 or 3. */
  readonly version: number;
  /** Draw with replacement (RandomUnderSampler). */
  readonly replacement: boolean;
};

/** Which rows stay, and which are made. */
export type Resampled = {
  /** Row numbers in the new order; a row drawn twice is there twice. */
  readonly kept: Int32Array;
  /** New rows after them, row by row, and their classes. */
  readonly made: Float64Array;
  readonly classes: Int32Array;
};

/**
 * Evens out classes.
 *
 * Sources: SMOTE, Chawla and others (2002); BorderlineSMOTE (the first kind), Han and others (2005); ADASYN, He and
 * others (2008); NearMiss, Zhang and Mani (2003); Tomek links, Tomek (1976); SMOTETomek, Batista and others (2004).
 * Defaults, draws and the order of rows are those of imbalanced-learn 0.14, which begins its generator anew for each
 * class of SMOTE and its kin, and not for the others. Of equally near rows the first one counts here; there it depends
 * on the tree. RangeError where a class has too few rows for its neighbours.
 */
export function resample(input: ResampleInput, hooks: Hooks = quiet): Resampled {
  const { resampler, y, wanted } = input;
  const members = membersOf(y, wanted.length);
  switch (resampler) {
    case "RandomOverSampler":
      return {
        kept: repeatAtRandom(input, members),
        made: new Float64Array(0),
        classes: new Int32Array(0),
      };
    case "RandomUnderSampler":
      return only(keepAtRandom(input, members));
    case "NearMiss":
      return only(nearMiss(input, rowMajor(input.x), members, hooks));
    case "TomekLinks": {
      const removed = tomekLinks(rowMajor(input.x), y, (code) => input.sampled.includes(code), hooks);
      return only(Int32Array.from(y.keys()).filter((i) => removed[i] === 0));
    }
    case "SMOTETomek":
      return cleaned(input, oversampled({ ...input, resampler: "SMOTE" }, members, hooks), hooks);
    default:
      return oversampled(input, members, hooks);
  }
}

function only(kept: Int32Array): Resampled {
  return { kept, made: new Float64Array(0), classes: new Int32Array(0) };
}

/** The rows of each class, in order. */
function membersOf(y: Int32Array, classes: number): Int32Array[] {
  return Array.from({ length: classes }, (_, code) => Int32Array.from(y.keys()).filter((i) => y[i] === code));
}

function repeatAtRandom({ y, wanted, sampled, seed }: ResampleInput, members: readonly Int32Array[]): Int32Array {
  const random = new RandomState(seed);
  const drawn = sampled.map((code) => {
    const rows = members[code]!;
    return random.integers(rows.length, wanted[code]! - rows.length).map((at) => rows[at]!);
  });
  return concatenated([Int32Array.from(y.keys()), ...drawn]);
}

function keepAtRandom(input: ResampleInput, members: readonly Int32Array[]): Int32Array {
  const random = new RandomState(input.seed);
  const drawn = members.map((rows, code) => {
    if (!input.sampled.includes(code)) return rows;
    const count = input.wanted[code]!;
    const places = input.replacement
      ? random.integers(rows.length, count)
      : random.permutation(rows.length).subarray(0, count);
    return places.map((at) => rows[at]!);
  });
  return concatenated(drawn);
}

function concatenated(parts: readonly Int32Array[]): Int32Array {
  const out = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Where new rows lie: row `k` starts at `from[k]` and goes the share `step[k]` of the way to `to[k]`. */
type Ways = { readonly from: Int32Array; readonly to: Int32Array; readonly step: Float64Array };

/** All rows, and new ones between a row and a near one of its class. */
function oversampled(input: ResampleInput, members: readonly Int32Array[], hooks: Hooks): Resampled {
  const all = rowMajor(input.x);
  const made: number[] = [];
  const classes: number[] = [];
  const shared = new RandomState(input.seed);
  for (const [done, code] of input.sampled.entries()) {
    const rows = members[code]!;
    const more = input.wanted[code]! - rows.length;
    if (!(more > 0)) continue;
    const own = rowsAt(all, rows);
    const near = nearestOthers(own, input.neighbors, hooks).rows;
    const { from, to, step } =
      input.resampler === "ADASYN"
        ? waysFromHardRows(hardRows(input, all, code, rows, more, hooks), near, input.neighbors, shared)
        : waysFromAny(
            startsOf(input, all, code, rows, hooks),
            near,
            input.neighbors,
            more,
            new RandomState(input.seed),
          );
    for (let k = 0; k < step.length; k++) {
      for (let j = 0; j < all.d; j++) {
        const a = own.rows[from[k]! * all.d + j]!;
        made.push(a + step[k]! * (own.rows[to[k]! * all.d + j]! - a));
      }
      classes.push(code);
    }
    hooks.progress(done + 1, input.sampled.length);
  }
  const kept = Int32Array.from({ length: input.y.length }, (_, i) => i);
  return { kept, made: Float64Array.from(made), classes: Int32Array.from(classes) };
}

/** The rows of the class (as places in `rows`) from which SMOTE goes: all, or those at the border. */
function startsOf(input: ResampleInput, all: Rows, code: number, rows: Int32Array, hooks: Hooks): Int32Array {
  const isAtBorder = input.resampler === "BorderlineSMOTE";
  return isAtBorder ? borderRows(input, all, code, rows, hooks) : Int32Array.from(rows.keys());
}

/** `more` ways, each from any start to any of its k near rows. */
function waysFromAny(starts: Int32Array, near: Int32Array, k: number, more: number, random: RandomState): Ways {
  const drawn = starts.length > 0 ? random.integers(starts.length * k, more) : new Int32Array(0);
  const from = drawn.map((at) => starts[Math.floor(at / k)]!);
  const to = drawn.map((at, way) => near[from[way]! * k + (at % k)]!);
  return { from, to, step: uniforms(drawn.length, random) };
}

/** As many ways from each row of the class as `counts` says, each to any of its k near rows. */
function waysFromHardRows(counts: readonly number[], near: Int32Array, k: number, random: RandomState): Ways {
  const from = Int32Array.from(counts.flatMap((count, row) => new Array<number>(count).fill(row)));
  const to = random.integers(k, from.length).map((at, way) => near[from[way]! * k + at]!);
  return { from, to, step: uniforms(from.length, random) };
}

function uniforms(n: number, random: RandomState): Float64Array {
  const out = new Float64Array(n);
  random.fillUniform(out);
  return out;
}

/** Rows of the class (as places in `rows`) with at least half, but not all, of their neighbours of other classes. */
function borderRows(input: ResampleInput, all: Rows, code: number, rows: Int32Array, hooks: Hooks): Int32Array {
  const others = foreign(input.y, all, code, rows, input.border, hooks);
  return Int32Array.from(rows.keys()).filter((i) => others[i]! >= input.border / 2 && others[i]! < input.border);
}

/** How many new rows each row of the class starts: the more, the more of its neighbours are of other classes. */
function hardRows(
  input: ResampleInput,
  all: Rows,
  code: number,
  rows: Int32Array,
  more: number,
  hooks: Hooks,
): number[] {
  const others = foreign(input.y, all, code, rows, input.neighbors, hooks);
  const shares = Float64Array.from(others, (count) => count / input.neighbors);
  const total = pairwiseSum(shares);
  if (total === 0)
    throw new RangeError("ADASYN finds a class none of whose rows has a neighbour of another class; use SMOTE");
  const counts = Array.from(shares, (share) => halfToEven((share / total) * more));
  if (counts.every((count) => count === 0))
    throw new RangeError(
      "ADASYN would make no row of a class, since each of its rows starts less than half of one; use SMOTE",
    );
  return counts;
}

function halfToEven(value: number): number {
  const low = Math.floor(value);
  return value - low === 0.5 ? low + (low % 2) : Math.round(value);
}

/** How many of the k nearest rows of all are of other classes, for each row of the class. */
function foreign(y: Int32Array, all: Rows, code: number, rows: Int32Array, k: number, hooks: Hooks): Int32Array {
  const wide = nearestRows(all, rowsAt(all, rows), k + 1, hooks);
  return Int32Array.from(rows, (own, i) => {
    let count = 0;
    let seen = 0;
    for (let place = 0; place <= k && seen < k; place++) {
      const row = wide.rows[i * (k + 1) + place]!;
      if (row === own) continue;
      seen++;
      if (y[row] !== code) count++;
    }
    return count;
  });
}

/** What SMOTE made, without the rows of Tomek links, old or new. */
function cleaned(input: ResampleInput, { made, classes }: Resampled, hooks: Hooks): Resampled {
  const { d, rows } = rowMajor(input.x);
  const n = input.y.length;
  const all = new Float64Array(rows.length + made.length);
  all.set(rows);
  all.set(made, rows.length);
  const y = Int32Array.from([...input.y, ...classes]);
  const removed = tomekLinks({ d, rows: all }, y, () => true, hooks);
  const fresh = Int32Array.from(classes.keys()).filter((i) => removed[n + i] === 0);
  return {
    kept: Int32Array.from(input.y.keys()).filter((i) => removed[i] === 0),
    made: rowsAt({ d, rows: made }, fresh).rows,
    classes: Int32Array.from(fresh, (i) => classes[i]!),
  };
}
