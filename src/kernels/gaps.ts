const rowsAtOnce = 4096;

/** The rows in which a column is NaN, ascending. */
export function missingRows(values: Float64Array): Int32Array {
  let rows = new Int32Array(rowsAtOnce);
  let size = 0;
  for (let from = 0; from < values.length; from += rowsAtOnce) {
    // Room is made for some thousand rows at a time: asked at each gap, it takes three times as long.
    if (size + rowsAtOnce > rows.length) {
      const before = rows;
      rows = new Int32Array(2 * before.length);
      rows.set(before);
    }
    const to = Math.min(values.length, from + rowsAtOnce);
    for (let row = from; row < to; row++) if (Number.isNaN(values[row]!)) rows[size++] = row;
  }
  return rows.subarray(0, size);
}

/**
 * For each of the rows that miss a value the nearest row that has one, before it (`way` -1) or behind it (1); -1 where
 * there is none. Rows that are in different `parts` (0 to 255) don't see each other.
 *
 * Only the neighbours of missing rows are looked at: where such a one has no value either, what is nearest to that is taken.
 */
export function nearestRows(
  values: Float64Array,
  missing: Int32Array,
  parts: Uint8Array | null,
  way: 1 | -1,
): Int32Array {
  const found = new Int32Array(missing.length);
  const last = new Int32Array(256);
  for (let i = 0; i < missing.length; i++) {
    const k = way < 0 ? i : missing.length - 1 - i;
    const part = parts ? parts[missing[k]!]! : 0;
    let row = missing[k]! + way;
    if (parts) while (row >= 0 && row < values.length && parts[row] !== part) row += way;
    if (row < 0 || row >= values.length) found[k] = -1;
    else found[k] = Number.isNaN(values[row]!) ? found[last[part]!]! : row;
    last[part] = k;
  }
  return found;
}

/**
 * The values of missing rows on straight lines between those around them, by the rows' numbers; NaN before the first.
 *
 * Behind the last value it is repeated, as pandas' interpolate does.
 */
export function onLines(values: Float64Array, missing: Int32Array, parts: Uint8Array | null): Float64Array {
  const [before, after] = [nearestRows(values, missing, parts, -1), nearestRows(values, missing, parts, 1)];
  const found = new Float64Array(missing.length);
  for (let k = 0; k < missing.length; k++) {
    const [from, to] = [before[k]!, after[k]!];
    const value = from < 0 ? Number.NaN : values[from]!;
    found[k] = from < 0 || to < 0 ? value : value + ((values[to]! - value) * (missing[k]! - from)) / (to - from);
  }
  return found;
}
