import { BlocklabError } from "../core/errors.ts";
import type { Store } from "../store/store.ts";

/** Room for bytes that are on their way to the disk. */
export interface Hold {
  /** Asks for so many bytes more; refuses (413) where they don't fit beside all that is stored or on its way. */
  add(bytes: number): void;
  /** Gives the room back, once the bytes are stored or given up. */
  end(): void;
}

/** How much of the disk each key may have. */
export class Quota {
  readonly #store: Store;
  /** Bytes of each key that are on their way. */
  readonly #held = new Map<string, number>();
  /** Bytes that each key may have; undefined: as much as there is. */
  readonly most: number | undefined;

  constructor(store: Store, most: number | undefined) {
    this.#store = store;
    this.most = most;
  }

  /** Refuses what would not fit any more (413). */
  expect(owner: string, bytes: number): void {
    const hold = this.hold(owner);
    try {
      hold.add(bytes);
    } finally {
      hold.end();
    }
  }

  /** Holds room for bytes whose number nobody knows yet, so that what comes at the same time does not take it. */
  hold(owner: string): Hold {
    const { most } = this;
    if (most === undefined) return { add: () => undefined, end: () => undefined };
    let [own, room] = [0, -1];
    const change = (bytes: number) => {
      own += bytes;
      const held = (this.#held.get(owner) ?? 0) + bytes;
      if (held > 0) this.#held.set(owner, held);
      else this.#held.delete(owner);
      return held;
    };
    return {
      add: (bytes) => {
        const held = change(bytes);
        // Summing up what a key has takes a moment, so that is done when it may be too much, and for the last time at the end.
        if (held > room || bytes === 0) room = most - this.#store.artifacts.usage(owner);
        if (held > room) throw this.#full(most);
      },
      end: () => change(-own),
    };
  }

  #full(most: number): BlocklabError {
    return new BlocklabError(
      413,
      `The key's disk space, ${Math.round(most / 2 ** 20)} MiB, is used up. Delete projects or uploaded files that are no longer needed.`,
      {
        code: "quota",
        expected: most,
        hint: "The operator can raise --quota.",
      },
    );
  }
}
