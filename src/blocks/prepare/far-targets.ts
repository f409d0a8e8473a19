import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { cell, column, type Frame, isNumeric } from "../../core/frame.ts";
import { fitSelection } from "../../core/scope.ts";
import { type PartedMeans, partedMeans } from "../../numerics/statistics/target-means.ts";
import { call, column as columnExpr, type Expr, numberList, sideColumn, value } from "../../plan/expr.ts";
import { withOwn } from "../../plan/node.ts";
import { farClasses } from "../shared/far-classes.ts";
import { dealt, numberOf } from "../shared/far-products.ts";
import { categoryOf } from "./categories.ts";
import {
  byPartAndCode,
  codesIn,
  endingsOf,
  folds,
  incompleteTarget,
  oneRowAlone,
  shownOf,
  type Targets,
  targetOf,
} from "./target-fits.ts";

const whole = (number: number): Expr => value(number, "integer");

const part = dealt(folds);

/** Targets of rows that lie on a cluster: sums over each category of each part, and the part of a row by a hash. */
export async function farTargets(frame: Frame, context: BlockContext): Promise<Targets> {
  const { tables } = context;
  const { relation } = frame;
  const name = targetOf(frame);
  const { exprs, endings } = await targetsOf(frame, name, context);
  const rows = fitSelection(frame);
  const asked = [call("count"), call("count", cell(column(frame, name))), ...exprs.map((y) => call("mean", y))];
  const [n, present, ...means] = (await tables.aggregate(relation, rows, asked)).map(Number);
  if (present < n) throw incompleteTarget(name);
  if (n === 1) throw oneRowAlone();
  context.notice(
    `encode (DP_3): on Spark a hash of each row's number says in which fifth it is; training rows are encoded by the other four, so their numbers differ from those of rows that are here.`,
  );
  return {
    endings,
    async means({ of, learnt }) {
      const category = call("text", categoryOf(of));
      const by = [category, part];
      const off = exprs.map((y, k) => call("subtract", y, value(means[k], "number")));
      const sums = off.flatMap((each) => [call("sum", each), call("sum", call("multiply", each, each))]);
      const outputs = [...by, call("count"), ...sums];
      const order = by.map((expr) => ({ expr }));
      const { found } = await tables.groups(relation, rows, { by, outputs, order });
      const code = new Map(learnt.map((label, k) => [String(label), k]));
      const size = learnt.length + 1;
      const groups = found.map(([own, fold, count, ...cells]) => ({
        at: Number(fold) * size + (own === null ? learnt.length : (code.get(String(own)) ?? learnt.length)),
        fold: Number(fold),
        count: Number(count),
        cells: cells.map(Number),
      }));
      const dealt = new Set(groups.map(({ fold }) => fold));
      if (dealt.size === 1) {
        throw new DataError(
          'encode (DP_3): "target" needs training rows in two of five parts on Spark, and they are all in one; take them out first by collect().',
          { got: n },
        );
      }
      return exprs.map((_, k): PartedMeans => {
        const [count, sum, spread] = Array.from({ length: 3 }, () => new Float64Array(folds * size));
        for (const group of groups) {
          const [away, squares] = group.cells.slice(2 * k, 2 * k + 2);
          count[group.at] = group.count;
          sum[group.at] = away + means[k] * group.count;
          spread[group.at] = Math.max(0, squares - (away * away) / group.count);
        }
        return partedMeans({ count, sum, spread }, size, folds);
      });
    },
    async crossFitted(after, fits) {
      const seen = frame.split ? call("choose", call("equal", side, whole(0)), part, whole(folds)) : part;
      const cells = fits.map(({ name: made, code, means: learnt }) => {
        const size = codesIn(learnt);
        const place = call("add", call("coalesce", code, whole(size - 2)), whole(1));
        const at = call("add", call("multiply", seen, whole(size)), place);
        return [made, { atHand: call("itemAt", at, numberList(byPartAndCode(learnt))) }] as const;
      });
      return withOwn(after, new Map(cells));
    },
  };
}

const side = columnExpr(sideColumn, "integer");

/** The target as numbers, or as one number for each class that has an output. */
async function targetsOf(frame: Frame, name: string, context: BlockContext) {
  const target = column(frame, name);
  if (isNumeric(target)) return { exprs: [numberOf(target)], endings: [""] };
  const { labels } = await farClasses(frame, name, {}, context);
  const isClass = (k: number) => call("equal", cell(target), value(labels[k]));
  const exprs = shownOf(labels).map((k) => call("choose", isClass(k), value(1, "number"), value(0, "number")));
  return { exprs, endings: endingsOf(labels) };
}
