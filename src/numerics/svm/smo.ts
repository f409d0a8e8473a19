import { checkCancelled, type Hooks } from "../types.ts";
import { swapPairs } from "./kernel.ts";
import { descend, findPartner, findTop, type Slopes, slopesAt, TINY } from "./smo-slopes.ts";

/** Rows of the kernel matrix in the solver's order, which changes while it runs. */
export type Rows = {
  /** Kernel values of variable i with the first `length` variables; valid until the second next call. */
  row(i: number, length: number): Float32Array;
  /** Follows the solver: variables i and j change places, for each pair (i, j) of the list, i < j. */
  swap(pairs: readonly number[]): void;
};

/** Minimise ½ Σ βᵢ βⱼ Kᵢⱼ − Σ targetᵢ βᵢ + slack Σ |βᵢ| where Σ βᵢ = 0 and least ≤ β ≤ most. */
export type Problem = {
  rows: Rows;
  /** Kᵢᵢ. */
  diagonal: Float64Array;
  target: Float64Array;
  /** At least 0. */
  slack: number;
  /** At most 0 each. */
  least: Float64Array;
  /** At least 0 each. */
  most: Float64Array;
  /** The largest violation of the optimality conditions that is left. */
  tol: number;
  /** Set variables aside that are stuck where they are. */
  shrinking: boolean;
  /** Steps at most. */
  maxIter: number;
};

/** Where the solver ended. */
export type Solution = {
  /** In the problem's order. */
  beta: Float64Array;
  /** The threshold: decisions are Σ βᵢ Kᵢ − rho. */
  rho: number;
  iterations: number;
  converged: boolean;
};

const SHRINK_EVERY = 1000;
const TELL_EVERY = 128;
const CHECK_EVERY = 8;
/** After so many steps it ends where it was nowhere nearer than at the start. */
const DOUBT_EVERY = 2 ** 21;

/**
 * Sequential minimal optimisation as libsvm does it: pairs by second-order information, with shrinking.
 *
 * Classes have target y and β = y·α between 0 and y·C, which is libsvm's problem to the bit. A regression has one
 * β = α − α* between −C and C with a bend at 0, where libsvm has two variables, of which one is always 0: half the work.
 * The arrays of the problem are used up.
 * Sources: Fan, Chen and Lin (JMLR 6, 2005), WSS 2; Chang and Lin, LIBSVM (2011), §4 and §5.
 */
export class Solver {
  readonly #problem: Problem;
  readonly #l: number;
  readonly #beta: Float64Array;
  readonly #slopes: Slopes;
  /** The part of v that comes from variables at a bound other than 0. */
  readonly #bar: Float64Array;
  readonly #order: Int32Array;
  /** Variables 0…active−1 are worked on. */
  #active: number;
  #unshrunk = false;

  constructor(problem: Problem) {
    const l = problem.target.length;
    this.#problem = problem;
    this.#l = l;
    this.#active = l;
    this.#beta = new Float64Array(l);
    this.#slopes = slopesAt(problem.target);
    this.#bar = new Float64Array(l);
    this.#order = Int32Array.from({ length: l }, (_, k) => k);
    for (let k = 0; k < l; k++) this.#mark(k);
  }

  /** Runs to the end; `tell` hears about how far it is, 0 to 1. */
  solve(tell: (share: number) => void, hooks: Hooks): Solution {
    const { tol, shrinking } = this.#problem;
    let { maxIter } = this.#problem;
    const period = Math.min(this.#l, SHRINK_EVERY);
    let countdown = period + 1;
    let iterations = 0;
    let first = 0;
    let nearest = Infinity;
    findTop(this.#slopes, this.#active);
    for (; iterations < maxIter; iterations++) {
      if (--countdown === 0) {
        countdown = period;
        if (shrinking) this.#shrink(hooks);
      }
      if (!this.#select()) {
        this.#restore(hooks);
        if (!this.#select()) break;
        countdown = 1;
      }
      if (iterations % CHECK_EVERY === 0) checkCancelled(hooks);
      if (iterations % TELL_EVERY === 0) {
        // The violation falls about as a power of the steps left, so its logarithm tells the way.
        const far = Math.log((this.#slopes.top - this.#slopes.bottom) / tol);
        if (iterations === 0) first = far;
        tell(first > 0 ? Math.min(Math.max(1 - far / first, 0), 1) : 0);
        if (iterations > 0) nearest = Math.min(nearest, far);
        if (iterations > 0 && iterations % DOUBT_EVERY === 0) {
          // With huge features coefficients creep by 1e-20 a step, and the violation grows with them.
          if (nearest >= first) maxIter = iterations;
          nearest = Infinity;
        }
      }
      this.#step();
    }
    const beta = new Float64Array(this.#l);
    for (let k = 0; k < this.#l; k++) beta[this.#order[k]!] = this.#beta[k]!;
    return { beta, rho: this.#rho(), iterations, converged: iterations < maxIter };
  }

  /** Chooses the next pair; false when the violation is below tol. */
  #select(): boolean {
    const { rows, diagonal, tol } = this.#problem;
    const { i } = this.#slopes;
    if (i < 0) return false;
    findPartner(this.#slopes, rows.row(i, this.#active), diagonal, this.#active);
    return this.#slopes.top - this.#slopes.bottom >= tol && this.#slopes.j >= 0;
  }

  /** Moves variables i and j to the best place on their line, then v, and finds the next top on the way. */
  #step(): void {
    const { least, most, rows, diagonal } = this.#problem;
    const { i, j, top, v, fall } = this.#slopes;
    const beta = this.#beta;
    const rowI = rows.row(i, this.#active);
    const rowJ = rows.row(j, this.#active);
    const oldI = beta[i]!;
    const oldJ = beta[j]!;
    const curvature = diagonal[i]! + diagonal[j]! - 2 * rowI[j]!;
    const delta = (top - (v[j]! + fall[j]!)) / (curvature > 0 ? curvature : TINY);
    const sum = oldI + oldJ;
    // At 0 the slope bends, so a step ends there.
    const endI = oldI < 0 ? 0 : most[i]!;
    const endJ = oldJ > 0 ? 0 : least[j]!;
    let a = oldI + delta;
    let b = oldJ - delta;
    if (a > endI) {
      a = endI;
      b = sum - endI;
    }
    if (b < endJ) {
      a = sum - endJ;
      b = endJ;
    }
    const boundI = this.#atBound(i);
    const boundJ = this.#atBound(j);
    beta[i] = a;
    beta[j] = b;
    this.#mark(i);
    this.#mark(j);
    descend(this.#slopes, rowI, rowJ, a - oldI, b - oldJ, this.#active);
    this.#shift(i, this.#atBound(i) - boundI);
    this.#shift(j, this.#atBound(j) - boundJ);
  }

  /** Notes what growing and falling mean for variable k where it stands. */
  #mark(k: number): void {
    const { slack, least, most } = this.#problem;
    const { rise, fall } = this.#slopes;
    const value = this.#beta[k]!;
    rise[k] = value >= most[k]! ? -Infinity : value < 0 ? slack : -slack;
    fall[k] = value <= least[k]! ? Infinity : value > 0 ? -slack : slack;
  }

  /** The value of a variable at a bound, else 0. */
  #atBound(k: number): number {
    const value = this.#beta[k]!;
    return value >= this.#problem.most[k]! || value <= this.#problem.least[k]! ? value : 0;
  }

  #shift(k: number, by: number): void {
    if (by === 0 || !this.#problem.shrinking) return;
    const bar = this.#bar;
    const row = this.#problem.rows.row(k, this.#l);
    for (let m = 0; m < bar.length; m++) bar[m] = bar[m]! - by * row[m]!;
  }

  /** Sets variables aside that neither growing nor falling would help. */
  #shrink(hooks: Hooks): void {
    const { v, rise, fall } = this.#slopes;
    let bottom = Infinity;
    for (let k = 0; k < this.#active; k++) bottom = Math.min(bottom, v[k]! + fall[k]!);
    if (!this.#unshrunk && this.#slopes.top - bottom <= this.#problem.tol * 10) {
      this.#unshrunk = true;
      this.#restore(hooks);
    }
    const { top } = this.#slopes;
    const stuck = (k: number) => v[k]! + rise[k]! < bottom && v[k]! + fall[k]! > top;
    const pairs: number[] = [];
    for (let k = 0; k < this.#active; k++) {
      if (!stuck(k)) continue;
      this.#active--;
      while (this.#active > k && stuck(this.#active)) this.#active--;
      if (this.#active > k) pairs.push(k, this.#active);
    }
    this.#swap(pairs);
    findTop(this.#slopes, this.#active);
  }

  #swap(pairs: readonly number[]): void {
    const { rows, diagonal, target, least, most } = this.#problem;
    rows.swap(pairs);
    const { v, rise, fall } = this.#slopes;
    const own = [this.#beta, v, rise, fall, this.#bar, this.#order];
    for (const values of [diagonal, target, least, most, ...own]) swapPairs(values, pairs);
  }

  /** Brings v of the variables set aside up to date, and them back. */
  #restore(hooks: Hooks): void {
    const { target, rows } = this.#problem;
    const { v } = this.#slopes;
    const beta = this.#beta;
    const active = this.#active;
    const l = this.#l;
    if (active < l) {
      const free: number[] = [];
      for (let k = 0; k < active; k++) if (this.#isFree(k)) free.push(k);
      for (let k = active; k < l; k++) v[k] = target[k]! + this.#bar[k]!;
      // Whichever needs fewer kernel values: rows of those set aside, or whole rows of the free ones.
      if (free.length * l > 2 * active * (l - active)) {
        for (let k = active; k < l; k++) {
          if (k % CHECK_EVERY === 0) checkCancelled(hooks);
          const row = rows.row(k, active);
          for (const f of free) v[k] = v[k]! - beta[f]! * row[f]!;
        }
      } else {
        for (const f of free) {
          if (f % CHECK_EVERY === 0) checkCancelled(hooks);
          const row = rows.row(f, l);
          for (let k = active; k < l; k++) v[k] = v[k]! - beta[f]! * row[k]!;
        }
      }
    }
    this.#active = l;
    findTop(this.#slopes, this.#active);
  }

  #isFree(k: number): boolean {
    return this.#beta[k] !== 0 && this.#atBound(k) === 0;
  }

  #rho(): number {
    const { v, rise, fall } = this.#slopes;
    let above = Infinity;
    let below = -Infinity;
    let sum = 0;
    let free = 0;
    for (let k = 0; k < this.#active; k++) {
      const gain = v[k]! + rise[k]!;
      if (this.#isFree(k)) {
        free++;
        sum -= gain;
      } else {
        above = Math.min(above, -gain);
        below = Math.max(below, -(v[k]! + fall[k]!));
      }
    }
    return free > 0 ? sum / free : (above + below) / 2;
  }
}
