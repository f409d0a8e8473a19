import type { BlockContext, Outcome } from "../../core/block.ts";
import { column, type Frame, isNumeric } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import { rowsOf } from "../../core/relation.ts";
import { fitSelection } from "../../core/scope.ts";
import { col, sql } from "../../core/sql.ts";
import { aggregates } from "../aggregates.ts";
import { astype } from "../columns/astype.ts";
import { dates } from "../columns/dates.ts";
import { drop } from "../columns/drop.ts";
import { isDateColumn } from "../reading.ts";
import { encode } from "./encode.ts";
import type { Strategy } from "./fills.ts";
import { missing } from "./missing.ts";
import { scale } from "./scale.ts";

/** A table on its way through the automated steps, and what was done to it in words. */
export interface Prepared {
  readonly frame: Frame;
  readonly done: readonly string[];
}

const who = "auto (DP_ADP)";

function then({ done }: Prepared, { frame }: Outcome, words: string): Prepared {
  return { frame, done: [...done, words] };
}

function features(frame: Frame, without: ReadonlySet<string>): string[] {
  return (frame.x ?? []).filter((name) => !without.has(name));
}

/** Fills numbers by the strategy, and words by their mode where the strategy needs numbers. */
export async function fill(
  prepared: Prepared,
  strategy: Strategy,
  without: ReadonlySet<string>,
  context: BlockContext,
): Promise<Prepared> {
  let now = prepared;
  const names = features(now.frame, without).filter((name) => column(now.frame, name).type !== "tensor");
  const numbers = names.filter((name) => column(now.frame, name).type === "number");
  const needsNumbers = strategy === "mean" || strategy === "median" || strategy === "linear";
  const others = names.filter((name) => !numbers.includes(name));
  const steps = needsNumbers
    ? ([
        [strategy, numbers],
        ["mode", others],
      ] as const)
    : ([[strategy, names]] as const);
  for (const [way, boundaries] of steps) {
    if (boundaries.length === 0) continue;
    const outcome = await missing.run(now.frame, { strategy_value: way, boundaries }, context);
    now = then(now, outcome, `filled ${count(boundaries.length, "column")} (${way})`);
  }
  return now;
}

/** Casts text that is numbers throughout, and takes dates apart. */
export async function parse(
  prepared: Prepared,
  without: ReadonlySet<string>,
  context: BlockContext,
): Promise<Prepared> {
  let now = prepared;
  const texts = features(now.frame, without).filter((name) => column(now.frame, name).type === "string");
  const numbers = await numbersAsText(now.frame, texts, context);
  if (numbers.length > 0) {
    const outcome = await astype.run(now.frame, { astype: "float", columns: numbers }, context);
    now = then(now, outcome, `read ${listed(numbers, 5)} as numbers`);
  }
  const rest = features(now.frame, without).filter((name) => !numbers.includes(name));
  for (const name of rest) {
    const { type } = column(now.frame, name);
    if (
      type !== "datetime" &&
      !(type === "string" && (await isDateColumn(now.frame, column(now.frame, name), context)))
    )
      continue;
    now = then(now, await dates.run(now.frame, { index: name, drop: true }, context), `took ${name} apart`);
  }
  return now;
}

async function numbersAsText(frame: Frame, names: readonly string[], context: BlockContext): Promise<string[]> {
  const rows = (some: readonly string[]) => rowsOf(frame.relation, { ...fitSelection(frame), columns: some });
  const checks = (name: string) => [sql`count(${col(name)})`, sql`count(TRY_CAST(trim(${col(name)}) AS DOUBLE))`];
  const found = await aggregates(names, rows, checks, context);
  return names.filter((_, k) => Number(found[k][0]) > 0 && found[k][0] === found[k][1]);
}

/** Encodes words by how many different ones there are; those with too many are dropped. */
export async function encodeWords(
  prepared: Prepared,
  { le_thresh, ohe_thresh }: { readonly le_thresh: number; readonly ohe_thresh: number },
  without: ReadonlySet<string>,
  context: BlockContext,
): Promise<Prepared> {
  let now = prepared;
  const isText = (name: string) => ["string", "category"].includes(column(now.frame, name).type);
  const texts = features(now.frame, without).filter(isText);
  if (texts.length === 0) return now;
  const rows = (some: readonly string[]) =>
    rowsOf(prepared.frame.relation, { ...fitSelection(prepared.frame), columns: some });
  const different = await aggregates(texts, rows, (name) => [sql`count(DISTINCT ${col(name)})`], context);
  const size = new Map(texts.map((name, k) => [name, Number(different[k][0])]));
  const within = (least: number, most: number) =>
    texts.filter((name) => (size.get(name) ?? 0) > least && (size.get(name) ?? 0) <= most);
  for (const [type, columns] of [
    ["label", within(-1, le_thresh)],
    ["onehot", within(le_thresh, Math.max(le_thresh, ohe_thresh))],
  ] as const) {
    if (columns.length === 0) continue;
    now = then(now, await encode.run(now.frame, { columns, type }, context), `encoded ${listed(columns, 5)} (${type})`);
  }
  const many = within(Math.max(le_thresh, ohe_thresh), Number.POSITIVE_INFINITY);
  if (many.length === 0) return now;
  context.notice(
    `${who}: ${listed(many)} dropped: more than ${Math.max(le_thresh, ohe_thresh)} different values. Raise ohe_thresh, or exclude ${many.length === 1 ? "it" : "them"} from encoding.`,
  );
  return then(now, await drop.run(now.frame, { columns: many }, context), `dropped ${listed(many, 5)}`);
}

/** Scales what is a number by now, other than what came of excluded columns. */
export async function scaleNumbers(
  prepared: Prepared,
  without: ReadonlySet<string>,
  context: BlockContext,
): Promise<Prepared> {
  const names = features(prepared.frame, without).filter((name) => isNumeric(column(prepared.frame, name)));
  if (names.length === 0) return prepared;
  const args = { scaler: "standard", boundaries: names, encode: true, remainder: "passthrough" } as const;
  return then(prepared, await scale.run(prepared.frame, args, context), `scaled ${count(names.length, "column")}`);
}
