import { BlocklabError } from "../core/errors.ts";
import type { Store } from "../store/store.ts";

/** How much of the disk each key may have. */
export class Quota {
  readonly #store: Store;
  /** Bytes that each key may have; undefined: as much as there is. */
  readonly most: number | undefined;

  constructor(store: Store, most: number | undefined) {
    this.#store = store;
    this.most = most;
  }

  /** Refuses what would not fit any more (413). */
  expect(owner: string, bytes: number): void {
    if (bytes > this.room(owner)) throw this.full();
  }

  /** Bytes that are left. */
  room(owner: string): number {
    return this.most === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(0, this.most - this.#store.artifacts.usage(owner));
  }

  full(): BlocklabError {
    const megabytes = Math.round((this.most ?? 0) / 2 ** 20);
    return new BlocklabError(
      413,
      `The key's disk space, ${megabytes} MiB, is used up. Delete projects or uploaded files that are no longer needed.`,
      {
        code: "quota",
        expected: this.most,
        hint: "The operator can raise --quota.",
      },
    );
  }
}
