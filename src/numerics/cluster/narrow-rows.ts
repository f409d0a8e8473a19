import { rowProducts } from "../algebra/gram.ts";
import { cholesky } from "../linear/least-squares.ts";
import { guessedMeans } from "../statistics/co-products.ts";
import { type Hooks, type Matrix, quiet } from "../types.ts";

/** What is added to the square of each row, as a share of it, so that all are independent; it decides no picture. */
const share = 1e-10;

/**
 * Rows of n columns that lie as far apart as those of more columns, to 1e-9 of their lengths; null where some are alike.
 *
 * n rows span n dimensions at most. The Cholesky factor of their inner products about any point has the same inner
 * products. O(n²d + n³). NaN gives null.
 */
export function narrowRows({ x }: { readonly x: Matrix }, hooks: Hooks = quiet): Matrix | null {
  const { n } = x;
  const products = rowProducts(x, hooks, guessedMeans({ x }, hooks));
  const length = Float64Array.from({ length: n }, (_, i) => Math.sqrt(products[i * n + i]!));
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) {
      const cosine = products[i * n + k]! / (length[i]! * length[k]!);
      // What was added would tell rows apart that are the same.
      if (!(cosine < 1 - 1e-6)) return null;
      products[i * n + k] = cosine;
    }
    products[i * n + i] = 1 + share;
  }
  if (!cholesky(products, n, share / 100, hooks)) return null;
  const data = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) data[j * n + i] = length[i]! * products[i * n + j]!;
  return { n, d: n, data };
}
