import type { Texts } from "./units.ts";

/**
 * A name for texts with their classes: the same for the same ones, and another, as good as surely, for others.
 *
 * 64 bits in two hashes (FNV-1a with two primes), in hexadecimal. O(letters).
 */
export function textsKey({ texts, y }: { readonly texts: Texts; readonly y: Int32Array }): string {
  let a = 0x811c9dc5;
  let b = 0x2f0b4f8b;
  for (const part of [texts.units, texts.start, y]) {
    for (let i = 0; i < part.length; i++) {
      a = Math.imul(a ^ part[i]!, 0x01000193);
      b = Math.imul(b ^ part[i]!, 0x5bd1e995) ^ (b >>> 15);
    }
    a = Math.imul(a ^ part.length, 0x01000193);
  }
  return [a, b].map((hash) => (hash >>> 0).toString(16).padStart(8, "0")).join("");
}
