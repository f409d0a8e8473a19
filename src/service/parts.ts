import type { Duck } from "../engines/duckdb/index.ts";
import type { Store } from "../store/store.ts";
import type { Pool } from "../workers/pool.ts";
import type { Far } from "./cluster/far.ts";
import type { FairScheduler } from "./fair-scheduler.ts";
import type { LibraryService } from "./library.ts";
import type { Watch } from "./limits.ts";
import type { Materials } from "./materials.ts";
import type { ModelShelf } from "./model-shelf.ts";
import type { Quota } from "./quota.ts";
import type { SourceRules } from "./sources.ts";

export { ModelShelf } from "./model-shelf.ts";

/** What the runner is made of. */
export interface Parts {
  readonly store: Store;
  readonly duck: Duck;
  readonly pool: Pool;
  readonly rules: SourceRules;
  /** The address of the Spark that reads tables and files for callers; null: none. */
  readonly cluster: string | null;
  /** The same for chains whose rows stay there. */
  readonly far: Far;
  readonly materials: Materials;
  readonly models: ModelShelf;
  readonly library: LibraryService;
  readonly scheduler: FairScheduler;
  readonly watch: Watch;
  readonly quota: Quota;
}
