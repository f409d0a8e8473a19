import type { BlockContext } from "../../core/block.ts";
import { asWords } from "../../core/cast.ts";
import { DataError } from "../../core/errors.ts";
import { column, type Frame } from "../../core/frame.ts";
import { count, freshNames, quoted } from "../../core/names.ts";
import { selectFrom } from "../../core/relation.ts";
import { col, type Sql, sql } from "../../core/sql.ts";
import type { Output } from "../../plan/node.ts";
import { type Encoded, type Encoding, labelCode } from "./categories.ts";
import { decimalOf, numberIn } from "./number-text.ts";

/** The columns that take the place of an encoded one, under names that are not taken. */
export function outputsFor(
  frame: Frame,
  name: string,
  type: Exclude<Encoding, "extract_numbers">,
  learnt: Encoded["categories"],
  taken: readonly string[],
): Output[] {
  switch (type) {
    case "label":
      return [{ column: { name, type: "number", integer: true }, expr: labelCode(frame, name, learnt) }];
    case "binary":
      return bitOutputs(frame, name, learnt, taken);
    case "hash": {
      // md5 is the same on every machine and in every version, which DuckDB's own hash is not.
      const hashed = sql`CAST(md5_number_lower(${asWords(column(frame, name))}) % 4294967296 AS BIGINT)`;
      return [{ column: { name, type: "number", integer: true }, expr: hashed }];
    }
    default:
      return oneHotOutputs(frame, name, learnt, taken);
  }
}

/** Cells without a number become missing, which is said; a column without any is refused. */
async function expectNumbers(frame: Frame, name: string, read: Sql, context: BlockContext): Promise<void> {
  const inner = selectFrom(frame.relation, { columns: [name] });
  const [[present, readable]] = await context.tables.query(
    sql`SELECT count(${col(name)}), count(${read}) FROM (${inner})`,
  );
  const lost = Number(present) - Number(readable);
  if (lost > 0 && Number(readable) === 0) {
    throw new DataError(
      `encode (DP_3): no cell of column ${quoted(name)} holds a number to extract. Use "onehot" or "label".`,
      { got: name },
    );
  }
  if (lost === 0) return;
  const held = `${count(lost, "cell")} of column ${quoted(name)} ${lost === 1 ? "holds" : "hold"}`;
  context.notice(`encode (DP_3): ${held} no number and became missing.`);
}

/** The column of the first number in each text, written as the whole column writes its numbers. */
export async function numberOutput(frame: Frame, name: string, context: BlockContext): Promise<Output> {
  const read = numberIn(name, await decimalOf(frame, name, context, "encode (DP_3)"));
  await expectNumbers(frame, name, read, context);
  return { column: { name, type: "number" }, expr: read };
}

function oneHotOutputs(
  frame: Frame,
  name: string,
  categories: Encoded["categories"],
  taken: readonly string[],
): Output[] {
  const made = freshNames(
    categories.map((category) => `${name}_${category}`),
    taken,
  );
  return categories.map((category, k) => ({
    column: { name: made[k], type: "number", integer: true },
    expr: sql`CASE WHEN ${equals(frame, name, category)} THEN 1::BIGINT ELSE 0::BIGINT END`,
  }));
}

function equals(frame: Frame, name: string, category: string | number | boolean): Sql {
  return column(frame, name).type === "datetime"
    ? sql`${col(name)} = CAST(${category} AS TIMESTAMP)`
    : sql`${col(name)} = ${category}`;
}

/** The bits of the label's code, the highest first, as many as the greatest code has. */
function bitOutputs(frame: Frame, name: string, categories: Encoded["categories"], taken: readonly string[]): Output[] {
  const bits = Math.max(1, Math.ceil(Math.log2(Math.max(2, categories.length))));
  const made = freshNames(
    Array.from({ length: bits }, (_, k) => `${name}_${k}`),
    taken,
  );
  const code = labelCode(frame, name, categories);
  return made.map((fresh, k) => ({
    column: { name: fresh, type: "number", integer: true },
    // greatest() would make 0 of a missing cell.
    expr: sql`CASE WHEN ${col(name)} IS NULL THEN NULL ELSE (greatest(${code}, 0) >> ${bits - 1 - k}) & 1 END`,
  }));
}
