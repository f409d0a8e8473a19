import { z } from "zod";
import { type BlockContext, columnList, defineBlock, slice } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { cell, column, type Frame, isNumeric } from "../../core/frame.ts";
import { listed, quoted } from "../../core/names.ts";
import { applyKept, keep } from "../../core/preparation.ts";
import {
  chosen,
  fitRows,
  noticeRows,
  replaceColumns,
  scope,
  type VariableFlags,
  variableFlags,
} from "../../core/scope.ts";
import { stack, text } from "../../core/view.ts";
import { call, value } from "../../plan/expr.ts";
import type { Output } from "../../plan/node.ts";

import { columnQuantilesOf } from "../shared/column-turns.ts";
import { explainScale } from "./explain.ts";
import { meansAndRanges, moments } from "./moments.ts";

/** What is taken from a value, and what the rest is divided by. */
interface Scaling {
  readonly column: string;
  readonly center: number;
  readonly scale: number;
}

/**
 * DP_5. Brings numeric columns to a common scale.
 *
 * Fitted on training rows alone once there is a split, applied to all rows. A constant column is centred only.
 */
export const scale = defineBlock({
  code: "DP_5",
  name: "scale",
  args: {
    /** "standard": mean 0, deviation 1; "minmax": 0 to 1; "robust": median 0, quartiles 1 apart; "maxabs": at most 1 (default "standard"). */
    scaler: z.literal(["standard", "minmax", "robust", "maxabs"]).default("standard"),
    /** Columns to scale, as a slice or a list of names (default: every numeric feature). */
    boundaries: slice().optional(),
    /** The column to scale, by index or name; several as a list. */
    index: columnList().optional(),
    /** Sent by clients along with index; false leaves all columns alone (default true). */
    encode: z.boolean().default(true),
    /** "drop" drops the columns that are not scaled, "passthrough" leaves them alone (default "passthrough"). */
    remainder: z.literal(["drop", "passthrough"]).default("passthrough"),
    /** Keeps what was learnt in the project under this name. */
    save_name: z.string().min(1).optional(),
    /** Applies what was kept under this name in place of learning anew; no other argument is needed. */
    load_name: z.string().min(1).optional(),
    ...variableFlags,
  },
  aliases: { columns: "boundaries" },
  tolerates: { boundariestoscale: "boundaries" },
  positional: ["scaler"],
  example: 'session.input("sample:iris").xy({ y: "species" }).scale("standard")',
  explain: explainScale,
  async run(frame, args, context) {
    if (args.load_name !== undefined) {
      const { after, model } = await applyKept(frame, context, args);
      return { frame: after, report: { loaded: args.load_name }, ...model };
    }
    if (!args.encode) return { frame, report: { scaler: args.scaler, fitted: fitRows(frame), scalings: [] } };
    const names = columnsToScale(frame, args.boundaries ?? args.index, args, context);
    const scalings = names.length === 0 ? [] : await fitScalings(frame, names, args.scaler, context);
    const replacements = new Map<string, readonly Output[]>();
    if (args.remainder === "drop") {
      for (const name of scope(frame, args).names) if (!names.includes(name)) replacements.set(name, []);
    }
    for (const { column: name, center, scale: width } of scalings) {
      const centred = call("subtract", call("number", cell(column(frame, name))), value(center, "number"));
      const expr = call("divide", centred, value(width, "number"));
      replacements.set(name, [{ column: { name, type: "number" }, expr }]);
    }
    return {
      frame: replaceColumns(frame, context, replacements, names),
      report: { scaler: args.scaler, fitted: fitRows(frame), scalings: scalings.map((each) => ({ ...each })) },
      ...(await keep(frame, context, args, replacements)),
    };
  },
  async view({ after, report }, read) {
    const { scaler, fitted, scalings, loaded } = report as Report;
    if (loaded !== undefined) return stack(text(`Scaled as saved under ${loaded}.`), await read.head(after));
    const names = listed(scalings.map((each) => each.column));
    return stack(text(`Scaled ${names} (${scaler}, fitted on ${fitted}).`), await read.head(after));
  },
});

interface Report {
  readonly scaler: string;
  readonly fitted: string;
  readonly scalings: readonly Scaling[];
  readonly loaded?: string;
}

function columnsToScale(
  frame: Frame,
  wanted: string | number | readonly (string | number)[] | undefined,
  flags: VariableFlags,
  context: BlockContext,
): readonly string[] {
  const within = scope(frame, flags);
  if (wanted === undefined) {
    const numeric = within.names.filter((name) => isNumeric(column(frame, name)));
    const others = within.names.filter((name) => !numeric.includes(name));
    if (others.length > 0)
      context.notice(
        `scale (DP_5): ${listed(others)} ${others.length === 1 ? "is" : "are"} not numeric and stayed as before.`,
      );
    return numeric;
  }
  noticeRows(frame, wanted, within, context);
  const names = chosen(frame, wanted, within);
  const text = names.find((name) => !isNumeric(column(frame, name)));
  if (text !== undefined) {
    throw new DataError(
      `scale (DP_5): column ${quoted(text)} is ${column(frame, text).type}; only numbers can be scaled. Encode it first with encode (DP_3), or leave it out.`,
      { got: text, expected: "numeric columns" },
    );
  }
  return names;
}

async function fitScalings(
  frame: Frame,
  names: readonly string[],
  scaler: "standard" | "minmax" | "robust" | "maxabs",
  context: BlockContext,
): Promise<Scaling[]> {
  const found = scaler === "standard" ? await moments(frame, names, context) : null;
  const ends = found ?? (await meansAndRanges(frame, names, context));
  const infinite = names.find((_, k) => [ends[k].min, ends[k].max].some((end) => Math.abs(end ?? 0) === Infinity));
  if (infinite !== undefined) {
    throw new DataError(
      `scale (DP_5): column ${quoted(infinite)} holds infinity, so it has no scale. Leave it out, or mend its source.`,
      { got: infinite, expected: "finite columns" },
    );
  }
  if (scaler === "robust") return await fitRobust(frame, names, context);
  return names.map((name, k) => {
    // Of a column without values all is 0.
    const [least, most] = [ends[k].min ?? 0, ends[k].max ?? 0];
    if (found) {
      const { mean, deviation } = found[k];
      return { column: name, center: mean ?? 0, scale: least === most ? 1 : nonZero(deviation ?? 0) };
    }
    if (scaler === "minmax") return { column: name, center: least, scale: nonZero(most - least) };
    return { column: name, center: 0, scale: nonZero(Math.max(Math.abs(least), Math.abs(most))) };
  });
}

async function fitRobust(frame: Frame, names: readonly string[], context: BlockContext): Promise<Scaling[]> {
  const found = await columnQuantilesOf(frame, names, [0.25, 0.5, 0.75], context, "quartiles");
  return names.map((name, k) => {
    const [low, middle, high] = found[k];
    return { column: name, center: middle || 0, scale: nonZero(high - low) };
  });
}

/** A width to divide by: what doesn't vary is divided by 1. */
function nonZero(width: number): number {
  return Number.isFinite(width) && width !== 0 ? width : 1;
}
