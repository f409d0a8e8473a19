import type { BlockContext } from "../../core/block.ts";
import { type Column, cell } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import { type ClassCurves, curvesOfPoints } from "../../numerics/evaluation/curves.ts";
import { call, type Expr, value } from "../../plan/expr.ts";
import { addStep, type Output, type Relation } from "../../plan/node.ts";
import type { Judged } from "./new-rows.ts";

/** Up to so many different probabilities come here; of more, sums and some points of the curves do. */
const mostPoints = 2000;

/** Parts of an axis of a curve, of each of which one point is drawn. */
const parts = 250;

/** Cells of a table for its rows, with a class's probability, and which rows count. */
interface Scored {
  readonly share: Column;
  readonly isOwn: Expr;
  readonly there: Expr;
}

/**
 * The area under a class's ROC curve over a cluster's rows, exact, and its curves; null where no row, or each, is of it.
 *
 * As `areaUnderRoc`: of each different probability the pairs with others below it, those with equal ones by half.
 */
export async function farCurves(
  { relation, columns }: { readonly relation: Relation; readonly columns: readonly Column[] },
  { share, isOwn, there }: Scored,
  { code, isDrawn }: { readonly code: number; readonly isDrawn: boolean },
  { subset = "all" }: Judged["selection"],
  { tables, block: { id, name } }: BlockContext,
): Promise<{ readonly area: number; readonly curves: ClassCurves | null } | null> {
  const one = value(1, "integer");
  const counted = (when: Expr) => call("count", call("choose", call("and", there, when), one, value(null)));
  const called = freshNames(
    ["own", "others", "right", "wrong"],
    columns.map((each) => each.name),
  );
  const [own, others, right, wrong] = called.map((each): Column => ({ name: each, type: "number", integer: true }));
  const { relation: groups, rows } = await tables.settle({
    made: "groups",
    of: relation,
    by: [share.name],
    outputs: [
      { column: own, expr: counted(isOwn) },
      { column: others, expr: counted(call("not", isOwn)) },
    ],
    ...(subset === "all" ? {} : { side: subset }),
  });
  if (rows <= mostPoints) {
    const [mine, rest] = await tables.cells(groups, { columns: [own.name, others.name], limit: rows });
    return ofCounts(code, mine.map(Number).reverse(), rest.map(Number).reverse());
  }
  const order = [{ column: share.name, descending: true }];
  const cumulated = (each: Column): Expr => ({ ...call("cumsum", cell(each)), over: { by: [], order } });
  const passed = [own, others].map((column): Output => ({ column }));
  const step = (outputs: readonly Output[]) => ({ block: id, name, outputs });
  const ranked = addStep(
    groups,
    step([...passed, { column: right, expr: cumulated(own) }, { column: wrong, expr: cumulated(others) }]),
  );
  const [x, y] = [cell(right), cell(wrong)];
  // Those of others that score less than each, and by half those that score the same.
  const twice = call("subtract", call("multiply", value(2, "integer"), y), cell(others));
  const precision = call("divide", x, call("add", x, y));
  const sums = [cell(own), cell(others), call("multiply", cell(own), twice), call("multiply", cell(own), precision)];
  const found = await tables.aggregate(
    ranked,
    {},
    sums.map((each) => call("sum", each)),
  );
  const [mine, rest, lost, weighed] = found.map(Number);
  if (!(mine > 0 && rest > 0)) return null;
  const area = 1 - lost / 2 / mine / rest;
  if (!isDrawn) return { area, curves: null };
  const part = (share: Expr) => call("floor", call("multiply", share, value(parts, "number")));
  const of = (count: Expr, all: number) => part(call("divide", count, value(all, "number")));
  // Both counts grow, so that the least and the greatest ones of a part are those of its first and its last point.
  const ends = [call("min", x), call("min", y), call("max", x), call("max", y)];
  const by = [of(x, mine), of(y, rest), part(precision)];
  const { found: cells } = await tables.groups(ranked, {}, { by, outputs: ends, order: [] });
  const points = cells
    .map((each) => each.map(Number))
    .flatMap(([a, b, c, d]) => [
      [a, b],
      [c, d],
    ])
    .sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  const numbers = (k: number) => points.map((each) => each[k]);
  const curves = curvesOfPoints({ code, right: numbers(0), wrong: numbers(1), area, average: weighed / mine });
  return { area, curves };
}

/** The curves by how many rows of a class, and of others, have each probability, from the highest down. */
function ofCounts(code: number, own: readonly number[], others: readonly number[]) {
  const cumulated = (counts: readonly number[]) => {
    let sum = 0;
    return counts.map((each) => {
      sum += each;
      return sum;
    });
  };
  const [right, wrong] = [cumulated(own), cumulated(others)];
  const [mine, rest] = [right.at(-1) ?? 0, wrong.at(-1) ?? 0];
  if (mine === 0 || rest === 0) return null;
  const won = own.reduce((sum, each, k) => sum + each * (2 * (rest - wrong[k]) + others[k]), 0);
  const average = own.reduce(
    (sum, each, k) => sum + (each > 0 ? (each / mine) * (right[k] / (right[k] + wrong[k])) : 0),
    0,
  );
  const area = won / 2 / mine / rest;
  return { area, curves: curvesOfPoints({ code, right, wrong, area, average }) };
}
