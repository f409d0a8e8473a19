import { statfsSync } from "node:fs";
import type { SchedulerLoad } from "./fair-scheduler.ts";
import type { BlockLimits } from "./limits.ts";
import type { Parts } from "./parts.ts";

/** How busy a service is, for whoever operates it. */
export interface ServiceLoad {
  readonly blocks: SchedulerLoad;
  readonly workers: {
    /** Threads that compute now, and those that rest. */
    readonly busy: number;
    readonly idle: number;
    /** Jobs that wait for a thread. */
    readonly waiting: number;
  };
  readonly disk: {
    /** Bytes of all keys' artifacts and uploads, and of the key that has most. */
    readonly used: number;
    readonly fullest: number;
    /** Bytes that each key may have; null: as many as there are. */
    readonly quota: number | null;
    /** Bytes that are left where the data lies. */
    readonly free: number;
  };
  /** Bytes that running blocks may take together; null: no limit. */
  readonly memoryLimit: number | null;
}

/** What the parts of a service are at. */
export function loadOf({ store, pool, scheduler, quota }: Parts, home: string, { memory }: BlockLimits): ServiceLoad {
  const { bavail, bsize } = statfsSync(home);
  const used = store.artifacts.usages();
  return {
    blocks: scheduler.load(),
    workers: pool.load(),
    disk: {
      used: used.reduce((sum, bytes) => sum + bytes, 0),
      fullest: Math.max(0, ...used),
      quota: quota.most ?? null,
      free: bavail * bsize,
    },
    memoryLimit: memory ?? null,
  };
}
