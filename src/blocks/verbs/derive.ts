import { type BlockContext, columnList, defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { expressions, parameters, readExpression } from "../../core/expressions.ts";
import type { Column, Frame } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import { fitRows, remember, settled, withStep } from "../../core/scope.ts";
import { stack, text } from "../../core/view.ts";
import { columnFor } from "../../plan/column.ts";
import { columnsRead, type Expr, looksAlong, mapCalls, type SortKey } from "../../plan/expr.ts";
import { functions } from "../../plan/functions.ts";
import { type Output, withOwn } from "../../plan/node.ts";
import type { ValueType } from "../../plan/types.ts";
import { explainDerive } from "./explain.ts";
import { type FittedWords, fitted, fittedByGroup } from "./fitted.ts";
import { checkedName, columnsOf, sortKeys } from "./keys.ts";

const place = { kinds: ["row", "aggregate", "window"], where: "a column" } as const;

/**
 * BL_DERIVE. Adds columns, each worked out by an expression over the row, or gives columns new cells.
 *
 * An aggregate is worked out over the rows of the group, or all rows; once there are training rows, over these alone, and
 * a group that they don't have is missing. Windows look along the rows of the group in an order; the table keeps its own.
 * A new column of features alone is one more feature.
 */
export const derive = defineBlock({
  code: "BL_DERIVE",
  name: "derive",
  args: {
    /** The new columns by name: `{ value: d => d.units * d.price }`; a later one may read those before it. */
    columns: expressions(),
    /** Columns whose equal cells make a group, for aggregates and windows (default: all rows are one). */
    by: columnList().optional(),
    /** Columns by which windows are ordered; "-price" from the greatest down (default: the table's order). */
    order: columnList().optional(),
    /** Values of the program that expressions name, as in `(d, $) => d.age > $.limit`. */
    params: parameters().optional(),
  },
  example: 'session.input("sample:penguins").derive({ columns: { ratio: (d) => d.bill_length_mm / d.bill_depth_mm } })',
  explain: explainDerive,
  async run(frame, args, context) {
    const { name, code } = context.block;
    const who = `${name} (${code})`;
    if (Object.keys(args.columns).length === 0)
      throw new ArgsError(`${who}: columns names none. Give one, as in { value: d => d.units * d.price }.`, {
        path: "columns",
      });
    const by = columnsOf(frame, args.by);
    const order = sortKeys(frame, args.order, who);
    let after = frame;
    let together: NewColumn[] = [];
    const learnt: FittedWords["learnt"][number][] = [];
    let groups = 0;
    const told = (made: WithColumns): Frame => {
      learnt.push(...made.told);
      groups = Math.max(groups, made.groups);
      return made.frame;
    };
    for (const [label, wanted] of Object.entries(args.columns)) {
      const made = checkedName(label, after, who);
      const about = { text: wanted, who, path: `columns.${label}`, place, params: args.params };
      const known = withNames(after.columns, together);
      const read = readExpression(known, about);
      const isLater = columnsRead(read.expr).some((each) => together.some(({ name: before }) => before === each));
      if (isLater || together.some(({ name: before }) => before === made)) {
        after = told(await withColumns(after, together, { by, order }, context));
        together = [];
      }
      together.push({ ...read, name: made });
    }
    after = told(await withColumns(after, together, { by, order }, context));
    const found = { learnt, fitted: fitRows(frame), ...(groups > 0 ? { groups } : {}) };
    return { frame: after, report: { made: Object.keys(args.columns), by, ...found } };
  },
  async view({ after, report }, read) {
    const { made } = report as { made: string[] };
    return stack(
      text(`Derived ${listed(made)}; ${count(after.columns.length, "column")} now.`),
      await read.head(after, { named: made }),
    );
  },
});

/** A column to be made, and by what. */
interface NewColumn {
  readonly name: string;
  readonly expr: Expr;
  readonly type: ValueType;
}

/** The table's columns with new ones behind them, or in the place of those of the same name. */
function withNames(columns: readonly Column[], made: readonly NewColumn[]): Column[] {
  const fresh = new Map(made.map(({ name, type }) => [name, columnFor(name, type)]));
  const kept = columns.map((each) => fresh.get(each.name) ?? each);
  const known = new Set(columns.map(({ name }) => name));
  return [...kept, ...[...fresh.values()].filter(({ name }) => !known.has(name))];
}

/** A frame with new columns, and what was learnt to make them. */
interface WithColumns {
  readonly frame: Frame;
  readonly told: FittedWords["learnt"];
  readonly groups: number;
}

/** The frame with columns that read none of each other. */
async function withColumns(
  frame: Frame,
  made: readonly NewColumn[],
  { by, order }: { readonly by: readonly string[]; readonly order: readonly SortKey[] },
  context: BlockContext,
): Promise<WithColumns> {
  const wanted = made.map(({ expr }) => expr);
  const { exprs, learnt, told, lookup, own, groups } =
    by.length > 0
      ? await fittedByGroup(frame, wanted, by, context)
      : { ...(await fitted(frame, wanted, context)), lookup: null, own: new Map(), groups: 0 };
  const cells = new Map(made.map(({ name }, k) => [name, alongRows(exprs[k], by, order)]));
  const outputs = withNames(frame.columns, made).map((column): Output => {
    const expr = cells.get(column.name);
    return expr ? { column, expr } : { column };
  });
  const found = lookup ? withStep(frame, lookup) : frame;
  const looked = own.size > 0 ? { ...found, relation: withOwn(found.relation, own) } : found;
  const after = withStep(looked, { block: context.block.id, name: context.block.name, outputs });
  const isSettled = lookup !== null || [...cells.values()].some(looksAlong);
  const held = isSettled ? await settled(after, frame.split, context) : after;
  // A window reads what orders it, too: a row's place among the targets is as good as its target.
  const reads = (expr: Expr) => [...columnsRead(alongRows(expr, by, order)), ...by];
  const roles = made.reduce((so, { name, expr }) => withRole(so, name, reads(expr), context), {
    x: frame.x,
    y: frame.y,
  });
  return { frame: { ...held, ...roles, fits: remember(frame, context, learnt) }, told, groups };
}

/** The expression, whose windows look along the rows of a group in an order. */
function alongRows(expr: Expr, by: readonly string[], order: readonly SortKey[]): Expr {
  return mapCalls(expr, (call) => (functions[call.call].kind === "window" ? { ...call, over: { by, order } } : call));
}

/** The features and targets. */
type Roles = Pick<Frame, "x" | "y">;

/** A new column joins X where it is made of features alone; a target's cells among the features would be a leak. */
function withRole({ x, y }: Roles, name: string, read: readonly string[], context: BlockContext): Roles {
  if (!x || y?.includes(name)) return { x, y };
  const targets = read.filter((each) => y?.includes(each));
  if (targets.length > 0) {
    context.notice(
      `${context.block.name} (${context.block.code}): ${name} reads the target ${listed(targets)}, so it is no feature.`,
    );
    return { x: x.filter((each) => each !== name), y };
  }
  if (x.includes(name)) return { x, y };
  const others = [...new Set(read)].filter((each) => !x.includes(each));
  if (others.length === 0) return { x: [...x, name], y };
  context.notice(
    `${context.block.name} (${context.block.code}): ${name} reads ${listed(others)}, which ${others.length === 1 ? "is no feature" : "are no features"}, so it is none either; xy names the features.`,
  );
  return { x, y };
}
