import { z } from "zod";
import { type BlockContext, columnRef, defineBlock } from "../../core/block.ts";
import { type Column, cell, column, type Frame } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import { chosen, replaceColumns } from "../../core/scope.ts";
import { stack, text } from "../../core/view.ts";
import { call } from "../../plan/expr.ts";
import type { Output } from "../../plan/node.ts";
import { dateReader, hasTimes } from "../shared/reading.ts";

const dayParts = ["year", "month", "day"] as const;
const timeParts = ["hour", "minute", "second"] as const;

/**
 * DP_PDT. Reads a column as dates, and adds its year, month, day and day of the week as columns.
 *
 * Hour, minute and second are added where some value has a time. Many ways to write a date are understood,
 * also several in one column; times with an offset become UTC. Cells that can't be read become missing.
 */
export const dates = defineBlock({
  code: "DP_PDT",
  name: "dates",
  args: {
    /** The column, by name or by index within the dataset. */
    index: columnRef(),
    /** Drop the column itself and keep the parts alone (default false). */
    drop: z.boolean().default(false),
    /** Whether 3/4/2026 is the third of April (default: whichever reads more cells, else the fourth of March). */
    dayfirst: z.boolean().optional(),
  },
  aliases: { column: "index" },
  positional: ["index"],
  example: 'session.input("sample:weather").dates("date")',
  explain: { found: ({ report }) => ({ dayfirst: (report as { dayfirst?: boolean } | undefined)?.dayfirst ?? false }) },
  async run(frame, args, context) {
    const names = frame.columns.map((each) => each.name);
    const [name] = chosen(frame, [args.index], { names, where: "the table" });
    const { read, hasTime, unreadable, dayfirst } = await reading(frame, column(frame, name), args.dayfirst, context);
    const parsed = replaceColumns(frame, context, new Map([[name, [read]]]));
    const parts = partsOf(parsed, name, hasTime);
    const outputs = args.drop ? parts : [{ column: read.column }, ...parts];
    return {
      frame: replaceColumns(parsed, context, new Map([[name, outputs]])),
      report: { name, unreadable, dayfirst, parts: parts.map((part) => part.column.name) },
    };
  },
  async view({ after, report }, read) {
    const { name, parts } = report as { name: string; parts: string[] };
    return stack(text(`${name}: added ${parts.join(", ")}.`), await read.head(after));
  },
});

/** How the column is read, and what there is to say of it. */
async function reading(
  frame: Frame,
  from: Column,
  dayFirst: boolean | undefined,
  context: BlockContext,
): Promise<{ read: Output; hasTime: boolean; unreadable: number; dayfirst: boolean }> {
  const made: Column = { name: from.name, type: "datetime" };
  if (from.type === "datetime") {
    const hasTime = await hasTimes(frame, from, context);
    return { read: { column: made }, hasTime, unreadable: 0, dayfirst: false };
  }
  const { expr, ...found } = await dateReader(frame, from, dayFirst, "dates (DP_PDT)", context);
  return { read: { column: made, expr }, ...found };
}

function partsOf(frame: Frame, name: string, hasTime: boolean): Output[] {
  const wanted = [...dayParts, ...(hasTime ? timeParts : []), "dayofweek"] as const;
  const taken = frame.columns.map((each) => each.name);
  const made = freshNames(
    wanted.map((part) => `${name}_${part}`),
    taken,
  );
  const date = cell(column(frame, name));
  return wanted.map((part, k) => ({
    column: { name: made[k], type: "number", integer: true },
    expr: call(part === "dayofweek" ? "weekday" : part, date),
  }));
}
