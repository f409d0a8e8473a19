import { ArgsError } from "../../core/errors.ts";
import type { Column } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { didYouMean, freshNames, listed, quoted } from "../../core/names.ts";
import type { WriteColumn } from "../../core/tables.ts";
import { columnOf, createMatrix, type Matrix } from "../../numerics/types.ts";
import type { Kin } from "../../plan/lineage.ts";
import type { Attributed } from "./attribution.ts";

/** A class, as a model's file has it. */
export type Label = string | number | boolean;

/** What is explained of each row: one number, and each column's share in it. */
export interface Shares {
  /** What the numbers are, such as "probability of Adelie". */
  readonly quantity: string;
  /** The class that each row is explained as; null where the target holds numbers. */
  readonly classes: readonly (Label | null)[];
  /** Is that another class from row to row? */
  readonly isMixed: boolean;
  readonly base: Float64Array;
  readonly answer: Float64Array;
  /** rows×columns. */
  readonly values: Matrix;
}

/** The class of that name among a model's; null where none is asked for. */
export function classAsked(
  wanted: Label | undefined,
  { classes, model_name, targets }: ModelFile,
  who: string,
): number | null {
  if (wanted === undefined) return null;
  if (!classes) {
    throw new ArgsError(
      `${who}: class is for models of classes, and ${quoted(model_name)} answers numbers of ${quoted(targets[0].name)}.`,
      { path: "class", got: wanted },
    );
  }
  const found = classes.findIndex((label) => String(label) === String(wanted));
  if (found >= 0) return found;
  const known = classes.map(String);
  throw new ArgsError(
    `${who}: model ${quoted(model_name)} knows no class ${quoted(String(wanted))}.${didYouMean(String(wanted), known)} Classes: ${listed(known, 50)}.`,
    { path: "class", got: wanted, expected: known.slice(0, 50) },
  );
}

/** What is explained of each row: the class asked for, of two the second, of more the one it is said to be. */
export function sharesOf(
  found: Attributed,
  columns: number,
  file: ModelFile,
  asked: number | null,
  said: Int32Array,
): Shares {
  const { values, base, scale } = found;
  const { n } = values;
  const labels = file.classes;
  const isTwo = labels?.length === 2;
  const isMixed = labels !== null && !isTwo && asked === null;
  // Of two classes the second is worked out; what speaks for it speaks against the first.
  const isFirst = isTwo && asked === 0;
  const out = createMatrix(n, columns);
  const bases = new Float64Array(n);
  const answer = new Float64Array(n);
  const start = (k: number) => (!isFirst ? base[k] : scale === "log odds" ? -base[k] : 1 - base[k]);
  const output = (i: number) => (labels === null || isTwo ? 0 : (asked ?? said[i]));
  for (let i = 0; i < n; i++) {
    const k = output(i);
    bases[i] = start(k);
    answer[i] = bases[i];
    for (let j = 0; j < columns; j++) {
      const value = values.data[(k * columns + j) * n + i];
      out.data[j * n + i] = isFirst ? -value : value;
      answer[i] += out.data[j * n + i];
    }
  }
  const label = (i: number) => (labels === null ? null : isTwo ? labels[asked ?? 1] : labels[asked ?? said[i]]);
  return {
    quantity: quantityOf(
      file,
      scale,
      isMixed ? "its class" : labels && String(isTwo ? labels[asked ?? 1] : labels[asked ?? 0]),
    ),
    classes: Array.from({ length: n }, (_, i) => label(i)),
    ...{ isMixed, base: bases, answer, values: out },
  };
}

function quantityOf({ targets }: ModelFile, scale: Attributed["scale"], label: string | null): string {
  if (label === null) return scale === "log" ? `log of ${targets[0].name}` : targets[0].name;
  return `${scale === "log odds" ? "log odds" : "probability"} of ${label}`;
}

/** How much each column does on average, whichever way. */
export function meanSizes({ values }: Shares): number[] {
  return Array.from({ length: values.d }, (_, j) =>
    columnOf(values, j).reduce((sum, value) => sum + Math.abs(value) / values.n, 0),
  );
}

/** The shares as a table: the row's number, its class, the base, the answer, and a column for each column. */
export function tableOf(shares: Shares, rows: readonly number[], columns: readonly Kin[]): WriteColumn[] {
  const { classes, base, answer, values } = shares;
  const own = classes[0] === null ? ["row", "base", "answer"] : ["row", "class", "base", "answer"];
  const names = [
    ...own,
    ...freshNames(
      columns.map(({ column }) => column),
      own,
    ),
  ];
  const type = typeof classes[0] === "number" ? "number" : typeof classes[0] === "boolean" ? "boolean" : "string";
  const named: Column = { name: "class", type, ...(type === "number" ? { integer: true } : {}) };
  const number = (name: string): Column => ({ name, type: "number" });
  return [
    { column: { name: "row", type: "number", integer: true }, values: Float64Array.from(rows) },
    ...(classes[0] === null ? [] : [{ column: named, values: classes }]),
    { column: number("base"), values: base },
    { column: number("answer"), values: answer },
    ...columns.map((_, j) => ({ column: number(names[own.length + j]), values: columnOf(values, j).slice() })),
  ];
}
