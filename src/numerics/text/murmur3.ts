/**
 * MurmurHash3 of bytes, 32 bits, as a signed number; what scikit-learn's HashingVectorizer hashes tokens with.
 *
 * Source: Appleby, MurmurHash3_x86_32 (public domain). O(length).
 */
export function murmur3(bytes: Uint8Array, seed = 0): number {
  let hash = seed;
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    const block = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    hash ^= mixed(block);
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let at = bytes.length - 1; at >= whole; at--) tail = (tail << 8) | bytes[at]!;
  if (whole < bytes.length) hash ^= mixed(tail);
  hash ^= bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function mixed(block: number): number {
  const rotated = Math.imul(block, 0xcc9e2d51);
  return Math.imul((rotated << 15) | (rotated >>> 17), 0x1b873593);
}
