import { describe, expect, it } from "vitest";
import { coreDistances, reachabilityTree } from "../../../src/numerics/cluster/reachability.ts";
import { reducedDistance, rowMajor, wholeDistance } from "../../../src/numerics/neighbors/distance.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import { createMatrix, type Matrix } from "../../../src/numerics/types.ts";

/** Prim's tree, each row compared with each. */
function plainTree(x: Matrix, p: number, core: Float64Array): { ends: number[]; lengths: number[] } {
  const { rows } = rowMajor(x);
  const distance = reducedDistance(p);
  const reach = new Float64Array(x.n).fill(Infinity);
  const source = new Int32Array(x.n);
  const left = new Set(Array.from({ length: x.n }, (_, i) => i));
  const edges: { from: number; to: number; length: number }[] = [];
  for (let at = 0; left.delete(at) && left.size > 0; ) {
    let next = -1;
    for (const k of left) {
      const mutual = Math.max(distance(rows, at * x.d, rows, k * x.d, x.d), core[k]!, core[at]!);
      if (mutual < reach[k]!) {
        reach[k] = mutual;
        source[k] = at;
      }
      if (next < 0 || reach[k]! < reach[next]!) next = k;
    }
    edges.push({ from: source[next]!, to: next, length: wholeDistance(reach[next]!, p) });
    at = next;
  }
  edges.sort((a, b) => a.length - b.length);
  return { ends: edges.flatMap(({ from, to }) => [from, to]), lengths: edges.map(({ length }) => length) };
}

describe("the least spanning tree by mutual reachability", () => {
  it.each([
    [101, 3, 2],
    [64, 17, 2],
    [90, 22, 2],
    [75, 3, 1],
    [75, 18, 1],
    [75, 4, Infinity],
    [2, 2, 2],
  ])("is that of a plain loop, edge by edge: %i rows of %i columns, power %d", (n, d, p) => {
    const random = new RandomState(n);
    const x = createMatrix(n, d);
    // Few digits, so that many distances are the same.
    for (let i = 0; i < x.data.length; i++) x.data[i] = Math.round(4 * random.normal()) / 4;
    const core = coreDistances({ x, p, nth: Math.min(4, n) }).data;
    const { ends, lengths } = reachabilityTree({ x, p, core });
    const wanted = plainTree(x, p, core);
    expect([...lengths]).toEqual(wanted.lengths);
    expect([...ends]).toEqual(wanted.ends);
  });

  it("joins rows whose distances pass the largest double", () => {
    const x = { n: 3, d: 1, data: Float64Array.of(0, 1e200, -1e200) };
    const { ends, lengths } = reachabilityTree({ x, p: 2, core: new Float64Array(3) });
    expect([[...ends], [...lengths]]).toEqual([
      [0, 1, 1, 2],
      [Infinity, Infinity],
    ]);
  });
});
