import { checkCancelled, type Hooks } from "../types.ts";
import type { Loops } from "../wasm/loops.ts";

/** Reflections that are applied together. */
const together = 16;

/** Householder reflections in the rows of a square matrix in the loops' memory. */
export type Reflections = {
  readonly loops: Loops;
  readonly d: number;
  /** Numbers from one row to the next, a multiple of 16; those beyond `d` are 0. */
  readonly width: number;
  /** Where the rows are: row i begins with the i numbers of the vector u of reflection i, I − u·uᵀ/h. */
  readonly a: number;
  /** Where there is room for `spareBytes`. */
  readonly spare: number;
  /** h of each reflection; 0 where it does nothing. */
  readonly lengths: Float64Array;
};

/** Memory that `multiply` needs besides the matrix. */
export function spareBytes(d: number, width: number): number {
  return 8 * together * (width + d + 2);
}

/**
 * The product of the reflections 1, 2, … d − 1, in their place.
 *
 * Some at a time as I − Vᵀ·T·V with a triangular T: O(4/3 d³) in products of matrices. Source: Schreiber and Van Loan
 * (1989), "A storage-efficient WY representation for products of Householder transformations".
 */
export function multiply(desk: Reflections, hooks: Hooks): void {
  const { loops, d, width, a, spare, lengths } = desk;
  const { doubles } = loops;
  const stride = width * 8;
  const line = together * 8;
  const zeros = spare + together * stride;
  const products = zeros + line;
  const vectors = doubles.subarray(spare / 8, zeros / 8);
  const shares = doubles.subarray(products / 8, products / 8 + together * (d + 1));
  doubles.fill(0, zeros / 8, products / 8);
  if (d > 0) doubles[a / 8] = 1;
  for (let start = 1; start < d; start += together) {
    checkCancelled(hooks);
    const end = Math.min(start + together, d);
    vectors.fill(0);
    for (let i = start; i < end; i++) {
      const row = doubles.subarray(a / 8 + i * width, a / 8 + i * width + width);
      if (lengths[i]! > 0) vectors.set(row.subarray(0, i), (i - start) * width);
      row.fill(0);
      row[i] = 1;
    }
    // Before these reflections all is 0 beyond them, but for ones on the diagonal.
    const rows = end - 1;
    const bytes = Math.ceil(rows / 2) * 16;
    const dots = (from: number, count: number) => {
      for (let r = 0; r < count; r += 2) {
        const out = products + r * line;
        loops.rowDots(from + r * stride, stride, spare, zeros, stride, zeros, out, line, bytes);
      }
    };
    dots(spare, together);
    const triangle = triangleOf(shares, lengths.subarray(start, end));
    dots(a, rows);
    for (let r = 0; r < rows; r++) timesTriangle(shares, r * together, triangle);
    loops.addVectors(spare, stride, products, a, stride, Math.ceil(rows / 8) * 64, together, rows);
  }
}

/** −T, row by row, given the products of all pairs of vectors. */
function triangleOf(products: Float64Array, lengths: Float64Array): Float64Array {
  const out = new Float64Array(together * together);
  for (const [k, length] of lengths.entries()) {
    if (length === 0) continue;
    for (let i = 0; i < k; i++) {
      let sum = 0;
      for (let j = i; j < k; j++) sum -= out[i * together + j]! * products[j * together + k]!;
      out[i * together + k] = sum / length;
    }
    out[k * together + k] = -1 / length;
  }
  return out;
}

/** Multiplies the row of `values` at `at` by an upper triangle, in place. */
function timesTriangle(values: Float64Array, at: number, triangle: Float64Array): void {
  for (let k = together - 1; k >= 0; k--) {
    let sum = 0;
    for (let j = 0; j <= k; j++) sum += values[at + j]! * triangle[j * together + k]!;
    values[at + k] = sum;
  }
}
