/**
 * The loops that JavaScript can't make fast, in AssemblyScript: TypeScript's syntax over WebAssembly's memory.
 *
 * `npm run build` compiles it into code.ts. Pointers are byte addresses; all arrays lie where the caller put them. Plain
 * SIMD without fused operations, so that every processor gives the same bytes.
 */

/**
 * Inner products: out[i · stride + j] += a_i · b_j.
 *
 * a: na vectors, b: nb vectors, each of `length` doubles, one after the other; nb a multiple of 4, length of 2.
 */
export function dots(a: usize, b: usize, out: usize, na: i32, nb: i32, length: i32, stride: i32): void {
  const size: usize = <usize>length << 3;
  const line: usize = <usize>stride << 3;
  let i: i32 = 0;
  for (; i + 1 < na; i += 2) {
    const p: usize = a + <usize>i * size;
    for (let j: i32 = 0; j < nb; j += 4) {
      const to: usize = out + <usize>i * line + (<usize>j << 3);
      dots2x4(p, b + <usize>j * size, to, to + line, size);
    }
  }
  if (i == na) return;
  const p: usize = a + <usize>i * size;
  for (let j: i32 = 0; j < nb; j += 4) {
    dots1x4(p, b + <usize>j * size, out + <usize>i * line + (<usize>j << 3), size);
  }
}

// @ts-ignore: decorator
@inline
function dots2x4(p: usize, q: usize, to: usize, next: usize, size: usize): void {
  let s0: v128 = f64x2.splat(0), s1: v128 = s0, s2: v128 = s0, s3: v128 = s0;
  let t0: v128 = s0, t1: v128 = s0, t2: v128 = s0, t3: v128 = s0;
  for (let k: usize = 0; k < size; k += 16) {
    const u: v128 = v128.load(p + k);
    const v: v128 = v128.load(p + size + k);
    const at: usize = q + k;
    const b0: v128 = v128.load(at);
    s0 = f64x2.add(s0, f64x2.mul(u, b0));
    t0 = f64x2.add(t0, f64x2.mul(v, b0));
    const b1: v128 = v128.load(at + size);
    s1 = f64x2.add(s1, f64x2.mul(u, b1));
    t1 = f64x2.add(t1, f64x2.mul(v, b1));
    const b2: v128 = v128.load(at + 2 * size);
    s2 = f64x2.add(s2, f64x2.mul(u, b2));
    t2 = f64x2.add(t2, f64x2.mul(v, b2));
    const b3: v128 = v128.load(at + 3 * size);
    s3 = f64x2.add(s3, f64x2.mul(u, b3));
    t3 = f64x2.add(t3, f64x2.mul(v, b3));
  }
  add4(to, s0, s1, s2, s3);
  add4(next, t0, t1, t2, t3);
}

// @ts-ignore: decorator
@inline
function dots1x4(p: usize, q: usize, to: usize, size: usize): void {
  let s0: v128 = f64x2.splat(0), s1: v128 = s0, s2: v128 = s0, s3: v128 = s0;
  for (let k: usize = 0; k < size; k += 16) {
    const u: v128 = v128.load(p + k);
    const at: usize = q + k;
    s0 = f64x2.add(s0, f64x2.mul(u, v128.load(at)));
    s1 = f64x2.add(s1, f64x2.mul(u, v128.load(at + size)));
    s2 = f64x2.add(s2, f64x2.mul(u, v128.load(at + 2 * size)));
    s3 = f64x2.add(s3, f64x2.mul(u, v128.load(at + 3 * size)));
  }
  add4(to, s0, s1, s2, s3);
}

// @ts-ignore: decorator
@inline
function add4(to: usize, s0: v128, s1: v128, s2: v128, s3: v128): void {
  const low: v128 = f64x2.add(v128.shuffle<f64>(s0, s1, 0, 2), v128.shuffle<f64>(s0, s1, 1, 3));
  const high: v128 = f64x2.add(v128.shuffle<f64>(s2, s3, 0, 2), v128.shuffle<f64>(s2, s3, 1, 3));
  v128.store(to, f64x2.add(v128.load(to), low));
  v128.store(to, f64x2.add(v128.load(to, 16), high), 16);
}

/**
 * Sums of columns: out_c += Σ_j w[c · columns + j] · x_j.
 *
 * x: `columns` vectors, out: `sums` vectors, each of `rows` doubles, a multiple of 8.
 */
export function combine(x: usize, w: usize, out: usize, rows: i32, columns: i32, sums: i32): void {
  const size: usize = <usize>rows << 3;
  for (let c: i32 = 0; c < sums; c++) {
    const weights: usize = w + ((<usize>c * columns) << 3);
    const to: usize = out + <usize>c * size;
    for (let r: usize = 0; r < size; r += 64) {
      let s0: v128 = v128.load(to + r);
      let s1: v128 = v128.load(to + r, 16);
      let s2: v128 = v128.load(to + r, 32);
      let s3: v128 = v128.load(to + r, 48);
      let from: usize = x + r;
      for (let j: i32 = 0; j < columns; j++, from += size) {
        const weight: v128 = v128.load64_splat(weights + (<usize>j << 3));
        s0 = f64x2.add(s0, f64x2.mul(weight, v128.load(from)));
        s1 = f64x2.add(s1, f64x2.mul(weight, v128.load(from, 16)));
        s2 = f64x2.add(s2, f64x2.mul(weight, v128.load(from, 32)));
        s3 = f64x2.add(s3, f64x2.mul(weight, v128.load(from, 48)));
      }
      v128.store(to + r, s0);
      v128.store(to + r, s1, 16);
      v128.store(to + r, s2, 32);
      v128.store(to + r, s3, 48);
    }
  }
}

/**
 * Walks rows down a tree: writes the address of each row's leaf to `leaves`, an int32 each.
 *
 * A node has 16 bytes: its threshold, the byte offset of its column in a row, and the address of the children, of which
 * rows at or below the threshold take the first; a leaf's children are itself. Rows of `stride` bytes end in a 0, which
 * leaves look at. `count` is a multiple of 4: four rows at a time, since one alone waits for memory at each step.
 */
export function walk(root: usize, rows: usize, leaves: usize, count: i32, stride: i32): void {
  for (let i: i32 = 0; i < count; i += 4) {
    const r0: usize = rows + <usize>i * stride;
    const r1: usize = r0 + stride;
    const r2: usize = r1 + stride;
    const r3: usize = r2 + stride;
    let n0: usize = root, n1: usize = root, n2: usize = root, n3: usize = root;
    while (true) {
      const c0: usize = load<u32>(n0, 12);
      const c1: usize = load<u32>(n1, 12);
      const c2: usize = load<u32>(n2, 12);
      const c3: usize = load<u32>(n3, 12);
      if (((c0 ^ n0) | (c1 ^ n1) | (c2 ^ n2) | (c3 ^ n3)) == 0) break;
      n0 = c0 + (<usize>!(load<f64>(r0 + load<u32>(n0, 8)) <= load<f64>(n0)) << 4);
      n1 = c1 + (<usize>!(load<f64>(r1 + load<u32>(n1, 8)) <= load<f64>(n1)) << 4);
      n2 = c2 + (<usize>!(load<f64>(r2 + load<u32>(n2, 8)) <= load<f64>(n2)) << 4);
      n3 = c3 + (<usize>!(load<f64>(r3 + load<u32>(n3, 8)) <= load<f64>(n3)) << 4);
    }
    const to: usize = leaves + (<usize>i << 2);
    store<u32>(to, n0);
    store<u32>(to, n1, 4);
    store<u32>(to, n2, 8);
    store<u32>(to, n3, 12);
  }
}

/**
 * Compares four queries with eight rows at a time, in single precision.
 *
 * Rows lie in groups of eight: their squared norms, then d times eight values of one column; queries as d times four
 * values, each already times −2. For every group in which |y|² − 2xy is at most the query's limit anywhere, it writes
 * the group's number and 32 bits (eight rows for each query) to `out`, and answers where it stopped writing.
 */
export function scan(queries: usize, rows: usize, groups: i32, d: i32, limits: usize, out: usize): usize {
  const end: usize = queries + (<usize>d << 4);
  let row: usize = rows;
  let to: usize = out;
  for (let group: i32 = 0; group < groups; group++) {
    const low: v128 = v128.load(row);
    const high: v128 = v128.load(row, 16);
    let a0: v128 = low, b0: v128 = low, c0: v128 = low, e0: v128 = low;
    let a1: v128 = high, b1: v128 = high, c1: v128 = high, e1: v128 = high;
    row += 32;
    for (let at: usize = queries; at < end; at += 16, row += 32) {
      const x0: v128 = v128.load(row);
      const x1: v128 = v128.load(row, 16);
      const a: v128 = v128.load32_splat(at);
      a0 = f32x4.add(a0, f32x4.mul(a, x0));
      a1 = f32x4.add(a1, f32x4.mul(a, x1));
      const b: v128 = v128.load32_splat(at, 4);
      b0 = f32x4.add(b0, f32x4.mul(b, x0));
      b1 = f32x4.add(b1, f32x4.mul(b, x1));
      const c: v128 = v128.load32_splat(at, 8);
      c0 = f32x4.add(c0, f32x4.mul(c, x0));
      c1 = f32x4.add(c1, f32x4.mul(c, x1));
      const e: v128 = v128.load32_splat(at, 12);
      e0 = f32x4.add(e0, f32x4.mul(e, x0));
      e1 = f32x4.add(e1, f32x4.mul(e, x1));
    }
    const hits: i32 =
      within(a0, a1, limits, 0) |
      (within(b0, b1, limits, 4) << 8) |
      (within(c0, c1, limits, 8) << 16) |
      (within(e0, e1, limits, 12) << 24);
    if (hits == 0) continue;
    store<i32>(to, group);
    store<i32>(to, hits, 4);
    to += 8;
  }
  return to;
}

// @ts-ignore: decorator
@inline
function within(low: v128, high: v128, limits: usize, offset: usize): i32 {
  const limit: v128 = v128.load32_splat(limits + offset);
  return i32x4.bitmask(f32x4.le(low, limit)) | (i32x4.bitmask(f32x4.le(high, limit)) << 4);
}
