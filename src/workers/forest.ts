import { fitTrees, type TreesInput } from "../numerics/trees/forest.ts";
import { joinTrees, type Trees } from "../numerics/trees/trees.ts";
import type { Pool, RunOptions } from "./pool.ts";
import { shared, sharedMatrix } from "./shared.ts";

/**
 * Grows a forest on all workers of `pool`, a run of trees on each; the trees are the same for any pool size.
 *
 * Rejects as `pool.run` does; the first failure cancels the other runs. Progress counts trees over the forest.
 */
export async function fitForest(pool: Pool, input: TreesInput, options: RunOptions = {}): Promise<Trees> {
  const { seeds } = input;
  const parts = Math.max(1, Math.min(pool.size, seeds.length));
  const x = parts > 1 ? sharedMatrix(input.x) : input.x;
  const y = parts > 1 ? shared(input.y) : input.y;
  const failed = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal;
  const grown = new Array<number>(parts).fill(0);
  const runs = grown.map((_, part) => {
    const chunk = seeds.slice((part * seeds.length) / parts, ((part + 1) * seeds.length) / parts);
    const onProgress = (done: number) => {
      grown[part] = done;
      const trees = grown.reduce((sum, count) => sum + count, 0);
      options.onProgress?.(trees, seeds.length);
    };
    return pool.run(fitTrees, { ...input, x, y, seeds: chunk }, { signal, onProgress });
  });
  try {
    return joinTrees(await Promise.all(runs));
  } catch (error) {
    failed.abort(error);
    await Promise.allSettled(runs);
    throw error;
  }
}
