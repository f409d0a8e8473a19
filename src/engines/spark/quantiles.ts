import type { Subset } from "../../core/frame.ts";
import { type CallExpr, type Expr, rowColumn, type ValueExpr } from "../../plan/expr.ts";
import { type Relation, unsettled } from "../../plan/node.ts";
import { col, join, raw, type Sql, sql } from "../sql.ts";
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

/** Spark guesses from so many rows, since a guess takes a hundred times what counting takes; and how exact it is. */
const drawnRows = 100_000;
const accuracy = 5000;

/** How far beside its place a quantile is looked for at least, as a share of all numbers. */
const leastMargin = 5e-4;

/** A stretch of too many numbers is divided by so many guesses. */
const parts = 100;

/** So often a stretch is narrowed; what is left then costs memory alone. */
const mostRounds = 8;

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

/** A quantile on its way: it lies from `low` to `high`, if the guess is right. */
interface Search {
  readonly asked: Quantile;
  readonly number: Sql;
  /** How many numbers there are, and their ends. */
  readonly n: number;
  readonly least: number;
  readonly most: number;
  low: number;
  high: number;
  /** How many numbers are likely to be in the stretch. */
  likely: number;
  /** How many numbers are below the stretch, and in it; null before they are counted. */
  counted: { readonly below: number; readonly between: number } | null;
}

/**
 * Exact quantiles of many numbers over the rows of a plan, in few readings and little memory; null where there is no number.
 *
 * Spark's own exact quantiles hold every number that differs. So it guesses from some rows between which numbers each
 * lies, counts those below and between, does so again where these are many, and then holds the few that are left alone.
 * A guess decides how long it takes, and nothing else.
 */
export class QuantileSearch {
  readonly #relation: Relation;
  readonly #subset: Subset;
  readonly #asked: readonly Quantile[];
  /** The share of rows that are drawn; null where their numbers would take a sort, and all are looked at. */
  readonly #drawn: number | null;

  constructor(relation: Relation, asked: readonly Quantile[], subset: Subset) {
    this.#relation = relation;
    this.#subset = subset;
    this.#asked = asked;
    const files = unsettled(relation).cluster?.files;
    const rows = files?.reduce((sum, file) => sum + file.rows, 0) ?? 0;
    this.#drawn = rows > drawnRows ? drawnRows / rows : null;
  }

  /** The first cells that are asked, together with whatever else is asked of the rows. */
  get first(): Sql[] {
    return this.#groups().flatMap(([of, searches]) => {
      const x = numberIn(of);
      const shares = searches.flatMap(({ share }) => [share - this.#margin(share), share + this.#margin(share)]);
      return [sql`count(${x})`, sql`min(${x})`, sql`max(${x})`, guesses(this.#some(x, this.#drawn, 0), shares)];
    });
  }

  /** The quantiles, from what was answered to the first cells. */
  async found(first: readonly unknown[], ask: Ask): Promise<(number | null)[]> {
    const searches = this.#begun(first);
    for (let round = 1; round <= mostRounds; round++) {
      const open = searches.filter(({ counted, n }) => n > 0 && !counted);
      if (open.length === 0) break;
      const answered = await ask(this.#over(open.flatMap((search) => this.#count(search, round))));
      for (const [k, search] of open.entries()) {
        const [below, between, grid] = answered.slice(3 * k, 3 * k + 3);
        narrow(search, { below: Number(below), between: Number(between) }, numbersIn(grid), round === mostRounds);
      }
    }
    return await this.#held(searches, ask);
  }

  /** Quantiles of the same numbers have one guess together. */
  #groups(): [Expr, Quantile[]][] {
    return [...Map.groupBy(this.#asked, ({ of }) => JSON.stringify(of)).values()].map((some) => [some[0].of, some]);
  }

  #begun(first: readonly unknown[]): Search[] {
    const made = new Map<Quantile, Search>();
    for (const [k, [of, some]] of this.#groups().entries()) {
      const [count, min, max, guess] = first.slice(4 * k, 4 * k + 4);
      const [n, least, most] = [count, min, max].map(Number);
      const guessed = numbersIn(guess);
      for (const [j, asked] of some.entries()) {
        const margin = this.#margin(asked.share);
        const isWide = n <= fewNumbers || guessed.length === 0;
        made.set(asked, {
          ...{ asked, number: numberIn(of), n, least, most },
          low: isWide || asked.share <= margin ? least : guessed[2 * j],
          high: isWide || asked.share >= 1 - margin ? most : guessed[2 * j + 1],
          likely: isWide ? n : 2 * margin * n,
          counted: n <= fewNumbers ? { below: 0, between: n } : null,
        });
      }
    }
    return this.#asked.map((asked) => made.get(asked) as Search);
  }

  /** How far beside a place its quantile is looked for: four and a half deviations of a sample's. */
  #margin(share: number): number {
    const drawn = this.#drawn === null ? 0 : 4.5 * Math.sqrt((share * (1 - share)) / drawnRows) + 2 / accuracy;
    return Math.max(leastMargin, drawn);
  }

  /** How many numbers are below a stretch and in it, and guesses that divide it where they are likely to be many. */
  #count({ number, low, high, likely }: Search, round: number): Sql[] {
    const within = sql`${number} BETWEEN ${double(low)} AND ${double(high)}`;
    const share = this.#drawn === null ? null : Math.min(1, drawnRows / likely);
    const drawn = this.#some(sql`CASE WHEN ${within} THEN ${number} END`, share, round);
    const shares = Array.from({ length: parts + 1 }, (_, k) => k / parts);
    const isMany = likely > fewNumbers && low < high;
    return [
      sql`count_if(${number} < ${double(low)})`,
      sql`count_if(${within})`,
      isMany ? guesses(drawn, shares) : raw("NULL"),
    ];
  }

  /** The numbers of some rows alone, drawn by a hash of each row's number that another round does not share. */
  #some(x: Sql, share: number | null, round: number): Sql {
    if (share === null || share >= 1) return x;
    const hash = sql`pmod(xxhash64(${col(rowColumn)}, ${raw(`${-1 - round}L`)}), 1000000000L)`;
    return sql`CASE WHEN ${hash} < ${raw(`${Math.ceil(share * 1e9)}L`)} THEN ${x} END`;
  }

  /** Holds the numbers of each stretch, and takes out those at the quantile's place. */
  async #held(searches: readonly Search[], ask: Ask): Promise<(number | null)[]> {
    const places = searches.map((search) => placesOf(search));
    const held = searches.flatMap(({ n, low, high }, k) => (n > 0 && low < high ? [k] : []));
    const cells = held.flatMap((k) => {
      const { number, low, high, counted } = searches[k];
      const { below, between } = counted ?? { below: 0, between: 0 };
      const within = sql`CASE WHEN ${number} BETWEEN ${double(low)} AND ${double(high)} THEN ${number} END`;
      return [places[k].first, places[k].second].map((place) => {
        const share = double((place - below + 0.5) / between);
        return sql`percentile_disc(${share}) WITHIN GROUP (ORDER BY ${within})`;
      });
    });
    const found = cells.length > 0 ? await ask(this.#over(cells)) : [];
    const ends = new Map(held.map((k, j) => [k, [Number(found[2 * j]), Number(found[2 * j + 1])]]));
    return searches.map(({ n, low }, k) => {
      if (n === 0) return null;
      const [a, b] = ends.get(k) ?? [low, low];
      // A place between two numbers is on the line between them.
      return places[k].part > 0 ? a + (b - a) * places[k].part : a;
    });
  }

  #over(cells: readonly Sql[]): (names: SparkTables) => Sql {
    return (names) => {
      const plan = new SparkPlan(names);
      const exprs = this.#asked.map(({ of }) => of);
      return plan.select(sql`SELECT ${join(cells)}\nFROM ${rowsFor(plan, this.#relation, exprs, this.#subset)}`);
    };
  }
}

function numberIn(of: Expr): Sql {
  return sql`CAST(${writeExpression(of)} AS DOUBLE)`;
}

function guesses(x: Sql, shares: readonly number[]): Sql {
  const each = shares.map((share) => double(Math.min(1, Math.max(0, share))));
  return sql`percentile_approx(${x}, array(${join(each)}), ${raw(String(accuracy))})`;
}

/** An array as a cell tells it. */
function numbersIn(cell: unknown): number[] {
  return typeof cell === "string" ? cell.slice(1, -1).split(", ").map(Number) : [];
}

/** Between which places, from 0 in ascending order, a quantile lies, and how far from the first. */
function placesOf({ asked, n }: Pick<Search, "asked" | "n">) {
  const at = asked.share * (n - 1);
  const first = Math.floor(at);
  return { first, second: Math.min(first + 1, n - 1), part: at - first };
}

/** Takes what was counted of a stretch: where the quantile's places lie in it, a part of it, else what is beside it. */
function narrow(
  search: Search,
  { below, between }: { readonly below: number; readonly between: number },
  grid: readonly number[],
  isLast: boolean,
): void {
  const { low, high, least, most, n } = search;
  const { first, second } = placesOf(search);
  const [from, to] = [first - below, second - below];
  const isWithin = from >= 0 && to < between;
  if (!isWithin) {
    search.low = from < 0 ? least : from >= between ? high : low;
    search.high = from < 0 ? low : most;
    search.likely = from < 0 ? below : n - below;
    // What was not counted in the end is all of it.
    if (isLast) Object.assign(search, { low: least, high: most, counted: { below: 0, between: n } });
    return;
  }
  const ends = [low, high];
  if (between > fewNumbers && low < high && !isLast) {
    if (grid.length === 0) {
      search.likely = between;
      return;
    }
    const slack = 4.5 * Math.sqrt(0.25 / drawnRows) + 2 / accuracy;
    const i = Math.floor((from / between - slack) * parts);
    const j = Math.ceil((to / between + slack) * parts);
    if (i > 0) ends[0] = grid[i];
    if (j < parts) ends[1] = grid[j];
    search.likely = (between * (Math.min(j, parts) - Math.max(i, 0))) / parts;
  }
  if (ends[0] === low && ends[1] === high) search.counted = { below, between };
  [search.low, search.high] = ends;
}
