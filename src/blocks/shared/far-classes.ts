import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { cell, columnsNamed, type Frame } from "../../core/frame.ts";
import type { ClassColumn } from "../../core/matrix.ts";
import { quoted } from "../../core/names.ts";
import type { Rows } from "../../core/tables.ts";
import { call } from "../../plan/expr.ts";

/** A column with more different values than this has no classes, wherever its rows lie. */
const mostLabels = 10_000;

/** The different values of a column of a cluster, ascending, and how many rows each has. */
export interface FarClasses {
  readonly labels: ClassColumn["labels"];
  readonly counts: readonly number[];
  /** Rows without a value. */
  readonly missing: number;
}

/** Counts the different values of a column over some of a cluster's rows. */
export async function farClasses(
  { relation, columns }: Pick<Frame, "relation" | "columns">,
  name: string,
  rows: Rows,
  { tables }: Pick<BlockContext, "tables">,
): Promise<FarClasses> {
  const by = columnsNamed(columns, [name]).map(cell);
  const order = by.map((expr) => ({ expr }));
  const grouping = { by, outputs: [...by, call("count")], order, limit: mostLabels + 2 };
  const { found } = await tables.groups(relation, rows, grouping);
  const there = found.filter(([value]) => value !== null);
  if (there.length > mostLabels) {
    throw new DataError(
      `column ${quoted(name)} has more than ${mostLabels} different values, too many to be classes.`,
      {
        got: there.length,
        expected: `at most ${mostLabels} classes`,
      },
    );
  }
  const [hole] = found.filter(([value]) => value === null);
  return {
    labels: there.map(([value]) => value as string | number | boolean),
    counts: there.map(([, count]) => Number(count)),
    missing: hole ? Number(hole[1]) : 0,
  };
}
