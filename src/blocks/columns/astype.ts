import { z } from "zod";
import { type BlockContext, columnList, defineBlock } from "../../core/block.ts";
import { asWords, countWhere, isLost } from "../../core/cast.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, cell, column, type Frame, typeName, wideCell } from "../../core/frame.ts";
import { count, quoted } from "../../core/names.ts";
import { chosen, replaceColumns } from "../../core/scope.ts";
import { stack, text } from "../../core/view.ts";
import { call, type Expr } from "../../plan/expr.ts";
import type { Output } from "../../plan/node.ts";
import { dateReader, shown } from "../shared/reading.ts";

const types = ["int", "float", "str", "bool", "datetime", "category"] as const;
type Type = (typeof types)[number];

/** What pandas and numpy call the types. */
const synonyms: Readonly<Record<string, Type>> = {
  int64: "int",
  int32: "int",
  integer: "int",
  float64: "float",
  float32: "float",
  number: "float",
  string: "str",
  object: "str",
  text: "str",
  boolean: "bool",
  "datetime64[ns]": "datetime",
  datetime64: "datetime",
  date: "datetime",
};

/**
 * DP_ASP. Casts columns to another type.
 *
 * Missing cells stay missing. A cell that can't be cast is an error that names the first one. Fractions are cut
 * off by int, as in pandas; bool reads true, false, yes, no, 1 and 0.
 */
export const astype = defineBlock({
  code: "DP_ASP",
  name: "astype",
  args: {
    /** The type: "int", "float", "str", "bool", "datetime" or "category" (names of pandas' types serve too). */
    astype: z.literal([...types, ...Object.keys(synonyms)]),
    /** The columns, by name or by index within the dataset. */
    columns: columnList(),
  },
  aliases: { type: "astype" },
  example: 'session.input("sample:penguins").astype({ type: "str", columns: ["body_mass_g"] })',
  async run(frame, args, context) {
    const type = synonyms[args.astype] ?? (args.astype as Type);
    const names = chosen(frame, args.columns, { names: frame.columns.map((each) => each.name), where: "the table" });
    if (names.length === 0)
      throw new ArgsError("astype (DP_ASP): columns is empty; name one at least.", { path: "columns" });
    const outputs = new Map<string, readonly Output[]>();
    const dayfirst: string[] = [];
    for (const name of names) {
      const { output, isDayFirst } = await cast(frame, column(frame, name), type, context);
      outputs.set(name, [output]);
      if (isDayFirst) dayfirst.push(name);
    }
    return { frame: replaceColumns(frame, context, outputs), report: { type, names, dayfirst } };
  },
  explain: {
    found: ({ report }) => ({ dayfirst: (report as { dayfirst?: readonly string[] } | undefined)?.dayfirst ?? [] }),
  },
  async view({ before, after, report }, read) {
    const { names, type } = report as { names: string[]; type: Type };
    const from = names.map((name) => {
      const was = before?.columns.find((each) => each.name === name);
      return `${name} (${was ? typeName(was) : "unknown"})`;
    });
    return stack(
      text(`Cast to ${type}: ${from.slice(0, 8).join(", ")}${from.length > 8 ? ` and ${from.length - 8} more` : ""}.`),
      await read.head(after),
    );
  },
});

async function cast(
  frame: Frame,
  from: Column,
  type: Type,
  context: BlockContext,
): Promise<{ readonly output: Output; readonly isDayFirst?: boolean }> {
  if (from.type === "tensor") {
    throw new DataError(`astype (DP_ASP): column ${quoted(from.name)} holds arrays, which can't be cast to ${type}.`, {
      got: from.name,
    });
  }
  const made = columnOf(from.name, type);
  if (type === "datetime" && from.type !== "datetime") {
    const { expr, unreadable, dayfirst } = await dateReader(frame, from, undefined, "astype (DP_ASP)", context);
    if (unreadable > 0) await refuse(frame, from, expr, type, context);
    return { output: { column: made, expr }, isDayFirst: dayfirst };
  }
  const expr = castTo(from, type);
  await refuse(frame, from, expr, type, context);
  return { output: { column: made, expr } };
}

function columnOf(name: string, type: Type): Column {
  switch (type) {
    case "int":
      return { name, type: "number", integer: true };
    case "float":
      return { name, type: "number" };
    case "str":
      return { name, type: "string" };
    case "bool":
      return { name, type: "boolean" };
    default:
      return { name, type };
  }
}

/** The cast cell; missing where it is, or can't be cast. */
function castTo(from: Column, type: Type): Expr {
  switch (type) {
    case "int":
      return call("integer", wideCell(from));
    case "float":
      return call("number", cell(from));
    case "bool":
      return call("boolean", cell(from));
    case "datetime":
      return cell(from);
    default:
      return asWords(from);
  }
}

/** Refuses cells that would be lost, naming the first. */
async function refuse(
  { relation }: Frame,
  from: Column,
  expr: Expr,
  type: Type,
  { tables }: Pick<BlockContext, "tables">,
): Promise<void> {
  const where = isLost(cell(from), expr, type === "float" ? "number" : "string");
  const [n] = (await tables.aggregate(relation, {}, [countWhere(where)])).map(Number);
  if (n === 0) return;
  const [[row, value]] = await tables.find(relation, {}, { where, outputs: [call("written", cell(from))], limit: 1 });
  throw new DataError(
    `astype (DP_ASP): ${count(n, "cell")} of column ${quoted(from.name)} can't be cast to ${type}, the first in row ${row}: ${shown(value)}. Mend or drop them first.`,
    { path: "columns", got: value, expected: type },
  );
}
