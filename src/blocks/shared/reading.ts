import type { BlockContext } from "../../core/block.ts";
import { countWhere } from "../../core/cast.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, cell, type Frame } from "../../core/frame.ts";
import { count, quoted } from "../../core/names.ts";
import { fitSelection } from "../../core/scope.ts";
import type { Cell } from "../../core/view.ts";
import { call, column, type Expr, value } from "../../plan/expr.ts";
import { addStep, type Relation } from "../../plan/node.ts";

/** How a column's cells are read as dates. */
export interface DateReader {
  readonly expr: Expr;
  /** Cells that it can't read. */
  readonly unreadable: number;
  /** Whether 3/4/2026 is the third of April. */
  readonly dayfirst: boolean;
  /** Does some cell have a time? */
  readonly hasTime: boolean;
}

function readAs(from: Column, first: "day" | "month"): Expr {
  return call("readDate", cell(from), { list: [first] });
}

/** What is written in each cell, and the date it is with the month first and with the day first. */
const written = column("written", "string");
const us = column("us", "datetime");
const eu = column("eu", "datetime");

/** A table of these alone, so that none is worked out twice. */
function bothWays({ relation }: Frame, from: Column, { block }: Pick<BlockContext, "block">): Relation {
  return addStep(relation, {
    block: block.id,
    name: "read",
    outputs: [
      { column: { name: written.column, type: "string" }, expr: call("written", cell(from)) },
      { column: { name: us.column, type: "datetime" }, expr: readAs(from, "month") },
      { column: { name: eu.column, type: "datetime" }, expr: readAs(from, "day") },
    ],
  });
}

/** Is it a date with a time, or written as one? */
function isTimed(date: Expr, text?: Expr): Expr {
  const isLater = call("notEqual", date, call("dateTrunc", date, value("day")));
  if (!text) return isLater;
  return call("or", isLater, call("and", call("not", call("isMissing", date)), call("includes", text, value(":"))));
}

/** Does some cell of a column of dates have a time? */
export async function hasTimes({ relation }: Frame, of: Column, { tables }: BlockContext): Promise<boolean> {
  const [timed] = await tables.aggregate(relation, {}, [countWhere(isTimed(cell(of)))]);
  return Number(timed) > 0;
}

/** Finds how a column's cells are read as dates. Says what is lost. */
export async function dateReader(
  frame: Frame,
  from: Column,
  dayFirst: boolean | undefined,
  who: string,
  context: BlockContext,
): Promise<DateReader> {
  const both = bothWays(frame, from, context);
  const wanted = [...[written, us, eu].map((each) => call("count", each)), countWhere(call("notEqual", us, eu))];
  const times = [us, eu].map((each) => countWhere(isTimed(each, written)));
  const found = await context.tables.aggregate(both, {}, [...wanted, ...times]);
  const [present, asUs, asEu, differ, timedUs, timedEu] = found.map(Number);
  const isDayFirst = dayFirst ?? asEu > asUs;
  const readable = isDayFirst ? asEu : asUs;
  const unreadable = present - readable;
  if (present > 0 && readable === 0) {
    throw new DataError(`${who}: no cell of column ${quoted(from.name)} can be read as a date.`, { got: from.name });
  }
  if (dayFirst === undefined && asUs === asEu && differ > 0) {
    context.notice(
      `${who}: ${count(differ, "cell")} of column ${quoted(from.name)} could have the day or the month first; the month was taken. Give dayfirst: true for the other.`,
    );
  }
  if (unreadable > 0) {
    const where = call("and", call("not", call("isMissing", written)), call("isMissing", isDayFirst ? eu : us));
    const [[row, first]] = await context.tables.find(both, {}, { where, outputs: [written], limit: 1 });
    context.notice(
      `${who}: ${count(unreadable, "cell")} of column ${quoted(from.name)} can't be read as dates and became missing, the first in row ${row}: ${shown(first)}.`,
    );
  }
  const hasTime = (isDayFirst ? timedEu : timedUs) > 0;
  return { expr: readAs(from, isDayFirst ? "day" : "month"), unreadable, dayfirst: isDayFirst, hasTime };
}

/** A cell as a message quotes it. */
export function shown(value: Cell): string {
  const text = String(value);
  return quoted(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** Is every cell of a column of words a date? One that holds nothing is none. */
export async function isDateColumn(frame: Frame, from: Column, context: BlockContext): Promise<boolean> {
  const counts = [written, us, eu].map((each) => call("count", each));
  const found = await context.tables.aggregate(bothWays(frame, from, context), fitSelection(frame), counts);
  const [present, asUs, asEu] = found.map(Number);
  return present > 0 && present === Math.max(asUs, asEu);
}
