import { DataError } from "../../core/errors.ts";
import type { NumberColumns } from "../../core/matrix.ts";
import { quoted } from "../../core/names.ts";

/** Refuses a target that no Poisson loss can learn; `subject` begins the sentence, `path` is the argument that asks for it. */
export function refuseNoCounts(y: NumberColumns, subject: string, path?: string): void {
  const asked = path ? { path } : {};
  const least = y.data.find((value) => value < 0);
  if (least !== undefined) {
    throw new DataError(`${subject} takes counts from 0 on, but ${quoted(y.names[0])} holds ${least}.`, {
      ...asked,
      code: "negative_target",
      got: least,
      expected: "at least 0",
    });
  }
  if (!y.data.some((value) => value > 0)) {
    throw new DataError(`${subject} needs a count above 0, but ${quoted(y.names[0])} has none.`, {
      ...asked,
      code: "no_counts",
      got: 0,
      expected: "above 0",
    });
  }
}
