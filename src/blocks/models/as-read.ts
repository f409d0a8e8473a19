import type { BlockContext } from "../../core/block.ts";
import { castTo, countWhere, isLost } from "../../core/cast.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, cell, type Reading } from "../../core/frame.ts";
import { count, quoted } from "../../core/names.ts";
import { type Marks, markedReal, markLetters } from "../../core/number-marks.ts";
import { call, type Expr, value } from "../../plan/expr.ts";
import type { Output, Relation, Step } from "../../plan/node.ts";

/** What the step is called that gives cells their types. */
export const asReadName = "as_read";

/** New rows, and how the columns that a model learnt from were read. */
interface NewCells {
  readonly given: Relation;
  readonly columns: readonly Column[];
  /** The columns as the chain knows them. */
  readonly wanted: readonly Column[];
  /** Those without which the model can't do; what can't be read in others is missing. */
  readonly needed: readonly string[];
  /** Those from which the target comes, where it is known. */
  readonly targets: readonly string[];
  readonly reading: Reading | undefined;
}

/** A column that becomes another type. */
interface Recast {
  readonly have: Column;
  readonly want: Column;
  readonly cell: Expr;
  /** The cell in the type that is wanted; missing where it can't be read. */
  readonly value: Expr;
}

/**
 * The step that gives cells from outside the types of the chain's own columns, cell by cell.
 *
 * A needed column that holds other things than the model learnt from is refused, with the first such cell.
 */
export async function asRead(cells: NewCells, context: BlockContext, who: string): Promise<Step> {
  const { columns, wanted, needed, targets, reading } = cells;
  const recasts = columns.flatMap((have): Recast[] => {
    const want = wanted.find(({ name }) => name === have.name);
    if (!want || want.type === "tensor" || isAlike(have, want)) return [];
    const isMarked = want.type === "number" && have.type === "string" && Object.hasOwn(reading?.marks ?? {}, want.name);
    const marks = isMarked ? reading?.marks?.[want.name] : undefined;
    const present = presentCell(have, reading);
    return [{ have, want, cell: present, value: valueIn(want, present, marks) }];
  });
  // Of hundreds of columns a model may need a few, and looking into all takes much longer than its answer.
  const asked = recasts.filter(({ have }) => needed.includes(have.name) || targets.includes(have.name));
  const isAsked = new Set(asked.map(({ have }) => have.name));
  const fractional = await refuseUnreadable(cells.given, asked, needed, context, who);
  const made = new Map(
    recasts.map(({ have, want, value: made }): [string, Output] => [
      have.name,
      want.integer && isAsked.has(have.name) && !fractional.has(have.name)
        ? { column: want, expr: call("integer", made) }
        : { column: { name: want.name, type: want.type }, expr: made },
    ]),
  );
  const outputs = columns.map((column): Output => made.get(column.name) ?? { column });
  return { block: context.block.id, name: asReadName, outputs };
}

function isAlike(have: Column, want: Column): boolean {
  const isText = (each: Column) => each.type === "string" || each.type === "category";
  return (have.type === want.type && have.integer === want.integer) || (isText(have) && isText(want));
}

/** The cell, missing where its text stands for a missing one; texts among texts were told when they were read. */
function presentCell(have: Column, reading: Reading | undefined): Expr {
  const words = reading?.missing ?? [""];
  if (have.type !== "string" || words.length === 0) return cell(have);
  return call("choose", call("oneOf", call("trim", cell(have)), { list: words }), value(null), cell(have));
}

function valueIn({ type }: Column, of: Expr, marks?: Marks): Expr {
  if (marks) {
    const [decimal, ...others] = markLetters(marks);
    const plain = others.reduce((made, letter) => call("replace", made, value(letter), value("")), of);
    const number = call("number", call("replace", plain, value(decimal), value(".")));
    return call("choose", call("matches", of, value(`^(?:${markedReal(marks)})$`)), number, value(null));
  }
  // Where the year stands first, and brought to UTC: date() takes times as they stand, whatever the zone.
  return type === "datetime" ? call("readDate", of, { list: [] }) : castTo(of, type);
}

/** Refuses cells that can't be read; answers which columns of integers hold fractions now. */
async function refuseUnreadable(
  given: Relation,
  recasts: readonly Recast[],
  needed: readonly string[],
  { tables }: Pick<BlockContext, "tables">,
  who: string,
): Promise<ReadonlySet<string>> {
  const facts = recasts.flatMap(({ want, cell: of, value: made }) => {
    const lost = isLost(of, made, want.type);
    // Beyond 64 bits there is no integer at all.
    const isWhole = call("coalesce", call("equal", call("integer", made), made), call("isMissing", made));
    return [countWhere(lost), want.integer ? countWhere(call("not", isWhole)) : call("count")];
  });
  const found = (await tables.aggregate(given, {}, facts)).map(Number);
  for (const [k, { want, cell: of, value: made }] of recasts.entries()) {
    const n = found[2 * k];
    const { name, type } = want;
    if (n === 0 || !needed.includes(name)) continue;
    const where = isLost(of, made, type);
    const [[, first]] = await tables.find(given, {}, { where, outputs: [call("written", of)], limit: 1 });
    throw new DataError(
      `${who}: column ${quoted(name)} was a ${type} when the model learnt, but ${count(n, "cell")} can't be read as one, such as ${quoted(String(first))}.`,
      { code: "other_type", path: "test_data", got: name, expected: type },
    );
  }
  return new Set(recasts.flatMap(({ have, want }, k) => (want.integer && found[2 * k + 1] > 0 ? [have.name] : [])));
}
