import { checkCancelled, type Hooks } from "../types.ts";
import { createLoops, type Loops } from "../wasm/loops.ts";
import type { Reduced, Rows } from "./distance.ts";
import { clearNearest, type Nearest, nearestOf, pushNearest } from "./heap.ts";

/** Hears the neighbours of each query, in the order of the queries. */
export type Heard = (query: number, heap: Nearest) => void;

/** The `k` nearest rows of each query by comparing with all rows, in their order. O(queries·rows·d). */
export function searchAll(train: Rows, queries: Rows, k: number, reduced: Reduced, hear: Heard, hooks: Hooks): void {
  const { d } = train;
  const n = train.rows.length / d;
  const m = queries.rows.length / d;
  const heap = nearestOf(k);
  for (let query = 0; query < m; query++) {
    clearNearest(heap);
    for (let row = 0; row < n; row++) {
      if ((row & 16383) === 0) checkCancelled(hooks);
      pushNearest(heap, reduced(queries.rows, query * d, train.rows, row * d, d), row);
    }
    hear(query, heap);
    if ((query & 15) === 0) hooks.progress(query, m);
  }
}

const GROUP = 8;
const QUAD = 4;
const BLOCK = 64;

/** What the loop over the distances works on: rows in single precision, centred and scaled into its range. */
type Packed = {
  readonly loops: Loops;
  readonly shift: Float64Array;
  readonly scale: number;
  /** Groups of eight rows in a chunk, which stays in the cache while the queries of a block pass. */
  readonly chunk: number;
  /** Largest length of a row in each chunk. */
  readonly longest: Float64Array;
  readonly groups: number;
  readonly at: { readonly rows: number; readonly queries: number; readonly limits: number; readonly out: number };
};

/**
 * `searchAll` for squared Euclidean distances: the same neighbours, 12 times sooner.
 *
 * Single precision sorts out what is too far for certain, its rounding allowed for; what is left is measured
 * in double precision, row after row, so ties fall as they would without it.
 */
export function searchEuclidean(
  train: Rows,
  queries: Rows,
  k: number,
  reduced: Reduced,
  hear: Heard,
  hooks: Hooks,
): void {
  const { d } = train;
  const m = queries.rows.length / d;
  const packed = pack(train, queries);
  const heaps = Array.from({ length: BLOCK }, () => nearestOf(k));
  const norms = new Float64Array(BLOCK);
  for (let start = 0; start < m; start += BLOCK) {
    checkCancelled(hooks);
    hooks.progress(start, m);
    const count = Math.min(BLOCK, m - start);
    heaps.forEach(clearNearest);
    packQueries(packed, queries, start, count, norms);
    for (let first = 0, next = 1; first < packed.groups; first = next) {
      const c = Math.floor(first / packed.chunk);
      // While nothing is known to be near nothing is too far, so that the fewest rows are looked at in the beginning.
      next = Math.min(Math.max(1, 2 * first), (c + 1) * packed.chunk, packed.groups);
      for (let quad = 0; quad < count; quad += QUAD) {
        const end = scanChunk(packed, d, quad, first, next - first, heaps, norms, c);
        takeHits(packed, train, queries, reduced, { start, quad, count, first, end }, heaps);
      }
      if ((c & 63) === 63) checkCancelled(hooks);
    }
    for (let i = 0; i < count; i++) hear(start + i, heaps[i]!);
  }
}

function pack(train: Rows, queries: Rows): Packed {
  const { d, rows } = train;
  const n = rows.length / d;
  const shift = new Float64Array(d);
  for (let at = 0; at < rows.length; at += d) for (let j = 0; j < d; j++) shift[j]! += rows[at + j]! / n;
  let reach = 0;
  for (const { rows: values } of [train, queries]) {
    for (let at = 0; at < values.length; at += d) {
      for (let j = 0; j < d; j++) reach = Math.max(reach, Math.abs(values[at + j]! - shift[j]!));
    }
  }
  const groups = Math.ceil(n / GROUP);
  const chunk = Math.max(1, Math.min(64, Math.floor(4096 / (d + 1))));
  const { loops, at } = createLoops(groups * GROUP * (d + 1) * 4, BLOCK * d * 4, QUAD * 4, chunk * 8);
  const packed: Packed = {
    loops,
    shift,
    scale: reach > 0 ? 1 / reach : 1,
    chunk,
    longest: new Float64Array(Math.ceil(groups / chunk)),
    groups,
    at: { rows: at[0]!, queries: at[1]!, limits: at[2]!, out: at[3]! },
  };
  packRows(packed, train);
  return packed;
}

function packRows({ loops, shift, scale, longest, chunk, groups }: Packed, { d, rows }: Rows): void {
  const { floats } = loops;
  const n = rows.length / d;
  for (let i = 0; i < groups * GROUP; i++) {
    const group = Math.floor(i / GROUP);
    const base = group * GROUP * (d + 1) + (i % GROUP);
    let square = 0;
    for (let j = 0; j < d && i < n; j++) {
      const value = (rows[i * d + j]! - shift[j]!) * scale;
      square += value * value;
      floats[base + (j + 1) * GROUP] = value;
    }
    // What fills up the last group is farther than any limit but infinity, and left out there by its number.
    floats[base] = i < n ? square : Infinity;
    const c = Math.floor(group / chunk);
    longest[c] = Math.max(longest[c]!, Math.sqrt(square));
  }
}

function packQueries(packed: Packed, { d, rows }: Rows, start: number, count: number, norms: Float64Array): void {
  const { loops, shift, scale } = packed;
  const { floats } = loops;
  for (let i = 0; i < BLOCK; i++) {
    const quad = packed.at.queries / 4 + Math.floor(i / QUAD) * QUAD * d + (i % QUAD);
    norms[i] = 0;
    for (let j = 0; j < d; j++) {
      const value = i < count ? (rows[(start + i) * d + j]! - shift[j]!) * scale : 0;
      norms[i]! += value * value;
      floats[quad + j * QUAD] = -2 * value;
    }
  }
}

function scanChunk(
  packed: Packed,
  d: number,
  quad: number,
  first: number,
  groups: number,
  heaps: readonly Nearest[],
  norms: Float64Array,
  c: number,
): number {
  const { loops, at, scale, longest } = packed;
  const length = longest[c]!;
  for (let q = 0; q < QUAD; q++) {
    const norm = norms[quad + q]!;
    const limit = heaps[quad + q]!.distance[0]! * scale * scale - norm;
    // Rounding of d products and sums in single precision, twice what it can be.
    const slack = (d + 8) * 2 ** -22 * (length * length + 2 * length * Math.sqrt(norm)) + Math.abs(limit) * 2 ** -22;
    loops.floats[at.limits / 4 + q] = limit === Infinity ? Infinity : limit + slack + 1e-37;
  }
  const rows = at.rows + first * GROUP * (d + 1) * 4;
  return loops.scan(at.queries + quad * d * 4, rows, groups, d, at.limits, at.out);
}

type Hits = { start: number; quad: number; count: number; first: number; end: number };

function takeHits(
  { loops, at }: Packed,
  { d, rows }: Rows,
  queries: Rows,
  reduced: Reduced,
  { start, quad, count, first, end }: Hits,
  heaps: readonly Nearest[],
): void {
  const words = loops.ints;
  for (let hit = at.out / 4; hit < end / 4; hit += 2) {
    const base = (first + words[hit]!) * GROUP;
    for (let bits = words[hit + 1]!; bits !== 0; bits &= bits - 1) {
      const bit = 31 - Math.clz32(bits & -bits);
      const query = quad + (bit >> 3);
      const row = base + (bit & 7);
      if (query >= count || row * d >= rows.length) continue;
      pushNearest(heaps[query]!, reduced(queries.rows, (start + query) * d, rows, row * d, d), row);
    }
  }
}
