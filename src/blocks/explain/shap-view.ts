import type { Chart } from "../../core/chart.ts";
import { plain } from "../../core/explanation.ts";
import { count } from "../../core/names.ts";
import { type Cell, stack, text, type View } from "../../core/view.ts";
import { columnOf } from "../../numerics/types.ts";
import type { Method } from "./attribution.ts";
import { rowsFrom } from "./rows.ts";
import type { Label, Shares } from "./shares.ts";

/** What was worked out, for the pictures. */
export interface Told {
  readonly columns: readonly string[];
  readonly shares: Shares;
  /** How much each column does on average, whichever way. */
  readonly sizes: readonly number[];
  /** The rows' numbers. */
  readonly rows: readonly number[];
}

/** What SHAP values keep for their view. */
export interface ShapReport {
  readonly model: string;
  readonly quantity: string;
  readonly from: string;
  readonly rows: number;
  readonly method: Method;
  readonly background: number;
  readonly error: number;
  /** Each row is explained as the class that it is said to be. */
  readonly isMixed: boolean;
  /** null where it is another from class to class. */
  readonly base: number | null;
  readonly columns: readonly string[];
  readonly sizes: readonly number[];
  readonly classes: readonly string[];
  readonly picture: Chart;
  /** The one row that was asked for. */
  readonly one: { readonly row: number; readonly answer: number; readonly class: Label | null } | null;
}

/** Steps of a waterfall at most; further columns are one. */
const mostSteps = 15;

/** Letters of a name and of a cell in a picture at most. */
const mostLetters = 24;

/** How one row's answer comes of the base, the largest step first. */
export function waterfallOf({ columns, shares, rows }: Told, cells: readonly (readonly Cell[])[]): Chart {
  const steps = columns
    .map((column, j) => ({
      name: `${short(column)} = ${cellWords(cells[j][0])}`,
      value: columnOf(shares.values, j)[0],
    }))
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const rest = steps.slice(mostSteps);
  const others = { name: count(rest.length, "other column"), value: rest.reduce((sum, { value }) => sum + value, 0) };
  return {
    kind: "waterfall",
    title: `why row ${rows[0]}: from the base to ${shares.quantity}`,
    value: shares.quantity,
    start: shares.base[0],
    steps: rest.length > 1 ? [...steps.slice(0, mostSteps), others] : steps,
  };
}

/** A column's share in each row against its cell; boxes where its cells are no numbers. */
export function dependenceOf(
  { columns, shares, rows }: Told,
  place: number,
  drawn: readonly number[],
  cells: readonly Cell[],
): Chart {
  const values = columnOf(shares.values, place);
  const title = `share of ${columns[place]} in ${shares.quantity}`;
  const isNumbers = cells.every((cell) => cell === null || typeof cell === "number");
  const x = { title: columns[place], type: isNumbers ? "number" : "category" } as const;
  return {
    kind: "points",
    title,
    x,
    y: { title: "share", type: "number" },
    series: [{ name: "", x: isNumbers ? cells : cells.map(cellWords), y: drawn.map((i) => values[i]) }],
    ...(drawn.length < rows.length ? { sampledFrom: rows.length } : {}),
  };
}

/** The columns that do most: where each row's share lies, and whether its cell is low or high. */
export function swarmOf(
  { columns, shares, sizes, rows }: Told,
  drawn: readonly number[],
  cells: readonly (readonly Cell[])[],
  most: number,
): Chart {
  const order = Array.from(columns.keys()).sort((a, b) => sizes[b] - sizes[a] || a - b);
  const left = columns.length - most;
  return {
    kind: "swarm",
    title: `SHAP values: share in ${shares.quantity}${left > 0 ? `, the ${most} columns that do most of ${columns.length}` : ""}`,
    value: `share in ${shares.quantity}`,
    size: "mean size",
    swarms: order.slice(0, most).map((j) => {
      const values = columnOf(shares.values, j);
      const x = drawn.map((i) => values[i]);
      return { name: columns[j], size: sizes[j], x, shade: ranksOf(cells[j]), cells: cells[j].map(cellWords) };
    }),
    rows: drawn.length,
    ...(drawn.length < rows.length ? { sampledFrom: rows.length } : {}),
  };
}

/** Where each number stands among all, from 0 to 1, equal ones alike; null for all where they are no numbers. */
function ranksOf(cells: readonly Cell[]): (number | null)[] {
  const known = cells.filter((cell) => cell !== null);
  if (!known.every((cell) => typeof cell === "number" || typeof cell === "boolean")) return cells.map(() => null);
  const sorted = known.map(Number).sort((a, b) => a - b);
  const distinct = [...new Set(sorted)];
  const places = new Map(distinct.map((value) => [value, (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2]));
  const last = Math.max(1, sorted.length - 1);
  return cells.map((cell) => (cell === null ? null : (places.get(Number(cell)) ?? 0) / last));
}

function cellWords(cell: Cell): string {
  if (cell === null) return "missing";
  if (typeof cell === "number") return String(Number(cell.toPrecision(6)));
  return short(String(cell));
}

/** A name or a cell, short enough that the other has room beside it. */
function short(words: string): string {
  const letters = [...words];
  return letters.length > mostLetters ? `${letters.slice(0, mostLetters - 1).join("")}…` : words;
}

/** What SHAP values show: what was explained and how exactly, and the picture that was asked for. */
export function shapView(report: ShapReport): View {
  const { model, quantity, from, rows, base, background, method, error, one } = report;
  const head = one
    ? `Row ${one.row}: model ${model} answers ${plain(one.answer)} (${quantity}); the base is ${plain(base)}.`
    : `Model ${model}, ${quantity}, explained on ${rowsFrom(rows, from)}: shares add up to the answer less ${base === null ? "the base of its class" : `the base, ${plain(base)}`}.`;
  const exact =
    method === "kernel" && error > 0
      ? `Shares were found by asking the model with ${count(background, "training row")} for what is not known; they are off by ${plain(error)} on average (a standard error).`
      : `Shares are exact; what is not known is as in ${count(background, "training row")}.`;
  return stack(text(head), text(exact, "quiet"), { kind: "chart", chart: report.picture });
}
