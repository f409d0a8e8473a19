import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, cell, type Frame, isNumeric, unknownColumn } from "../../core/frame.ts";
import { quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { allOf, balanced, call, type Expr, value } from "../../plan/expr.ts";
import { refuseWide } from "./picture.ts";
import { broken, isPart, known, type Part, who } from "./spec-rules.ts";

/** What a channel shows, worked out by the engine: a cell of each mark. */
export interface Field {
  /** How it is called in the picture's rows. */
  readonly name: string;
  readonly title: string;
  readonly type: "quantitative" | "temporal" | "nominal" | "ordinal";
  readonly expr: Expr;
  /** Is it one number of many rows? */
  readonly isAggregate: boolean;
  /** The bins, when the cell is a bin's number. */
  readonly bins?: { readonly start: number; readonly step: number; readonly count: number };
  /** What a part of a date is called, by its number: months, days of the week. */
  readonly names?: readonly string[];
  /** The unit that a date is cut to, as Vega-Lite calls it. */
  readonly timeUnit?: string;
}

/** What a table offers to a specification. */
export interface Sight {
  readonly frame: Frame;
  readonly context: BlockContext;
  /** The rows that the view's filters leave, if any. */
  readonly where: Expr | null;
}

const types = ["quantitative", "temporal", "nominal", "ordinal"] as const;

type Aggregate = (x: Expr) => Expr;
const n = (x: Expr) => call("count", x);
const spread = (name: "std" | "variance", x: Expr) => call(name, x);

/** Vega-Lite's aggregates of numbers, and those of any cells. */
const ofNumbers: Readonly<Record<string, Aggregate>> = {
  sum: (x) => call("sortedSum", x),
  mean: (x) => call("mean", x),
  average: (x) => call("mean", x),
  median: (x) => call("median", x),
  q1: (x) => call("quantile", x, value(0.25)),
  q3: (x) => call("quantile", x, value(0.75)),
  stdev: (x) => spread("std", x),
  variance: (x) => spread("variance", x),
  stdevp: (x) =>
    call("multiply", spread("std", x), call("sqrt", call("divide", call("subtract", n(x), value(1)), n(x)))),
  variancep: (x) => call("multiply", spread("variance", x), call("divide", call("subtract", n(x), value(1)), n(x))),
  stderr: (x) => call("divide", spread("std", x), call("sqrt", n(x))),
};
const ofAny: Readonly<Record<string, Aggregate>> = {
  min: (x) => call("min", x),
  max: (x) => call("max", x),
  valid: n,
  distinct: (x) => call("countDistinct", x),
  missing: (x) => call("subtract", call("count"), n(x)),
};
const aggregates = ["count", ...Object.keys(ofNumbers), ...Object.keys(ofAny)];

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Units that cut a date off, with the unit of the language. */
const cuts: Readonly<Record<string, string>> = {
  year: "year",
  yearquarter: "quarter",
  yearmonth: "month",
  yearweek: "week",
  yearmonthdate: "day",
  yearmonthdatehours: "hour",
  yearmonthdatehoursminutes: "minute",
  yearmonthdatehoursminutesseconds: "second",
};

/** Units that are a part of a date, come round again, and are shown by name. */
const rounds: Readonly<
  Record<
    string,
    {
      readonly part: "quarter" | "month" | "day" | "weekday" | "hour" | "minute" | "second";
      readonly names?: readonly string[];
    }
  >
> = {
  quarter: { part: "quarter", names: ["", "Q1", "Q2", "Q3", "Q4"] },
  month: { part: "month", names: ["", ...months] },
  date: { part: "day" },
  day: { part: "weekday", names: weekdays },
  hours: { part: "hour" },
  minutes: { part: "minute" },
  seconds: { part: "second" },
};

/** A column by its name; the nearest one stands in the error. */
export function columnNamed(name: Json | undefined, path: string, { frame, context }: Sight): Column {
  if (typeof name !== "string") throw broken(context, path, "it must be the name of a column", name);
  const found = frame.columns.find((each) => each.name === name);
  if (!found) {
    const error = unknownColumn(
      name,
      frame.columns.map((each) => each.name),
    );
    throw Object.assign(error, { message: `${who(context)}: ${path}: ${error.message}` });
  }
  if (found.type === "tensor")
    throw new DataError(`${who(context)}: ${path}: column ${quoted(name)} holds arrays.`, { path });
  return found;
}

/** What a channel's definition asks for; null where it names no column. */
export async function fieldOf(
  definition: Part,
  path: string,
  { sight, isPosition, fresh }: { readonly sight: Sight; readonly isPosition: boolean; fresh(title: string): string },
): Promise<Field | null> {
  const { context } = sight;
  const { aggregate, field, bin, timeUnit } = definition;
  if (aggregate === undefined && field === undefined) return null;
  const given = typeof definition.title === "string" ? definition.title : undefined;
  const type = definition.type === undefined ? undefined : known(definition.type, types, `${path}.type`, context);
  if (aggregate === "count") {
    const title = given ?? "count";
    return { name: fresh(title), title, type: type ?? "quantitative", expr: call("count"), isAggregate: true };
  }
  const column = columnNamed(field, `${path}.field`, sight);
  const x = cell(column);
  if (aggregate !== undefined && aggregate !== null) {
    const name = known(aggregate, aggregates, `${path}.aggregate`, context);
    if (Object.hasOwn(ofNumbers, name)) refuseWords(column, `${path}.aggregate`, name, context);
    const title = given ?? `${name} of ${column.name}`;
    const expr = { ...ofNumbers, ...ofAny }[name](x);
    const isDate = column.type === "datetime" && (name === "min" || name === "max");
    return { name: fresh(title), title, type: type ?? (isDate ? "temporal" : "quantitative"), expr, isAggregate: true };
  }
  if (timeUnit !== undefined && timeUnit !== null)
    return timeField(definition, column, path, { sight, given, type, fresh });
  if (bin === true || isPart(bin))
    return await binField(definition, column, path, { sight, isPosition, given, type, fresh });
  const own = column.type === "datetime" ? "temporal" : column.type === "number" ? "quantitative" : "nominal";
  if (type === "quantitative") refuseWords(column, `${path}.type`, type, context);
  if (type === "temporal" && column.type !== "datetime")
    throw new DataError(
      `${who(context)}: ${path}.type is "temporal", and column ${quoted(column.name)} is ${column.type}. Make it a date with dates before.`,
      { path: `${path}.type` },
    );
  const title = given ?? column.name;
  return { name: fresh(title), title, type: type ?? own, expr: x, isAggregate: false };
}

interface Asked {
  readonly sight: Sight;
  readonly given: string | undefined;
  readonly type: Field["type"] | undefined;
  fresh(title: string): string;
}

function refuseWords(column: Column, path: string, what: string, context: BlockContext): void {
  if (isNumeric(column)) return;
  throw new DataError(
    `${who(context)}: ${path} "${what}" needs numbers, and column ${quoted(column.name)} is ${column.type}.`,
    { path, got: what },
  );
}

function timeField(definition: Part, column: Column, path: string, { sight, given, type, fresh }: Asked): Field {
  const { context } = sight;
  const asked = isPart(definition.timeUnit) ? definition.timeUnit.unit : definition.timeUnit;
  const plain = typeof asked === "string" ? asked.replace(/^utc/, "") : asked;
  const unit = known(plain, [...Object.keys(cuts), ...Object.keys(rounds)], `${path}.timeUnit`, context);
  if (column.type !== "datetime")
    throw new DataError(
      `${who(context)}: ${path}.timeUnit needs dates, and column ${quoted(column.name)} is ${column.type}. Make it a date with dates before.`,
      { path: `${path}.timeUnit`, got: unit },
    );
  const title = given ?? `${column.name} (${unit})`;
  const common = { name: fresh(title), title, isAggregate: false };
  const x = cell(column);
  const cut = cuts[unit];
  if (cut)
    return { ...common, type: type ?? "temporal", expr: call("dateTrunc", x, value(cut)), timeUnit: `utc${unit}` };
  const { part, names } = rounds[unit];
  return { ...common, type: type === "nominal" ? type : "ordinal", expr: call(part, x), ...(names ? { names } : {}) };
}

/** Bins as Vega makes them: at most so many, of a width that people count in. */
async function binField(
  definition: Part,
  column: Column,
  path: string,
  { sight, isPosition, given, type, fresh }: Asked & { readonly isPosition: boolean },
): Promise<Field> {
  const { context, frame, where } = sight;
  refuseWords(column, `${path}.bin`, "bin", context);
  const bin: Part = isPart(definition.bin) ? definition.bin : {};
  const number = (key: string, least: number): number | undefined => {
    const found = bin[key];
    if (found === undefined || found === null) return undefined;
    if (typeof found === "number" && found >= least && Number.isFinite(found)) return found;
    throw broken(context, `${path}.bin.${key}`, `it must be a number above ${least}`, found);
  };
  const x = cell(column);
  const shown = where ? call("choose", where, x, value(null)) : x;
  const seen = call("choose", call("isFinite", call("number", shown)), shown, value(null));
  const asked = bin.extent;
  const isExtent = Array.isArray(asked) && asked.length === 2 && asked.every(Number.isFinite);
  const found = isExtent
    ? asked
    : await context.tables.aggregate(frame.relation, {}, [call("min", seen), call("max", seen)]);
  const [low, high] = found.map(Number);
  if (found[0] === null)
    throw new DataError(`${who(context)}: column ${quoted(column.name)} has no values to bin.`, { path });
  refuseWide([low, high], column, context);
  const most = Math.min(1000, number("maxbins", 1) ?? (isPosition ? 10 : 6));
  const { start, step, count } = niceBins(low, high, most, number("step", Number.MIN_VALUE), number("minstep", 0));
  if (count > 5000) throw broken(context, `${path}.bin`, `that would be ${count} bins`, bin.step);
  const place = call("floor", call("divide", call("subtract", x, value(start, "number")), value(step, "number")));
  const within = call("clip", call("number", place), value(0, "number"), value(count - 1, "number"));
  const title = given ?? `${column.name} (bins)`;
  const kind = type === "nominal" || type === "ordinal" || !isPosition ? "ordinal" : "quantitative";
  return { name: fresh(title), title, type: kind, expr: within, isAggregate: false, bins: { start, step, count } };
}

/** Bins of a width that people count in, as Vega makes them. */
export function niceBins(low: number, high: number, most: number, asked: number | undefined, least = 0) {
  const span = high - low || Math.abs(low) || 1;
  const step = asked ?? niceStep(span, most, least);
  // Sums of tenths go astray in the last digit.
  const tidy = (x: number) => Number(x.toPrecision(12));
  const start = tidy(Math.floor(low / step + 1e-9) * step);
  const stop = tidy(Math.ceil(high / step - 1e-9) * step);
  return { start, step: tidy(step), count: Math.max(1, Math.round((stop - start) / step)) };
}

function niceStep(span: number, most: number, least: number): number {
  let step = Math.max(least, 10 ** (Math.round(Math.log10(span)) - Math.ceil(Math.log10(most))));
  while (Math.ceil(span / step) > most) step *= 10;
  for (const divisor of [5, 2]) {
    const smaller = step / divisor;
    if (smaller >= least && span / smaller <= most) step = smaller;
  }
  return step;
}

/** A filter of a view, as { field, gt: 3 } or several of them with and, or, not. */
export function predicate(filter: Json | undefined, path: string, sight: Sight): Expr {
  const { context } = sight;
  if (!isPart(filter)) throw broken(context, path, "write it as { field, gt: 3 } and the like", filter);
  for (const joiner of ["and", "or"] as const) {
    const inner = filter[joiner];
    if (!Array.isArray(inner) || inner.length === 0) continue;
    const all = inner.map((each, k) => predicate(each as Json, `${path}.${joiner}[${k}]`, sight));
    return joiner === "and" ? allOf(all) : balanced("or", all);
  }
  if (filter.not !== undefined) return call("not", predicate(filter.not, `${path}.not`, sight));
  const column = columnNamed(filter.field, `${path}.field`, sight);
  const x = cell(column);
  const constant = (given: Json | undefined, at: string): Expr => {
    const fits = column.type === "number" ? "number" : column.type === "boolean" ? "boolean" : "string";
    if (typeof given !== fits) throw broken(context, at, `column ${quoted(column.name)} is ${column.type}`, given);
    return value(given as string | number | boolean, column.type === "datetime" ? "datetime" : undefined);
  };
  const two = {
    equal: "equal",
    lt: "less",
    lte: "lessEqual",
    gt: "greater",
    gte: "greaterEqual",
  } as const;
  for (const [key, name] of Object.entries(two)) {
    if (filter[key] !== undefined) return call(name, x, constant(filter[key], `${path}.${key}`));
  }
  if (Array.isArray(filter.oneOf) && filter.oneOf.length > 0)
    return balanced(
      "or",
      filter.oneOf.map((each, k) => call("equal", x, constant(each as Json, `${path}.oneOf[${k}]`))),
    );
  if (Array.isArray(filter.range) && filter.range.length === 2) {
    const [from, to] = filter.range as readonly Json[];
    const ends: Expr[] = [];
    if (from !== null) ends.push(call("greaterEqual", x, constant(from, `${path}.range[0]`)));
    if (to !== null) ends.push(call("lessEqual", x, constant(to, `${path}.range[1]`)));
    if (ends.length > 0) return allOf(ends);
  }
  if (typeof filter.valid === "boolean") return filter.valid ? call("not", call("isMissing", x)) : call("isMissing", x);
  throw broken(context, path, "it takes equal, lt, lte, gt, gte, range, oneOf or valid", filter);
}
