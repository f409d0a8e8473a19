import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, column, type Frame } from "../../core/frame.ts";
import { listed, quoted } from "../../core/names.ts";
import { chosen, noticeRows, scope } from "../../core/scope.ts";
import type { Slice } from "../../core/slices.ts";
import type { Cell } from "../../core/view.ts";
import { fitting, type Strategy } from "./fills.ts";

/** Which columns are treated, and how. */
export interface Asked {
  readonly strategy_value: Strategy;
  readonly boundaries?: Slice | undefined;
  readonly y_boundaries?: Slice | undefined;
  readonly fill_value?: Cell | undefined;
}

/** The columns that are treated: those named, else all that the strategy can serve. */
export function columnsToTreat(
  frame: Frame,
  asked: Asked,
  context: Pick<BlockContext, "block" | "notice">,
): readonly string[] {
  const { strategy_value: strategy, boundaries, fill_value: fill } = asked;
  const slices = [
    [boundaries, scope(frame)],
    [asked.y_boundaries, scope(frame, { y: frame.y !== null })],
  ] as const;
  const isNamed = slices.some(([wanted]) => wanted !== undefined);
  const sliced = slices.flatMap(([wanted, within]) => {
    if (wanted === undefined) return [];
    noticeRows(frame, wanted, within, context);
    return chosen(frame, wanted, within);
  });
  const named = isNamed ? [...new Set(sliced)] : scope(frame).names;
  const refused = named.filter((name) => !canServe(column(frame, name), strategy, fill));
  if (refused.length === 0) return named;
  const constant = strategy === "constant" ? JSON.stringify(fill) : null;
  if (isNamed) {
    const first = column(frame, refused[0]);
    const rule = constant
      ? `${constant} does not fit column ${quoted(first.name)}, which is ${first.type}. Give a fill_value that is ${aOf(first)}`
      : `${strategy} needs numbers, but column ${quoted(first.name)} is ${first.type}. Use strategy "mode"`;
    throw new DataError(`missing (DP_2): ${rule}, or leave it out of boundaries.`, {
      path: "boundaries",
      got: refused,
      expected: constant ? first.type : "numeric columns",
    });
  }
  const rule = constant ? `${constant} does not fit` : `${strategy} needs numbers, not`;
  context.notice(`missing (DP_2): ${rule} ${listed(refused)}, which stayed as before.`);
  return named.filter((name) => !refused.includes(name));
}

function aOf({ type }: Column): string {
  const words = { number: "a number", boolean: "true or false", datetime: 'a date, as "2026-01-31"' };
  return words[type as keyof typeof words] ?? "text";
}

function canServe(candidate: Column, strategy: Strategy, fill: Cell | undefined): boolean {
  if (candidate.type === "tensor") return false;
  if (strategy === "mean" || strategy === "median" || strategy === "linear") return candidate.type === "number";
  return strategy !== "constant" || fitting(candidate, fill) !== null;
}
