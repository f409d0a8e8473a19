import type { Axis, BarsChart, HeatmapChart, PieChart, PointsChart } from "../../core/chart.ts";
import type { Json } from "../../core/record.ts";
import type { Cell } from "../../core/view.ts";
import type { Field } from "./spec-fields.ts";
import type { Unit } from "./spec-units.ts";

/** What a unit shows, for where it is told in words: a chart of another kind, or its rows. */
export type Told = PointsChart | BarsChart | HeatmapChart | PieChart;

const lines = new Set(["line", "area", "trail"]);
const points = new Set(["point", "circle", "square", "tick", "text"]);

/** A unit as a chart that text can show; null where its rows say it best. */
export function toldBy({ mark, shown, rows, counted }: Unit): Told | null {
  const [x, y] = [shown.get("x"), shown.get("y")];
  const colour = ["color", "fill", "stroke", "shape", "strokeDash", "detail"]
    .map((each) => shown.get(each))
    .find((each) => each);
  if (mark === "arc") return pieOf(shown, rows);
  if (!x || !y) return null;
  const title = `${y.title} by ${x.title}`;
  if (mark === "rect" && colour?.type === "quantitative") return gridOf(title, { x, y, colour }, rows);
  if (mark === "bar") return barsOf(title, { x, y, colour }, rows);
  if (!lines.has(mark) && !points.has(mark)) return null;
  const isNumbered = colour?.type === "quantitative" || colour?.type === "temporal";
  const kind = lines.has(mark) ? "lines" : "points";
  const series = new Map<string, { name: string; x: Cell[]; y: Cell[] }>();
  for (const row of rows) {
    const name = colour && !isNumbered ? String(row[colour.name]) : "";
    const one = series.get(name) ?? { name, x: [], y: [] };
    series.set(name, one);
    one.x.push(row[x.name] as Cell);
    one.y.push(row[y.name] as Cell);
  }
  const isMade = [x, y].some(({ isAggregate }) => isAggregate);
  return {
    kind,
    title,
    x: axisOf(x),
    y: axisOf(y),
    series: [...series.values()],
    ...(colour && !isNumbered ? { colour: colour.title } : {}),
    ...(isMade ? { rows: counted } : {}),
  };
}

function axisOf({ title, type }: Field): Axis {
  return { title, type: type === "quantitative" ? "number" : type === "temporal" ? "datetime" : "category" };
}

function word(field: Field, row: Readonly<Record<string, Json | undefined>>): string {
  const cell = row[field.name];
  if (field.bins && field.type === "quantitative") return `${cell} – ${row[`${field.name}_end`]}`;
  if (field.type === "temporal" && typeof cell === "number")
    return new Date(cell)
      .toISOString()
      .replace(/T00:00:00\.000Z$/, "")
      .replace(/\.000Z$/, "")
      .replace("T", " ");
  return String(cell);
}

function barsOf(
  title: string,
  { x, y, colour }: { readonly x: Field; readonly y: Field; readonly colour: Field | undefined },
  rows: Unit["rows"],
): BarsChart | null {
  const isLying = x.type === "quantitative" && !x.bins && (y.type !== "quantitative" || y.bins !== undefined);
  const [along, height] = isLying ? [y, x] : [x, y];
  if (height.type !== "quantitative" || height.bins) return null;
  const bars = rows.map((row) => ({
    label: [along, ...(colour && colour !== along ? [colour] : [])].map((field) => word(field, row)).join(", "),
    value: Number(row[height.name] ?? Number.NaN),
  }));
  return { kind: "bars", title, value: height.title, bars };
}

function gridOf(
  title: string,
  { x, y, colour }: { readonly x: Field; readonly y: Field; readonly colour: Field },
  rows: Unit["rows"],
): HeatmapChart {
  const columns = [...new Set(rows.map((row) => word(x, row)))];
  const names = [...new Set(rows.map((row) => word(y, row)))];
  const values = names.map(() => columns.map((): number | null => null));
  for (const row of rows)
    values[names.indexOf(word(y, row))][columns.indexOf(word(x, row))] = row[colour.name] as number | null;
  const scale = values.flat().some((each) => each !== null && each < 0) ? "diverging" : "sequential";
  return { kind: "heatmap", title, rowTitle: y.title, columnTitle: x.title, rows: names, columns, values, scale };
}

function pieOf(shown: Unit["shown"], rows: Unit["rows"]): PieChart | null {
  const [theta, colour] = [shown.get("theta"), shown.get("color") ?? shown.get("fill")];
  if (!theta || !colour) return null;
  const slices = rows.map((row) => ({ label: word(colour, row), value: Number(row[theta.name] ?? 0) }));
  return { kind: "pie", title: `${theta.title} by ${colour.title}`, slices };
}
