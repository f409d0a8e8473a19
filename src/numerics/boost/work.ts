import type { Matrix } from "../types.ts";
import { type BoostLoops, boostLoops, type SharedMemory } from "../wasm/boost-loops.ts";
import { type BoostLayout, type BoostSizes, runLength, valuesAtATime } from "./layout.ts";
import { derivatives, type LossData } from "./losses.ts";

/** What all threads of a boosting know. */
export interface BoostShared {
  readonly memory: SharedMemory;
  readonly layout: BoostLayout;
  readonly sizes: BoostSizes;
  readonly x: Matrix;
  /** The edges between the bins of all features, one feature behind the other, and where each begins. */
  readonly edges: Float64Array;
  readonly edgeStarts: Int32Array;
  /** How many categories each feature has; 0 for numbers. */
  readonly categories: Int32Array;
  readonly loss: LossData["loss"];
  readonly quantile: number;
  readonly minLeaf: number;
}

/** The tasks that threads share. */
export const task = { bins: 0, derivatives: 1, records: 2, gather: 3, divide: 4, look: 5, answer: 6 };

/** Words of a record of what was found, in bytes from its begin. */
export const found = { gain: 0, feature: 8, bin: 12, missing: 16, kind: 20, left: 24, mask: 40, node: 72, bytes: 128 };

/** Bytes between what is asked of the small and of the large child; the mask of a division lies first. */
const askedBytes = 64;

/** The least hessian of a category worth looking at, and what is added to it, as in scikit-learn. */
const categorySupport = 10;

/** What each task does, on memory that all threads share; each thread has one of its own. */
export class BoostWork {
  readonly shared: BoostShared;
  readonly loops: BoostLoops;
  readonly doubles: Float64Array;
  readonly ints: Int32Array;
  readonly words: BigInt64Array;
  readonly lossData: LossData;
  /** Bits of the count of rows in a histogram's second number. */
  readonly bits: bigint;
  readonly #gradients: Float64Array;
  readonly #hessians: Float64Array;

  constructor(shared: BoostShared) {
    const { memory, layout, sizes } = shared;
    const { n, width } = sizes;
    this.shared = shared;
    this.loops = boostLoops(memory);
    this.doubles = new Float64Array(memory.buffer);
    this.ints = new Int32Array(memory.buffer);
    this.words = new BigInt64Array(memory.buffer);
    this.bits = BigInt(Math.ceil(Math.log2(n + 1)));
    const numbers = (at: number, length: number) => new Float64Array(memory.buffer, at, length);
    this.#gradients = numbers(layout.gradients, width * n);
    this.#hessians = numbers(layout.hessians, sizes.isCounted ? 0 : width * n);
    this.lossData = {
      loss: shared.loss,
      quantile: shared.quantile,
      n,
      width,
      y: numbers(layout.y, n),
      weight: sizes.isWeighted ? numbers(layout.weight, n) : null,
      raw: numbers(layout.raw, width * n),
    };
  }

  /** One part of a task. */
  do(which: number, part: number, parts: number, args: Int32Array): void {
    if (which === task.bins) this.#bins(part, parts);
    else if (which === task.derivatives) this.#derivatives(part, parts);
    else if (which === task.records) this.#records(part, parts, args[0]!);
    else if (which === task.gather) this.#gather(part, parts, args);
    else if (which === task.divide) this.#divide(part, parts, args);
    else if (which === task.look) this.#look(part, parts, args);
    else this.#answer(part, parts, args);
  }

  /** The address of a feature's first byte among the bins. */
  column(feature: number): number {
    const { layout, sizes } = this.shared;
    return layout.bins + (feature >> 2) * sizes.n * 4 + (feature & 3);
  }

  #bins(part: number, parts: number): void {
    const { x, layout, sizes, edges, edgeStarts } = this.shared;
    const blocks = Math.ceil(x.d / 4);
    const edgesAt = layout.edges + part * 2048;
    const valuesAt = layout.values + part * valuesAtATime * 8;
    const [from, to] = share(blocks, part, parts);
    for (let j = 4 * from; j < Math.min(x.d, 4 * to); j++) {
      this.doubles.fill(Infinity, edgesAt / 8, edgesAt / 8 + 255);
      this.doubles.set(edges.subarray(edgeStarts[j]!, edgeStarts[j + 1]!), edgesAt / 8);
      for (let start = 0; start < x.n; start += valuesAtATime) {
        const end = Math.min(x.n, start + valuesAtATime);
        this.doubles.set(x.data.subarray(j * x.n + start, j * x.n + end), valuesAt / 8);
        this.loops.bins(valuesAt, end - start, edgesAt, sizes.slots[j]! - 1, this.column(j) + 4 * start);
      }
    }
  }

  #derivatives(part: number, parts: number): void {
    const { layout, sizes } = this.shared;
    const runs = Math.ceil(sizes.n / runLength);
    const [from, to] = share(runs, part, parts);
    for (let run = from; run < to; run++) {
      const end = Math.min(sizes.n, (run + 1) * runLength);
      const { largest, sum } = derivatives(this.lossData, this.#gradients, this.#hessians, run * runLength, end);
      this.doubles[layout.runs / 8 + 2 * run] = largest;
      this.doubles[layout.runs / 8 + 2 * run + 1] = sum;
    }
  }

  #records(part: number, parts: number, k: number): void {
    const { layout, sizes } = this.shared;
    const { n, isCounted } = sizes;
    const [from, to] = share(n, part, parts);
    const unit = (layout.asked + askedBytes) / 8;
    const hessians = isCounted ? 0 : layout.hessians + k * n * 8;
    const gradients = layout.gradients + k * n * 8;
    const [g, h] = [1 / this.doubles[unit]!, 1 / this.doubles[unit + 1]!];
    this.loops.records(gradients, hessians, from, to, layout.records, g, h, this.bits);
  }

  /** Histograms of rows: the first part's into a node's own, the others' into those of their threads. */
  #gather(part: number, parts: number, [start, count, hist]: Int32Array): void {
    const [from, to] = share(count!, part, parts);
    this.#add(this.shared.layout.rows + 4 * (start! + from), to - from, part, hist!);
  }

  #add(rows: number, count: number, part: number, hist: number): void {
    const { layout, sizes } = this.shared;
    const { n, d } = sizes;
    const to = this.#histOf(part, hist);
    this.loops.clear(to, layout.histBytes);
    const scratch = layout.scratch + part * 16384;
    const blocks = Math.ceil(d / 4);
    this.loops.histograms(rows, count, layout.bins, 4 * n, 0, blocks, layout.records, scratch, layout.starts, to);
  }

  #histOf(part: number, hist: number): number {
    const { layout } = this.shared;
    return part === 0 ? layout.pool + hist * layout.histBytes : layout.privates + (part - 1) * layout.histBytes;
  }

  /** Divides rows by the mask, and adds up those of the smaller side where a histogram is wanted. */
  #divide(part: number, parts: number, [start, count, feature, isLeft, hist]: Int32Array): void {
    const { layout } = this.shared;
    const [from, to] = share(count!, part, parts);
    const at = 4 * (start! + from);
    const size = to - from;
    const [left, right] = [layout.left + at, layout.right + at];
    const goes = this.loops.divide(layout.rows + at, size, this.column(feature!), layout.asked, left, right);
    this.ints[(layout.found + part * 2 * found.bytes) / 4] = goes;
    if (hist! < 0) return;
    if (isLeft) this.#add(left, goes, part, hist!);
    else this.#add(right, size - goes, part, hist!);
  }

  /**
   * Puts divided rows into place, makes the children's histograms whole, and looks for the best splits of both.
   *
   * `goes`: rows that went left in each part before; -1 stands for a histogram that is not wanted, or not there.
   */
  #look(part: number, parts: number, args: Int32Array): void {
    const [start, count, gathered, small, large, smallAsked, largeAsked] = args;
    const { layout, sizes } = this.shared;
    if (count! > 0) this.#settle(part, parts, start!, count!, gathered!, args.subarray(8, 8 + gathered!));
    if (small! < 0) return;
    const [from, to] = share(sizes.d, part, parts);
    const begin = this.#startOf(from);
    const bytes = this.#startOf(to) - begin;
    const own = this.#histOf(0, small!) + begin;
    for (let k = 1; k < gathered!; k++) this.loops.addSlots(own, this.#histOf(k, -1) + begin, bytes);
    const record = layout.found + part * 2 * found.bytes;
    this.doubles[record / 8] = 0;
    this.doubles[(record + found.bytes) / 8] = 0;
    if (smallAsked) this.#scan(this.#histOf(0, small!), from, to, 0, record);
    if (large! < 0) return;
    this.loops.takeSlots(this.#histOf(0, large!) + begin, own, bytes);
    if (largeAsked) this.#scan(this.#histOf(0, large!), from, to, 1, record + found.bytes);
  }

  #startOf(feature: number): number {
    return this.ints[this.shared.layout.starts / 4 + feature]!;
  }

  /** Each part moves the rows that it divided. */
  #settle(part: number, parts: number, start: number, count: number, gathered: number, goes: Int32Array): void {
    const { layout } = this.shared;
    const all = goes.reduce((sum, each) => sum + each, 0);
    let left = 0;
    let right = all;
    for (let k = 0; k < gathered; k++) {
      const [from, to] = share(count, k, gathered);
      if (k % parts === part) {
        const at = 4 * (start + from);
        this.loops.copy(layout.rows + 4 * (start + left), layout.left + at, 4 * goes[k]!);
        this.loops.copy(layout.rows + 4 * (start + right), layout.right + at, 4 * (to - from - goes[k]!));
      }
      left += goes[k]!;
      right += to - from - goes[k]!;
    }
  }

  #scan(hist: number, from: number, to: number, child: number, record: number): void {
    const { layout, sizes, minLeaf, categories } = this.shared;
    const asked = layout.asked + askedBytes * (1 + child);
    const least = BigInt(minLeaf);
    this.ints[(record + found.kind) / 4] = 0;
    if (from === to) return;
    this.loops.scanSplits(hist, layout.facts, from, to, asked, least, this.bits, sizes.isCounted, record);
    for (let j = from; j < to; j++) if (categories[j]! > 0) this.#scanCategories(hist, j, asked / 8, record);
  }

  /** Categories in the order of their means, cut in two at the best place; as scikit-learn does it. */
  #scanCategories(hist: number, feature: number, asked: number, record: number): void {
    const { sizes, minLeaf } = this.shared;
    const slots = sizes.slots[feature]!;
    const base = (hist + this.#startOf(feature)) / 8;
    const [gUnit, hUnit, added, least, low, high, begins] = this.doubles.subarray(asked, asked + 7);
    const cells: { bin: number; g: number; h: number; n: number }[] = [];
    let [g, h, n] = [0, 0, 0];
    for (let bin = 0; bin < slots; bin++) {
      const cell = { bin, ...this.sums(this.words[base + 2 * bin]!, this.words[base + 2 * bin + 1]!, gUnit!, hUnit!) };
      if (cell.n === 0) continue;
      cells.push(cell);
      [g, h, n] = [g + cell.g, h + cell.h, n + cell.n];
    }
    const support = n / Math.max(h, Number.MIN_VALUE);
    const used = cells.filter((cell) => cell.h * support >= categorySupport);
    if (used.length < 2) return;
    const rank = (cell: { g: number; h: number }) => cell.g / (cell.h + categorySupport);
    used.sort((a, b) => rank(a) - rank(b) || a.bin - b.bin);
    const value = (sum: number, weight: number) => Math.min(high!, Math.max(low!, -sum / (weight + added!)));
    const loss = begins! * g * value(g, h);
    const half = Math.floor((used.length + 1) / 2);
    // From both ends to the middle: the rare categories stay with the side that has more of the others.
    for (const { order, most } of [
      { order: used, most: half },
      { order: used.toReversed(), most: half - 1 },
    ]) {
      let [gl, hl, nl] = [0, 0, 0];
      for (let k = 0; k < most; k++) {
        const cell = order[k]!;
        [gl, hl, nl] = [gl + cell.g, hl + cell.h, nl + cell.n];
        if (nl < minLeaf || hl < least!) continue;
        if (n - nl < minLeaf || h - hl < least!) break;
        const gain = loss - gl * value(gl, hl) - (g - gl) * value(g - gl, h - hl);
        const before = this.doubles[record / 8]!;
        if (gain <= 0 || gain < before || (gain === before && this.ints[(record + found.feature) / 4]! <= feature))
          continue;
        this.#keep(record, feature, gain, slots, base, order.slice(0, k + 1));
      }
    }
  }

  #keep(record: number, feature: number, gain: number, slots: number, base: number, cells: { bin: number }[]): void {
    this.doubles[record / 8] = gain;
    const at = record / 4;
    this.ints[at + found.feature / 4] = feature;
    this.ints[at + found.kind / 4] = 1;
    const mask = this.ints.subarray(at + found.mask / 4, at + found.mask / 4 + 8).fill(0);
    let [g, packed] = [0n, 0n];
    for (const { bin } of cells) {
      mask[bin >> 5]! |= 1 << (bin & 31);
      g += this.words[base + 2 * bin]!;
      packed += this.words[base + 2 * bin + 1]!;
    }
    this.ints[at + found.missing / 4] = cells.some(({ bin }) => bin === slots - 1) ? 1 : 0;
    this.words[(record + found.left) / 8] = g;
    this.words[(record + found.left) / 8 + 1] = packed;
  }

  /** A histogram's two numbers as what they stand for. */
  sums(g: bigint, packed: bigint, gUnit: number, hUnit: number): { g: number; h: number; n: number } {
    const n = Number(packed & ((1n << this.bits) - 1n));
    return { g: Number(g) * gUnit, n, h: (this.shared.sizes.isCounted ? n : Number(packed >> this.bits)) * hUnit };
  }

  /** Adds a tree's answers: of rows that it was grown on by the leaf they lie in, of those held out by walking. */
  #answer(part: number, parts: number, [k, leaves]: Int32Array): void {
    const { layout, sizes } = this.shared;
    const { n, train } = sizes;
    const out = layout.raw + k! * n * 8;
    const [from, to] = share(train, part, parts);
    for (let leaf = 0; leaf < leaves!; leaf++) {
      const begin = this.ints[layout.leaves / 4 + 2 * leaf]!;
      const first = Math.max(from, begin);
      const end = Math.min(to, begin + this.ints[layout.leaves / 4 + 2 * leaf + 1]!);
      if (first >= end) continue;
      this.loops.addToRows(layout.rows + 4 * first, end - first, this.doubles[layout.leafValues / 8 + leaf]!, out);
    }
    const [first, end] = share(n - train, part, parts);
    this.loops.walkRows(layout.nodes, layout.bins, layout.held + 4 * first, end - first, out);
  }
}

/** The things from…to−1 that are a part's. */
export function share(things: number, part: number, parts: number): [from: number, to: number] {
  return [Math.floor((part * things) / parts), Math.floor(((part + 1) * things) / parts)];
}
