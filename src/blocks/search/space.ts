import { z } from "zod";
import { anyJson } from "../../core/block.ts";
import { ArgsError, BlocklabError } from "../../core/errors.ts";
import { count, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { Axis, Point } from "../../numerics/search/parzen.ts";

/** Arguments that are searched at once, at most. */
const mostAxes = 50;

/** What to try of one argument: numbers from one to another, or choices. */
const axisArg = z.union([
  z.array(anyJson()).min(1).max(1000),
  z.strictObject({
    /** The least number. */
    low: z.number(),
    /** The greatest number. */
    high: z.number(),
    /** Try as many numbers from 1 to 10 as from 10 to 100 (default false). */
    log: z.boolean().default(false),
    /** The way from one number to the next, from `low` on (default: 1 where the argument takes whole numbers alone, else none). */
    step: z.number().positive().optional(),
  }),
  z.strictObject({
    /** The values; for two numbers between which nothing is to be tried. */
    choices: z.array(anyJson()).min(1).max(1000),
  }),
]);

/** What to try, by argument. */
export const spaceArg = z.record(z.string(), axisArg);

/** A space as a block gets it. */
type Space = z.output<typeof spaceArg>;

/** An argument that is searched, and the values that its numbers stand for. */
interface Searched {
  readonly name: string;
  readonly axis: Axis;
  /** The values of choices; none of a range. */
  readonly values: readonly Json[];
}

/** The arguments that a search chooses, as axes of a space. */
export class SearchSpace {
  readonly searched: readonly Searched[];
  readonly axes: readonly Axis[];
  /** How many points there are; Infinity where numbers have no steps. */
  readonly size: number;

  /** `accepts` throws ArgsError where the model does not take a value; it is asked of bounds and of choices. */
  constructor(space: Space, accepts: (name: string, value: Json) => void, who: string) {
    const names = Object.keys(space);
    if (names.length === 0 || names.length > mostAxes) {
      const got = names.length === 0 ? "none" : count(names.length, "argument");
      throw new ArgsError(
        `${who}: space must hold 1 to ${mostAxes} arguments of the model, got ${got}. Name them with what to try, as in { max_depth: [2, 20] }.`,
        { path: "space", got: names.length, expected: `1 to ${mostAxes}` },
      );
    }
    // Sorted, so that the order in which they are written decides nothing.
    this.searched = names.sort().map((name) => searchedOf(name, space[name], accepts, who));
    this.axes = this.searched.map(({ axis }) => axis);
    this.size = this.axes.reduce((product, axis) => product * sizeOf(axis), 1);
  }

  /** The arguments that a point stands for; numbers are rounded so that they can be read and typed. */
  valuesAt(point: Point): Record<string, Json> {
    return Object.fromEntries(
      this.searched.map(({ name, axis, values }, j) => [
        name,
        axis.kind === "choices" ? values[point[j]] : readable(axis, point[j]),
      ]),
    );
  }

  /** The point of such arguments. */
  pointOf(values: Readonly<Record<string, Json>>): Point {
    return this.searched.map(({ name, axis, values: choices }) => {
      const value = values[name];
      // A range's values are numbers.
      return axis.kind === "choices" ? choices.indexOf(value) : (value as number);
    });
  }

  /** The point of this number below `size`. */
  pointAt(index: number): Point {
    let left = index;
    return this.axes.map((axis) => {
      const n = sizeOf(axis);
      const k = left % n;
      left = Math.floor(left / n);
      return axis.kind === "choices" ? k : Number((axis.low + k * axis.step).toPrecision(12));
    });
  }

  /** The space in full, as it stands in the record's output. */
  get json(): Json {
    const told = ({ axis, values }: Searched): Json => {
      if (axis.kind === "choices") return { choices: [...values] };
      const { low, high, log, step } = axis;
      return { low, high, log, ...(step > 0 ? { step } : {}) };
    };
    return Object.fromEntries(this.searched.map((each) => [each.name, told(each)]));
  }
}

type Range = Extract<Axis, { kind: "range" }>;

function searchedOf(
  name: string,
  given: Space[string],
  accepts: (name: string, value: Json) => void,
  who: string,
): Searched {
  const range = rangeOf(given);
  if (range === null) {
    const values = (Array.isArray(given) ? given : (given as { choices: Json[] }).choices) as readonly Json[];
    for (const value of values) accepts(name, value);
    // Of equal ones the first.
    const texts = values.map((value) => JSON.stringify(value));
    const distinct = values.filter((_, k) => texts.indexOf(texts[k]) === k);
    return { name, axis: { kind: "choices", size: distinct.length }, values: distinct };
  }
  const { low, high, log } = range;
  refuseBounds(name, range, who);
  accepts(name, low);
  accepts(name, high);
  const step = range.step ?? (isWhole(name, low, high, accepts) ? 1 : 0);
  return { name, axis: { kind: "range", low, high, log, step }, values: [] };
}

interface Bounds {
  readonly low: number;
  readonly high: number;
  readonly log: boolean;
  readonly step?: number | undefined;
}

/** What was given as a range: two numbers in a list are one. */
function rangeOf(given: Space[string]): Bounds | null {
  if (Array.isArray(given)) {
    const [low, high] = given;
    const isPair = given.length === 2 && typeof low === "number" && typeof high === "number";
    return isPair ? { low, high, log: false } : null;
  }
  return "low" in given ? given : null;
}

function refuseBounds(name: string, { low, high, log, step }: Bounds, who: string): void {
  const refuse = (words: string, got: Json): never => {
    throw new ArgsError(`${who}: ${words}`, { path: `space.${name}`, got });
  };
  const of = quoted(name);
  if (low >= high) {
    const cure = low > high ? `Swap them: [${high}, ${low}].` : `Take fixed: { ${name}: ${low} } for one value.`;
    refuse(`the lower bound of ${of} must be below the upper one, got ${low} and ${high}. ${cure}`, [low, high]);
  }
  if (log && low <= 0) {
    refuse(`log needs bounds above 0, and ${of} begins at ${low}. Begin above 0, or leave log out.`, low);
  }
  if (step === undefined) return;
  if (log) refuse(`step and log don't go together, and ${of} has both. Leave one out.`, step);
  if (step > high - low) {
    refuse(`step ${step} of ${of} is wider than from ${low} to ${high}. Take a smaller one.`, step);
  }
  // Choices of more than this are as good as none.
  if ((high - low) / step > 1e6) refuse(`step ${step} of ${of} makes more than a million numbers. Leave it out.`, step);
}

/** Whether the argument takes whole numbers alone between whole bounds. */
function isWhole(name: string, low: number, high: number, accepts: (name: string, value: Json) => void): boolean {
  if (!Number.isInteger(low) || !Number.isInteger(high)) return false;
  try {
    // No share of 1, which some arguments take beside counts.
    accepts(name, low + (high - low > 1 ? 1.5 : 0.5));
    return false;
  } catch (error) {
    if (error instanceof BlocklabError) return true;
    throw error;
  }
}

function sizeOf(axis: Axis): number {
  if (axis.kind === "choices") return axis.size;
  return axis.step > 0 ? Math.floor((axis.high - axis.low) / axis.step + 1e-9) + 1 : Infinity;
}

/** A number with as many digits as tell a thousandth of the range, or of itself where the scale is logarithmic. */
function readable({ low, high, log, step }: Range, value: number): number {
  if (step > 0) return value;
  const digits = 4;
  const unit = 10 ** (Math.floor(Math.log10(high - low)) - digits + 1);
  const rounded = log ? Number(value.toPrecision(digits)) : Number((Math.round(value / unit) * unit).toPrecision(12));
  return Math.min(high, Math.max(low, rounded));
}
