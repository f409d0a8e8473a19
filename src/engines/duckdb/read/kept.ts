import { hash } from "node:crypto";
import type { Step } from "../../../plan/node.ts";
import { stepText } from "../../../plan/step-text.ts";

/** Columns in memory: numbers, or a mask of rows. */
type Values = Float64Array | Uint8Array;

interface Kept<T extends Values = Values> {
  /** What they are columns of. */
  readonly key: string;
  readonly names: readonly string[];
  readonly n: number;
  readonly data: T;
}

/** After so long without a look all of it is given back. */
const idleMs = 60_000;

/**
 * Numbers that were read lately, as long as they take no more than some bytes.
 *
 * People look at one table again and again, describe it, correlate it, and train one model after the other on the same
 * rows. Decoding files and working plans out takes longer than much of that. Files never change, so what is kept is
 * never wrong; nobody may change it.
 */
export class KeptNumbers {
  readonly #bytes: number;
  /** The one used last stands last. */
  #kept: readonly Kept[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Columns of something, one after the other as a matrix has them; of the kind that was kept under the key. */
  find<T extends Values = Float64Array>(key: string, names: readonly string[]): Pick<Kept<T>, "n" | "data"> | null {
    for (const each of this.#kept) {
      const at = each.key === key ? each.names.indexOf(names[0]) : -1;
      if (at < 0 || names.some((name, k) => each.names[at + k] !== name)) continue;
      this.#use(each);
      return { n: each.n, data: each.data.subarray(at * each.n, (at + names.length) * each.n) as T };
    }
    return null;
  }

  /** Is there room for so much, if all else is given up? */
  hasRoom(bytes: number): boolean {
    return bytes <= this.#bytes;
  }

  /** Keeps columns, in place of those that were used least; false where they take too much. */
  add(found: Kept): boolean {
    if (!this.hasRoom(found.data.byteLength)) return false;
    this.#use(found);
    let bytes = this.#kept.reduce((sum, { data }) => sum + data.byteLength, 0);
    while (bytes > this.#bytes) {
      bytes -= this.#kept[0]!.data.byteLength;
      this.#kept = this.#kept.slice(1);
    }
    return true;
  }

  /** Gives all memory back. */
  clear(): void {
    this.#kept = [];
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #use(used: Kept): void {
    this.#kept = [...this.#kept.filter((each) => each !== used), used];
    this.#timer ??= setTimeout(() => this.clear(), idleMs).unref();
    this.#timer.refresh();
  }
}

/** Digests of nodes, so that a long plan is told from others without all of it being written. */
const digests = new WeakMap<Step, string>();

/** A digest of a plan's nodes. */
export function digestOf(steps: readonly Step[]): string {
  return digest(steps.map(digestOfStep).join());
}

function digestOfStep(step: Step): string {
  const known = digests.get(step);
  if (known !== undefined) return known;
  const made = digest(stepText(step));
  digests.set(step, made);
  return made;
}

function digest(text: string): string {
  return hash("sha256", text);
}
