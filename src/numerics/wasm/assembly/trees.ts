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
