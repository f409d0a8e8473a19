import type { BlockContext } from "../../core/block.ts";
import { numberOfText, sqlTypes, withoutNan } from "../../core/cast.ts";
import { DataError } from "../../core/errors.ts";
import type { Column, Reading } from "../../core/frame.ts";
import { count, quoted } from "../../core/names.ts";
import { type Marks, markedReal, markLetters } from "../../core/number-marks.ts";
import { selectFrom } from "../../core/relation.ts";
import { col, join, raw, type Sql, sql } from "../../core/sql.ts";
import type { Output, Relation, Step } from "../../plan/node.ts";

/** New rows, and how the columns that a model learnt from were read. */
interface NewCells {
  readonly given: Relation;
  readonly columns: readonly Column[];
  /** The columns as the chain knows them. */
  readonly wanted: readonly Column[];
  /** Those without which the model can't do; what can't be read in others is missing. */
  readonly needed: readonly string[];
  readonly reading: Reading | undefined;
}

/** A column that becomes another type. */
interface Recast {
  readonly have: Column;
  readonly want: Column;
  readonly cell: Sql;
  /** The cell in the type that is wanted; missing where it can't be read. */
  readonly value: Sql;
}

/**
 * The step that gives cells from outside the types of the chain's own columns, cell by cell.
 *
 * A needed column that holds other things than the model learnt from is refused, with the first such cell.
 */
export async function asRead(cells: NewCells, context: BlockContext, who: string): Promise<Step> {
  const { columns, wanted, needed, reading } = cells;
  const recasts = columns.flatMap((have): Recast[] => {
    const want = wanted.find(({ name }) => name === have.name);
    if (!want || want.type === "tensor" || isAlike(have, want)) return [];
    const isMarked = want.type === "number" && have.type === "string" && Object.hasOwn(reading?.marks ?? {}, want.name);
    const marks = isMarked ? reading?.marks?.[want.name] : undefined;
    const cell = presentCell(have, reading);
    return [{ have, want, cell, value: valueIn(have, want, cell, marks) }];
  });
  const fractional = await refuseUnreadable(cells.given, recasts, needed, context, who);
  const made = new Map(
    recasts.map(({ have, want, value }): [string, Output] => [
      have.name,
      want.integer && !fractional.has(have.name)
        ? { column: want, expr: sql`TRY_CAST(${value} AS BIGINT)` }
        : { column: { name: want.name, type: want.type }, expr: value },
    ]),
  );
  const outputs = columns.map((column): Output => made.get(column.name) ?? { column });
  return { block: context.block.id, name: "as_read", outputs };
}

function isAlike(have: Column, want: Column): boolean {
  const isText = (each: Column) => each.type === "string" || each.type === "category";
  return (have.type === want.type && have.integer === want.integer) || (isText(have) && isText(want));
}

/** The cell, missing where its text stands for a missing one; texts among texts were told when they were read. */
function presentCell(have: Column, reading: Reading | undefined): Sql {
  const words = reading?.missing ?? [""];
  if (have.type !== "string" || words.length === 0) return col(have.name);
  // A chain of WHEN, since IN would become a join, which loses the rows' order.
  const tests = join(
    words.map((word) => sql`WHEN trim(${col(have.name)}) = ${word} THEN NULL`),
    " ",
  );
  return sql`CASE ${tests} ELSE ${col(have.name)} END`;
}

function valueIn(have: Column, want: Column, cell: Sql, marks?: Marks): Sql {
  if (marks) {
    const value = sql`TRY_CAST(translate(${cell}, ${markLetters(marks)}, '.') AS DOUBLE)`;
    return sql`CASE WHEN regexp_full_match(${cell}, ${markedReal(marks)}) THEN ${value} END`;
  }
  if (want.type === "datetime" && have.type === "string") {
    // As a TIMESTAMP a text's distance from UTC would be dropped.
    return sql`make_timestamp(epoch_us(TRY_CAST(${cell} AS TIMESTAMPTZ)))`;
  }
  if (want.type === "number" && have.type === "string") return withoutNan(numberOfText(cell));
  const isPlain = have.type !== "datetime" && want.type !== "datetime";
  const value = sql`TRY_CAST(${isPlain ? cell : sql`CAST(${cell} AS VARCHAR)`} AS ${raw(sqlTypes[want.type])})`;
  return want.type === "number" ? withoutNan(value) : value;
}

/** Refuses cells that can't be read; answers which columns of integers hold fractions now. */
async function refuseUnreadable(
  given: Relation,
  recasts: readonly Recast[],
  needed: readonly string[],
  context: BlockContext,
  who: string,
): Promise<ReadonlySet<string>> {
  if (recasts.length === 0) return new Set();
  const facts = recasts.map(({ want, cell, value }) => {
    const isNan =
      want.type === "number" ? sql`AND lower(trim(CAST(${cell} AS VARCHAR))) NOT IN ('nan', '-nan')` : raw("");
    const isLost = sql`${cell} IS NOT NULL AND ${value} IS NULL ${isNan}`;
    const isWhole = want.integer
      ? sql`coalesce(bool_and(${value} = trunc(${value}) AND abs(${value}) < 9e18), true)`
      : raw("true");
    return sql`count(*) FILTER (${isLost}), first(CAST(${cell} AS VARCHAR)) FILTER (${isLost}), ${isWhole}`;
  });
  const [found] = await context.tables.query(sql`SELECT ${join(facts)} FROM (${selectFrom(given)})`);
  recasts.forEach(({ want: { name, type } }, k) => {
    const n = Number(found[3 * k]);
    if (n === 0 || !needed.includes(name)) return;
    throw new DataError(
      `${who}: column ${quoted(name)} was a ${type} when the model learnt, but ${count(n, "cell")} can't be read as one, such as ${quoted(String(found[3 * k + 1]))}.`,
      { code: "other_type", path: "test_data", got: name, expected: type },
    );
  });
  return new Set(recasts.flatMap(({ have }, k) => (found[3 * k + 2] === true ? [] : [have.name])));
}
