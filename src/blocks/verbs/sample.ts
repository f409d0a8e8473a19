import { z } from "zod";
import { columnList, defineBlock } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { cell, columnsNamed, type Frame } from "../../core/frame.ts";
import { refuseRows } from "../../core/most-rows.ts";
import { count, listed } from "../../core/names.ts";
import { remember } from "../../core/scope.ts";
import { splitBehind } from "../../core/split.ts";
import type { Tables } from "../../core/tables.ts";
import { stack, text } from "../../core/view.ts";
import { RandomState } from "../../numerics/random.ts";
import { call } from "../../plan/expr.ts";
import { explainSample } from "./explain.ts";
import { columnsOf, sortKeys } from "./keys.ts";

/**
 * BL_SAMPLE. Draws rows at random, from the table or from each group: those that pandas' `sample` draws.
 *
 * The rows come in the order in which they were drawn; those of groups group by group, a missing key last. Roles stay,
 * and a drawn row stays on its side of a split, its copies too.
 */
export const sample = defineBlock({
  code: "BL_SAMPLE",
  name: "sample",
  args: {
    /** How many rows, of each group where there are groups. */
    n: z.int().min(0).max(200_000_000).optional(),
    /** The share of rows that is drawn, in place of n; above 1 with replace alone. */
    frac: z.number().min(0).max(1000).optional(),
    /** Columns whose equal cells make a group (default: all rows are one). */
    by: columnList().optional(),
    /** Whether a row may be drawn more than once (default false). */
    replace: z.boolean().default(false),
    /** Seed of the draw; drawn once and recorded when absent. */
    random_state: z.int().min(0).max(4294967295).optional(),
  },
  positional: ["n"],
  example: 'session.input("sample:penguins").sample(10, { random_state: 0 })',
  explain: explainSample,
  async run(frame, args, context) {
    const who = `${context.block.name} (${context.block.code})`;
    const { n, frac, replace } = args;
    if ((n === undefined) === (frac === undefined)) {
      throw new ArgsError(
        `${who}: give n, how many rows, or frac, which share of them${n === undefined ? "" : ", and not both"}.`,
        {
          path: "n",
        },
      );
    }
    if (frac !== undefined && frac > 1 && !replace) {
      throw new ArgsError(`${who}: frac is ${frac}, and more than all rows can be drawn with replace: true alone.`, {
        path: "frac",
        got: frac,
      });
    }
    const by = columnsOf(frame, args.by);
    const random = new RandomState(args.random_state as number);
    const groups = await groupsOf(frame, by, who, context.tables);
    const sizeOf = (rows: Int32Array) => n ?? evenRound((frac as number) * rows.length);
    const all = groups.reduce((sum, rows) => sum + sizeOf(rows), 0);
    if (replace) refuseRows(all, `${who}: the sample`, "Draw fewer.", n === undefined ? "frac" : "n");
    const drawn = groups.map((rows) => {
      const size = sizeOf(rows);
      if ((size > rows.length && !replace) || (size > 0 && rows.length === 0)) {
        const where = by.length > 0 ? `a group by ${listed(by)} has` : "the table has";
        throw new DataError(
          `${who}: ${where} ${count(rows.length, "row")}, so ${size.toLocaleString("en-US")} can't be drawn from it${rows.length > 0 ? "; draw fewer, or with replace: true" : ""}.`,
          { path: "n", got: size, expected: rows.length },
        );
      }
      const places = replace ? random.integers(rows.length, size) : random.permutation(rows.length).subarray(0, size);
      return places.map((place) => rows[place]);
    });
    const rows = joined(drawn);
    const list = await context.tables.writeColumns([
      { column: { name: "row", type: "number", integer: true }, values: rows },
    ]);
    const { relation } = await context.tables.settle({ made: "take", of: frame.relation, rows: { artifact: list } });
    const split = await splitBehind(frame, relation, () => rows, context.tables);
    const learnt = replace ? frame.columns.map(({ name }) => name) : [];
    const fits = remember(frame, context, learnt, "resampled");
    return {
      frame: { ...frame, relation, rows: rows.length, split, fits },
      report: { groups: by.length > 0 ? groups.length : 0 },
    };
  },
  async view({ before, after, report }, read) {
    const { groups } = report as { groups: number };
    const among = groups > 0 ? ` from ${count(groups, "group")}` : "";
    const all = (before?.rows ?? after.rows).toLocaleString("en-US");
    return stack(text(`Drew ${count(after.rows, "row")} of ${all}${among}.`), await read.head(after));
  },
});

/** The row numbers of each group, groups by their keys. */
async function groupsOf(frame: Frame, by: readonly string[], who: string, tables: Tables): Promise<Int32Array[]> {
  if (by.length === 0) return [Int32Array.from({ length: frame.rows }, (_, row) => row)];
  const keys = sortKeys(frame, by, who);
  const exprs = columnsNamed(frame.columns, by).map(cell);
  const [order, { found }] = await Promise.all([
    tables.order(frame.relation, keys),
    tables.groups(frame.relation, {}, { by: exprs, outputs: [call("count")], order: exprs.map((expr) => ({ expr })) }),
  ]);
  let start = 0;
  return found.map(([size]) => {
    const rows = order.subarray(start, start + Number(size));
    start += Number(size);
    return rows;
  });
}

function joined(parts: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** As Python rounds. */
function evenRound(x: number): number {
  const down = Math.floor(x);
  if (x - down !== 0.5) return Math.round(x);
  return down % 2 === 0 ? down : down + 1;
}
