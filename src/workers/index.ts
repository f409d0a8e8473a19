/** Worker threads for kernels. */
export { fitForest } from "./forest.ts";
export { createPool, type Pool, type PoolOptions, type RunOptions } from "./pool.ts";
export { type Numbers, shared, sharedMatrix } from "./shared.ts";
