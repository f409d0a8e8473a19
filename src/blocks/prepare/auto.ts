import { z } from "zod";
import { type BlockContext, columnList, defineBlock, slice } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import { keepContent, loadContent } from "../../core/preparation.ts";
import type { Json } from "../../core/record.ts";
import { assignRoles } from "../../core/roles.ts";
import { chosen } from "../../core/scope.ts";
import { noticeUnseen } from "../../core/unseen.ts";
import { stack, text } from "../../core/view.ts";
import { sourcesOf, stepsFor } from "../../plan/lineage.ts";
import { addStep, type Step } from "../../plan/node.ts";
import { drop } from "../columns/drop.ts";
import { dropDuplicates } from "../columns/drop-duplicates.ts";
import {
  changes,
  dropUseless,
  encodeWords,
  fill,
  type InnerStep,
  type Prepared,
  parse,
  runStep,
  scaleNumbers,
} from "./auto-steps.ts";
import { strategies } from "./fills.ts";
import { missing } from "./missing.ts";
import { split } from "./split.ts";

const who = "auto (DP_ADP)";

/** What is kept under a name: the fitted steps, and the roles behind them. */
interface Kept {
  readonly steps: readonly Step[];
  /** The features as they were before the first step. */
  readonly from: readonly string[];
  readonly x: readonly string[];
  readonly y: readonly string[];
}

/**
 * DP_ADP. Prepares a table in one go: drops, fills, parses, encodes, scales and splits it.
 *
 * The rows are split before anything is learnt, so test rows decide nothing. Features without a value and identifiers
 * such as policy_number are dropped, and texts such as "23.4 kmpl" read as numbers, which is told. Words with up to le_thresh different
 * values get labels, with up to ohe_thresh a column each; others are dropped. With load_name what was kept under
 * that name is applied to new data, and nothing is learnt.
 */
export const auto = defineBlock({
  code: "DP_ADP",
  name: "auto",
  args: {
    /** Feature columns: a slice, a name, or a list (default: all but Y). */
    x_slice: slice().optional(),
    /** Target columns: a slice such as "-1", a name, or a list (default: none). */
    y_slice: slice().optional(),
    /** How missing cells are filled; words take their mode where it needs numbers (default "mean"). */
    strategy_value: z.literal([...strategies]).default("mean"),
    /** Words with up to so many different values become labels (default 2). */
    le_thresh: z.int().min(0).default(2),
    /** Words with more, and up to so many, become a 0/1 column each; with more they are dropped (default 10). */
    ohe_thresh: z.int().min(0).default(10),
    /** Columns that are dropped first (default []). */
    excluded_columns: columnList().default([]),
    /** Columns whose missing cells stay (default []). */
    excluded_fillmissing_columns: columnList().default([]),
    /** Columns that are neither parsed nor encoded (default []). */
    excluded_encoding_columns: columnList().default([]),
    /** Columns that are not scaled (default []). */
    excluded_scaling_columns: columnList().default([]),
    /** Test rows, as a share or a count (default: no split). */
    test_size_value: z.number().positive().optional(),
    /** Seed of the split; drawn once and recorded when absent. */
    random_state: z.int().min(0).max(4294967295).optional(),
    /** Keeps all that was learnt in the project under this name. */
    save_name: z.string().min(1).optional(),
    /** Applies what was kept under this name to this table. */
    load_name: z.string().min(1).optional(),
    /** With load_name: what the table is for, such as "test"; said in the record. */
    dataset_type: z.string().optional(),
    /** With load_name: drop rows that repeat another first (default false). */
    clean: z.boolean().default(false),
  },
  aliases: { x: "x_slice", y: "y_slice", strategy: "strategy_value", test_size: "test_size_value" },
  example: 'session.input("sample:penguins").auto({ y: "species", test_size: 0.2, random_state: 0 })',
  anew: (args) => ({ ...args, test_size_value: undefined }),
  async run(frame, args, context) {
    if (args.load_name === undefined && (args.dataset_type !== undefined || args.clean)) {
      throw new ArgsError(`${who}: dataset_type and clean belong to load_name; give it, or leave them out.`, {
        path: args.clean ? "clean" : "dataset_type",
      });
    }
    const before = frame.lineage.length;
    const prepared: Whole =
      args.load_name === undefined
        ? await learn(frame, args, context)
        : await apply(frame, args.load_name, args.clean, context);
    const { x, y, lineage } = prepared.frame;
    const kept: Kept = { steps: lineage.slice(before), from: prepared.from, x: x ?? [], y: y ?? [] };
    return {
      frame: prepared.frame,
      report: { done: prepared.done, steps: prepared.steps },
      ...(args.load_name === undefined ? await keepContent(context, args, kept) : {}),
    };
  },
  explain: {
    // Its steps as blocks, each with its arguments.
    found: ({ report }) => ({ steps: (report as { steps?: readonly Json[] } | undefined)?.steps ?? [] }),
  },
  async view({ after, report }, read) {
    const { done } = report as { done: string[] };
    const words = done.length === 0 ? "nothing was to be done" : done.join("; ");
    const head = await read.head(after, after.split ? { subset: "train" } : {});
    return stack(text(`${words[0].toUpperCase()}${words.slice(1)}.`), head);
  },
});

/** A prepared table, and its features before the first step. */
type Whole = Prepared & { readonly from: readonly string[] };

type Args = Parameters<(typeof auto)["run"]>[1];

async function learn(frame: Frame, args: Args, context: BlockContext): Promise<Whole> {
  // Columns are named before anything is dropped or replaced.
  const named = (wanted: Args["excluded_columns"]) => new Set(columnsNamed(frame, wanted));
  const dropped = named(args.excluded_columns);
  const unfilled = named(args.excluded_fillmissing_columns);
  const unencoded = named(args.excluded_encoding_columns);
  const unscaled = named(args.excluded_scaling_columns);
  const chosen = await withRoles(frame, args, dropped, context);
  const from = chosen.frame.x ?? [];
  let now = await withTargets(chosen, context);
  if (args.test_size_value !== undefined) {
    if (now.frame.split)
      throw new ArgsError(`${who}: the rows are split already; leave test_size_value out.`, {
        path: "test_size_value",
      });
    const halves = { test_size: args.test_size_value, random_state: args.random_state, shuffle: true };
    now = await runStep(now, split, halves, ({ split }) => `split off ${count(split?.test ?? 0, "test row")}`, context);
  }
  now = await dropUseless(now, unencoded, context);
  now = await fill(now, args.strategy_value, unfilled, context);
  const texts = new Set(now.frame.columns.filter(({ type }) => type === "string").map(({ name }) => name));
  now = await parse(now, unencoded, context);
  // Texts without a number among those that became numbers are missing now.
  const others = now.frame.columns.filter(({ name, type }) => type !== "number" || !texts.has(name));
  now = await fill(now, args.strategy_value, new Set([...unfilled, ...others.map(({ name }) => name)]), context);
  now = await encodeWords(now, args, unencoded, context);
  const scaled = await scaleNumbers(now, derivedFrom(now.frame, frame.lineage.length, unscaled), context);
  return { ...scaled, from };
}

function columnsNamed(frame: Frame, wanted: Args["excluded_columns"]): readonly string[] {
  if (Array.isArray(wanted) && wanted.length === 0) return [];
  return chosen(frame, wanted, { names: frame.columns.map((column) => column.name), where: "the table" });
}

async function withRoles(
  frame: Frame,
  { x_slice, y_slice }: Args,
  dropped: ReadonlySet<string>,
  context: BlockContext,
): Promise<Prepared> {
  const isGiven = x_slice !== undefined || y_slice !== undefined;
  const names = frame.columns.map((column) => column.name);
  const roles = isGiven
    ? await assignRoles(frame, { x_boundaries: x_slice, y_boundaries: y_slice }, context)
    : { ...frame, x: frame.x ?? names, y: frame.y ?? [] };
  const slices = {
    ...(x_slice === undefined ? {} : { x_boundaries: x_slice }),
    ...(y_slice === undefined ? {} : { y_boundaries: y_slice }),
  };
  const step: InnerStep = { code: "DP_FSP", args: slices, found: null, ...changes(frame, roles) };
  const prepared: Prepared = { frame: roles, done: [], steps: [step] };
  if (dropped.size === 0) return prepared;
  if ((roles.x ?? []).every((name) => dropped.has(name)))
    throw new ArgsError(`${who}: excluded_columns leaves no column for X.`, { path: "excluded_columns" });
  return await runStep(prepared, drop, { columns: [...dropped] }, `dropped ${listed([...dropped], 5)}`, context);
}

/** Rows without a target teach nothing and can't be judged. */
async function withTargets(prepared: Prepared, context: BlockContext): Promise<Prepared> {
  const { y, rows } = prepared.frame;
  if (!y || y.length === 0) return prepared;
  const without = (frame: Frame) =>
    frame.rows === rows ? null : `dropped ${count(rows - frame.rows, "row")} without a target`;
  return await runStep(prepared, missing, { strategy_value: "drop", boundaries: [...y] }, without, context);
}

/** The columns that came of the named ones, through all steps since. */
function derivedFrom(frame: Frame, since: number, names: ReadonlySet<string>): Set<string> {
  const derived = new Set(names);
  for (const { outputs } of frame.lineage.slice(since)) {
    for (const output of outputs) {
      if (sourcesOf(output).some((name) => derived.has(name))) derived.add(output.column.name);
    }
  }
  return derived;
}

/** The kept steps on new data. Columns that only the target needs may be absent. */
async function apply(frame: Frame, name: string, clean: boolean, context: BlockContext): Promise<Whole> {
  const kept = await loadContent<Kept>(context, name);
  const from = clean ? (await dropDuplicates.run(frame, { columns: [], keep: "first" }, context)).frame : frame;
  const names = from.columns.map((column) => column.name);
  const steps = stepsFor(kept.steps, names);
  const columns = steps.length > 0 ? (steps.at(-1)?.outputs ?? []).map((output) => output.column) : from.columns;
  const present = columns.map((column) => column.name);
  const lacking = kept.from.filter((each) => !names.includes(each));
  if (lacking.length > 0) {
    throw new DataError(
      `${who}: what is kept under ${JSON.stringify(name)} was fitted on ${listed(lacking)}, which the table does not have. Columns: ${listed(names)}.`,
      { path: "load_name", got: names.slice(0, 50), expected: kept.from.slice(0, 50) },
    );
  }
  const own = steps.map((step) => ({ ...step, block: context.block.id }));
  const relation = own.reduce(addStep, from.relation);
  for (const [k, { unseen = [] }] of steps.entries()) {
    const before = { ...from.relation, steps: [...from.relation.steps, ...own.slice(0, k)] };
    await noticeUnseen(before, unseen, { who, learntFrom: `those kept under ${name}` }, context);
  }
  const lost = frame.rows - from.rows;
  return {
    frame: {
      ...from,
      relation,
      columns,
      lineage: [...from.lineage, ...own],
      x: kept.x,
      y: kept.y.filter((each) => present.includes(each)),
    },
    done: [...(lost > 0 ? [`dropped ${count(lost, "repeated row")}`] : []), `prepared as kept under ${name}`],
    steps: [],
    from: kept.from,
  };
}
