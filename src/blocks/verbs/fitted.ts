import type { BlockContext } from "../../core/block.ts";
import { type Column, columnsNamed, type Frame } from "../../core/frame.ts";
import { freshNames, listed } from "../../core/names.ts";
import { fitSelection } from "../../core/scope.ts";
import { typeOf } from "../../plan/check.ts";
import { columnFor } from "../../plan/column.ts";
import { type CallExpr, type Constant, column, columnsRead, type Expr, mapCalls, value } from "../../plan/expr.ts";
import { functions } from "../../plan/functions.ts";
import type { Output, Own, Step } from "../../plan/node.ts";

/** Expressions whose aggregates have become constants, and what these were found from. */
export interface Fitted {
  readonly exprs: readonly Expr[];
  /** The columns that were looked at. */
  readonly learnt: readonly string[];
  /** The aggregates in words, with what they came to. */
  readonly told: FittedWords["learnt"];
}

/** What aggregates came to, for an explanation; those of groups have a number each and none here. */
export interface FittedWords {
  readonly learnt: readonly { readonly name: string; readonly value?: Constant }[];
  /** Which rows were looked at. */
  readonly fitted: string;
}

/** Works aggregates out over the rows that a fit may look at, and puts what they come to in their place. */
export async function fitted(frame: Frame, exprs: readonly Expr[], context: BlockContext): Promise<Fitted> {
  const calls = aggregatesIn(exprs);
  if (calls.length === 0) return { exprs, learnt: [], told: [] };
  const cells = await context.tables.aggregate(frame.relation, fitSelection(frame), calls);
  const found = new Map(calls.map((call, k) => [JSON.stringify(call), constantOf(cells[k] as Constant, call)]));
  const told = calls.map((call, k) => ({ name: called(call), value: cells[k] as Constant }));
  return { exprs: exprs.map((each) => replaced(each, found)), learnt: calls.flatMap(columnsRead), told };
}

/** What groups came to: a step that looks it up, and where their rows lie on a cluster, how these have it of each other. */
interface FittedByGroup extends Fitted {
  readonly lookup: Step | null;
  readonly own: ReadonlyMap<string, Own>;
  readonly groups: number;
}

/** The same for each group of rows that are alike in some columns: a step looks up what its group's rows come to. */
export async function fittedByGroup(
  frame: Frame,
  exprs: readonly Expr[],
  by: readonly string[],
  context: BlockContext,
): Promise<FittedByGroup> {
  const calls = aggregatesIn(exprs);
  if (calls.length === 0) return { exprs, learnt: [], told: [], lookup: null, own: new Map(), groups: 0 };
  const names = freshNames(
    calls.map(({ call }) => call),
    frame.columns.map(({ name }) => name),
  );
  const outputs = calls.map((expr, k) => ({ column: columnFor(names[k], typeOf(expr)), expr }));
  const { cells, own, groups } = await cellsOfGroups(frame, outputs, by, context);
  const lookup = {
    block: context.block.id,
    name: context.block.name,
    outputs: [...frame.columns.map((each) => ({ column: each })), ...cells],
  };
  const found = new Map(calls.map((call, k) => [JSON.stringify(call), column(names[k], typeOf(call)) as Expr]));
  return {
    exprs: exprs.map((each) => replaced(each, found)),
    learnt: [...by, ...calls.flatMap(columnsRead)],
    told: calls.map((call) => ({ name: `${called(call)} of each group` })),
    lookup,
    own,
    groups,
  };
}

/** What each row's group comes to: cells of a table of the groups, which a cluster makes of its rows by themselves. */
async function cellsOfGroups(
  frame: Frame,
  outputs: readonly { readonly column: Column; readonly expr: CallExpr }[],
  by: readonly string[],
  { tables }: BlockContext,
): Promise<{ readonly cells: readonly Output[]; readonly own: ReadonlyMap<string, Own>; readonly groups: number }> {
  const train = frame.split ? { train: { artifact: frame.split.artifact } } : {};
  const { relation, rows } = await tables.settle({ made: "groups", of: frame.relation, ...train, by, outputs });
  const columns = [...columnsNamed(frame.columns, by), ...outputs.map((output) => output.column)];
  const { artifact } = tables.isFar ? await tables.collect(relation, columns, rows) : relation;
  const on = by.map((name) => ({ column: name, other: name }));
  const cells = outputs.map(({ column: made }) => ({
    column: made,
    match: { artifact, column: made.name, on, isMissingAlike: true },
  }));
  const over = { by, order: [] };
  const beside = tables.isFar ? outputs : [];
  const own = new Map(beside.map(({ column: made, expr }) => [made.name, { atHand: { ...expr, over } }]));
  return { cells, own, groups: rows };
}

/** An aggregate in words. */
function called(call: CallExpr): string {
  const columns = columnsRead(call);
  return columns.length === 0 ? `the ${call.call}` : `the ${call.call} of ${listed(columns)}`;
}

/** Each aggregate once; those of one window are no aggregates of the table. */
export function aggregatesIn(exprs: readonly Expr[]): CallExpr[] {
  const found = new Map<string, CallExpr>();
  for (const expr of exprs) {
    mapCalls(expr, (call) => {
      if (functions[call.call].kind === "aggregate" && !call.over) found.set(JSON.stringify(call), call);
      return call;
    });
  }
  return [...found.values()];
}

/** The expression with calls in it replaced, by what they are as JSON. */
export function replaced(expr: Expr, found: ReadonlyMap<string, Expr>): Expr {
  return mapCalls(expr, (call) => found.get(JSON.stringify(call)) ?? call);
}

/** What an aggregate came to, with its type: a mean of 3 is no whole number. */
function constantOf(cell: Constant, call: CallExpr): Expr {
  const type = typeOf(call);
  if (cell === null) return value(null);
  if (type === "datetime") return value(String(cell), "datetime");
  return type === "number" || type === "integer" ? { ...value(cell), as: type } : value(cell);
}
