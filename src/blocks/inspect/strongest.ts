/** Two columns and how they go together. */
export interface CorrelatedPair {
  readonly a: string;
  readonly b: string;
  readonly value: number;
}

/** The pairs of columns that go together most, the other way round included; those with `only` alone where it is given. */
export function strongestPairs(
  columns: readonly string[],
  matrix: readonly (readonly (number | null)[])[],
  most: number,
  only?: string,
): CorrelatedPair[] {
  const found: CorrelatedPair[] = [];
  for (const [i, a] of columns.entries()) {
    for (let j = i + 1; j < columns.length; j++) {
      const value = matrix[i][j];
      const least = found.length < most ? -1 : Math.abs(found[most - 1].value);
      if (value === null || Math.abs(value) <= least) continue;
      const b = columns[j];
      if (only !== undefined && a !== only && b !== only) continue;
      const place = found.findIndex((pair) => Math.abs(pair.value) < Math.abs(value));
      found.splice(place < 0 ? found.length : place, 0, { a, b, value });
      found.length = Math.min(found.length, most);
    }
  }
  return found;
}
