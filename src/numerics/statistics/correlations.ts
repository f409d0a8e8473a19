import { type Hooks, type Matrix, quiet } from "../types.ts";
import { type ColumnMeans, columnMeans, coProducts, layoutOf, summed } from "./co-products.ts";

/**
 * Pearson correlations of every pair of d columns, as pandas' `.corr()`, from the sums of `coProducts`' chunks.
 *
 * Each pair is judged on the rows where both are there. Returns d×d symmetric; NaN where a column is constant on those
 * rows, or where there are none. Taking the means off first keeps the digits that the plain sums would lose.
 */
export function correlationsOf(parts: readonly Float64Array[], { holes }: Pick<ColumnMeans, "holes">): Float64Array {
  const d = holes.length;
  const sums = summed(parts);
  const { holey, values, theres, across, line } = layoutOf(holes);
  const numbers = new Map(holey.map((j, h) => [j, h]));
  const product = (j: number, k: number) => sums[j * values + k]!;
  /** The pair's sums over the rows of both, of which `a` has holes and `b` may have. */
  const over = (a: number, b: number): Sums => {
    const of = (from: number, at: number) => sums[across + numbers.get(from)! * line + at]!;
    const own = numbers.get(b);
    const other = own === undefined ? a : b;
    return {
      n: of(a, values + (own ?? numbers.get(a)!)),
      sums: [of(other, a), of(a, b)],
      squares: [of(other, values + theres + a), of(a, values + theres + b)],
    };
  };
  const out = new Float64Array(d * d);
  for (let j = 0; j < d; j++) {
    for (let k = 0; k <= j; k++) {
      const isComplete = !holes[j] && !holes[k];
      const value = isComplete
        ? correlation(product(j, k), product(j, j), product(k, k))
        : pairOf(product(j, k), holes[j] ? over(j, k) : over(k, j));
      out[j * d + k] = value;
      out[k * d + j] = value;
    }
  }
  return out;
}

/** Sums of two columns over the rows where both are there. */
type Sums = {
  readonly n: number;
  readonly sums: readonly [number, number];
  readonly squares: readonly [number, number];
};

/** The correlation on the rows that both columns have, moved to their means there. */
function pairOf(product: number, { n, sums: [a, b], squares: [squareA, squareB] }: Sums): number {
  const own = (square: number, sum: number) => {
    const left = square - (sum * sum) / n;
    // What rounding leaves of a column that is constant on these rows is no variance.
    return left > 1e-14 * square ? left : 0;
  };
  return correlation(product - (a * b) / n, own(squareA, a), own(squareB, b));
}

function correlation(product: number, squareJ: number, squareK: number): number {
  // The root of the product is exact for a column with itself; it can overflow where the roots can't.
  const whole = squareJ * squareK;
  const divisor = whole > 0 && whole < Infinity ? Math.sqrt(whole) : Math.sqrt(squareJ) * Math.sqrt(squareK);
  // An infinite divisor would make 0 of a product that says nothing.
  return divisor > 0 && divisor < Infinity ? Math.max(-1, Math.min(1, product / divisor)) : NaN;
}

/** `columnMeans`, `coProducts` and `correlationsOf` in one, on one thread. d×d, fresh. */
export function correlations({ x }: { x: Matrix }, hooks: Hooks = quiet): Matrix {
  const means = columnMeans({ x }, hooks);
  return { n: x.d, d: x.d, data: correlationsOf(coProducts({ x, ...means }, hooks), means) };
}
