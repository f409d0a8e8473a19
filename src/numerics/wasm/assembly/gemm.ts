/** Products of dense matrices, by tiles of 2×8 over packed parts that fit into the caches (Goto and van de Geijn 2008). */

/** Rows of `a` whose packed part stays in the second cache. */
const ROWS: i32 = 64;
/** Terms of a sum that are taken at once, so that a panel of `b` stays in the first cache. */
const TERMS: i32 = 256;
/** Columns of `b` that are packed at once. */
const COLUMNS: i32 = 512;

/**
 * c += a · b, with a of m×k, b of k×n, c of m×n; every sum in the order of its terms, 256 at a time.
 *
 * `aRow`, `aColumn`, `bRow`, `bColumn`: bytes from one row or column to the next, so that either may lie turned. c lies
 * row by row, `cRow` bytes apart. `scratch` has room for 64·256 + 512·256 + 64 doubles.
 */
export function gemm(
  a: usize, aRow: usize, aColumn: usize, b: usize, bRow: usize, bColumn: usize, c: usize, cRow: usize,
  m: i32, n: i32, k: i32, scratch: usize,
): void {
  const packedB: usize = scratch + ((ROWS * TERMS) << 3);
  const tile: usize = packedB + ((COLUMNS * TERMS) << 3);
  for (let j: i32 = 0; j < n; j += COLUMNS) {
    const columns: i32 = min(COLUMNS, n - j);
    for (let p: i32 = 0; p < k; p += TERMS) {
      const terms: i32 = min(TERMS, k - p);
      pack8(b + <usize>p * bRow + <usize>j * bColumn, bColumn, bRow, columns, terms, packedB);
      for (let i: i32 = 0; i < m; i += ROWS) {
        const rows: i32 = min(ROWS, m - i);
        pack2(a + <usize>i * aRow + <usize>p * aColumn, aRow, aColumn, rows, terms, scratch);
        for (let y: i32 = 0; y < columns; y += 8) {
          const right: usize = packedB + <usize>(y * terms << 3);
          const width: i32 = min(8, columns - y);
          for (let x: i32 = 0; x < rows; x += 2) {
            const left: usize = scratch + <usize>(x * terms << 3);
            const to: usize = c + <usize>(i + x) * cRow + (<usize>(j + y) << 3);
            if (width == 8 && x + 2 <= rows) tile2x8(left, right, terms, to, cRow);
            else {
              memory.fill(tile, 0, 128);
              tile2x8(left, right, terms, tile, 64);
              for (let r: i32 = 0; r < min(2, rows - x); r++) {
                for (let q: i32 = 0; q < width; q++) {
                  const at: usize = to + <usize>r * cRow + (<usize>q << 3);
                  store<f64>(at, load<f64>(at) + load<f64>(tile + (<usize>r << 6) + (<usize>q << 3)));
                }
              }
            }
          }
        }
      }
    }
  }
}

/** Lays rows out two by two, term by term, with zeros behind the last; `lane` and `term` are steps in bytes. */
function pack2(from: usize, lane: usize, term: usize, lanes: i32, terms: i32, to: usize): void {
  let out: usize = to;
  for (let l: i32 = 0; l < lanes; l += 2) {
    let at: usize = from + <usize>l * lane;
    const both: bool = l + 2 <= lanes;
    if (both && lane == 8) for (let p: i32 = 0; p < terms; p++, at += term, out += 16) v128.store(out, v128.load(at));
    else {
      for (let p: i32 = 0; p < terms; p++, at += term, out += 16) {
        store<f64>(out, load<f64>(at));
        store<f64>(out, both ? load<f64>(at + lane) : 0, 8);
      }
    }
  }
}

/** Lays columns out eight by eight, as `pack2` does rows. */
function pack8(from: usize, lane: usize, term: usize, lanes: i32, terms: i32, to: usize): void {
  for (let l: i32 = 0; l < lanes; l += 8) {
    let at: usize = from + <usize>l * lane;
    let out: usize = to + <usize>(l * terms << 3);
    if (l + 8 <= lanes && lane == 8) {
      for (let p: i32 = 0; p < terms; p++, at += term, out += 64) {
        v128.store(out, v128.load(at));
        v128.store(out, v128.load(at, 16), 16);
        v128.store(out, v128.load(at, 32), 32);
        v128.store(out, v128.load(at, 48), 48);
      }
    } else {
      // Lane by lane, so that what lies turned is read along its rows.
      for (let r: i32 = 0; r < 8; r++, at += lane) {
        const known: bool = l + r < lanes;
        let source: usize = at;
        const end: usize = out + (<usize>terms << 6);
        for (let place: usize = out; place < end; place += 64, source += term) {
          store<f64>(place + (<usize>r << 3), known ? load<f64>(source) : 0);
        }
      }
    }
  }
}

/** Adds the product of two packed panels to two rows of eight numbers. */
// @ts-ignore: decorator
@inline
function tile2x8(a: usize, b: usize, terms: i32, c: usize, cRow: usize): void {
  let s0: v128 = f64x2.splat(0), s1: v128 = s0, s2: v128 = s0, s3: v128 = s0;
  let t0: v128 = s0, t1: v128 = s0, t2: v128 = s0, t3: v128 = s0;
  let right: usize = b;
  const end: usize = a + (<usize>terms << 4);
  for (let left: usize = a; left < end; left += 16, right += 64) {
    let x: v128 = v128.load64_splat(left);
    s0 = f64x2.add(s0, f64x2.mul(x, v128.load(right)));
    s1 = f64x2.add(s1, f64x2.mul(x, v128.load(right, 16)));
    s2 = f64x2.add(s2, f64x2.mul(x, v128.load(right, 32)));
    s3 = f64x2.add(s3, f64x2.mul(x, v128.load(right, 48)));
    x = v128.load64_splat(left, 8);
    t0 = f64x2.add(t0, f64x2.mul(x, v128.load(right)));
    t1 = f64x2.add(t1, f64x2.mul(x, v128.load(right, 16)));
    t2 = f64x2.add(t2, f64x2.mul(x, v128.load(right, 32)));
    t3 = f64x2.add(t3, f64x2.mul(x, v128.load(right, 48)));
  }
  addTo(c, s0, s1, s2, s3);
  addTo(c + cRow, t0, t1, t2, t3);
}

// @ts-ignore: decorator
@inline
function addTo(c: usize, s0: v128, s1: v128, s2: v128, s3: v128): void {
  v128.store(c, f64x2.add(v128.load(c), s0));
  v128.store(c, f64x2.add(v128.load(c, 16), s1), 16);
  v128.store(c, f64x2.add(v128.load(c, 32), s2), 32);
  v128.store(c, f64x2.add(v128.load(c, 48), s3), 48);
}
