import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { boostLoops, sharedMemory } from "../wasm/boost-loops.ts";
import { type Boosted, goesLeft, slotsOf } from "./boosted.ts";
import { nodeBytes } from "./layout.ts";

/** What `predictBoosted` needs to know. */
export type BoostedInput = {
  /** n×d, the columns the trees were grown on; NaN is missing, a category is told by its code. */
  readonly x: Matrix;
  readonly model: Boosted;
  /** Judge only the rows from…to−1 (default all), so that workers can share the rows. */
  readonly from?: number;
  readonly to?: number;
};

/** Rows whose bins stay in the cache while all trees are asked. */
const rowsAtATime = 8192;

/**
 * What boosted trees answer: a number per row, or a probability per row and class. Returns rows×1 or rows×classes.
 *
 * A category that the trees have not seen counts as missing. O(rows · (d + trees · depth)). Progress in rows.
 */
export function predictBoosted(input: BoostedInput, hooks: Hooks = quiet): Matrix {
  const { from = 0, to = input.x.n } = input;
  return answers(rawBoosted(input, hooks), to - from, input.model);
}

/** The sums of baseline and trees behind those answers, in the order in which they were grown: rows×width. */
export function rawBoosted(input: BoostedInput, hooks: Hooks = quiet): Float64Array {
  const { x, model } = input;
  if (x.d !== model.d) throw new RangeError(`the trees were grown on ${model.d} columns, got ${x.d}`);
  const from = input.from ?? 0;
  const to = input.to ?? x.n;
  const n = to - from;
  const { width, baseline } = model;
  const raw = new Float64Array(n * width);
  for (let k = 0; k < width; k++) raw.fill(baseline[k]!, k * n, (k + 1) * n);
  if (n > 0) addTrees(raw, { x, model, from, to }, hooks);
  return raw;
}

function addTrees(raw: Float64Array, { x, model, from, to }: Required<BoostedInput>, hooks: Hooks): void {
  const { edges, edgeStarts, offsets, width } = model;
  const most = Math.min(rowsAtATime, to - from);
  const blocks = Math.ceil(x.d / 4);
  const nodes = 64 * Math.ceil((offsets[offsets.length - 1]! * nodeBytes) / 64);
  const at = { edges: nodes, values: nodes + 2048, bins: 0, rows: 0, out: 0 };
  at.bins = at.values + 8 * most;
  at.rows = at.bins + blocks * most * 4;
  at.out = 8 * Math.ceil((at.rows + 4 * most) / 8);
  const memory = sharedMemory(at.out + 8 * most);
  const loops = boostLoops(memory);
  const doubles = new Float64Array(memory.buffer);
  const ints = new Int32Array(memory.buffer);
  const slots = slotsOf(model);
  layTrees(ints, doubles, model, slots, most);
  for (let i = 0; i < most; i++) ints[at.rows / 4 + i] = i;
  for (let start = from; start < to; start += most) {
    checkCancelled(hooks);
    const count = Math.min(most, to - start);
    for (let j = 0; j < x.d; j++) {
      doubles.fill(Infinity, at.edges / 8, at.edges / 8 + 255);
      doubles.set(edges.subarray(edgeStarts[j]!, edgeStarts[j + 1]!), at.edges / 8);
      doubles.set(x.data.subarray(j * x.n + start, j * x.n + start + count), at.values / 8);
      const out = at.bins + (j >> 2) * most * 4 + (j & 3);
      loops.bins(at.values, count, at.edges, slots[j]! - 1, out);
    }
    for (let k = 0; k < width; k++) {
      const begin = k * (to - from) + start - from;
      doubles.set(raw.subarray(begin, begin + count), at.out / 8);
      for (let t = k; t + 1 < offsets.length; t += width) {
        loops.walkRows(offsets[t]! * nodeBytes, at.bins, at.rows, count, at.out);
      }
      raw.set(doubles.subarray(at.out / 8, at.out / 8 + count), begin);
    }
    hooks.progress(start + count - from, to - from);
  }
}

/** All trees as `walkRows` wants them, from address 0 on. */
function layTrees(ints: Int32Array, doubles: Float64Array, model: Boosted, slots: Int32Array, rows: number): void {
  const { offsets, feature, bin, missing, left, right, value, setAt, sets } = model;
  const mask = new Int32Array(8);
  for (let t = 0; t + 1 < offsets.length; t++) {
    for (let node = offsets[t]!; node < offsets[t + 1]!; node++) {
      const at = node * nodeBytes;
      const j = feature[node]!;
      const isLeaf = j < 0;
      ints[at / 4] = isLeaf ? 0 : (j >> 2) * rows * 4 + (j & 3);
      ints[at / 4 + 1] = isLeaf ? at : (offsets[t]! + left[node]!) * nodeBytes;
      ints[at / 4 + 2] = isLeaf ? at : (offsets[t]! + right[node]!) * nodeBytes;
      if (isLeaf) {
        doubles[at / 8 + 2] = value[node]!;
        continue;
      }
      const set = setAt[node]! < 0 ? null : sets.subarray(8 * setAt[node]!, 8 * setAt[node]! + 8);
      ints.set(goesLeft(mask, bin[node]!, missing[node] === 1, slots[j]!, set), at / 4 + 4);
    }
  }
}

function answers(raw: Float64Array, n: number, { loss, width }: Boosted): Matrix {
  if (loss === "poisson") return { n, d: 1, data: raw.map(Math.exp) };
  if (loss !== "log_loss") return { n, d: 1, data: raw };
  if (width === 1) {
    const data = new Float64Array(2 * n);
    for (let i = 0; i < n; i++) {
      const p = 1 / (1 + Math.exp(-raw[i]!));
      data[n + i] = p;
      data[i] = 1 - p;
    }
    return { n, d: 2, data };
  }
  for (let i = 0; i < n; i++) {
    let most = -Infinity;
    for (let at = i; at < width * n; at += n) most = Math.max(most, raw[at]!);
    let sum = 0;
    for (let at = i; at < width * n; at += n) sum += raw[at] = Math.exp(raw[at]! - most);
    for (let at = i; at < width * n; at += n) raw[at]! /= sum;
  }
  return { n, d: width, data: raw };
}
