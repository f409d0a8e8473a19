import { z } from "zod";
import { columnRef, defineBlock } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { cell, column, columnsNamed } from "../../core/frame.ts";
import { count, freshNames, listed, quoted } from "../../core/names.ts";
import { stack, text } from "../../core/view.ts";
import { check } from "../../plan/check.ts";
import { columnFor, valueType } from "../../plan/column.ts";
import { type Constant, call, column as columnExpr, type Expr, rowColumn, value } from "../../plan/expr.ts";
import type { Output } from "../../plan/node.ts";
import { explainWider } from "./explain.ts";
import { columnsOf } from "./keys.ts";
import { begun, noticeEnd } from "./other.ts";

const aggregates = [
  "sum",
  "mean",
  "median",
  "min",
  "max",
  "count",
  "countDistinct",
  "first",
  "last",
  "std",
  "variance",
  "mode",
] as const;

/** A table of more columns is of no use to people, and slow for engines. */
const mostColumns = 2000;

/**
 * BL_WIDER. Makes a column of each value of one column, with the cells of another in it.
 *
 * One row for all rows that are alike in the other columns. Rows and new columns come in order of first appearance; what
 * is not there is missing, and a missing name makes the column "missing". Where several cells meet, an aggregate says
 * what becomes of them. It is a new table: roles and a split end.
 */
export const wider = defineBlock({
  code: "BL_WIDER",
  name: "wider",
  args: {
    /** The column whose values become the new columns' names. */
    names_from: columnRef(),
    /** The column whose cells stand in them. */
    values_from: columnRef(),
    /** What becomes of several cells for one place, such as "sum" (default: there must be one at most). */
    aggregate: z.literal(aggregates).optional(),
  },
  example:
    'session.input("sample:penguins").select("species", "island", "body_mass_g").wider({ names_from: "island", values_from: "body_mass_g", aggregate: "mean" })',
  explain: explainWider,
  async run(frame, args, context) {
    const who = `${context.block.name} (${context.block.code})`;
    const [names, values] = [args.names_from, args.values_from].map((each) => columnsOf(frame, each)[0]);
    const [naming, valued] = [column(frame, names), column(frame, values)];
    if (names === values) {
      throw new ArgsError(`${who}: names_from and values_from are both ${quoted(names)}; they must differ.`, {
        path: "values_from",
      });
    }
    if (naming.type === "tensor") {
      throw new ArgsError(`${who}: ${quoted(names)} is an array, and can't name columns.`, { path: "names_from" });
    }
    const keys = frame.columns.map(({ name }) => name).filter((name) => name !== names && name !== values);
    const row = columnExpr(rowColumn, "integer");
    const { found, groups } = await context.tables.groups(
      frame.relation,
      {},
      {
        by: [cell(naming)],
        outputs: [cell(naming), call("text", cell(naming))],
        order: [{ expr: call("min", row) }],
        limit: mostColumns,
      },
    );
    if (groups > mostColumns) {
      throw new DataError(
        `${who}: ${quoted(names)} has ${groups.toLocaleString("en-US")} values, and at most ${mostColumns.toLocaleString("en-US")} can become columns; filter() it, or bin it with derive(), first.`,
        { path: "names_from", got: groups, expected: mostColumns },
      );
    }
    if (args.aggregate === undefined) await refuseRepeats();
    const called = freshNames(
      found.map(([, name]) => (name === null ? "missing" : String(name).trim() || "empty")),
      keys,
    );
    const schema = new Map(frame.columns.map((each) => [each.name, valueType(each)]));
    const made = found.map(([name], k) => {
      const constant = constantOf(name as Constant, valueType(naming));
      const isIt = constant === null ? call("isMissing", cell(naming)) : call("equal", cell(naming), constant);
      const wanted = call(args.aggregate ?? "first", call("choose", isIt, cell(valued), value(null)));
      const checked = check(wanted, schema, { kinds: ["aggregate"], where: "a column" });
      if ("problem" in checked) {
        throw new DataError(
          `${who}: aggregate ${quoted(args.aggregate ?? "first")} of ${quoted(values)}: ${checked.problem.message}.`,
          {
            path: "aggregate",
            got: args.aggregate,
          },
        );
      }
      const type = args.aggregate === undefined ? valued : columnFor(called[k], checked.type);
      const output: Output = { column: { ...type, name: called[k] }, expr: checked.expr };
      return { value: name as string | number | boolean | null, output };
    });
    if (made.length + keys.length === 0) {
      throw new DataError(`${who}: the table is empty, so there are no columns to make.`, { path: "names_from" });
    }
    noticeEnd(frame, context);
    const { relation, rows } = await context.tables.settle({
      ...{ made: "wider", of: frame.relation, keys, names, values, found: made },
    });
    const columns = [...columnsNamed(frame.columns, keys), ...made.map(({ output }) => output.column)];
    return { frame: begun(relation, columns, rows), report: { names, values, made: called } };

    async function refuseRepeats(): Promise<void> {
      const place = columnsNamed(frame.columns, [...keys, names]).map(cell);
      const { groups: places } = await context.tables.groups(
        frame.relation,
        {},
        {
          ...{ by: place, outputs: [call("count")], order: [], limit: 1 },
        },
      );
      if (places === frame.rows) return;
      throw new DataError(
        `${who}: ${count(frame.rows - places, "cell")} of ${quoted(values)} would stand in a place that has one already; say what becomes of them, as in aggregate: "sum", or drop what tells no rows apart.`,
        { path: "aggregate", got: frame.rows - places },
      );
    }
  },
  async view({ after, report }, read) {
    const { names, values, made } = report as { names: string; values: string; made: string[] };
    return stack(
      text(`${listed([values])} by ${listed([names])}: ${listed(made)}; ${count(after.rows, "row")} now.`),
      await read.head(after),
    );
  },
});

/** A value that was found as a constant of its column's type. */
function constantOf(found: Constant, type: string): Expr | null {
  if (found === null) return null;
  if (type === "integer") return value(String(found), "integer");
  if (type === "number") return value(Number(found), "number");
  return type === "datetime" ? value(String(found), "datetime") : value(found);
}
