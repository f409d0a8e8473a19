import type { BlockContext } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, column, type Frame, isNumeric, type Subset } from "../../core/frame.ts";
import { instant } from "../../core/marks.ts";
import { columnOf } from "../../core/matrix.ts";
import { count, listed, quoted } from "../../core/names.ts";
import { chosen } from "../../core/scope.ts";
import { readSplit } from "../../core/split.ts";
import type { Cell } from "../../core/view.ts";
import { type Clock, dateClock, numberClock, plainClock } from "./clock.ts";

/** Fewer steps than this tell nothing of what comes. */
const fewestSteps = 4;
/** A longer series is learnt from its end alone. */
const mostSteps = 5000;

/** A series in even steps, and what is known of what came after it. */
export interface Series {
  readonly y: Column;
  /** Null where the rows' order is the time. */
  readonly time: Column | null;
  readonly clock: Clock;
  /** The number of the first step that was learnt from. */
  readonly first: number;
  readonly values: Float64Array;
  /** Test rows: how many steps after the last one of `values`, from 0, and the value. */
  readonly later: readonly { readonly ahead: number; readonly value: number }[];
}

/** The column to foresee: the one that was asked for, the target, or the only one of numbers. */
export function seriesColumn(
  frame: Frame,
  wanted: string | number | undefined,
  time: Column | null,
  who: string,
): Column {
  const names = frame.columns.map(({ name }) => name);
  const numbers = frame.columns.filter((each) => isNumeric(each) && each.name !== time?.name).map(({ name }) => name);
  const one = frame.y?.length === 1 ? frame.y[0] : numbers.length === 1 ? numbers[0] : null;
  if (wanted === undefined && one === null) {
    throw new ArgsError(`${who}: y must name the column to foresee. Columns of numbers: ${listed(numbers)}.`, {
      path: "y",
      expected: numbers.slice(0, 50),
    });
  }
  const [name] = wanted === undefined ? [one as string] : chosen(frame, [wanted], { names, where: "the table" });
  const found = column(frame, name);
  if (isNumeric(found)) return found;
  throw new DataError(
    `${who}: y must be a column of numbers, and ${quoted(name)} is ${found.type}. Columns of numbers: ${listed(numbers)}.`,
    { path: "y", got: name },
  );
}

/** The column of times: the one that was asked for, or the only one of dates; null where there is none. */
export function timeColumn(frame: Frame, wanted: string | number | undefined, who: string): Column | null {
  if (wanted === undefined) {
    const dates = frame.columns.filter(({ type }) => type === "datetime");
    if (dates.length <= 1) return dates[0] ?? null;
    const names = dates.map(({ name }) => name);
    throw new ArgsError(`${who}: time must name one of the columns of dates: ${listed(names)}.`, {
      path: "time",
      expected: names,
    });
  }
  const names = frame.columns.map(({ name }) => name);
  const [name] = chosen(frame, [wanted], { names, where: "the table" });
  const found = column(frame, name);
  if (found.type === "datetime" || found.type === "number") return found;
  throw new DataError(
    `${who}: time must be a column of dates or numbers, and ${quoted(name)} is ${found.type}. Make dates of text with astype (DP_ASP).`,
    { path: "time", got: name, hint: "astype" },
  );
}

interface Row {
  readonly time: number;
  readonly value: number;
  readonly isLater: boolean;
}

/** Reads the series; rows in the order of time, gaps filled on a straight line, each of which is told. */
export async function readSeries(
  frame: Frame,
  y: Column,
  time: Column | null,
  context: BlockContext,
  who: string,
): Promise<Series> {
  const read = await rowsOf(frame, y, time, context);
  const timed = read.filter(({ time: at }) => Number.isFinite(at));
  if (timed.length < read.length) {
    context.notice(
      `${who}: ${count(read.length - timed.length, "row")} without a ${quoted(time?.name ?? "")} left out.`,
    );
  }
  const rows = timed.sort((a, b) => a.time - b.time);
  refuse(rows, y, time, who);
  const clock = time ? clockOf(rows, time, who) : plainClock(rows.length);
  const steps = rows.map((row, k) => ({ ...row, place: clock.places[k] }));
  const learnt = steps.filter(({ isLater }) => !isLater);
  const values = filled(learnt, context, who, clock);
  const begin = learnt.find(({ value }) => !Number.isNaN(value))?.place ?? 0;
  const end = begin + values.length;
  const kept = Math.min(values.length, mostSteps);
  if (kept < values.length) {
    context.notice(
      `${who}: of ${count(values.length, "step")} the last ${mostSteps.toLocaleString("en-US")} are learnt from. Summarize to longer steps to learn from all.`,
    );
  }
  return {
    y,
    time,
    clock,
    first: end - kept,
    values: values.slice(values.length - kept),
    later: steps
      .filter(({ isLater, value, place }) => isLater && !Number.isNaN(value) && place >= end)
      .map(({ place, value }) => ({ ahead: place - end, value })),
  };
}

async function rowsOf(frame: Frame, y: Column, time: Column | null, { tables }: BlockContext): Promise<Row[]> {
  const part = async (subset: Subset): Promise<Row[]> => {
    const of = { subset, split: frame.split };
    const values = columnOf(await tables.numbers(frame.relation, { ...of, columns: [y.name] }), 0);
    const places = frame.split && !time ? (await readSplit(frame, tables))[subset as "train" | "test"] : null;
    const cells: readonly Cell[] | null = time
      ? (await tables.cells(frame.relation, { ...of, columns: [time.name] }))[0]
      : null;
    const at = (k: number) => {
      if (!cells) return places ? places[k] : k;
      const cell = cells[k];
      return cell === null ? Number.NaN : time?.type === "datetime" ? instant(cell) : Number(cell);
    };
    return Array.from(values, (value, k) => ({
      time: at(k),
      value: Number.isFinite(value) ? value : Number.NaN,
      isLater: subset === "test",
    }));
  };
  return frame.split ? [...(await part("train")), ...(await part("test"))] : await part("all");
}

function refuse(rows: readonly Row[], y: Column, time: Column | null, who: string): void {
  const known = rows.filter(({ value, isLater }) => !isLater && !Number.isNaN(value));
  if (known.length < fewestSteps) {
    throw new DataError(
      `${who}: it learns from ${fewestSteps} steps or more, and ${quoted(y.name)} has ${count(known.length, "value")} to learn from.`,
      { code: "few_rows", got: known.length, expected: `at least ${fewestSteps}` },
    );
  }
  const twice = rows.findIndex((row, k) => k > 0 && row.time === rows[k - 1].time);
  if (twice >= 0 && time) {
    throw new DataError(
      `${who}: several rows have the same ${quoted(time.name)}, and a series has one value for each time. Sum them up first: summarize({ by: [${quoted(time.name)}], columns: { ${quoted(y.name)}: "mean(…)" } }), or filter one series.`,
      { code: "repeated_times", got: time.name, hint: "summarize" },
    );
  }
  const firstLater = rows.findIndex(({ isLater }) => isLater);
  if (firstLater >= 0 && rows.slice(firstLater).some(({ isLater }) => !isLater)) {
    throw new DataError(
      `${who}: test rows lie between the training rows, so what comes next is known already. Split with shuffle: false, after sort(${quoted(time?.name ?? "…")}).`,
      { code: "shuffled_split", hint: "split" },
    );
  }
}

function clockOf(rows: readonly Row[], time: Column, who: string): Clock {
  const times = rows.map((row) => row.time);
  return time.type === "datetime" ? dateClock(times, time.name, who) : numberClock(times, time.name, who);
}

/** The values of all steps from the first known one to the last; what lies between known ones on a straight line. */
function filled(
  rows: readonly { readonly place: number; readonly value: number }[],
  context: BlockContext,
  who: string,
  clock: Clock,
): Float64Array {
  const known = rows.filter(({ value }) => !Number.isNaN(value));
  const first = known[0].place;
  const steps = known[known.length - 1].place - first + 1;
  const gaps = steps - known.length;
  if (gaps > known.length) {
    throw new DataError(
      `${who}: ${gaps.toLocaleString("en-US")} of ${steps.toLocaleString("en-US")} steps (each a ${clock.step}) have no value. Summarize to longer steps first.`,
      { code: "gaps", got: gaps, hint: "summarize" },
    );
  }
  if (gaps > 0) {
    context.notice(
      `${who}: ${count(gaps, "step")} without a value ${gaps === 1 ? "was" : "were"} filled on a straight line between the known ones.`,
    );
  }
  const out = new Float64Array(steps);
  for (let k = 0; k < known.length; k++) {
    const { place, value } = known[k];
    out[place - first] = value;
    if (k === 0) continue;
    const before = known[k - 1];
    for (let at = before.place + 1; at < place; at++) {
      out[at - first] = before.value + ((value - before.value) * (at - before.place)) / (place - before.place);
    }
  }
  return out;
}
