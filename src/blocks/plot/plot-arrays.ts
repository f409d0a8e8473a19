import type { BlockContext } from "../../core/block.ts";
import type { Axis, PointsChart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { count } from "../../core/names.ts";
import type { Cell } from "../../core/view.ts";
import { type Joining, joinedValue, joiningOf, type LineAggregate } from "./line-values.ts";
import { axisOf, type Operand } from "./plot-operands.ts";

/** What is to be drawn, and of how many marks at most. */
export interface Wanted {
  readonly kind: PointsChart["kind"];
  readonly aggregate: LineAggregate | undefined;
  readonly most: number;
  /** Which axes have logarithmic scales. */
  readonly logs: { readonly x: boolean; readonly y: boolean };
}

/** Values along an axis, in memory. */
interface Values {
  readonly title: string;
  readonly type: Axis["type"];
  readonly cells: readonly Cell[];
}

type Pair = readonly [Cell, Cell];

/** The chart of axes whose values don't stand in one table: arrays, or columns of different tables, row by row. */
export async function chartOfArrays(
  { kind, aggregate, most, logs }: Wanted,
  x: Operand,
  y: Operand,
  context: BlockContext,
): Promise<Omit<PointsChart, "grid">> {
  const xs = await valuesOf(x, context);
  const [ys] = await valuesOf(y, context);
  refuseLengths(xs[0], ys);
  for (const [axis, values] of [...xs.map((each) => ["x", each] as const), ["y", ys] as const]) {
    if (logs[axis] && values.type !== "number")
      throw new ArgsError(`${axis}_scale "log" needs numbers, and ${axis}value holds others.`, {
        path: `${axis}_scale`,
      });
  }
  const isShown = ([a, b]: Pair) =>
    a !== null && b !== null && (!logs.x || Number(a) > 0) && (!logs.y || Number(b) > 0);
  const pairs = xs.map(({ cells }) => cells.map((value, k): Pair => [value, ys.cells[k]]).filter(isShown));
  const marks = pairs.reduce((sum, each) => sum + each.length, 0);
  if (marks === 0) throw new DataError("xvalue and yvalue have no pair of values to draw.");
  const type = xs.every((each) => each.type === xs[0].type) ? xs[0].type : "category";
  const share = Math.floor(most / xs.length);
  const isAlone = xs.length === 1;
  const isRepeated = async () => pairs.some((each) => new Set(each.map(([a]) => a)).size < each.length);
  const asked = { aggregate, x: xs.map((each) => each.title), isRepeated, y: ys };
  const joining = kind === "lines" ? await joiningOf(asked, context) : null;
  const drawn = joining ? pairs.map((each) => joinedPairs(each, joining)) : pairs;
  const yType = joining ? "number" : ys.type;
  const shownY = joining ? `${joining} ${ys.title}` : ys.title;
  const series = drawn.map((each, k) => {
    const shown = fewer(each, kind, share, type !== "category" && yType === "number");
    return { name: isAlone ? ys.title : xs[k].title, x: shown.map(([a]) => a), y: shown.map(([, b]) => b) };
  });
  return {
    kind,
    title: `${shownY} by ${isAlone ? xs[0].title : `${xs.length} features`}`,
    x: { title: isAlone ? xs[0].title : "value", type, ...(logs.x ? { log: true } : {}) },
    y: { title: shownY, type: yType, ...(logs.y ? { log: true } : {}) },
    series,
    ...(isAlone ? {} : { colour: "feature" }),
    ...(drawn.some((each) => each.length > share) ? { sampledFrom: marks } : {}),
    ...(joining ? { rows: marks } : {}),
  };
}

/** One pair for each x: the number of all that have it. */
function joinedPairs(pairs: readonly Pair[], joining: Joining): Pair[] {
  const groups = new Map<Cell, number[]>();
  for (const [x, y] of pairs) {
    const group = groups.get(x);
    if (group) group.push(Number(y));
    else groups.set(x, [Number(y)]);
  }
  return [...groups].map(([x, values]) => [x, joinedValue(joining, values)]);
}

async function valuesOf(from: Operand, context: BlockContext): Promise<Values[]> {
  if (from.kind === "inline") {
    const isNumbers = from.values.every((value) => value === null || typeof value === "number");
    return [{ cells: from.values, title: "values", type: isNumbers ? "number" : "category" }];
  }
  const { relation, selection, columns } = from.table;
  const cells = await context.tables.cells(relation, { ...selection, columns: columns.map(({ name }) => name) });
  return columns.map((each, k) => ({ cells: cells[k], title: each.name, type: axisOf(each.name, [each]).type }));
}

function refuseLengths(x: Values, y: Values): void {
  const got = [x.cells.length, y.cells.length];
  if (got[0] === got[1]) return;
  throw new ArgsError(
    `xvalue has ${count(got[0], "value")} and yvalue ${count(got[1], "value")}; they must be as many.`,
    { path: "xvalue", got },
  );
}

/** At most `share` marks: for lines the least and greatest of each stretch of x, else marks drawn by hash. */
function fewer(pairs: readonly Pair[], kind: PointsChart["kind"], share: number, isNumbers: boolean): readonly Pair[] {
  const isLine = kind === "lines" && isNumbers;
  const sorted = isLine ? [...pairs].sort(([a], [b]) => (a === b ? 0 : (a ?? 0) < (b ?? 0) ? -1 : 1)) : pairs;
  if (sorted.length <= share) return sorted;
  if (isLine) return extremes(sorted, Math.max(1, Math.floor(share / 2)));
  // Every k-th mark would fall in step with anything periodic.
  const hashes = Uint32Array.from(sorted.keys(), hash);
  const limit = Uint32Array.from(hashes).sort()[share - 1] ?? 0;
  // As the hash of a place is a permutation of it, as many lie below the limit as are wanted.
  return sorted.filter((_, k) => hashes[k] <= limit);
}

function extremes(sorted: readonly Pair[], stretches: number): Pair[] {
  return Array.from({ length: stretches }, (_, k) => {
    const from = Math.floor((k * sorted.length) / stretches);
    const to = Math.floor(((k + 1) * sorted.length) / stretches);
    let [low, high] = [from, from];
    for (let i = from + 1; i < to; i++) {
      if (Number(sorted[i][1]) < Number(sorted[low][1])) low = i;
      if (Number(sorted[i][1]) > Number(sorted[high][1])) high = i;
    }
    return [...new Set([low, high])].sort((a, b) => a - b).map((i) => sorted[i]);
  }).flat();
}

/** 32 bits of a number that look drawn at random. Source: the finalizer of Appleby's MurmurHash3. */
function hash(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
