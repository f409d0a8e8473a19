import { checkCancelled, type Hooks } from "../types.ts";
import { dot } from "./least-squares.ts";
import { costOf, leftOver, type QuantileProblem } from "./quantile-rows.ts";

/** Where the interior point method ended. */
export type Inward = {
  readonly v: Float64Array;
  /** How far each row's dual variable is from the nearer of its bounds, as a share of their distance. */
  readonly inside: Float64Array;
  readonly gap: number;
};

/** An exact answer of a quantile regression. */
export type Corner = { readonly v: Float64Array; readonly tied: boolean };

/** What is left of a row of length 1 besides the rows before it, from which on it says something of its own. */
const own = 1e-7;
/** The length of a way along which nothing changes, in standard deviations, from which on answers tie. */
const flat = 1e-6;

/**
 * From near the best answer to the best itself: the rows that it goes through are met exactly.
 *
 * Along directions that those rows leave free the sum is minimised one after the other; where it stays the same, several
 * answers tie and the middle is taken. Never worse than `found` by more than rounding. O(d³), and O(n·d + n·log n) for a
 * free direction.
 */
export function toCorner(problem: QuantileProblem, found: Inward, hooks: Hooks): Corner {
  const { rows } = problem;
  const { width } = rows;
  const start = found.v;
  const v = start.slice();
  const basis: Float64Array[] = [];
  const r = leftOver(problem, v);
  // At the end either what is left over of a row or its distance from its bounds is 0.
  const met = Array.from(r.keys())
    .filter((i) => Math.abs(r[i]!) < found.inside[i]!)
    .sort((a, b) => Math.abs(r[a]!) / found.inside[a]! - Math.abs(r[b]!) / found.inside[b]! || a - b);
  for (const i of met) {
    if (basis.length === width) break;
    checkCancelled(hooks);
    const row = rows.row(i);
    const free = beside(row, basis);
    const square = dot(free, 0, free, 0, width);
    if (square <= own ** 2 * dot(row, 0, row, 0, width)) continue;
    const by = (problem.target[i]! - dot(row, 0, v, 0, width)) / square;
    for (let j = 0; j < width; j++) v[j]! += by * free[j]!;
    basis.push(unitOf(free));
  }
  const before = costOf(problem, start);
  if (costOf(problem, v) > before + 1e-9 * before + 1e-12 * rows.count) v.set(start);
  let tied = false;
  while (basis.length < width) {
    checkCancelled(hooks);
    const direction = freeDirection(basis, width);
    const { from, to } = bestAlong(problem, v, direction);
    tied ||= to - from > flat;
    const by = Number.isFinite(from) && Number.isFinite(to) ? (from + to) / 2 : 0;
    for (let j = 0; j < width; j++) v[j]! += by * direction[j]!;
    basis.push(direction);
  }
  // A penalised coefficient that is 0 but for rounding is 0.
  for (let j = 0; j < rows.penalties; j++) if (Math.abs(v[j]!) < 1e-11) v[j] = 0;
  return { v, tied };
}

/** The part of a vector that is orthogonal to all of a basis; twice, since rounding spoils the first. */
function beside(vector: Float64Array, basis: readonly Float64Array[]): Float64Array {
  const out = vector.slice();
  for (let pass = 0; pass < 2; pass++) {
    for (const each of basis) {
      const by = dot(out, 0, each, 0, out.length);
      for (let j = 0; j < out.length; j++) out[j]! -= by * each[j]!;
    }
  }
  return out;
}

function unitOf(vector: Float64Array): Float64Array {
  const length = Math.sqrt(dot(vector, 0, vector, 0, vector.length));
  return vector.map((value) => value / length);
}

/** A direction orthogonal to a basis: of the axes' parts the longest. */
function freeDirection(basis: readonly Float64Array[], width: number): Float64Array {
  const left = Float64Array.from({ length: width }, (_, j) => 1 - basis.reduce((sum, each) => sum + each[j]! ** 2, 0));
  const axis = new Float64Array(width);
  axis[left.reduce((best, value, j) => (value > left[best]! ? j : best), 0)] = 1;
  return unitOf(beside(axis, basis));
}

/** Between which steps along a direction the sum is least: a weighted median of where rows change sides. */
function bestAlong(problem: QuantileProblem, v: Float64Array, direction: Float64Array): { from: number; to: number } {
  const { rows, over, under } = problem;
  const r = leftOver(problem, v);
  const along = new Float64Array(rows.count);
  rows.addTimes(direction, 1, along);
  const turning = Array.from(along.keys()).filter((i) => Math.abs(along[i]!) > 1e-12);
  const at = Float64Array.from(along, (value, i) => r[i]! / value);
  turning.sort((a, b) => at[a]! - at[b]! || a - b);
  let slope = 0;
  let size = 0;
  // Far back all rows with along > 0 are above, the others below.
  for (const i of turning) {
    slope -= along[i]! > 0 ? over[i]! * along[i]! : -under[i]! * along[i]!;
    size += Math.abs(along[i]!) * (over[i]! + under[i]!);
  }
  const nothing = 1e-10 * size;
  let from = -Infinity;
  for (const i of turning) {
    if (slope > nothing) return { from, to: from };
    if (slope >= -nothing) return { from, to: at[i]! };
    slope += Math.abs(along[i]!) * (over[i]! + under[i]!);
    from = at[i]!;
  }
  return { from, to: slope > nothing ? from : Infinity };
}
