import type { BlockContext, Outcome } from "../../core/block.ts";
import { castTo, countWhere, isLost } from "../../core/cast.ts";
import { type Column, cell, column, type Frame, isNumeric } from "../../core/frame.ts";
import { count, listed, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { fitSelection } from "../../core/scope.ts";
import type { Cell } from "../../core/view.ts";
import { call, column as named } from "../../plan/expr.ts";
import { addStep } from "../../plan/node.ts";
import { astype } from "../columns/astype.ts";
import { dates } from "../columns/dates.ts";
import { drop } from "../columns/drop.ts";
import { isDateColumn } from "../shared/reading.ts";
import { encode } from "./encode.ts";
import type { Strategy } from "./fills.ts";
import { missing } from "./missing.ts";
import { scale } from "./scale.ts";

/** A block that ran as part of another: its arguments, and what it made of the table. */
export interface InnerStep {
  readonly code: string;
  readonly args: Readonly<Record<string, Json>>;
  /** What it found out for itself. */
  readonly found: Json;
  /** The table's rows, and its columns where they are others than before. */
  readonly rows: number;
  readonly columns?: readonly Column[];
  readonly x?: readonly string[];
  readonly y?: readonly string[];
}

/** A table on its way through the automated steps, and what was done to it, in words and as blocks. */
export interface Prepared {
  readonly frame: Frame;
  readonly done: readonly string[];
  readonly steps: readonly InnerStep[];
}

const who = "auto (DP_ADP)";

/** Runs a block on the table, and notes that it did. */
export async function runStep<Args extends object>(
  { frame: before, done, steps }: Prepared,
  block: InnerBlock<Args>,
  args: Args,
  words: string | ((frame: Frame) => string | null),
  context: BlockContext,
): Promise<Prepared> {
  const { frame, report } = await block.run(before, args, context);
  const said = typeof words === "string" ? words : words(frame);
  const step = {
    code: block.code,
    // A cast because the arguments of blocks are JSON.
    args: args as InnerStep["args"],
    found: block.explain?.found?.({ args, report } as never) ?? null,
    ...changes(before, frame),
  };
  return { frame, done: said === null ? done : [...done, said], steps: [...steps, step] };
}

/** A block as another runs it. */
interface InnerBlock<Args> {
  readonly code: string;
  readonly explain?: { found?(finished: never): Json };
  run(frame: Frame, args: Args, context: BlockContext): Promise<Outcome>;
}

/** What a step made of a table, for a reader who knows the table before. */
export function changes(before: Frame, after: Frame): Pick<InnerStep, "rows" | "columns" | "x" | "y"> {
  const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  return {
    rows: after.rows,
    ...(isSame(before.columns, after.columns) ? {} : { columns: after.columns }),
    ...(after.x && !isSame(before.x, after.x) ? { x: after.x } : {}),
    ...(after.y && !isSame(before.y, after.y) ? { y: after.y } : {}),
  };
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
    const words = `filled ${count(boundaries.length, "column")} (${way})`;
    now = await runStep(now, missing, { strategy_value: way, boundaries: [...boundaries] }, words, context);
  }
  return now;
}

/** The last words of identifiers' names: `policy_number`, `id`, `orderId`. */
const identifierNames = [
  /(?:^|[\s_.-])(?:id|ids|uid|uuid|guid|key|pk|no|nr|num|number|code|index|idx|serial|ref|reference|sku|isbn)$/i,
  /[a-z](?:Id|ID|No|Nr|Num|Number|Key|Code)$/,
];

/** Fewer rows than this may differ in everything. */
const leastRows = 20;

/** How many cells each column has, or different ones, in the rows that a fit may see. */
async function counted(
  frame: Frame,
  names: readonly string[],
  what: "count" | "countDistinct",
  { tables }: Pick<BlockContext, "tables">,
): Promise<number[]> {
  const counts = names.map((name) => call(what, cell(column(frame, name))));
  return (await tables.aggregate(frame.relation, fitSelection(frame), counts)).map(Number);
}

/** Drops features without any value, and whole numbers that merely tell rows apart, as identifiers do. */
export async function dropUseless(
  prepared: Prepared,
  kept: ReadonlySet<string>,
  context: BlockContext,
): Promise<Prepared> {
  const { frame } = prepared;
  const names = (frame.x ?? []).filter((name) => column(frame, name).type !== "tensor");
  const counts = await counted(frame, names, "count", context);
  const cells = new Map(names.map((name, k) => [name, counts[k]]));
  const empty = names.filter((name) => cells.get(name) === 0);
  const telling = names.filter((name) => {
    const { type, integer } = column(frame, name);
    return type === "number" && integer && !kept.has(name) && identifierNames.some((each) => each.test(name));
  });
  const different = await counted(frame, telling, "countDistinct", context);
  const identifiers = telling.filter((name, k) => different[k] >= leastRows && different[k] === cells.get(name));
  const them = (some: readonly string[]) => (some.length === 1 ? "it" : "them");
  if (empty.length > 0)
    context.notice(
      `${who}: ${listed(empty)} dropped: there is no value in the rows to learn from, so nothing could fill ${them(empty)}.`,
    );
  if (identifiers.length > 0)
    context.notice(
      `${who}: ${listed(identifiers)} dropped: each row has a value of its own, as identifiers have. Name ${them(identifiers)} in excluded_encoding_columns to keep ${them(identifiers)}.`,
    );
  const gone = [...empty, ...identifiers];
  if (gone.length === 0 || gone.length === frame.x?.length) return prepared;
  return await runStep(prepared, drop, { columns: gone }, `dropped ${listed(gone, 5)}`, context);
}

/** Casts text that is numbers throughout, reads numbers that have a unit, and takes dates apart. */
export async function parse(
  prepared: Prepared,
  without: ReadonlySet<string>,
  context: BlockContext,
): Promise<Prepared> {
  let now = prepared;
  const texts = features(now.frame, without).filter((name) => column(now.frame, name).type === "string");
  const numbers = await numbersAsText(now.frame, texts, context);
  if (numbers.length > 0) {
    now = await runStep(
      now,
      astype,
      { astype: "float", columns: numbers },
      `read ${listed(numbers, 5)} as numbers`,
      context,
    );
  }
  now = await readMeasures(
    now,
    texts.filter((name) => !numbers.includes(name)),
    context,
  );
  const rest = features(now.frame, without).filter((name) => !numbers.includes(name));
  for (const name of rest) {
    const { type } = column(now.frame, name);
    if (
      type !== "datetime" &&
      !(type === "string" && (await isDateColumn(now.frame, column(now.frame, name), context)))
    )
      continue;
    now = await runStep(now, dates, { index: name, drop: true }, `took ${name} apart`, context);
  }
  return now;
}

/** As many cells as this, of all, must have the same unit. */
const sameUnit = 0.95;

/** Reads texts that are a number and mostly the same unit, such as "23.4 kmpl", as these numbers. */
async function readMeasures(prepared: Prepared, texts: readonly string[], context: BlockContext): Promise<Prepared> {
  const { frame } = prepared;
  const measures: string[] = [];
  const said: string[] = [];
  for (const name of texts) {
    const units = await unitsOf(frame, name, context);
    const all = units.reduce((sum, [, n]) => sum + Number(n), 0);
    const [unit, most] = units[0] ?? [null, 0];
    // A unit has no digits; what has is a date, a range or an address.
    if (typeof unit !== "string" || unit.length > 12 || !/^[^\p{N}:]*$/u.test(unit)) continue;
    if (all === 0 || Number(most) < sameUnit * all) continue;
    measures.push(name);
    said.push(unit === "" ? listed([name]) : `${listed([name])} (${unit})`);
    const others = units.slice(1).flatMap(([other]) => (typeof other === "string" && other !== "" ? [other] : []));
    if (others.length > 0)
      context.notice(
        `${who}: ${count(all - Number(most), "cell")} of ${listed([name])} ${all - Number(most) === 1 ? "has" : "have"} another unit than ${unit}, such as ${quoted(others[0])}; their numbers were taken as they stand.`,
      );
  }
  if (measures.length === 0) return prepared;
  context.notice(`${who}: ${said.join(", ")} read as numbers, without their units.`);
  const args = { columns: measures, type: "extract_numbers" } as const;
  return await runStep(prepared, encode, args, `read ${listed(measures, 5)} as numbers`, context);
}

/** The units of a column's texts, the most frequent first, and how many cells have each. */
async function unitsOf(
  frame: Frame,
  name: string,
  { block, tables }: BlockContext,
): Promise<readonly (readonly Cell[])[]> {
  const [text, unit] = [named("text", "string"), named("unit", "string")];
  const of = column(frame, name);
  const relation = addStep(frame.relation, {
    block: block.id,
    name: "units",
    outputs: [
      { column: { name: text.column, type: "string" }, expr: cell(of) },
      { column: { name: unit.column, type: "string" }, expr: call("unitOf", cell(of)) },
    ],
  });
  const { found } = await tables.groups(relation, fitSelection(frame), {
    by: [unit],
    where: call("not", call("isMissing", text)),
    outputs: [unit, call("count")],
    order: [{ expr: call("count"), descending: true }, { expr: unit }],
  });
  return found;
}

async function numbersAsText(
  frame: Frame,
  names: readonly string[],
  { tables }: Pick<BlockContext, "tables">,
): Promise<string[]> {
  const cells = names.map((name) => cell(column(frame, name)));
  const counts = cells.flatMap((of) => [call("count", of), countWhere(isLost(of, castTo(of, "number"), "number"))]);
  const found = (await tables.aggregate(frame.relation, fitSelection(frame), counts)).map(Number);
  return names.filter((_, k) => found[2 * k] > 0 && found[2 * k + 1] === 0);
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
  const different = await counted(prepared.frame, texts, "countDistinct", context);
  const size = new Map(texts.map((name, k) => [name, different[k]]));
  const within = (least: number, most: number) =>
    texts.filter((name) => (size.get(name) ?? 0) > least && (size.get(name) ?? 0) <= most);
  for (const [type, columns] of [
    ["label", within(-1, le_thresh)],
    ["onehot", within(le_thresh, Math.max(le_thresh, ohe_thresh))],
  ] as const) {
    if (columns.length === 0) continue;
    now = await runStep(now, encode, { columns, type }, `encoded ${listed(columns, 5)} (${type})`, context);
  }
  const many = within(Math.max(le_thresh, ohe_thresh), Number.POSITIVE_INFINITY);
  if (many.length === 0) return now;
  context.notice(
    `${who}: ${listed(many)} dropped: more than ${Math.max(le_thresh, ohe_thresh)} different values. Raise ohe_thresh, or exclude ${many.length === 1 ? "it" : "them"} from encoding.`,
  );
  return await runStep(now, drop, { columns: many }, `dropped ${listed(many, 5)}`, context);
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
  return await runStep(prepared, scale, args, `scaled ${count(names.length, "column")}`, context);
}
