import { defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { expression, parameters, readExpression } from "../../core/expressions.ts";
import { keepRows } from "../../core/keep-rows.ts";
import { count } from "../../core/names.ts";
import { fitRows, remember } from "../../core/scope.ts";
import { stack, text } from "../../core/view.ts";
import { columnsRead } from "../../plan/expr.ts";
import { typeWords } from "../../plan/types.ts";
import { explainFilter } from "./explain.ts";
import { fitted } from "./fitted.ts";

/**
 * BL_FILTER. Keeps the rows in which a condition is true.
 *
 * A condition that is missing is not true. An aggregate in it is worked out over training rows alone, once there are
 * such. The rows that stay keep their order, their roles, and their subset.
 */
export const filter = defineBlock({
  code: "BL_FILTER",
  name: "filter",
  args: {
    /** The condition: `d => d.age > 30 && d.city !== "Lagos"`, or the same as text. */
    where: expression(),
    /** Values of the program that the condition names, as in `(d, $) => d.age > $.limit`. */
    params: parameters().optional(),
  },
  positional: ["where"],
  example: 'session.input("sample:penguins").filter((d) => d.body_mass_g > 4000 && d.sex != null)',
  explain: explainFilter,
  async run(frame, args, context) {
    const who = `${context.block.name} (${context.block.code})`;
    const place = { kinds: ["row", "aggregate"], where: "a condition: derive it as a column first" } as const;
    const { expr, type } = readExpression(frame.columns, {
      ...{ text: args.where, who, path: "where", place },
      params: args.params,
    });
    if (type !== "boolean" && type !== "missing") {
      throw new ArgsError(
        `${who}: where must be a condition, and what came is ${typeWords[type]}. Compare it, as in d => d.age > 30.`,
        { path: "where", got: args.where },
      );
    }
    const {
      exprs: [condition],
      learnt,
      told,
    } = await fitted(frame, [expr], context);
    const after = await keepRows(frame, context, condition);
    return {
      frame: { ...after, fits: remember(frame, context, learnt) },
      report: { read: columnsRead(expr), learnt: told, fitted: fitRows(frame) },
    };
  },
  async view({ before, after, report }, read) {
    const { read: named } = report as { read: string[] };
    const all = before?.rows ?? after.rows;
    return stack(
      text(`${count(after.rows, "row")} of ${all.toLocaleString("en-US")} kept.`),
      await read.head(after, { named }),
    );
  },
});
