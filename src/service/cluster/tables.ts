import type { Subset } from "../../core/frame.ts";
import type { ClusterLibrary, ClusterSplits, Rows, Tables } from "../../core/tables.ts";
import type { Cell } from "../../core/view.ts";
import type { EngineTables } from "../../engines/duckdb/index.ts";
import {
  askAggregates,
  askCells,
  askCodes,
  askCount,
  askGroups,
  askHashes,
  askHashParts,
  askMarks,
  askOrder,
  askPairs,
  askRows,
  askSide,
  askSides,
  askSketch,
} from "../../engines/spark/asked.ts";
import {
  type Bounds,
  doubtful,
  fieldsOf,
  hasSpread,
  isDeviation,
  isKnown,
  summedIn,
} from "../../engines/spark/known-sums.ts";
import { type Asking, QuantileSearch, quantileIn } from "../../engines/spark/quantiles.ts";
import type { Query } from "../../engines/spark/query.ts";
import type { Expr } from "../../plan/expr.ts";
import { isOnCluster, type Made, type Relation, tablesOf } from "../../plan/node.ts";
import { bring } from "./collect.ts";
import type { ClusterFacts } from "./facts.ts";
import { refuseObjections } from "./objections.ts";
import { farRefusal, mixedRefusal } from "./refusals.ts";
import type { ClusterSession } from "./session.ts";
import { growTrees } from "./trees.ts";

/** What is asked together takes so many columns of a query at most: of more, Spark compiles no code, and works several times as long. Source: spark.sql.codegen.maxFields. */
const columnsAtOnce = 96;

/** A sum of numbers of which nothing is known takes so many: its number, the unit, and what is added up in either unit. */
const columnsOfSum = 4;

/** Runs of a list, each as long as what its members take comes to `most` at most. */
function inParts<T>(list: readonly T[], takenBy: (each: T) => number, most = columnsAtOnce): T[][] {
  const parts: T[][] = [];
  let left = 0;
  for (const each of list) {
    const taken = takenBy(each);
    if (taken > left || parts.length === 0) {
      parts.push([]);
      left = most;
    }
    parts.at(-1)?.push(each);
    left -= taken;
  }
  return parts;
}

/** How many columns of a query an aggregate takes whose numbers are unknown. */
function fieldsOfUnknown(expr: Expr): number {
  return Math.max(1, columnsOfSum * summedIn([expr]).length);
}

/** Rows that come out of the cluster at most without collect(). */
const mostCells = 100_000;

/** Numbers of rows that come out of the cluster at most. */
const mostNumbers = 10_000_000;

/**
 * The tables of a block whose rows lie on a cluster: what is asked runs there, and only what is answered comes back.
 *
 * Nothing is written there. What takes all rows in memory is refused in the block's name.
 */
export class ClusterTables implements Tables {
  readonly isFar = true;
  readonly here: EngineTables;
  readonly broughtCells: number;
  readonly #session: ClusterSession;
  readonly #who: string;
  readonly #temporary: () => string;
  readonly #facts: ClusterFacts;

  /** `here` holds what blocks write of their own; `temporary` names a path for rows on their way. */
  constructor(
    session: ClusterSession,
    here: EngineTables,
    who: string,
    {
      temporary,
      facts,
      broughtCells,
    }: { readonly temporary: () => string; readonly facts: ClusterFacts; readonly broughtCells: number },
  ) {
    this.broughtCells = broughtCells;
    this.#session = session;
    this.#facts = facts;
    this.here = here;
    this.#who = who;
    this.#temporary = temporary;
  }

  async aggregate(...[relation, rows, aggregates]: Parameters<Tables["aggregate"]>): Promise<Cell[]> {
    const subset = sideOf(rows);
    const quantiles = aggregates.flatMap((each) => quantileIn(each) ?? []);
    const searches = inParts(quantiles, () => 2).map((some) => new QuantileSearch(relation, some, subset));
    const others = aggregates.filter((each) => quantileIn(each) === null);
    const cells = await this.#measured(relation, subset, [...others, ...searches.flatMap(({ ends }) => ends)]);
    const known = cells.values();
    const plain = known.take(others.length).toArray().values();
    const asking: Asking = {
      row: async (query) => (await this.#asked(relation, query))[0],
      numbers: (query, take) => this.#session.doubles([relation], query, take),
    };
    const found: Cell[] = [];
    for (const search of searches)
      found.push(...(await search.found(known.take(search.ends.length).toArray(), asking)));
    const left = found.values();
    return aggregates.map((each) => (quantileIn(each) ? left : plain).next().value ?? null);
  }

  /** What aggregates come to, those that are alike asked once. */
  async #measured(relation: Relation, subset: Subset, aggregates: readonly Expr[]): Promise<Cell[]> {
    const found = new Map<string, Cell>();
    const ask = async (some: readonly Expr[], bounds?: Bounds) => {
      const [row] = await this.#asked(relation, (names) => askAggregates(relation, some, names, subset, bounds));
      for (const [k, each] of some.entries()) found.set(JSON.stringify(each), row[k]);
    };
    const own = [...new Map(aggregates.map((each) => [JSON.stringify(each), each])).values()];
    const bounds = await this.#facts.bounds(relation, own, this.#ask);
    const [known, unknown] = [true, false].map((is) => own.filter((each) => isKnown(each, bounds) === is));
    for (const some of inParts(known, (each) => fieldsOf(each, bounds))) await ask(some, bounds);
    const doubted = known.filter((each) => isDeviation(each) && found.get(JSON.stringify(each)) === doubtful);
    const careful = [...unknown, ...doubted];
    for (const some of inParts(careful, fieldsOfUnknown)) await ask(some);
    return aggregates.map((each) => found.get(JSON.stringify(each)) ?? null);
  }

  async groups(...[relation, rows, grouping]: Parameters<Tables["groups"]>) {
    const { by, outputs, order } = grouping;
    const asked = [...outputs, ...order.map(({ expr }) => expr)];
    // A group's numbers may lie far from the middle of all, so that a deviation of theirs is asked with care.
    const known = asked.some(hasSpread) ? undefined : await this.#facts.bounds(relation, asked, this.#ask);
    const bounds = known && asked.every((each) => isKnown(each, known)) ? known : undefined;
    const takenBy = (each: Expr) => (bounds ? fieldsOf(each, bounds) : fieldsOfUnknown(each));
    // In the order of what they are alike in, the groups of two questions are the same ones.
    const keys = new Set(order.map(({ expr }) => JSON.stringify(expr)));
    const isCut = by.every((key) => keys.has(JSON.stringify(key)));
    const parts = isCut ? inParts(outputs, takenBy, columnsAtOnce - 2 * by.length) : [outputs];
    const found: Cell[][] = [];
    let [groups, all] = [0, 0];
    for (const some of parts) {
      const own = { ...grouping, outputs: some };
      const cells = await this.#asked(relation, (names) => askGroups(relation, own, names, sideOf(rows), bounds));
      [groups, all] = (cells[0] ?? [0, 0]).slice(-2).map(Number);
      for (const [k, row] of cells.entries()) found[k] = [...(found[k] ?? []), ...row.slice(0, -2)];
    }
    return { found, groups, rows: all };
  }

  async find(...[relation, rows, wanted]: Parameters<Tables["find"]>): Promise<Cell[][]> {
    return await this.#asked(relation, (names) => askRows(relation, wanted, names, sideOf(rows)));
  }

  async sketch(...[relation, rows, sketching]: Parameters<Tables["sketch"]>) {
    const side = sideOf(rows);
    const [[marks, drawn]] = await this.#asked(relation, (names) => askMarks(relation, sketching, names, side));
    const found = await this.#asked(relation, (names) => askSketch(relation, sketching, Number(marks), names, side));
    return { found, marks: Number(marks), rows: Number(drawn) };
  }

  async missing(relation: Relation, names: readonly string[]): Promise<number[]> {
    return await this.#facts.missing(relation, names, this.#ask);
  }

  async settle(made: Made): Promise<{ readonly relation: Relation; readonly rows: number }> {
    const relation = this.#planned(made);
    const [[rows]] = await this.#asked(relation, (names) => askCount(relation, undefined, names));
    return { relation, rows: Number(rows) };
  }

  async settleLater(...[made]: Parameters<Tables["settleLater"]>): Promise<Relation> {
    return this.#planned(made);
  }

  async pairs(...[made]: Parameters<Tables["pairs"]>) {
    const relation = this.#planned(made);
    const [found] = await this.#asked(relation, (names) => askPairs(made, names));
    const [rows, left, right, most] = found.map(Number);
    return { rows, left, right, most };
  }

  async order(...[relation, by]: Parameters<Tables["order"]>): Promise<Int32Array> {
    const [[rows]] = await this.#asked(relation, (names) => askCount(relation, undefined, names));
    if (Number(rows) > mostNumbers) throw farRefusal(this.#who);
    return await this.#session.numbers([relation], (names) => askOrder(relation, by, names), Number(rows));
  }

  async cells(...[relation, selection]: Parameters<Tables["cells"]>): Promise<Cell[][]> {
    const { limit, rows, columns = [] } = selection;
    if ((limit ?? rows?.length ?? Number.POSITIVE_INFINITY) > mostCells) throw farRefusal(this.#who);
    const found = await this.#asked(relation, (names) => askCells(relation, selection, names));
    return columns.map((_, k) => found.map((row) => row[k]));
  }

  async collect(...[relation, columns, rows, subset = "all"]: Parameters<Tables["collect"]>): Promise<Relation> {
    refuseObjections(relation, this.#who);
    return await bring(
      relation,
      { columns, rows, subset },
      { session: this.#session, tables: this.here, path: this.#temporary() },
    );
  }

  readonly cluster: ClusterSplits = {
    sizes: async (relation) => {
      const [[train, test]] = await this.#asked(relation, (names) => askSides(relation, names));
      return { train: Number(train), test: Number(test) };
    },
    sides: async (relation, { train, test }) => {
      refuseObjections(relation, this.#who);
      const of = (subset: Subset, size: number) =>
        this.#session.numbers([relation], (names) => askSide(relation, subset, names), size);
      return { train: await of("train", train), test: await of("test", test) };
    },
    codes: async (relation, name, labels, rows) => {
      refuseObjections(relation, this.#who);
      return await this.#session.numbers([relation], (names) => askCodes(relation, name, labels, names), rows);
    },
    hashParts: async (relation, hashed, parts) => {
      const found = await this.#asked(relation, (names) => askHashParts(relation, hashed, parts, names));
      return found.map(([value, part, rows]) => ({ value, part: Number(part), rows: Number(rows) }));
    },
    hashes: async (relation, hashed, wanted) => {
      const found = await this.#asked(relation, (names) => askHashes(relation, hashed, wanted, names));
      return found.map(([value, hash]) => ({ value, hash: Number(hash) }));
    },
  };

  readonly library: ClusterLibrary = {
    growTrees: async (relation, rows, asked, read) => {
      refuseObjections(relation, this.#who);
      return await growTrees(this.#session, relation, sideOf(rows), asked, read);
    },
  };

  readonly #refuse = (): Promise<never> => Promise.reject(farRefusal(this.#who));
  readonly numbers = this.#refuse;
  readonly look = this.#refuse;
  readonly sums = this.#refuse;
  readonly keep = this.#refuse;
  readonly mask = this.#refuse;
  readonly originals = this.#refuse;
  readonly filled = this.#refuse;
  readonly pairRows = this.#refuse;
  readonly select = this.#refuse;
  readonly repeats = this.#refuse;
  readonly parted = this.#refuse;
  readonly sparse = this.#refuse;
  readonly classes = this.#refuse;
  readonly writeTable = this.#refuse;
  readonly writeTaken = this.#refuse;

  readonly writeColumns: Tables["writeColumns"] = (...args) => this.here.writeColumns(...args);
  readonly writeJson: Tables["writeJson"] = (...args) => this.here.writeJson(...args);
  readonly discard: Tables["discard"] = (...args) => this.here.discard(...args);
  readonly describe: Tables["describe"] = (...args) => this.here.describe(...args);
  readonly ingest: Tables["ingest"] = (...args) => this.here.ingest(...args);
  readonly images: Tables["images"] = (...args) => this.here.images(...args);
  readonly picture: Tables["picture"] = (...args) => this.here.picture(...args);

  /** Asks about a plan, unless Spark has no words for it. */
  async #asked(relation: Relation, query: Query): Promise<Cell[][]> {
    refuseObjections(relation, this.#who);
    return await this.#session.cells([relation], query);
  }

  readonly #ask = (relation: Relation, query: Query): Promise<Cell[][]> => this.#asked(relation, query);

  /** The rows of a node over tables of the cluster; nothing is worked out yet. */
  #planned(made: Made): Relation {
    if (!tablesOf(made).every(isOnCluster)) throw mixedRefusal(this.#who);
    return { artifact: "", steps: [], holds: made };
  }
}

/** The side of its plan's split that is meant. */
function sideOf({ subset = "all" }: Rows): Subset {
  return subset;
}
