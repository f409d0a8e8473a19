import type { Matrix } from "../../../src/numerics/types.ts";
import { columns, table } from "../data.ts";

/** The tables of cluster-reference.py. */
export function oddTables(): Record<string, Matrix> {
  const wide = Array.from({ length: 12 }, (_, b) =>
    Float64Array.from({ length: 400 }, (_, a) => ((a * 7919 + b * 104729 + a * a * (b + 3)) % 1009) / 100),
  );
  // The hundredths hold no halves but 0.5, 2.5 and so on, which numpy rounds to even.
  const round = (value: number) => (value % 1 === 0.5 ? 2 * Math.round(value / 2) : Math.round(value));
  const { x } = table();
  const scaled = new Float64Array(x.data.length);
  for (let j = 0; j < x.d; j++) {
    const column = x.data.subarray(j * x.n, (j + 1) * x.n);
    const mean = column.reduce((sum, value) => sum + value, 0) / x.n;
    const deviation = Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.n);
    for (let i = 0; i < x.n; i++) scaled[j * x.n + i] = (column[i]! - mean) / deviation;
  }
  const same = new Float64Array(400).fill(1);
  return {
    table: x,
    scaled: { ...x, data: scaled },
    wide: columns(...wide),
    far: columns(...wide.slice(0, 5).map((column) => column.map((value) => value + 1e9))),
    grid: columns(...wide.slice(0, 2).map((column) => column.map(round))),
    same: columns(...wide.slice(0, 2), same),
    equal: columns(...Array.from({ length: 3 }, () => new Float64Array(30).fill(1))),
    one: columns(Float64Array.of(1), Float64Array.of(1)),
    zeros: columns(...wide.slice(0, 3).map((column) => column.map((value) => Math.floor(round(value) / 6)))),
  };
}
