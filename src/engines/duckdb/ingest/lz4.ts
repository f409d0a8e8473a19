/**
 * Decompresses an LZ4 frame, as buffers of Arrow files are (LZ4 Frame Format 1.6.x); checksums are skipped.
 *
 * RangeError for what is no such frame or ends early.
 */
export function lz4Frame(frame: Uint8Array): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (frame.length < 7 || view.getUint32(0, true) !== 0x184d2204) throw new RangeError("it is no LZ4 frame");
  const flags = frame[4];
  const hasBlockSums = (flags & 0x10) !== 0;
  const hasSize = (flags & 0x08) !== 0;
  const hasDictionary = (flags & 0x01) !== 0;
  let at = 7 + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0);
  const size = hasSize ? Number(view.getBigUint64(6, true)) : 0;
  const growing = { bytes: new Uint8Array(Math.min(Math.max(size, 4 * frame.length), 2 ** 31)), length: 0 };
  for (;;) {
    if (at + 4 > frame.length) throw new RangeError("its LZ4 frame ends early");
    const head = view.getUint32(at, true);
    at += 4;
    if (head === 0) return growing.bytes.subarray(0, growing.length);
    const end = at + (head & 0x7fffffff);
    if (end > frame.length) throw new RangeError("its LZ4 frame ends early");
    if (head >>> 31) append(growing, frame, at, end);
    else block(frame, at, end, growing);
    at = end + (hasBlockSums ? 4 : 0);
  }
}

interface Growing {
  bytes: Uint8Array<ArrayBuffer>;
  length: number;
}

function room(out: Growing, more: number): Uint8Array {
  if (out.length + more > out.bytes.length) {
    const before = out.bytes;
    out.bytes = new Uint8Array(Math.max(2 * before.length, out.length + more));
    out.bytes.set(before.subarray(0, out.length));
  }
  return out.bytes;
}

function append(out: Growing, from: Uint8Array, start: number, end: number): void {
  room(out, end - start).set(from.subarray(start, end), out.length);
  out.length += end - start;
}

/** One block: literals and copies of what came before, which may lie in an earlier block. */
function block(from: Uint8Array, start: number, end: number, out: Growing): void {
  for (let at = start; at < end; ) {
    const token = from[at++];
    let literals = token >> 4;
    if (literals === 15) for (let more = 255; more === 255 && at < end; literals += more) more = from[at++];
    if (at + literals > end) throw new RangeError("its LZ4 block ends early");
    append(out, from, at, at + literals);
    at += literals;
    if (at >= end) return;
    const offset = from[at] | (from[at + 1] << 8);
    at += 2;
    let length = token & 15;
    if (length === 15) for (let more = 255; more === 255 && at < end; length += more) more = from[at++];
    length += 4;
    if (offset === 0 || offset > out.length) throw new RangeError("its LZ4 block points before its beginning");
    const bytes = room(out, length);
    // A copy may overlap with what it writes.
    if (offset >= length) bytes.copyWithin(out.length, out.length - offset, out.length - offset + length);
    else for (let k = 0; k < length; k++) bytes[out.length + k] = bytes[out.length - offset + k];
    out.length += length;
  }
}
