import { DataError } from "../../core/errors.ts";
import { quoted } from "../../core/names.ts";
import type { Cell } from "../../core/view.ts";

/** The even steps of a series in time. */
export interface Clock {
  /** "day", "3 months", "step". */
  readonly step: string;
  /** Which step each row is, from 0, ascending. */
  readonly places: readonly number[];
  /** The seasons that such steps usually have, in steps; null where nothing is known of them. */
  readonly seasons: readonly number[] | null;
  /** The time of a step, as a cell. */
  at(place: number): Cell;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;

/** Lengths of time by name, the longest first. */
const units = [
  ["week", week],
  ["day", day],
  ["hour", hour],
  ["minute", minute],
  ["second", second],
] as const;

/** Steps of rows without a time: one each, numbered from 1. */
export function plainClock(rows: number): Clock {
  return { step: "step", places: Array.from({ length: rows }, (_, k) => k), seasons: null, at: (place) => place + 1 };
}

/** Steps of numbers, such as years; ascending, none twice. */
export function numberClock(times: readonly number[], name: string, who: string): Clock {
  const step = least(times);
  const places = times.map((time) => (time - times[0]) / step);
  if (!isEven(places)) throw uneven(name, who);
  const isWhole = times.every(Number.isInteger);
  return {
    step: step === 1 ? "step" : `step of ${Number(step.toPrecision(6))}`,
    places: places.map(Math.round),
    seasons: null,
    at: (place) => (isWhole ? times[0] + place * Math.round(step) : Number((times[0] + place * step).toPrecision(12))),
  };
}

/** Steps of dates, in milliseconds of UTC; ascending, none twice. Months and working days are steps as well. */
export function dateClock(times: readonly number[], name: string, who: string): Clock {
  const clock = monthClock(times) ?? workdayClock(times) ?? evenClock(times);
  if (!clock) throw uneven(name, who);
  return clock;
}

function evenClock(times: readonly number[]): Clock | null {
  const step = least(times);
  const places = times.map((time) => (time - times[0]) / step);
  if (!isEven(places)) return null;
  const [unit, length] = units.find(([, size]) => step % size === 0) ?? ["millisecond", 1];
  const lengths = [minute, hour, day, week, 365 * day];
  return {
    step: stepName(step / length, unit),
    places: places.map(Math.round),
    // A year of weeks is 52 of them.
    seasons: lengths
      .map((size) => Math.floor(size / step))
      .filter((season, k) => season > 1 && isNear(lengths[k], season * step)),
    at: (place) => dateCell(times[0] + place * step),
  };
}

function monthClock(times: readonly number[]): Clock | null {
  if (times.length < 2 || least(times) < 28 * day) return null;
  const dates = times.map((time) => new Date(time));
  const isEnd = dates.every((date) => new Date(date.getTime() + day).getUTCDate() === 1);
  const within = (date: Date) => date.getTime() % day;
  const isAlike = dates.every(
    (date) => within(date) === within(dates[0]) && (isEnd || date.getUTCDate() === dates[0].getUTCDate()),
  );
  if (!isAlike) return null;
  const months = dates.map((date) => date.getUTCFullYear() * 12 + date.getUTCMonth());
  const every = least(months);
  const places = months.map((month) => (month - months[0]) / every);
  if (!isEven(places)) return null;
  const at = (place: number) => {
    const month = months[0] + place * every;
    const whole = new Date(0);
    // Day 0 of the next month is the last one of this.
    const [next, date] = isEnd ? [1, 0] : [0, dates[0].getUTCDate()];
    whole.setUTCFullYear(Math.floor(month / 12), (month % 12) + next, date);
    return dateCell(whole.getTime() + within(dates[0]));
  };
  const isYears = every % 12 === 0;
  return {
    step: isYears ? stepName(every / 12, "year") : stepName(every, "month"),
    places,
    seasons: 12 % every === 0 && every < 12 ? [12 / every] : [],
    at,
  };
}

/** Days without Saturdays and Sundays, over a week at least. */
function workdayClock(times: readonly number[]): Clock | null {
  const within = ((times[0] % day) + day) % day;
  // The first day of the count, 1970-01-05, was a Monday.
  const days = times.map((time) => (time - within) / day - 4);
  const weekday = (of: number) => ((of % 7) + 7) % 7;
  const isOne = days.every((each) => Number.isInteger(each) && weekday(each) < 5);
  if (!isOne || days[days.length - 1] - days[0] < 6 || least(days) > 1) return null;
  const count = (of: number) => Math.floor(of / 7) * 5 + weekday(of);
  const first = count(days[0]);
  return {
    step: "working day",
    places: days.map((each) => count(each) - first),
    seasons: [5],
    at(place) {
      const at = first + place;
      const days = Math.floor(at / 5) * 7 + (((at % 5) + 5) % 5);
      return dateCell((days + 4) * day + within);
    },
  };
}

function stepName(count: number, unit: string): string {
  return count === 1 ? unit : `${count} ${unit}s`;
}

function dateCell(time: number): string {
  const text = new Date(time).toISOString().replace("T", " ").replace("Z", "");
  return text.replace(/\.000$/, "");
}

/** The least distance between neighbours. */
function least(values: readonly number[]): number {
  let step = Number.POSITIVE_INFINITY;
  for (let k = 1; k < values.length; k++) step = Math.min(step, values[k] - values[k - 1]);
  return step;
}

function isEven(places: readonly number[]): boolean {
  return places.every((place) => Math.abs(place - Math.round(place)) <= 1e-6 * Math.max(1, Math.abs(place)));
}

function isNear(length: number, other: number): boolean {
  return Math.abs(length - other) <= 0.01 * length;
}

function uneven(name: string, who: string): DataError {
  return new DataError(
    `${who}: the times in ${quoted(name)} are no even steps. Make them so: derive the day or month with dateTrunc, then summarize by it.`,
    { code: "uneven_times", got: name, hint: "summarize" },
  );
}
