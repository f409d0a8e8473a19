import { type Rows, rowMajor } from "./distance.ts";
import { nearestOthers, nearestRows, rowsAt } from "./neighbors.ts";
import { RandomState } from "./random.ts";
import { type Hooks, type Matrix, quiet } from "./types.ts";
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
  /** How many rows of each class there shall be; for TomekLinks, 0 marks the classes that are cleaned. */
  readonly wanted: Float64Array;
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
 * Defaults and draws follow imbalanced-learn. RangeError where a class has too few rows for its neighbours.
 */
export function resample(input: ResampleInput, hooks: Hooks = quiet): Resampled {
  const { resampler, y, wanted } = input;
  const random = new RandomState(input.seed);
  const members = membersOf(y, wanted.length);
  switch (resampler) {
    case "RandomOverSampler":
      return {
        kept: repeatAtRandom(members, wanted, y.length, random),
        made: new Float64Array(0),
        classes: new Int32Array(0),
      };
    case "RandomUnderSampler":
      return only(keepAtRandom(members, wanted, input.replacement, random));
    case "NearMiss":
      return only(nearMiss(input, rowMajor(input.x), members, hooks));
    case "TomekLinks": {
      const removed = tomekLinks(rowMajor(input.x), y, (code) => wanted[code] === 0, hooks);
      return only(Int32Array.from(y.keys()).filter((i) => removed[i] === 0));
    }
    case "SMOTETomek":
      return cleaned(input, oversampled({ ...input, resampler: "SMOTE" }, members, random, hooks), hooks);
    default:
      return oversampled(input, members, random, hooks);
  }
}

function only(kept: Int32Array): Resampled {
  return { kept, made: new Float64Array(0), classes: new Int32Array(0) };
}

/** The rows of each class, in order. */
function membersOf(y: Int32Array, classes: number): Int32Array[] {
  return Array.from({ length: classes }, (_, code) => Int32Array.from(y.keys()).filter((i) => y[i] === code));
}

function repeatAtRandom(
  members: readonly Int32Array[],
  wanted: Float64Array,
  n: number,
  random: RandomState,
): Int32Array {
  const kept = Array.from({ length: n }, (_, i) => i);
  for (const [code, rows] of members.entries()) {
    const more = Math.max(0, wanted[code]! - rows.length);
    if (more > 0) for (const at of random.integers(rows.length, more)) kept.push(rows[at]!);
  }
  return Int32Array.from(kept);
}

function keepAtRandom(
  members: readonly Int32Array[],
  wanted: Float64Array,
  again: boolean,
  random: RandomState,
): Int32Array {
  const kept: number[] = [];
  for (const [code, rows] of members.entries()) {
    const count = wanted[code]!;
    if (count >= rows.length) for (const row of rows) kept.push(row);
    else if (again) for (const at of random.integers(rows.length, count)) kept.push(rows[at]!);
    else for (const at of random.permutation(rows.length).subarray(0, count)) kept.push(rows[at]!);
  }
  return Int32Array.from(kept).sort();
}

/** All rows, and new ones between a row and a near one of its class. */
function oversampled(
  input: ResampleInput,
  members: readonly Int32Array[],
  random: RandomState,
  hooks: Hooks,
): Resampled {
  const all = rowMajor(input.x);
  const made: number[] = [];
  const classes: number[] = [];
  for (const [code, rows] of members.entries()) {
    const more = input.wanted[code]! - rows.length;
    if (!(more > 0)) continue;
    const own = rowsAt(all, rows);
    const near = nearestOthers(own, input.neighbors, hooks);
    for (const [from, to, step] of pairs(input, all, code, rows, near.rows, more, random, hooks)) {
      for (let j = 0; j < all.d; j++) {
        const a = own.rows[from * all.d + j]!;
        made.push(a + step * (own.rows[to * all.d + j]! - a));
      }
      classes.push(code);
    }
    hooks.progress(code + 1, members.length);
  }
  const kept = Int32Array.from({ length: input.y.length }, (_, i) => i);
  return { kept, made: Float64Array.from(made), classes: Int32Array.from(classes) };
}

/** Which row each new one starts at, towards which it goes, and how far. */
function pairs(
  input: ResampleInput,
  all: Rows,
  code: number,
  rows: Int32Array,
  near: Int32Array,
  more: number,
  random: RandomState,
  hooks: Hooks,
): (readonly [number, number, number])[] {
  const k = input.neighbors;
  if (input.resampler === "ADASYN") {
    return hardRows(input, all, code, rows, more, hooks).flatMap((count, from) =>
      Array.from(
        { length: count },
        () => [from, near[from * k + random.randomInterval(k - 1)]!, random.uniform()] as const,
      ),
    );
  }
  const starts =
    input.resampler === "BorderlineSMOTE" ? borderRows(input, all, code, rows, hooks) : Int32Array.from(rows.keys());
  if (starts.length === 0) return [];
  const drawn = random.integers(starts.length * k, more);
  return Array.from(drawn, (at) => {
    const from = starts[Math.floor(at / k)]!;
    return [from, near[from * k + (at % k)]!, random.uniform()] as const;
  });
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
  const total = others.reduce((sum, count) => sum + count, 0);
  if (total === 0) throw new RangeError("no row of the class has a neighbour of another class; use SMOTE");
  return Array.from(others, (count) => halfToEven((count / total) * more));
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
