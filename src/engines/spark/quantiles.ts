import type { Subset } from "../../core/frame.ts";
import { lowsOf } from "../../core/lows.ts";
import { typeOf } from "../../plan/check.ts";
import { type CallExpr, call, type Expr, type ValueExpr, value } from "../../plan/expr.ts";
import type { Relation } from "../../plan/node.ts";
import { join, raw, type Sql, sql } from "../sql.ts";
import { writeExpression } from "./expressions.ts";
import { cellsFor, SparkPlan } from "./plan.ts";
import { type Counts, type Ends, findPlaces, type Search } from "./quantile-search.ts";
import type { Query } from "./query.ts";
import { double } from "./words.ts";

/** A quantile that is asked of a table's rows: of which numbers, and at which share of them from the least. */
export interface Quantile {
  readonly of: Expr;
  readonly share: number;
}

/** What is asked when an aggregate is a quantile; null where it is none. */
export function quantileIn(expr: Expr): Quantile | null {
  if (!("call" in expr) || expr.over) return null;
  if (expr.call === "median") return { of: expr.args[0], share: 0.5 };
  return expr.call === "quantile" ? { of: expr.args[0], share: shareOf(expr) } : null;
}

function shareOf({ args }: CallExpr): number {
  return Number((args[1] as ValueExpr).value);
}

/** Asks the cluster: for one row of cells, or for many of doubles, NaN where a cell is missing, batch by batch. */
export interface Asking {
  row(query: Query): Promise<readonly unknown[]>;
  numbers(query: Query, take: (columns: readonly Float64Array[]) => void): Promise<void>;
}

/** Exact quantiles of many numbers over the rows of a plan, in few readings and little memory; null where there is no number. */
export class QuantileSearch {
  readonly #relation: Relation;
  readonly #subset: Subset;
  readonly #asked: readonly Quantile[];

  constructor(relation: Relation, asked: readonly Quantile[], subset: Subset) {
    this.#relation = relation;
    this.#subset = subset;
    this.#asked = asked;
  }

  /** What has to be known first: of each how many numbers there are, the least, the greatest, and the mean of whole ones. */
  get ends(): Expr[] {
    return this.#asked.flatMap(({ of }) => {
      const mean = typeOf(of) === "integer" ? call("mean", of) : value(null);
      return [call("count", of), call("min", of), call("max", of), mean];
    });
  }

  /** The quantiles, from what the ends are. */
  async found(ends: readonly unknown[], asking: Asking): Promise<(number | null)[]> {
    const places = this.#asked.map(({ share }, k) => {
      const at = share * (Number(ends[4 * k]) - 1);
      return { first: Math.floor(at), part: at - Math.floor(at) };
    });
    const searches = this.#asked.flatMap(({ of }, k): Search<Expr>[] => {
      const [n, low, high, mean] = ends.slice(4 * k, 4 * k + 4);
      const { first, part } = places[k];
      const own = Number(n) === 0 ? [] : part > 0 ? [first, first + 1] : [first];
      const all = { low: Number(low), high: Number(high), below: 0, between: Number(n) };
      const lows = mean === null ? null : lowsOf({ ...all, n: all.between, mean: Number(mean) });
      return own.map((place) => ({ of, place, near: first, stretch: lows === null ? all : oneOf(all, place < lows) }));
    });
    const numbers = await findPlaces(searches, {
      counts: (stretches) => this.#counts(stretches, asking),
      some: (stretches, share) => this.#some(stretches, share, asking),
    });
    const found = numbers.values();
    return this.#asked.map((_, k) => {
      if (Number(ends[4 * k]) === 0) return null;
      const { part } = places[k];
      const low = found.next().value as number;
      // A place between two numbers is on the line between them.
      return part > 0 ? low + ((found.next().value as number) - low) * part : low;
    });
  }

  async #counts(stretches: readonly (Ends & { readonly of: Expr })[], asking: Asking) {
    const cells = stretches.flatMap((each) => [
      sql`count_if(${numberIn(each.of)} < ${double(each.low)})`,
      sql`count_if(${isWithin(each)})`,
    ]);
    const counts = await asking.row((names) => {
      const plan = new SparkPlan(names);
      return plan.select(sql`SELECT ${join(cells)}\nFROM ${this.#rows(plan)}`);
    });
    return stretches.map((_, k) => ({ below: Number(counts[2 * k]), between: Number(counts[2 * k + 1]) }));
  }

  /** The numbers of each stretch, or those of some rows. */
  async #some(
    stretches: readonly (Ends & { readonly of: Expr })[],
    share: number,
    asking: Asking,
  ): Promise<Float64Array[]> {
    const columns = [...new Map(stretches.map(({ of }) => [JSON.stringify(of), of]))];
    const held = stretches.map(({ of, low, high }) => {
      const place = columns.findIndex(([key]) => key === JSON.stringify(of));
      return { low, high, place, numbers: new GrowingNumbers() };
    });
    const query: Query = (names) => {
      const plan = new SparkPlan(names);
      const cells = columns.map(([, of], k) => sql`${numberIn(of)} AS ${raw(`n${k}`)}`);
      // What is drawn at random keeps Spark from working numbers out anew for each end that they are compared with.
      const numbers = plan.table("numbers", sql`SELECT ${join(cells)}, rand(0) AS drawn\n  FROM ${this.#rows(plan)}`);
      const within = held.map(
        ({ low, high, place }) => sql`${raw(`n${place}`)} >= ${double(low)} AND ${raw(`n${place}`)} <= ${double(high)}`,
      );
      const out = columns.map((_, k) => sql`coalesce(${raw(`n${k}`)}, DOUBLE('NaN'))`);
      return plan.select(
        sql`SELECT ${join(out)}\nFROM ${numbers}\nWHERE drawn < ${double(Math.min(2, share))} AND (${join(within, " OR ")})`,
      );
    };
    await asking.numbers(query, (batch) => {
      for (const { low, high, place, numbers } of held) numbers.take(batch[place], low, high);
    });
    return held.map(({ numbers }) => numbers.all);
  }

  #rows(plan: SparkPlan): Sql {
    const exprs = this.#asked.map(({ of }) => of);
    return cellsFor(plan, this.#relation, exprs, this.#subset);
  }
}

/** A stretch that is one of the ends of another. */
function oneOf(all: Ends & Counts, isLow: boolean): Ends & Counts {
  const own = isLow ? all.low : all.high;
  return { ...all, low: own, high: own };
}

/** Numbers that come in parts. */
class GrowingNumbers {
  #data = new Float64Array(1024);
  #length = 0;

  /** Takes those between two ends, which NaN is not. */
  take(from: Float64Array, low: number, high: number): void {
    if (this.#length + from.length > this.#data.length) {
      const grown = new Float64Array(Math.max(2 * this.#data.length, this.#length + from.length));
      grown.set(this.#data.subarray(0, this.#length));
      this.#data = grown;
    }
    for (const number of from) if (number >= low && number <= high) this.#data[this.#length++] = number;
  }

  get all(): Float64Array {
    return this.#data.subarray(0, this.#length);
  }
}

function isWithin({ of, low, high }: Ends & { readonly of: Expr }): Sql {
  return sql`${numberIn(of)} BETWEEN ${double(low)} AND ${double(high)}`;
}

function numberIn(of: Expr): Sql {
  return sql`CAST(${writeExpression(of)} AS DOUBLE)`;
}
