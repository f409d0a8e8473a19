import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { column, type Frame } from "../../core/frame.ts";
import { count, freshNames, listed } from "../../core/names.ts";
import { type Output, rowsOf, selectFrom } from "../../core/relation.ts";
import { fitSelection } from "../../core/scope.ts";
import { col, literal, raw, type Sql, sql } from "../../core/sql.ts";

/** "categorical" is another word for "onehot". */
export const encodings = ["onehot", "categorical", "label", "binary", "target", "hash", "extract_numbers"] as const;
export type Encoding = (typeof encodings)[number];

/** What was learnt of one column. */
export interface Encoded {
  readonly column: string;
  readonly type: Encoding;
  readonly categories: readonly (string | number | boolean)[];
  readonly outputs: readonly string[];
}

/** Beyond this many categories one-hot columns help nobody. */
const mostCategories = 2000;

/** The categories of a column in sorted order, from the rows a fit may see. */
export async function learnCategories(
  frame: Frame,
  name: string,
  type: string,
  context: BlockContext,
): Promise<Encoded["categories"]> {
  const seen = rowsOf(frame.relation, { ...fitSelection(frame), columns: [name] });
  // Labels are looked up as text, so they are learnt as DuckDB writes them: 2.0, not 2.
  const isLabel = type === "label" || type === "binary" || type === "target";
  const limit = isLabel ? 10 * mostCategories : mostCategories;
  const distinct = sql`SELECT DISTINCT ${col(name)} AS category FROM (${seen}) WHERE ${col(name)} IS NOT NULL ORDER BY category LIMIT ${limit + 1}`;
  const found = await context.tables.query(
    isLabel ? sql`SELECT CAST(category AS VARCHAR) FROM (${distinct}) ORDER BY category` : distinct,
  );
  if (found.length > limit) {
    throw new DataError(
      `encode (DP_3): column "${name}" has more than ${limit.toLocaleString("en-US")} different values, too many for ${type}. Drop it, or use another encoding.`,
      { got: `more than ${limit}`, expected: `at most ${limit} categories` },
    );
  }
  return found.map(([value]) => value as string | number | boolean);
}

/** The columns that take the place of an encoded one. */
export function outputsFor(frame: Frame, name: string, type: Encoding, learnt: Encoded["categories"]): Output[] {
  switch (type) {
    case "label":
      return [{ column: { name, type: "number", integer: true }, expr: labelCode(name, learnt) }];
    case "binary":
      return bitOutputs(frame, name, learnt);
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
export async function expectNumbers(frame: Frame, name: string, context: BlockContext): Promise<void> {
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
  const taken = frame.columns.filter((each) => each.name !== name).map((each) => each.name);
  const made = freshNames(
    categories.map((category) => `${name}_${category}`),
    taken,
  );
  return categories.map((category, k) => {
    return {
      column: { name: made[k], type: "number", integer: true },
      expr: sql`CAST(coalesce(${equals(frame, name, category)}, FALSE) AS BIGINT)`,
    };
  });
}

function equals(frame: Frame, name: string, category: string | number | boolean): Sql {
  return column(frame, name).type === "datetime"
    ? sql`${col(name)} = CAST(${category} AS TIMESTAMP)`
    : sql`${col(name)} = ${category}`;
}

/** The bits of the label's code, the highest first, as many as the greatest code has. */
function bitOutputs(frame: Frame, name: string, categories: Encoded["categories"]): Output[] {
  const bits = Math.max(1, Math.ceil(Math.log2(Math.max(2, categories.length))));
  const taken = frame.columns.filter((each) => each.name !== name).map((each) => each.name);
  const made = freshNames(
    Array.from({ length: bits }, (_, k) => `${name}_${k}`),
    taken,
  );
  const code = labelCode(name, categories);
  return made.map((fresh, k) => ({
    column: { name: fresh, type: "number", integer: true },
    // greatest() would make 0 of a missing cell.
    expr: sql`CASE WHEN ${col(name)} IS NULL THEN NULL ELSE (greatest(${code}, 0) >> ${bits - 1 - k}) & 1 END`,
  }));
}

/** The category's place in sorted order: -1 for one that was not learnt, missing where the cell is. */
export function labelCode(name: string, categories: Encoded["categories"]): Sql {
  if (categories.length === 0) return sql`CAST(NULL AS BIGINT)`;
  // An ENUM is looked up by hash, where a long CASE would try its branches one by one.
  const list = raw(categories.map((category) => literal(String(category))).join(", "));
  const code = sql`enum_code(TRY_CAST(CAST(${col(name)} AS VARCHAR) AS ENUM(${list})))`;
  return sql`CASE WHEN ${col(name)} IS NULL THEN NULL ELSE coalesce(CAST(${code} AS BIGINT), -1) END`;
}

/** Says how many cells hold a category that training rows don't have. */
export async function noticeUnseen(frame: Frame, encoded: readonly Encoded[], context: BlockContext): Promise<void> {
  if (!frame.folds) return;
  for (const { column: name, categories, type } of encoded) {
    const known = categories
      .map((category, k) => (k === 0 ? sql`${category}` : sql`, ${category}`))
      .flatMap((each) => each.parts);
    if (known.length === 0) continue;
    const unseen = sql`SELECT DISTINCT CAST(${col(name)} AS VARCHAR) FROM (${selectFrom(frame.relation, { columns: [name] })}) WHERE ${col(name)} NOT IN (${{ parts: known }}) ORDER BY 1 LIMIT 6`;
    const found = await context.tables.query(unseen);
    if (found.length === 0) continue;
    const become = type === "label" ? "-1" : type === "target" ? "the mean of the target" : "all zeros";
    context.notice(
      `encode (DP_3): ${listed(
        found.map(([value]) => String(value)),
        5,
      )} of column "${name}" ${found.length === 1 ? "is" : "are"} not among the training rows and became ${become}.`,
    );
  }
}
