import type { BlockContext } from "../../core/block.ts";
import type { PointsChart } from "../../core/chart.ts";
import { type Column, type Frame, isNumeric } from "../../core/frame.ts";
import { byCodePoint } from "../../core/names.ts";
import { fitSelection } from "../../core/scope.ts";
import { RandomState } from "../../numerics/random.ts";
import type { Matrix } from "../../numerics/types.ts";
import { pictureColumn } from "../plot/picture.ts";

/** Marks that are drawn at most; of more rows some are drawn at random, the same ones each time. */
const mostMarks = 5000;
/** Values that colours tell apart; what is rarer is "other". */
const mostValues = 12;
/** Parts of equally many rows into which numbers of many values are cut. */
const ranges = 5;
const missing = "missing";
const other = "other";

/** Rows at their places, coloured by a column (default: the target). */
export async function embeddingChart(
  frame: Frame,
  {
    places,
    names,
    color,
    title,
  }: {
    readonly places: Matrix;
    readonly names: readonly string[];
    readonly color: string | number | undefined;
    readonly title: string;
  },
  context: BlockContext,
): Promise<PointsChart> {
  const column = colourOf(frame, color, context);
  const labels = column ? await labelsOf(frame, column, context) : null;
  const { n, data } = places;
  const drawn =
    n > mostMarks
      ? new RandomState(0).permutation(n).subarray(0, mostMarks).sort()
      : Int32Array.from({ length: n }, (_, i) => i);
  const parts = labels ? labels.names.map((_, k) => k) : [0];
  const series = parts.map((k) => {
    const rows = labels ? drawn.filter((i) => labels.codes[i] === k) : drawn;
    return {
      name: labels ? labels.names[k] : "",
      x: Array.from(rows, (i) => data[i]),
      y: Array.from(rows, (i) => data[n + i]),
    };
  });
  return {
    kind: "points",
    title,
    x: { title: names[0], type: "number" },
    y: { title: names[1], type: "number" },
    series: series.filter(({ x }) => x.length > 0),
    ...(column ? { colour: column.name } : {}),
    ...(n > mostMarks ? { sampledFrom: n } : {}),
  };
}

function colourOf(frame: Frame, wanted: string | number | undefined, context: BlockContext): Column | null {
  if (wanted !== undefined) return pictureColumn(frame, wanted, "color", context);
  const target = frame.y?.length === 1 ? frame.columns.find(({ name }) => name === frame.y?.[0]) : undefined;
  return target && target.type !== "tensor" ? target : null;
}

interface Labels {
  readonly names: readonly string[];
  /** The place of each row's name. */
  readonly codes: Int32Array;
}

async function labelsOf(frame: Frame, column: Column, context: BlockContext): Promise<Labels> {
  const [cells] = await context.tables.cells(frame.relation, { ...fitSelection(frame), columns: [column.name] });
  const words = cells.map((cell) => (cell === null || Number.isNaN(cell) ? missing : String(cell)));
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const isNumbers = column.type === "number";
  if (counts.size > mostValues && isNumeric(column))
    return cut(cells.map((cell) => (cell === null ? Number.NaN : Number(cell))));
  const ranked = [...counts].sort((a, b) => b[1] - a[1] || byCodePoint(a[0], b[0])).map(([word]) => word);
  const kept = ranked.slice(0, ranked.length > mostValues ? mostValues - 1 : mostValues);
  const names = kept.sort((a, b) => {
    if ((a === missing) !== (b === missing)) return a === missing ? 1 : -1;
    return isNumbers ? Number(a) - Number(b) : byCodePoint(a, b);
  });
  if (ranked.length > mostValues) names.push(other);
  const places = new Map(names.map((name, k) => [name, k]));
  return { names, codes: Int32Array.from(words, (word) => places.get(word) ?? names.length - 1) };
}

/** Numbers of many values as ranges of equally many rows. */
function cut(values: readonly number[]): Labels {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const ends = Array.from({ length: ranges - 1 }, (_, k) => sorted[Math.floor(((k + 1) * sorted.length) / ranges)]);
  const bounds = [...new Set(ends)];
  const short = (value: number) => String(Number(value.toPrecision(4)));
  const names = [
    `below ${short(bounds[0])}`,
    ...bounds.slice(1).map((to, k) => `${short(bounds[k])} to ${short(to)}`),
    `${short(bounds[bounds.length - 1])} and above`,
  ];
  const codes = Int32Array.from(values, (value) =>
    Number.isNaN(value) ? names.length : bounds.filter((bound) => value >= bound).length,
  );
  return { names: codes.includes(names.length) ? [...names, missing] : names, codes };
}
