import { z } from "zod";
import { type BlockContext, columnList, columnRef, defineBlock } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, column, type Frame } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import { type Output, rowsOf, selectFrom } from "../../core/relation.ts";
import { chosen, fitRows, fitSelection, replaceColumns, type Scope, scope } from "../../core/scope.ts";
import { col, literal, raw, type Sql, sql } from "../../core/sql.ts";
import { stack, text } from "../../core/view.ts";

const types = ["onehot", "categorical", "label", "hash", "extract_numbers"] as const;

const encoding = z.strictObject({
  /** Whether to encode at all; with false nothing else is needed. */
  encode: z.boolean().default(true),
  /** "onehot" (also called "categorical"): a 0/1 column per category; "label": its place in sorted order; "hash": a stable 32-bit number; "extract_numbers": the first number in the text. */
  encoding_type: z.literal([...types]).default("onehot"),
  /** "drop" drops the columns that are not encoded, "passthrough" leaves them alone. */
  remainder: z.literal(["drop", "passthrough"]).default("passthrough"),
  /** The column to encode, by index or name; several as a list. */
  index: columnList().optional(),
});

/** What was learnt of one column. */
interface Encoded {
  readonly column: string;
  readonly type: (typeof types)[number];
  readonly categories: readonly (string | number | boolean)[];
  readonly outputs: readonly string[];
}

/** Beyond this many categories one-hot columns help nobody. */
const mostCategories = 2000;

/**
 * DP_3. Turns categories into numbers.
 *
 * Encoded columns stand in the place of the original, named as city_Lagos. Categories are learnt from
 * training rows alone once there are folds; unseen ones become all zeros (onehot) or -1 (label).
 */
export const encode = defineBlock({
  code: "DP_3",
  name: "encode",
  args: {
    /** Columns to encode (default with neither this nor xvalue, yvalue, dataset: every text feature). */
    columns: z.union([columnRef(), z.array(columnRef())]).optional(),
    /** "onehot": a 0/1 column per category; "label": its place in sorted order; "hash": a stable 32-bit number; "extract_numbers": the first number in the text (default "onehot"). */
    type: z.literal([...types]).optional(),
    /** How columns of X are encoded; a list encodes several columns. */
    xvalue: z.union([encoding, z.array(encoding)]).optional(),
    /** How columns of Y are encoded; a list encodes several columns. */
    yvalue: z.union([encoding, z.array(encoding)]).optional(),
    /** How columns of the dataset are encoded; a list encodes several columns. */
    dataset: z.union([encoding, z.array(encoding)]).optional(),
  },
  positional: ["...columns"],
  example: 'session.input("sample:penguins").encode({ columns: ["island", "sex"] })',
  async run(frame, args, context) {
    const tasks = plan(frame, args);
    const encoded: Encoded[] = [];
    const replacements = new Map<string, readonly Output[]>();
    for (const task of tasks) {
      for (const name of task.names) {
        if (replacements.has(name)) continue;
        const isLearnt = task.type !== "hash" && task.type !== "extract_numbers";
        const learnt = isLearnt ? await learn(frame, name, task.type, context) : [];
        if (task.type === "extract_numbers") await expectNumbers(frame, name, context);
        const outputs = outputsFor(frame, name, task.type, learnt);
        replacements.set(name, outputs);
        encoded.push({
          column: name,
          type: task.type,
          categories: learnt,
          outputs: outputs.map((each) => each.column.name),
        });
      }
    }
    for (const task of tasks) {
      if (task.remainder !== "drop") continue;
      for (const name of task.within.names) if (!replacements.has(name)) replacements.set(name, []);
    }
    await noticeUnseen(frame, encoded, context);
    return {
      frame: replaceColumns(
        frame,
        context,
        replacements,
        encoded.filter((each) => each.categories.length > 0).map((each) => each.column),
      ),
      report: { fitted: fitRows(frame), encoded },
    };
  },
  async view({ after, report }, read) {
    const { fitted, encoded } = report as { fitted: string; encoded: Encoded[] };
    const lines = encoded.map(({ column: name, type, categories, outputs }) =>
      type === "extract_numbers" || type === "hash"
        ? `${name}: ${type === "hash" ? "hashed to a 32-bit number" : "the first number in the text"}`
        : type === "label"
          ? `${name}: ${listed(
              categories.map((label, k) => `${label}=${k}`),
              8,
            )}`
          : `${name} → ${listed(outputs, 8)}`,
    );
    const words = lines.length === 0 ? "Nothing to encode." : `Encoded on ${fitted}. ${lines.join("; ")}.`;
    return stack(text(words), await read.head(after));
  },
});

interface Task {
  readonly names: readonly string[];
  readonly type: (typeof types)[number];
  readonly remainder: "drop" | "passthrough";
  readonly within: Scope;
}

type Args = Parameters<(typeof encode)["run"]>[1];

function plan(frame: Frame, args: Args): Task[] {
  const everything: Scope = { names: frame.columns.map((each) => each.name), where: "the table" };
  const places = [
    ["xvalue", args.xvalue, frame.x ? { names: frame.x, where: "X" } : everything],
    ["yvalue", args.yvalue, { names: frame.y ?? [], where: "Y" }],
    ["dataset", args.dataset, everything],
  ] as const;
  const tasks = places.flatMap(([path, value, within]) =>
    [value ?? []].flat().flatMap((each): Task[] => {
      if (!each.encode) return [];
      if (each.index === undefined) {
        throw new ArgsError(
          `encode (DP_3): ${path} needs index, the column to encode. Columns of ${within.where}: ${listed(within.names)}.`,
          {
            path: `${path}.index`,
          },
        );
      }
      return [
        { names: chosen(frame, each.index, within), type: each.encoding_type, remainder: each.remainder, within },
      ];
    }),
  );
  const within = scope(frame);
  const type = args.type ?? "onehot";
  if (args.columns !== undefined) {
    tasks.push({ names: chosen(frame, args.columns, within), type, remainder: "passthrough", within });
  } else if (!args.xvalue && !args.yvalue && !args.dataset) {
    const textual = within.names.filter((name) => ["string", "category"].includes(column(frame, name).type));
    tasks.push({ names: textual, type, remainder: "passthrough", within });
  }
  return tasks;
}

/** The categories of a column in sorted order, from the rows a fit may see. */
async function learn(frame: Frame, name: string, type: string, context: BlockContext): Promise<Encoded["categories"]> {
  const seen = rowsOf(frame.relation, { ...fitSelection(frame), columns: [name] });
  const limit = type === "label" ? 10 * mostCategories : mostCategories;
  const found = await context.tables.query(
    sql`SELECT DISTINCT ${col(name)} AS category FROM (${seen}) WHERE ${col(name)} IS NOT NULL ORDER BY category LIMIT ${limit + 1}`,
  );
  if (found.length > limit) {
    throw new DataError(
      `encode (DP_3): column "${name}" has more than ${limit.toLocaleString("en-US")} different values, too many for ${type}. Drop it, or use another encoding.`,
      { got: `more than ${limit}`, expected: `at most ${limit} categories` },
    );
  }
  return found.map(([value]) => value as string | number | boolean);
}

function outputsFor(frame: Frame, name: string, type: Task["type"], learnt: Encoded["categories"]): Output[] {
  switch (type) {
    case "label":
      return [labelOutput(name, learnt)];
    case "hash": {
      // md5 is the same on every machine and in every version, which DuckDB's own hash is not.
      const hashed = sql`CAST(md5_number_lower(CAST(${col(name)} AS VARCHAR)) % 4294967296 AS BIGINT)`;
      return [{ column: { name, type: "number", integer: true }, expr: hashed }];
    }
    case "extract_numbers":
      return [{ column: { name, type: "number" }, expr: firstNumber(name) }];
    default:
      return oneHotOutputs(frame, name, learnt);
  }
}

function firstNumber(name: string): Sql {
  return sql`TRY_CAST(nullif(regexp_extract(CAST(${col(name)} AS VARCHAR), ${"-?\\d+(?:\\.\\d+)?"}), '') AS DOUBLE)`;
}

/** Cells without a number become missing, which is said; a column without any is refused. */
async function expectNumbers(frame: Frame, name: string, context: BlockContext): Promise<void> {
  const inner = selectFrom(frame.relation, { columns: [name] });
  const [[present, readable]] = await context.tables.query(
    sql`SELECT count(${col(name)}), count(${firstNumber(name)}) FROM (${inner})`,
  );
  const lost = Number(present) - Number(readable);
  if (lost > 0 && Number(readable) === 0) {
    throw new DataError(
      `encode (DP_3): no cell of column "${name}" holds a number to extract. Use "onehot" or "label".`,
      { got: name },
    );
  }
  if (lost > 0)
    context.notice(`encode (DP_3): ${count(lost, "cell")} of column "${name}" hold no number and became missing.`);
}

function oneHotOutputs(frame: Frame, name: string, categories: Encoded["categories"]): Output[] {
  const taken = new Set(frame.columns.filter((each) => each.name !== name).map((each) => each.name.toLowerCase()));
  return categories.map((category) => {
    let fresh = `${name}_${category}`;
    for (let k = 1; taken.has(fresh.toLowerCase()); k++) fresh = `${name}_${category}_${k}`;
    taken.add(fresh.toLowerCase());
    return {
      column: { name: fresh, type: "number", integer: true },
      expr: sql`CAST(coalesce(${equals(frame, name, category)}, FALSE) AS BIGINT)`,
    };
  });
}

function equals(frame: Frame, name: string, category: string | number | boolean): Sql {
  return column(frame, name).type === "datetime"
    ? sql`${col(name)} = CAST(${category} AS TIMESTAMP)`
    : sql`${col(name)} = ${category}`;
}

function labelOutput(name: string, categories: Encoded["categories"]): Output {
  const made: Column = { name, type: "number", integer: true };
  if (categories.length === 0) return { column: made, expr: sql`CAST(NULL AS BIGINT)` };
  // An ENUM is looked up by hash, where a long CASE would try its branches one by one.
  const list = raw(categories.map((category) => literal(String(category))).join(", "));
  const code = sql`enum_code(TRY_CAST(CAST(${col(name)} AS VARCHAR) AS ENUM(${list})))`;
  return {
    column: made,
    expr: sql`CASE WHEN ${col(name)} IS NULL THEN NULL ELSE coalesce(CAST(${code} AS BIGINT), -1) END`,
  };
}

/** Says how many cells hold a category that training rows don't have. */
async function noticeUnseen(frame: Frame, encoded: readonly Encoded[], context: BlockContext): Promise<void> {
  if (!frame.folds) return;
  for (const { column: name, categories, type } of encoded) {
    const known = categories
      .map((category, k) => (k === 0 ? sql`${category}` : sql`, ${category}`))
      .flatMap((each) => each.parts);
    if (known.length === 0) continue;
    const unseen = sql`SELECT DISTINCT CAST(${col(name)} AS VARCHAR) FROM (${selectFrom(frame.relation, { columns: [name] })}) WHERE ${col(name)} NOT IN (${{ parts: known }}) ORDER BY 1 LIMIT 6`;
    const found = await context.tables.query(unseen);
    if (found.length === 0) continue;
    const become = type === "label" ? "-1" : "all zeros";
    context.notice(
      `encode (DP_3): ${listed(
        found.map(([value]) => String(value)),
        5,
      )} of column "${name}" ${found.length === 1 ? "is" : "are"} not among the training rows and became ${become}.`,
    );
  }
}
