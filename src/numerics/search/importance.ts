import { fitTrees, treeSeeds } from "../trees/forest.ts";
import type { Trees } from "../trees/walk.ts";
import { checkCancelled, createMatrix, type Hooks } from "../types.ts";
import { type Axis, type Point, placeOn } from "./parzen.ts";

/** Trees that are grown over the trials; as many as Optuna's. */
const trees = 64;

/** What `axisShares` needs to know. */
export interface Trialled {
  readonly axes: readonly Axis[];
  /** The points that were tried, at least one. */
  readonly points: readonly Point[];
  /** The score of each. */
  readonly scores: Float64Array;
  /** Seed of the forest. */
  readonly seed: number;
}

/**
 * The share of the score's variance over the whole space that each axis explains by itself; the rest is interplay.
 *
 * Each tree of a forest over the points cuts the space into boxes of one score. Along an axis the mean of all others is
 * known exactly from them, and its variance is the axis' own. Shares are at least 0, and at most 1 together; all are 0
 * where no tree splits. O(trees·d·n·log n) time. Hutter, Hoos and Leyton-Brown, An efficient approach for assessing
 * hyperparameter importance (ICML 2014), algorithm 2, up to first order.
 */
export function axisShares({ axes, points, scores, seed }: Trialled, hooks: Hooks): Float64Array {
  const x = createMatrix(points.length, axes.length);
  for (const [j, axis] of axes.entries()) {
    for (const [i, point] of points.entries()) x.data[j * x.n + i] = placeOn(axis, point[j]!);
  }
  const forest = fitTrees(
    { x, y: scores, task: "regression", seeds: treeSeeds(seed, trees), bootstrap: true, details: false },
    hooks,
  );
  const sums = new Float64Array(axes.length);
  let varying = 0;
  for (let t = 0; t < trees; t++) {
    checkCancelled(hooks);
    const boxes = boxesOf(forest, t);
    const mean = boxes.reduce((sum, { value, volume }) => sum + value * volume, 0);
    const variance = boxes.reduce((sum, { value, volume }) => sum + volume * (value - mean) ** 2, 0);
    if (!(variance > 0)) continue;
    varying++;
    for (let j = 0; j < axes.length; j++) sums[j]! += varianceAlong(boxes, j, mean) / variance;
  }
  return sums.map((sum) => (varying > 0 ? sum / varying : 0));
}

/** A part of the space, each axis from 0 to 1, in which a tree answers one number. */
interface Box {
  readonly value: number;
  readonly volume: number;
  /** Bounds by axis; an axis without is not cut. */
  readonly bounds: ReadonlyMap<number, readonly [from: number, to: number]>;
}

function boxesOf({ offsets, feature, threshold, left, right, value }: Trees, tree: number): Box[] {
  const root = offsets[tree]!;
  const found: Box[] = [];
  const open: { node: number; volume: number; bounds: Box["bounds"] }[] = [{ node: 0, volume: 1, bounds: new Map() }];
  for (let part = open.pop(); part; part = open.pop()) {
    const { volume, bounds } = part;
    const node = root + part.node;
    const axis = feature[node]!;
    if (axis < 0) {
      found.push({ value: value[node]!, volume, bounds });
      continue;
    }
    const [from, to] = bounds.get(axis) ?? [0, 1];
    const cut = threshold[node]!;
    const side = (child: number, own: readonly [number, number]) =>
      open.push({
        ...{ node: child, volume: (volume * (own[1] - own[0])) / (to - from) },
        bounds: new Map(bounds).set(axis, own),
      });
    side(left[node]!, [from, cut]);
    side(right[node]!, [cut, to]);
  }
  return found;
}

/** The variance along an axis of what boxes answer, on average over all other axes. */
function varianceAlong(boxes: readonly Box[], axis: number, mean: number): number {
  // Between two cuts the mean is one number; it changes where boxes begin and end.
  const changes = boxes.flatMap(({ bounds, value, volume }) => {
    const own = bounds.get(axis);
    if (!own) return [];
    const part = ((value - mean) * volume) / (own[1] - own[0]);
    return [
      { at: own[0], by: part },
      { at: own[1], by: -part },
    ];
  });
  if (changes.length === 0) return 0;
  changes.sort((a, b) => a.at - b.at);
  let level = boxes.reduce(
    (sum, { bounds, value, volume }) => sum + (bounds.has(axis) ? 0 : (value - mean) * volume),
    0,
  );
  let [variance, at] = [0, 0];
  for (const change of changes) {
    variance += (change.at - at) * level ** 2;
    level += change.by;
    at = change.at;
  }
  return variance;
}
