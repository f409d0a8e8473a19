import { createMatrix, type Hooks, type Matrix } from "../types.ts";

/** How columns as they are become features that every model takes: filled, one-hot, perhaps scaled. */
export type Recipe = {
  /** The column that each feature is made of. */
  readonly from: Int32Array;
  /** The category that it asks for with 1; −1 for the number itself. */
  readonly level: Int32Array;
  /** What stands for a missing cell of that column: a number, or the code of a category. */
  readonly fill: Float64Array;
  /** What is taken from a feature, and what the rest is divided by; 0 and 1 where nothing is scaled. */
  readonly shift: Float64Array;
  readonly scale: Float64Array;
};

export type RecipeInput = {
  /** Rows with missing cells as NaN and categories as codes from 0. */
  readonly x: Matrix;
  /** Categories of each column; 0 for a column of numbers, −1 for one of 0 and 1 that is filled by its mode. */
  readonly categories: Int32Array;
  /** What stands for missing numbers; categories take their mode, of several the least code. */
  readonly fill: "mean" | "median";
  /** Mean 0 and deviation 1 for every feature; a constant one is centred only. */
  readonly scaled: boolean;
  /** A column of more categories is left out. */
  readonly mostCategories: number;
};

/**
 * Learns the recipe from rows alone, as the blocks missing, encode (one-hot) and scale (standard) learn theirs.
 *
 * A column without a value is left out. Deviations are of the population. O(n·d log n) for medians, else O(n·d).
 */
export function fitRecipe({ x, categories, fill, scaled, mostCategories }: RecipeInput, hooks: Hooks): Recipe {
  const [from, level, fills, shift, scale]: number[][] = [[], [], [], [], []];
  for (let j = 0; j < x.d; j++) {
    hooks.progress(j, x.d);
    const column = x.data.subarray(j * x.n, (j + 1) * x.n);
    const present = column.filter((value) => !Number.isNaN(value));
    const kinds = categories[j]!;
    if (present.length === 0 || kinds > mostCategories) continue;
    const filled = kinds !== 0 ? mode(present, Math.max(2, kinds)) : fill === "mean" ? mean(present) : median(present);
    const levels = kinds > 0 ? Array.from({ length: kinds }, (_, code) => code) : [-1];
    for (const code of levels) {
      const [centre, width] = scaled ? moments(column, filled, code) : [0, 1];
      from.push(j);
      level.push(code);
      fills.push(filled);
      shift.push(centre);
      scale.push(width);
    }
  }
  return {
    from: Int32Array.from(from),
    level: Int32Array.from(level),
    fill: Float64Array.from(fills),
    shift: Float64Array.from(shift),
    scale: Float64Array.from(scale),
  };
}

/** The features of rows by a recipe, in shared memory. A category that the recipe doesn't know is no 1 anywhere. O(n·d). */
export function applyRecipe({ x, recipe }: { readonly x: Matrix; readonly recipe: Recipe }, hooks: Hooks): Matrix {
  const { from, level, fill, shift, scale } = recipe;
  const out = createMatrix(x.n, from.length, true);
  for (let k = 0; k < from.length; k++) {
    hooks.progress(k, from.length);
    const column = x.data.subarray(from[k]! * x.n, (from[k]! + 1) * x.n);
    const made = out.data.subarray(k * x.n, (k + 1) * x.n);
    const [code, missing, centre, width] = [level[k]!, fill[k]!, shift[k]!, scale[k]!];
    for (let i = 0; i < x.n; i++) made[i] = (cell(column[i]!, missing, code) - centre) / width;
  }
  return out;
}

function cell(value: number, missing: number, code: number): number {
  const filled = Number.isNaN(value) ? missing : value;
  return code < 0 ? filled : filled === code ? 1 : 0;
}

function mean(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

function median(values: Float64Array): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function mode(codes: Float64Array, kinds: number): number {
  const rows = new Int32Array(kinds);
  for (const code of codes) rows[code]!++;
  return rows.reduce((best, n, code) => (n > rows[best]! ? code : best), 0);
}

/** Mean and deviation of a feature's cells; 1 for the deviation of a constant. */
function moments(column: Float64Array, missing: number, code: number): [number, number] {
  let sum = 0;
  for (const value of column) sum += cell(value, missing, code);
  const centre = sum / column.length;
  let squares = 0;
  for (const value of column) squares += (cell(value, missing, code) - centre) ** 2;
  const width = Math.sqrt(squares / column.length);
  // What rounding leaves of a constant is no deviation.
  return [centre, width > 1e-12 * Math.max(1, Math.abs(centre)) ? width : 1];
}
