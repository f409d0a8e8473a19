import type { Computing, KernelHooks } from "../../core/block.ts";
import type { SparseRows } from "../../numerics/sparse/rows.ts";
import type { Matrix } from "../../numerics/types.ts";

/** Below this many rows for each thread the work is not worth dividing. */
const fewest = 20_000;

/** A kernel's input that can be told to take the rows, or the columns, from…to−1 alone. */
interface PartInput {
  readonly x: Matrix;
  readonly from?: number;
  readonly to?: number;
}

/** The matrix inside columns with names, as kernels take it. */
export function matrixOf(x: Matrix): Matrix {
  return { n: x.n, d: x.d, data: x.data };
}

/** The same of sparse rows. */
export function sparseOf({ n, d, start, columns, values }: SparseRows): SparseRows {
  return { n, d, start, columns, values };
}

/**
 * Runs a kernel that answers each row by itself on all threads, a run of rows on each.
 *
 * The answer is the same for any number of threads. `smallest` is the least number of rows worth a thread.
 */
export async function computeRows<I extends PartInput>(
  context: Computing,
  kernel: (input: I, hooks: KernelHooks) => Matrix,
  input: I,
  phase: string,
  smallest = fewest,
): Promise<Matrix> {
  const { n } = input.x;
  const parts = Math.max(1, Math.min(context.threads, Math.floor(n / smallest)));
  if (parts === 1) return await context.compute(kernel, input, phase);
  const done = new Array<number>(parts).fill(0);
  const answers = await Promise.all(
    done.map((_, k) => {
      const from = Math.floor((k * n) / parts);
      const to = Math.floor(((k + 1) * n) / parts);
      return context.compute(kernel, { ...input, from, to }, (rows, total) => {
        done[k] = ((to - from) * rows) / total;
        context.progress(phase, Math.round(done.reduce((sum, each) => sum + each, 0)), n);
      });
    }),
  );
  return stacked(answers);
}

/** Below this many numbers the work is not worth dividing. */
const fewestNumbers = 100_000;

/** Runs a kernel that answers each column by itself on all threads, some columns on each. */
export async function computeColumns<I extends PartInput, O>(
  context: Computing,
  kernel: (input: I, hooks: KernelHooks) => O[],
  input: I,
  phase: string,
): Promise<O[]> {
  const { x } = input;
  const parts = x.n * x.d < fewestNumbers ? 1 : Math.min(context.threads, x.d);
  if (parts < 2) return await context.compute(kernel, input, phase);
  const done = new Array<number>(parts).fill(0);
  const answers = await Promise.all(
    done.map((_, k) => {
      const from = Math.floor((k * x.d) / parts);
      const to = Math.floor(((k + 1) * x.d) / parts);
      return context.compute(kernel, { ...input, from, to }, (columns) => {
        done[k] = columns;
        context.progress(
          phase,
          done.reduce((sum, each) => sum + each, 0),
          x.d,
        );
      });
    }),
  );
  return answers.flat();
}

/** So many things in as many runs as there are threads, none of them empty. */
export function shares(things: number, threads: number): { readonly from: number; readonly to: number }[] {
  const parts = Math.max(1, Math.min(things, threads));
  return Array.from({ length: parts }, (_, k) => ({
    from: Math.floor((k * things) / parts),
    to: Math.floor(((k + 1) * things) / parts),
  }));
}

/** Matrices of the same width, one below the other. */
function stacked(parts: readonly Matrix[]): Matrix {
  const n = parts.reduce((sum, part) => sum + part.n, 0);
  const { d } = parts[0];
  const data = new Float64Array(n * d);
  for (let k = 0; k < d; k++) {
    let at = k * n;
    for (const part of parts) {
      data.set(part.data.subarray(k * part.n, (k + 1) * part.n), at);
      at += part.n;
    }
  }
  return { n, d, data };
}
