import type { Subset } from "../../core/frame.ts";
import type { CallExpr, Expr, ValueExpr } from "../../plan/expr.ts";
import type { Relation } from "../../plan/node.ts";
import { join, raw, type Sql, sql } from "../sql.ts";
import { writeExpression } from "./expressions.ts";
import { rowsFor, SparkPlan, type SparkTables } from "./plan.ts";
import { double } from "./words.ts";

/** A quantile that is asked of a table's rows: of which numbers, and at which share of them from the least. */
export interface Quantile {
  readonly of: Expr;
  readonly share: number;
}

/** Of so few numbers Spark counts each, which takes memory for every one that differs. */
const fewNumbers = 20_000;

/** How far beside its place a quantile is looked for, as a share of all numbers, and how exact Spark's guess is. */
const margin = 5e-4;
const accuracy = 5000;

/** What is asked when an aggregate is a quantile; null where it is none. */
export function quantileIn(expr: Expr): Quantile | null {
  if (!("call" in expr) || expr.over) return null;
  if (expr.call === "median") return { of: expr.args[0], share: 0.5 };
  return expr.call === "quantile" ? { of: expr.args[0], share: shareOf(expr) } : null;
}

function shareOf({ args }: CallExpr): number {
  return Number((args[1] as ValueExpr).value);
}

/** Asks one row of cells of the cluster. */
type Ask = (query: (names: SparkTables) => Sql) => Promise<readonly unknown[]>;

/**
 * Exact quantiles of many numbers, in three readings and little memory; null where there is no number.
 *
 * Spark's own exact quantiles hold every number that differs. So it guesses first between which numbers each lies, counts
 * those below and between, and then holds these few alone.
 */
export async function exactQuantiles(
  relation: Relation,
  asked: readonly Quantile[],
  ask: Ask,
  subset: Subset = "all",
): Promise<(number | null)[]> {
  const over = (cells: readonly Sql[]) => (names: SparkTables) => {
    const plan = new SparkPlan(names);
    const rows = rowsFor(
      plan,
      relation,
      asked.map(({ of }) => of),
      subset,
    );
    return plan.select(sql`SELECT ${join(cells)}\nFROM ${rows}`);
  };
  const numbers = asked.map(({ of }) => sql`CAST(${writeExpression(of)} AS DOUBLE)`);
  const guess = (x: Sql, share: number) =>
    sql`percentile_approx(${x}, ${double(Math.min(1, Math.max(0, share)))}, ${raw(String(accuracy))})`;
  const guessed = await ask(
    over(
      asked.flatMap(({ share }, k) => {
        const x = numbers[k];
        return [sql`count(${x})`, guess(x, share - margin), guess(x, share + margin), sql`min(${x})`, sql`max(${x})`];
      }),
    ),
  );
  const ends = asked.map(({ share }, k) => {
    const [n, low, high, min, max] = guessed.slice(5 * k, 5 * k + 5);
    const isFew = Number(n) <= fewNumbers;
    return {
      n: Number(n),
      low: Number(isFew || share <= margin ? min : low),
      high: Number(isFew || share >= 1 - margin ? max : high),
    };
  });
  const within = (k: number) => sql`${numbers[k]} BETWEEN ${double(ends[k].low)} AND ${double(ends[k].high)}`;
  const there = asked.flatMap((_, k) => (ends[k].n > 0 ? [k] : []));
  if (there.length === 0) return asked.map(() => null);
  const counted = await ask(
    over(there.flatMap((k) => [sql`count_if(${numbers[k]} < ${double(ends[k].low)})`, sql`count_if(${within(k)})`])),
  );
  // A place between two numbers is on the line between them.
  const places = there.map((k, j) => {
    const at = asked[k].share * (ends[k].n - 1);
    const [below, between] = [Number(counted[2 * j]), Number(counted[2 * j + 1])];
    const first = Math.floor(at);
    return { k, first: first - below, second: Math.min(first + 1, ends[k].n - 1) - below, part: at - first, between };
  });
  const isFound = ({ first, second, between }: (typeof places)[number]) => first >= 0 && second < between;
  const cells = places.flatMap((place) => {
    const x = numbers[place.k];
    // A guess that lies too far away, as none should, costs memory alone.
    if (!isFound(place)) return [sql`percentile(${x}, ${double(asked[place.k].share)})`, raw("NULL")];
    const number = sql`CASE WHEN ${within(place.k)} THEN ${x} END`;
    return [place.first, place.second].map((rank) => {
      const share = double((rank + 0.5) / place.between);
      return sql`percentile_disc(${share}) WITHIN GROUP (ORDER BY ${number})`;
    });
  });
  const found = await ask(over(cells));
  const answers = new Map(
    places.map((place, j) => {
      const [a, b] = [Number(found[2 * j]), Number(found[2 * j + 1])];
      return [place.k, isFound(place) && place.part > 0 ? a + (b - a) * place.part : a];
    }),
  );
  return asked.map((_, k) => answers.get(k) ?? null);
}
