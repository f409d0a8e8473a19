import { ArgsError, DataError } from "../../../core/errors.ts";
import type { ImageOptions } from "../../../core/images.ts";
import { count, listed, quoted } from "../../../core/names.ts";
import type { Held } from "../../../core/rows.ts";

/** A column that goes with the pictures. */
export interface LabelColumn {
  readonly name: string;
  readonly held: Held;
  /** The SQL type as which it is written. */
  readonly type: string;
  readonly values: readonly unknown[];
}

/**
 * Target columns as the class mode wants them.
 *
 * `categorical`: a column of 0 and 1 for each class, `label_cat`. `sparse`: whole numbers in the classes' sorted
 * order. `binary`: 0 and 1. `raw`, or no mode: as they are.
 */
export function labelled(targets: readonly LabelColumn[], mode: ImageOptions["classMode"]): readonly LabelColumn[] {
  if (mode === undefined || mode === "raw" || mode === "input") return targets;
  if (targets.length !== 1) {
    throw new ArgsError(
      `input: class_mode "${mode}" labels by one column, got ${count(targets.length, "target column")}; name one in y_columns, or use "raw".`,
      { path: "y_columns", got: targets.map(({ name }) => name) },
    );
  }
  const [{ name, values }] = targets;
  const missing = values.filter((value) => value === null).length;
  if (missing > 0) {
    throw new DataError(
      `input: column ${quoted(name)} has no label for ${count(missing, "picture")}; fill them in, or use class_mode "raw".`,
    );
  }
  const classes = [...new Set(values as (string | number | bigint | boolean)[])].sort((a, b) => (a < b ? -1 : 1));
  if (mode === "binary" && classes.length !== 2) {
    throw new DataError(
      `input: class_mode "binary" is for two classes, got ${count(classes.length, "class", "classes")}: ${listed(classes.map(String))}. Use "sparse" or "categorical".`,
      { code: "not_binary", got: classes.length, expected: 2 },
    );
  }
  if (classes.length > 10_000) {
    throw new DataError(
      `input: column ${quoted(name)} has ${classes.length.toLocaleString("en-US")} different values, too many to be classes.`,
    );
  }
  const whole = { held: "bigint", type: "BIGINT" } as const;
  if (mode === "categorical") {
    return classes.map((one) => ({
      ...whole,
      name: `${name}_${one}`,
      values: values.map((value) => (value === one ? 1n : 0n)),
    }));
  }
  const codes = new Map(classes.map((one, code) => [one as unknown, BigInt(code)]));
  return [{ ...whole, name, values: values.map((value) => codes.get(value)) }];
}
