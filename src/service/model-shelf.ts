import { readFile } from "node:fs/promises";
import { type ModelFile, readModel, textBytes } from "../core/model.ts";
import type { Store } from "../store/store.ts";

/** How many models, and how much of them, stay in memory once read; they never change, so the artifact id is the key. */
const keptModels = 8;

const keptBytes = 512 * 2 ** 20;

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
    await this.#store.artifacts.check(artifact);
    const file = readModel(await readFile(this.#store.files.path(artifact)));
    this.#kept.set(artifact, file);
    while (this.#kept.size > 1 && (this.#kept.size > keptModels || this.#bytes() > keptBytes)) {
      this.#kept.delete(this.#kept.keys().next().value as string);
    }
    return file;
  }

  #bytes(): number {
    return [...this.#kept.values()].reduce((sum, { parameters }) => sum + textBytes(parameters), 0);
  }
}
