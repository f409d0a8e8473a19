import { dots2x4 } from "./tile";

/** Sums over rows of a table, for restricted Boltzmann machines. Rows are whole numbers of 16 doubles wide. */

/**
 * out = bias + Σ value · row over a list of rows of `table`, `width` bytes of each.
 *
 * `rows` to `end`: the byte offsets of the rows, 32 bits each; `values`: a double for each row.
 */
export function weightedRows(rows: usize, end: usize, values: usize, table: usize, bias: usize, out: usize, width: usize): void {
  for (let k: usize = 0; k < width; k += 128) {
    const from: usize = bias + k;
    let s0: v128 = v128.load(from, 0);
    let s1: v128 = v128.load(from, 16);
    let s2: v128 = v128.load(from, 32);
    let s3: v128 = v128.load(from, 48);
    let s4: v128 = v128.load(from, 64);
    let s5: v128 = v128.load(from, 80);
    let s6: v128 = v128.load(from, 96);
    let s7: v128 = v128.load(from, 112);
    let value: usize = values;
    for (let at: usize = rows; at < end; at += 4, value += 8) {
      const row: usize = table + k + load<u32>(at);
      const factor: v128 = v128.load64_splat(value);
      s0 = f64x2.add(s0, f64x2.mul(factor, v128.load(row, 0)));
      s1 = f64x2.add(s1, f64x2.mul(factor, v128.load(row, 16)));
      s2 = f64x2.add(s2, f64x2.mul(factor, v128.load(row, 32)));
      s3 = f64x2.add(s3, f64x2.mul(factor, v128.load(row, 48)));
      s4 = f64x2.add(s4, f64x2.mul(factor, v128.load(row, 64)));
      s5 = f64x2.add(s5, f64x2.mul(factor, v128.load(row, 80)));
      s6 = f64x2.add(s6, f64x2.mul(factor, v128.load(row, 96)));
      s7 = f64x2.add(s7, f64x2.mul(factor, v128.load(row, 112)));
    }
    const to: usize = out + k;
    v128.store(to, s0, 0);
    v128.store(to, s1, 16);
    v128.store(to, s2, 32);
    v128.store(to, s3, 48);
    v128.store(to, s4, 64);
    v128.store(to, s5, 80);
    v128.store(to, s6, 96);
    v128.store(to, s7, 112);
  }
}

/** `weightedRows` with 1 for every value; `values` is not looked at. */
export function sumOfRows(rows: usize, end: usize, values: usize, table: usize, bias: usize, out: usize, width: usize): void {
  for (let k: usize = 0; k < width; k += 128) {
    const from: usize = bias + k;
    let s0: v128 = v128.load(from, 0);
    let s1: v128 = v128.load(from, 16);
    let s2: v128 = v128.load(from, 32);
    let s3: v128 = v128.load(from, 48);
    let s4: v128 = v128.load(from, 64);
    let s5: v128 = v128.load(from, 80);
    let s6: v128 = v128.load(from, 96);
    let s7: v128 = v128.load(from, 112);
    for (let at: usize = rows; at < end; at += 4) {
      const row: usize = table + k + load<u32>(at);
      s0 = f64x2.add(s0, v128.load(row, 0));
      s1 = f64x2.add(s1, v128.load(row, 16));
      s2 = f64x2.add(s2, v128.load(row, 32));
      s3 = f64x2.add(s3, v128.load(row, 48));
      s4 = f64x2.add(s4, v128.load(row, 64));
      s5 = f64x2.add(s5, v128.load(row, 80));
      s6 = f64x2.add(s6, v128.load(row, 96));
      s7 = f64x2.add(s7, v128.load(row, 112));
    }
    const to: usize = out + k;
    v128.store(to, s0, 0);
    v128.store(to, s1, 16);
    v128.store(to, s2, 32);
    v128.store(to, s3, 48);
    v128.store(to, s4, 64);
    v128.store(to, s5, 80);
    v128.store(to, s6, 96);
    v128.store(to, s7, 112);
  }
}

/**
 * out[j] = bias[j] + a · table[j] for two vectors `a` and four rows j at a time, `width` bytes of each.
 *
 * `a` and `out` have their second row `step` and `outStep` bytes on. Covers the rows from `table` to `end`, `stride` apart.
 */
export function rowDots(
  a: usize,
  step: usize,
  table: usize,
  end: usize,
  stride: usize,
  bias: usize,
  out: usize,
  outStep: usize,
  width: usize,
): void {
  let shift: usize = bias;
  let to: usize = out;
  for (let row: usize = table; row < end; row += 4 * stride, shift += 32, to += 32) {
    dots2x4(a, step, row, stride, width, shift, to, shift, to + outStep);
  }
}

/**
 * row += rate · (Σ value · addedRow − Σ takenRow), `width` bytes, both sums over lists as in `weightedRows`.
 *
 * `rate` is the address of a double.
 */
export function moveRow(
  row: usize,
  width: usize,
  rate: usize,
  added: usize,
  addedEnd: usize,
  values: usize,
  taken: usize,
  takenEnd: usize,
  table: usize,
): void {
  const speed: v128 = v128.load64_splat(rate);
  for (let k: usize = 0; k < width; k += 128) {
    let s0: v128 = f64x2.splat(0), s1: v128 = s0, s2: v128 = s0, s3: v128 = s0;
    let s4: v128 = s0, s5: v128 = s0, s6: v128 = s0, s7: v128 = s0;
    let value: usize = values;
    for (let at: usize = added; at < addedEnd; at += 4, value += 8) {
      const from: usize = table + k + load<u32>(at);
      const factor: v128 = v128.load64_splat(value);
      s0 = f64x2.add(s0, f64x2.mul(factor, v128.load(from, 0)));
      s1 = f64x2.add(s1, f64x2.mul(factor, v128.load(from, 16)));
      s2 = f64x2.add(s2, f64x2.mul(factor, v128.load(from, 32)));
      s3 = f64x2.add(s3, f64x2.mul(factor, v128.load(from, 48)));
      s4 = f64x2.add(s4, f64x2.mul(factor, v128.load(from, 64)));
      s5 = f64x2.add(s5, f64x2.mul(factor, v128.load(from, 80)));
      s6 = f64x2.add(s6, f64x2.mul(factor, v128.load(from, 96)));
      s7 = f64x2.add(s7, f64x2.mul(factor, v128.load(from, 112)));
    }
    for (let at: usize = taken; at < takenEnd; at += 4) {
      const from: usize = table + k + load<u32>(at);
      s0 = f64x2.sub(s0, v128.load(from, 0));
      s1 = f64x2.sub(s1, v128.load(from, 16));
      s2 = f64x2.sub(s2, v128.load(from, 32));
      s3 = f64x2.sub(s3, v128.load(from, 48));
      s4 = f64x2.sub(s4, v128.load(from, 64));
      s5 = f64x2.sub(s5, v128.load(from, 80));
      s6 = f64x2.sub(s6, v128.load(from, 96));
      s7 = f64x2.sub(s7, v128.load(from, 112));
    }
    const to: usize = row + k;
    v128.store(to, f64x2.add(v128.load(to, 0), f64x2.mul(speed, s0)), 0);
    v128.store(to, f64x2.add(v128.load(to, 16), f64x2.mul(speed, s1)), 16);
    v128.store(to, f64x2.add(v128.load(to, 32), f64x2.mul(speed, s2)), 32);
    v128.store(to, f64x2.add(v128.load(to, 48), f64x2.mul(speed, s3)), 48);
    v128.store(to, f64x2.add(v128.load(to, 64), f64x2.mul(speed, s4)), 64);
    v128.store(to, f64x2.add(v128.load(to, 80), f64x2.mul(speed, s5)), 80);
    v128.store(to, f64x2.add(v128.load(to, 96), f64x2.mul(speed, s6)), 96);
    v128.store(to, f64x2.add(v128.load(to, 112), f64x2.mul(speed, s7)), 112);
  }
}

/** Groups of four rows whose sums stay in the first cache. */
const GROUPS: i32 = 8;

/**
 * out += bits · table, for a matrix of zeros and ones: four rows of the table have only sixteen sums, which are made
 * ahead, so that four terms take one addition (Arlazarov et al. 1970, the method of the four Russians).
 *
 * `codes`: of each of `n` rows `groups` bytes, the bits of four terms in each; `table`: 4·groups rows, `stride` apart,
 * `width` bytes of each. `scratch` has room for 16,384 bytes.
 */
export function addCoded(
  codes: usize, n: i32, groups: i32, table: usize, stride: usize, out: usize, outStep: usize, width: usize, scratch: usize,
): void {
  for (let k: usize = 0; k < width; k += 128) {
    for (let g: i32 = 0; g < groups; g += GROUPS) {
      const count: i32 = min(GROUPS, groups - g);
      for (let each: i32 = 0; each < count; each++) {
        sumsOfFour(table + <usize>(g + each) * 4 * stride + k, stride, scratch + (<usize>each << 11));
      }
      let code: usize = codes + <usize>g;
      let to: usize = out + k;
      for (let i: i32 = 0; i < n; i++, code += <usize>groups, to += outStep) {
        let s0: v128 = v128.load(to, 0);
        let s1: v128 = v128.load(to, 16);
        let s2: v128 = v128.load(to, 32);
        let s3: v128 = v128.load(to, 48);
        let s4: v128 = v128.load(to, 64);
        let s5: v128 = v128.load(to, 80);
        let s6: v128 = v128.load(to, 96);
        let s7: v128 = v128.load(to, 112);
        for (let each: i32 = 0; each < count; each++) {
          const sum: usize = scratch + (<usize>each << 11) + (<usize>load<u8>(code + <usize>each) << 7);
          s0 = f64x2.add(s0, v128.load(sum, 0));
          s1 = f64x2.add(s1, v128.load(sum, 16));
          s2 = f64x2.add(s2, v128.load(sum, 32));
          s3 = f64x2.add(s3, v128.load(sum, 48));
          s4 = f64x2.add(s4, v128.load(sum, 64));
          s5 = f64x2.add(s5, v128.load(sum, 80));
          s6 = f64x2.add(s6, v128.load(sum, 96));
          s7 = f64x2.add(s7, v128.load(sum, 112));
        }
        v128.store(to, s0, 0);
        v128.store(to, s1, 16);
        v128.store(to, s2, 32);
        v128.store(to, s3, 48);
        v128.store(to, s4, 64);
        v128.store(to, s5, 80);
        v128.store(to, s6, 96);
        v128.store(to, s7, 112);
      }
    }
  }
}

/** The sixteen sums of four rows of 128 bytes: that of code c begins 128·c bytes into `to`. */
function sumsOfFour(rows: usize, stride: usize, to: usize): void {
  memory.fill(to, 0, 128);
  for (let bit: usize = 0; bit < 4; bit++) {
    const row: usize = rows + bit * stride;
    const half: usize = <usize>128 << bit;
    for (let at: usize = to; at < to + half; at += 128) {
      for (let k: usize = 0; k < 128; k += 16) {
        v128.store(at + half + k, f64x2.add(v128.load(at + k), v128.load(row + k)));
      }
    }
  }
}
