import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, column, columnsNamed, type Frame, unknownColumn } from "../../core/frame.ts";
import { refuseRows } from "../../core/most-rows.ts";
import { count, freshNames, listed, quoted } from "../../core/names.ts";
import { splitBehind } from "../../core/split.ts";
import { stack, text } from "../../core/view.ts";
import { valueType } from "../../plan/column.ts";
import type { Joined, KeyPair, Output, Relation, Step } from "../../plan/node.ts";
import { common, typeWords } from "../../plan/types.ts";
import { explainJoin, type JoinReport } from "./explain.ts";
import { type Found, found, otherTable } from "./other.ts";

const ways = ["inner", "left", "right", "full", "semi", "anti", "cross"] as const;

/**
 * BL_JOIN. Puts the columns of another table beside the rows that are alike in some columns.
 *
 * Rows come in this table's order, then in the other's. A missing key is like no other. Where the other table has a key
 * several times, a row comes as often. After a split only left, semi and anti are taken, and copies of a row stay among
 * the training or the test rows. With roles, the new columns are features. New rows in production are looked up in the
 * other table too, if it has each key once and `how` is left; after other joins they are brought as these columns.
 */
export const join = defineBlock({
  code: "BL_JOIN",
  name: "join",
  args: {
    /** The other table: a block's id, a chain, a result or one of its tables, rows, or a URL, file or sample. */
    other: otherTable(),
    /** The columns that must be alike: `["shop"]`, or `{ shop: "town" }` where the other calls it differently. */
    on: z.union([z.string(), z.array(z.string()).max(1000), z.record(z.string(), z.string())]).optional(),
    /** Which rows stay: pairs (inner), all of this table (left), of the other (right) or of both (full); this table's that have one alike (semi) or none (anti); every pair of rows (cross) (default "inner"). */
    how: z.literal(ways).default("inner"),
    /** The other table's columns that are taken (default: all but the keys). */
    columns: z.union([z.string(), z.array(z.string()).max(100_000)]).optional(),
    /** What is put behind the name of a column that this table has as well (default "_right"). */
    suffix: z.string().min(1).max(80).default("_right"),
  },
  positional: ["other"],
  tables: ["other"],
  files: ["other"],
  example: 'session.input("sample:penguins").join("sample:penguins", { on: ["species"], how: "semi" })',
  explain: explainJoin,
  async run(frame, args, context) {
    const who = `${context.block.name} (${context.block.code})`;
    if (frame.split && !["left", "semi", "anti"].includes(args.how)) {
      throw new DataError(
        `${who}: after a split only left, semi and anti keep each row on its side, got ${quoted(args.how)}; join before split (DP_4).`,
        { path: "how", got: args.how, expected: ["left", "semi", "anti"] },
      );
    }
    const other = await found(args.other, "other", context);
    const on = keysOf(frame, other, args, who);
    const columns = columnsOfPair(frame, other, on, args, who);
    const pairs: Joined = { made: "join", of: frame.relation, other: other.relation, how: args.how, on, columns };
    const sizes = await rowsOfJoin(frame, other, pairs, context);
    // New rows are looked up in a file, which a table of a cluster is not.
    const isLookup = args.how === "left" && sizes.most <= 1 && !context.tables.isFar;
    const made: Joined = isLookup ? { ...pairs, isLookup } : pairs;
    const cure =
      args.how === "cross"
        ? "Every row is paired with every other: filter() or sample() one of the tables first, or join on columns that are alike."
        : "Keys that repeat in both tables multiply: summarize() or dropDuplicates() one of them first, or join on more columns.";
    refuseRows(sizes.rows, `${who}: the join`, cure, "on");
    const counts = { ...sizes, before: frame.rows, others: other.rows };
    const report: JoinReport = { called: other.called, how: args.how, on, ...counts };
    const { rows } = sizes;
    const relation = await context.tables.settleLater(made, { rows, columns: columns.length });
    const split = await splitBehind(frame, relation, () => context.tables.pairRows(made), context.tables);
    if (split && rows > frame.rows) {
      context.notice(
        `${who}: ${other.called} has keys several times, so rows come more than once; copies of a row stay on its side of the split.`,
      );
    }
    const after = { ...frame, relation, rows, split, columns: columns.map((each) => each.column) };
    const fresh = columns.flatMap((each) => (each.isOther ? [each.column.name] : []));
    const x = frame.x && fresh.length > 0 ? [...frame.x, ...fresh] : frame.x;
    if (args.how === "semi" || args.how === "anti") return { frame: after, report };
    if (made.isLookup) {
      const step = await lookup(other, made, context);
      return { frame: { ...after, x, lineage: [...frame.lineage, step] }, report };
    }
    const { reading: _, ...rest } = after;
    return { frame: { ...rest, x, lineage: [], raw: after.columns }, report };
  },
  async view({ before: had, after, report }, read) {
    const fresh = after.columns
      .map(({ name }) => name)
      .filter((name) => !had?.columns.some((each) => each.name === name));
    const { called, how, left, before } = report as JoinReport;
    const alike = how === "cross" ? "" : ` ${left.toLocaleString("en-US")} of ${count(before, "row")} found one alike.`;
    return stack(
      text(`Joined with ${called} (${how}): ${count(after.rows, "row")}.${alike}`),
      await read.head(after, { named: fresh }),
    );
  },
});

type Args = { readonly on?: unknown; readonly how: Joined["how"]; readonly columns?: unknown; readonly suffix: string };

/** The columns that are compared, whose types must go together. */
function keysOf(frame: Frame, other: Found, { on, how }: Args, who: string): KeyPair[] {
  const wanted = typeof on === "string" ? [on] : on;
  const pairs = Array.isArray(wanted) ? wanted.map((name) => [name, name]) : Object.entries(wanted ?? {});
  if (how === "cross" && pairs.length > 0) {
    throw new ArgsError(`${who}: a cross join pairs every row with every other, so it takes no on.`, { path: "on" });
  }
  if (how !== "cross" && pairs.length === 0) {
    const shared = frame.columns
      .map(({ name }) => name)
      .filter((name) => other.columns.some((each) => each.name === name));
    const cure = shared.length > 0 ? ` Both tables have ${listed(shared)}.` : "";
    throw new ArgsError(`${who}: on must name the columns that are alike, as in on: ["shop"].${cure}`, { path: "on" });
  }
  return pairs.map(([mine, theirs]): KeyPair => {
    const [left, right] = [column(frame, String(mine)), columnIn(other, String(theirs))];
    const [a, b] = [valueType(left), valueType(right)];
    if (common(a, b) === null || a === "tensor") {
      throw new ArgsError(
        `${who}: ${quoted(left.name)} is ${typeWords[a]}, and ${quoted(right.name)} of ${other.called} ${typeWords[b]}, so no cell is like another; bring one to the other's type with astype (DP_ASP) first.`,
        { path: "on", got: left.name },
      );
    }
    return { column: left.name, other: right.name };
  });
}

function columnIn(other: Found, name: string): Column {
  const [there] = columnsNamed(other.columns, [name]);
  if (there) return there;
  throw unknownColumn(
    name,
    other.columns.map((each) => each.name),
    other.called,
  );
}

function columnsOfPair(
  frame: Frame,
  other: Found,
  on: readonly KeyPair[],
  { how, columns: wanted, suffix }: Args,
  who: string,
): Joined["columns"] {
  const outer = how === "right" || how === "full";
  const own = frame.columns.map((each) => {
    const key = outer ? on.find((pair) => pair.column === each.name) : undefined;
    // A whole number that may be the other table's is one only where both are.
    const isWhole = !key || each.integer === columnIn(other, key.other).integer;
    const made = isWhole ? each : { name: each.name, type: each.type };
    return { column: made, from: each.name, isOther: false };
  });
  const isOfLeft = how === "semi" || how === "anti";
  if (isOfLeft && wanted !== undefined) {
    throw new ArgsError(`${who}: a ${how} join takes no columns of the other table.`, { path: "columns" });
  }
  if (isOfLeft) return own;
  const keys = new Set(on.map((pair) => pair.other));
  const names =
    wanted === undefined
      ? other.columns.map(({ name }) => name).filter((name) => !keys.has(name))
      : [...new Set([wanted].flat() as string[])];
  const taken = frame.columns.map(({ name }) => name);
  const used = new Set(taken.map((name) => name.toLowerCase()));
  const called = freshNames(
    names.map((name) => (used.has(name.toLowerCase()) ? `${name}${suffix}` : name)),
    taken,
  );
  return [
    ...own,
    ...names.map((name, k) => ({ column: { ...columnIn(other, name), name: called[k] }, from: name, isOther: true })),
  ];
}

/** How many rows the join will have; of the others, how many there are alike. */
async function rowsOfJoin(frame: Frame, other: Found, made: Joined, context: BlockContext) {
  if (made.how === "cross") {
    return { rows: frame.rows * other.rows, left: frame.rows, right: other.rows, most: other.rows };
  }
  const { rows, left, right, most } = await context.tables.pairs(made);
  const alone = [frame.rows - left, other.rows - right];
  const all: Readonly<Record<Exclude<Joined["how"], "cross">, number>> = {
    inner: rows,
    left: rows + alone[0],
    right: rows + alone[1],
    full: rows + alone[0] + alone[1],
    semi: left,
    anti: alone[0],
  };
  return { rows: all[made.how], left, right, most };
}

/** The step that looks cells up in the other table by the keys, of which each is there once. */
async function lookup(other: Found, { on, columns }: Joined, context: BlockContext): Promise<Step> {
  const { artifact } = await fileOf(other.relation, context);
  const pairs = on.map(({ column: mine, other: theirs }) => ({ column: mine, other: theirs }));
  return {
    block: context.block.id,
    name: context.block.name,
    outputs: columns.map(
      ({ column: each, from, isOther }): Output =>
        isOther ? { column: each, match: { artifact, column: from, on: pairs } } : { column: each },
    ),
  };
}

/** A plan whose rows are all in one file: its own where nothing is done to it. */
async function fileOf(relation: Relation, { tables }: BlockContext): Promise<Relation> {
  return relation.steps.length === 0 ? relation : (await tables.settle({ made: "same", of: relation })).relation;
}
