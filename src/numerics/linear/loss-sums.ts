import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { createLoops, type Loops } from "../wasm/loops.ts";

/** Rows that are worked on together, so that their scores stay in the cache. */
export const BLOCK = 512;

/** Rows whose sums are added up before they join those of others; the same on any number of threads. */
export const CHUNK = 65_536;

/** What `lossSums` needs to know. */
export type LossSumsInput = {
  x: Matrix;
  /** Class codes for the log loss; numbers of 0 or more for the Poisson loss. */
  y: Int32Array | Float64Array;
  /** The loss of a row's scores (default "log"). */
  loss?: ScoreLoss;
  /** A weight per row, at least 0 (default 1). */
  weight?: Float64Array;
  /** rows×d coefficients, row-major: one row for two classes, else one per class. */
  coef: Float64Array;
  /** One per row of coef. */
  intercept: Float64Array;
  /** Only these chunks of 65,536 rows (default all). */
  chunks?: { readonly from: number; readonly to: number };
  /** Number of a fit on several threads: a thread that has these rows at hand from its step before reads them no more. */
  fit?: number;
};

/** What does not change from step to step of a fit. */
export type LossRows = Omit<LossSumsInput, "coef" | "intercept" | "fit">;

/** Sums of a fit's rows at one point. */
export type LossSummer = (point: Pick<LossSumsInput, "coef" | "intercept">, hooks: Hooks) => LossSums[];

/** Losses of scores: the log loss of classes, or exp(score) − y·score of counts. */
export type ScoreLoss = "log" | "poisson";

/** How many chunks `lossSums` makes of so many rows. */
export function chunksOf(n: number): number {
  return Math.ceil(n / CHUNK);
}

/** The summed loss of some rows, and its gradient, not yet divided by the rows' weight. */
export type LossSums = {
  loss: number;
  /** rows×d row-major. */
  coef: Float64Array;
  intercept: Float64Array;
};

/** The loss and its gradient, chunk by chunk; O(n·d·rows), each block of x read once from memory. */
export function lossSums(input: LossSumsInput, hooks: Hooks = quiet): LossSums[] {
  return summerFor(input)(input, hooks);
}

/** What this thread has at hand of the last fit, as long as its memory is not wanted for something else. */
let atHand: { readonly key: string; readonly summer: WeakRef<LossSummer> } | undefined;

function summerFor(input: LossSumsInput): LossSummer {
  const rows = input.intercept.length;
  if (input.fit === undefined) return lossSummer(input, rows);
  const key = `${input.fit}, ${input.chunks?.from}, ${input.chunks?.to}`;
  const known = atHand?.key === key ? atHand.summer.deref() : undefined;
  if (known) return known;
  const summer = lossSummer(input, rows);
  atHand = { key, summer: new WeakRef(summer) };
  return summer;
}

/** `lossSums` for many points with so many rows of coefficients: a table that fits stays in the loops' memory. */
export function lossSummer(input: LossRows, rows: number): LossSummer {
  const { x, chunks = { from: 0, to: chunksOf(x.n) } } = input;
  const desk = deskFor(input, rows, chunks);
  return (point, hooks) => {
    const { doubles } = desk.loops;
    for (let k = 0; k < rows; k++) {
      doubles.set(point.coef.subarray(k * x.d, (k + 1) * x.d), desk.at.coef / 8 + k * desk.width);
    }
    return Array.from({ length: chunks.to - chunks.from }, (_, k) => {
      checkCancelled(hooks);
      const start = (chunks.from + k) * CHUNK;
      return chunkSums({ ...input, ...point }, desk, start, Math.min(x.n, start + CHUNK));
    });
  };
}

/** Sums of chunks, one after the other. */
export function addSums(parts: readonly LossSums[]): LossSums {
  const [first, ...others] = parts as [LossSums, ...LossSums[]];
  const sum = { loss: first.loss, coef: first.coef.slice(), intercept: first.intercept.slice() };
  for (const { loss, coef, intercept } of others) {
    sum.loss += loss;
    for (let i = 0; i < coef.length; i++) sum.coef[i]! += coef[i]!;
    for (let i = 0; i < intercept.length; i++) sum.intercept[i]! += intercept[i]!;
  }
  return sum;
}

/** Where columns, a block's scores, the coefficients, the gradient and two numbers a row lie in the loops' memory. */
type Desk = {
  readonly loops: Loops;
  readonly at: Readonly<Record<"x" | "z" | "coef" | "gradient" | "one" | "two", number>>;
  /** Columns, filled up to a multiple of 4 by zeros. */
  readonly width: number;
  /** The first of the rows that lie there, block after block; undefined where blocks are read one by one. */
  readonly first: number | undefined;
};

/** Bytes of a table up to which it is kept for the next step. */
const mostKept = 2 ** 29;

function deskFor({ x }: LossRows, rows: number, chunks: { readonly from: number; readonly to: number }): Desk {
  const width = Math.ceil(x.d / 4) * 4;
  const first = chunks.from * CHUNK;
  const last = Math.min(x.n, chunks.to * CHUNK);
  const blocks = Math.ceil((last - first) / BLOCK);
  const block = width * BLOCK * 8;
  const isKept = blocks * block <= mostKept;
  const { loops, at } = createLoops(
    ...[block * (isKept ? blocks : 1), rows * BLOCK * 8, rows * width * 8, rows * width * 8, BLOCK * 8, BLOCK * 8],
  );
  const places = { x: at[0]!, z: at[1]!, coef: at[2]!, gradient: at[3]!, one: at[4]!, two: at[5]! };
  const desk = { loops, at: places, width, first: isKept ? first : undefined };
  if (isKept)
    for (let start = first; start < last; start += BLOCK) putBlock(desk, x, start, Math.min(BLOCK, last - start));
  return desk;
}

/** Puts a block of rows where the loops find it; answers where. */
function putBlock({ loops, at, width, first }: Desk, x: Matrix, start: number, count: number): number {
  const to = placeOf(at.x, width, start, first);
  for (let j = 0; j < x.d; j++) {
    loops.doubles.set(x.data.subarray(j * x.n + start, j * x.n + start + count), to / 8 + j * BLOCK);
  }
  return to;
}

function placeOf(x: number, width: number, start: number, first: number | undefined): number {
  return first === undefined ? x : x + (start - first) * width * 8;
}

function chunkSums(input: LossSumsInput, desk: Desk, from: number, to: number): LossSums {
  const { x, intercept } = input;
  const { loops, at, width, first } = desk;
  const { doubles } = loops;
  const rows = intercept.length;
  const z = doubles.subarray(at.z / 8, at.z / 8 + rows * BLOCK);
  const gradient = doubles.subarray(at.gradient / 8, at.gradient / 8 + rows * width).fill(0);
  const sums = new Float64Array(rows);
  let loss = 0;
  for (let start = from; start < to; start += BLOCK) {
    const count = Math.min(BLOCK, to - start);
    const block = first === undefined ? putBlock(desk, x, start, count) : placeOf(at.x, width, start, first);
    for (let k = 0; k < rows; k++) z.fill(intercept[k]!, k * BLOCK, (k + 1) * BLOCK);
    loops.combine(block, at.coef, at.z, BLOCK, width, rows);
    loss += residualsOf(input, desk, z, start, count);
    for (let k = 0; k < rows; k++) {
      // Rows left over from the block before say nothing.
      z.fill(0, k * BLOCK + count, (k + 1) * BLOCK);
      for (let i = k * BLOCK; i < k * BLOCK + count; i++) sums[k]! += z[i]!;
    }
    loops.dots(at.z, block, at.gradient, rows, width, BLOCK, width);
  }
  const coef = new Float64Array(rows * x.d);
  for (let k = 0; k < rows; k++) coef.set(gradient.subarray(k * width, k * width + x.d), k * x.d);
  return { loss, coef, intercept: sums };
}

/** Writes z[k·BLOCK + i] = row i's score for class k; four columns at a time, so that z is loaded once for four. */
export function scores(
  z: Float64Array,
  x: Matrix,
  v: Float64Array,
  b: Float64Array,
  start: number,
  count: number,
): void {
  const { n, d, data } = x;
  for (let k = 0; k < b.length; k++) {
    const to = k * BLOCK;
    z.fill(b[k]!, to, to + count);
    let j = 0;
    for (; j + 3 < d; j += 4) {
      const at = j * n + start;
      const v0 = v[k * d + j]!;
      const v1 = v[k * d + j + 1]!;
      const v2 = v[k * d + j + 2]!;
      const v3 = v[k * d + j + 3]!;
      for (let i = 0; i < count; i++) {
        const p = at + i;
        z[to + i]! += v0 * data[p]! + v1 * data[p + n]! + v2 * data[p + 2 * n]! + v3 * data[p + 3 * n]!;
      }
    }
    for (; j < d; j++) for (let i = 0; i < count; i++) z[to + i]! += v[k * d + j]! * data[j * n + start + i]!;
  }
}

/** Turns scores into weighted residuals, what is expected less y; returns the block's loss. */
function residualsOf(input: LossSumsInput, desk: Desk, z: Float64Array, start: number, count: number): number {
  if (input.loss === "poisson") return poissonResiduals(input, z, start, count);
  const { loops, at } = desk;
  const two = loops.doubles.subarray(at.two / 8, at.two / 8 + BLOCK);
  const one = loops.doubles.subarray(at.one / 8, at.one / 8 + BLOCK);
  const rows = input.intercept.length;
  if (rows === 1) {
    loops.logistic(at.z, at.one, at.two, BLOCK * 8);
    return binaryResiduals(input, { z, e: one, logs: two }, start, count);
  }
  // Own scores are wanted before they are turned into probabilities.
  let value = 0;
  const { y, weight } = input;
  for (let i = 0; i < count; i++) value -= (weight ? weight[start + i]! : 1) * z[y[start + i]! * BLOCK + i]!;
  loops.softmax(at.z, rows, BLOCK * 8, at.one, at.two);
  for (let i = 0; i < count; i++) value += (weight ? weight[start + i]! : 1) * (one[i]! + Math.log(two[i]!));
  subtractOwn(input, z, start, count);
  return value;
}

function poissonResiduals({ y, weight }: LossSumsInput, z: Float64Array, start: number, count: number): number {
  let value = 0;
  for (let i = 0; i < count; i++) {
    const share = weight ? weight[start + i]! : 1;
    const own = y[start + i]!;
    const score = z[i]!;
    const expected = Math.exp(score);
    value += share * (expected - own * score);
    z[i] = share * (expected - own);
  }
  return value;
}

function binaryResiduals(
  { y, weight }: LossSumsInput,
  { z, e, logs }: { readonly z: Float64Array; readonly e: Float64Array; readonly logs: Float64Array },
  start: number,
  count: number,
): number {
  let value = 0;
  for (let i = 0; i < count; i++) {
    const share = weight ? weight[start + i]! : 1;
    const one = y[start + i]! === 1;
    const score = z[i]!;
    const p = (score >= 0 ? 1 : e[i]!) / (1 + e[i]!);
    value += share * (Math.max(one ? -score : score, 0) + logs[i]!);
    z[i] = share * (one ? p - 1 : p);
  }
  return value;
}

/** Turns probabilities into weighted residuals. */
function subtractOwn({ y, weight, intercept }: LossSumsInput, z: Float64Array, start: number, count: number): void {
  if (weight) {
    for (let k = 0; k < intercept.length; k++) {
      const at = k * BLOCK;
      for (let i = 0; i < count; i++) z[at + i]! *= weight[start + i]!;
    }
  }
  for (let i = 0; i < count; i++) z[y[start + i]! * BLOCK + i]! -= weight ? weight[start + i]! : 1;
}

/**
 * Turns a block's scores into probabilities in place; answers the log of the sum of each row's exponentials.
 *
 * Score after score of all rows: those of one row lie 4 KB apart, and of many classes would throw each other out of the
 * cache.
 */
export function softmax(z: Float64Array, rows: number, count: number): Float64Array {
  const top = new Float64Array(count).fill(-Infinity);
  for (let k = 0; k < rows; k++) {
    const at = k * BLOCK;
    for (let i = 0; i < count; i++) top[i] = Math.max(top[i]!, z[at + i]!);
  }
  const sum = new Float64Array(count);
  for (let k = 0; k < rows; k++) {
    const at = k * BLOCK;
    for (let i = 0; i < count; i++) {
      const e = Math.exp(z[at + i]! - top[i]!);
      z[at + i] = e;
      sum[i]! += e;
    }
  }
  for (let k = 0; k < rows; k++) {
    const at = k * BLOCK;
    for (let i = 0; i < count; i++) z[at + i]! /= sum[i]!;
  }
  return top.map((value, i) => value + Math.log(sum[i]!));
}
