import { z } from "zod";
import { columnRef, defineBlock } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, cell, column, isNumeric, sourceFrame } from "../../core/frame.ts";
import { count, quoted } from "../../core/names.ts";
import { chosen, remember } from "../../core/scope.ts";
import { stack, text } from "../../core/view.ts";
import { call, value } from "../../plan/expr.ts";
import { addStep } from "../../plan/node.ts";

/** More columns than this make no table that anybody could read or train on. */
const mostSteps = 2000;

/**
 * DP_7. Cuts a series into windows: X are the past values, Y the ones that follow.
 *
 * The rows are taken in table order, oldest first. Of n rows n - lookback - lookforward + 1 windows come out, with
 * columns named v_t-4 … v_t-1 (X) and v_t, v_t+1 … (Y); they take the place of the table.
 */
export const timesteps = defineBlock({
  code: "DP_7",
  name: "timesteps",
  codes: ["DP_TSP"],
  args: {
    /** Past steps in a window, from 1. */
    lookback: z.int().min(1),
    /** Steps to predict, from 1 (default 1). */
    lookforward: z.int().min(1).default(1),
    /** The series: a numeric column, by name or by index within the dataset. */
    index: columnRef(),
  },
  aliases: { column: "index" },
  example: 'session.input("sample:weather").timesteps({ column: "temp_max", lookback: 7 })',
  async run(frame, args, context) {
    const names = frame.columns.map((each) => each.name);
    const [name] = chosen(frame, [args.index], { names, where: "the table" });
    const series = column(frame, name);
    const windows = frame.rows - args.lookback - args.lookforward + 1;
    refuse(frame.split !== null, series, args, frame.rows);
    const past = Array.from({ length: args.lookback }, (_, k) => k - args.lookback);
    const future = Array.from({ length: args.lookforward }, (_, k) => k);
    const columns = [...past, ...future].map(
      (step): Column => ({ ...series, name: `${name}_t${step === 0 ? "" : step < 0 ? step : `+${step}`}` }),
    );
    const outputs = columns.map((made, k) => ({ column: made, expr: call("lead", cell(series), value(k)) }));
    const step = { block: context.block.id, name: context.block.name, outputs, rows: windows };
    const made = columns.map((each) => each.name);
    const after = sourceFrame(frame.relation.artifact, columns, windows);
    return {
      frame: {
        ...after,
        relation: addStep(frame.relation, step),
        x: made.slice(0, args.lookback),
        y: made.slice(args.lookback),
        fits: remember(frame, context, [name], "windows"),
      },
      report: { name },
    };
  },
  async view({ after, args, report }, read) {
    const { name } = report as { name: string };
    const words = `${count(after.rows, "window")} of ${name}: ${count(args.lookback, "past step")} to predict ${count(args.lookforward, "step")}.`;
    return stack(text(words), await read.head(after));
  },
});

function refuse(isSplit: boolean, series: Column, args: { lookback: number; lookforward: number }, rows: number): void {
  const who = "timesteps (DP_7)";
  if (isSplit) {
    throw new ArgsError(
      `${who}: the rows are split already, and windows would mix training and test rows. Make windows first, then split with shuffle: false.`,
      { hint: "Branch from the block before the split." },
    );
  }
  if (!isNumeric(series)) {
    throw new DataError(
      `${who}: column ${quoted(series.name)} is ${series.type}, and a series needs numbers. Cast it with astype (DP_ASP), or encode it.`,
      { path: "index", got: series.name },
    );
  }
  if (args.lookback + args.lookforward > mostSteps) {
    throw new ArgsError(
      `${who}: lookback and lookforward make ${args.lookback + args.lookforward} columns, at most ${mostSteps} are made.`,
      { path: "lookback", got: args.lookback + args.lookforward, expected: mostSteps },
    );
  }
  if (rows < args.lookback + args.lookforward) {
    throw new DataError(
      `${who}: ${count(rows, "row")} ${rows === 1 ? "holds" : "hold"} no window of ${args.lookback} + ${args.lookforward} steps. Take a shorter lookback.`,
      { path: "lookback", got: args.lookback, expected: `at most ${rows - args.lookforward}` },
    );
  }
}
