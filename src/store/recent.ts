import type { State } from "./state.ts";

/** Letters of JSON, as stored, of the states that are kept in memory; objects take several times as much. */
const mostLetters = 2 ** 23;

/** States that were stored or read lately. All but their being stale never changes, and no id comes again. */
export class RecentStates {
  /** The one used last stands last. */
  readonly #kept = new Map<number, { readonly state: State; readonly letters: number }>();
  #letters = 0;

  /** The state of that id, as stale as it is now; null when it has to be read. */
  find(id: number, stale: boolean): State | null {
    const found = this.#kept.get(id);
    if (!found) return null;
    const { state, letters } = found;
    return this.keep(state.stale === stale ? state : { ...state, stale }, letters);
  }

  /** Keeps a state that takes so many letters, in place of those that were used least. */
  keep(state: State, letters: number): State {
    this.#letters += letters - (this.#kept.get(state.id)?.letters ?? 0);
    this.#kept.delete(state.id);
    this.#kept.set(state.id, { state, letters });
    for (const [id, least] of this.#kept) {
      if (this.#letters <= mostLetters) break;
      this.#kept.delete(id);
      this.#letters -= least.letters;
    }
    return state;
  }
}
