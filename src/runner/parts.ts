import { readFile } from "node:fs/promises";
import type { ModelFile } from "../core/model.ts";
import type { Duck } from "../engine/index.ts";
import type { Store } from "../store/store.ts";
import type { Pool } from "../workers/pool.ts";
import type { Materials } from "./materials.ts";
import type { SourceRules } from "./sources.ts";

/** What the runner is made of. */
export interface Parts {
  readonly store: Store;
  readonly duck: Duck;
  readonly pool: Pool;
  readonly rules: SourceRules;
  readonly materials: Materials;
  readonly models: ModelShelf;
}

/** How many models stay in memory once read; they are immutable, so the artifact id is enough of a key. */
const keptModels = 8;

/** Reads model files, keeping the last few in memory. */
export class ModelShelf {
  readonly #store: Store;
  readonly #kept = new Map<string, ModelFile>();

  constructor(store: Store) {
    this.#store = store;
  }

  async load(artifact: string): Promise<ModelFile> {
    const kept = this.#kept.get(artifact);
    if (kept) {
      this.#kept.delete(artifact);
      this.#kept.set(artifact, kept);
      return kept;
    }
    const file = JSON.parse(await readFile(this.#store.files.path(artifact), "utf8")) as ModelFile;
    this.#kept.set(artifact, file);
    if (this.#kept.size > keptModels) this.#kept.delete(this.#kept.keys().next().value as string);
    return file;
  }
}
