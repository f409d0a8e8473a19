import type { Cell } from "../../core/view.ts";
import { askAggregates } from "../../engines/spark/asked.ts";
import { type Bounds, summedIn } from "../../engines/spark/known-sums.ts";
import type { Query } from "../../engines/spark/query.ts";
import { call, column, columnsRead, type Expr } from "../../plan/expr.ts";
import { leadingTo, passedColumns } from "../../plan/lineage.ts";
import { type ClusterTable, type Relation, unsettled } from "../../plan/node.ts";
import { presentColumns } from "../../plan/present.ts";
import { type Range, rangesOf } from "../../plan/ranges.ts";

/** What is known of a column of a table on the cluster. */
interface ColumnFacts {
  readonly missing: number;
  /** Between which numbers its own lie; null where it has none, or infinite ones. */
  readonly range: Range | null;
}

/** Asks the cluster about a plan. */
type Ask = (relation: Relation, query: Query) => Promise<Cell[][]>;

/** A plan over files that the chain has noted: its table, and the nodes. */
type OverFiles = Relation & { readonly cluster: ClusterTable & { readonly files: NonNullable<ClusterTable["files"]> } };

/** Of so many tables something is held. */
const mostTables = 200;

/** So many columns are looked at in one reading. */
const columnsAtOnce = 100;

/**
 * What was learnt of the columns of files on the cluster: how many cells are missing, and between which numbers they lie.
 *
 * One reading tells both, for all the blocks behind it: what their expressions make of a column needs none of its own.
 * A view, and files that are too many to be noted, may change, so nothing is held of them.
 */
export class ClusterFacts {
  readonly #tables = new Map<string, Map<string, ColumnFacts>>();

  /** A new chain looks at a table anew: files may have been written over. */
  forget(source: ClusterTable["source"]): void {
    for (const key of this.#tables.keys()) if (key.startsWith(keyOfSource(source))) this.#tables.delete(key);
  }

  /** How many cells of each column of a plan are missing. */
  async missing(relation: Relation, names: readonly string[], ask: Ask): Promise<number[]> {
    const known = await this.#knownMissing(relation, names, ask);
    const rest = names.filter((_, k) => known[k] === null);
    if (rest.length === 0) return known.map(Number);
    const asked = [call("count"), ...rest.map((name) => call("count", column(name, "string")))];
    const [[rows, ...present]] = await ask(relation, (tables) => askAggregates(relation, asked, tables));
    const found = new Map(rest.map((name, k) => [name, Number(rows) - Number(present[k])]));
    return names.map((name, k) => known[k] ?? found.get(name) ?? 0);
  }

  /** Within which bounds the numbers lie that aggregates add up, as far as that is known. */
  async bounds(relation: Relation, aggregates: readonly Expr[], ask: Ask): Promise<Bounds> {
    const plan = unsettled(relation);
    const summed = summedIn(aggregates);
    if (summed.length === 0 || !isOverFiles(plan)) return { rows: 0, ranges: new Map() };
    const within = (exprs: readonly Expr[], rangeOf: (name: string) => Range | null) =>
      rangesOf(plan, exprs, new Set(exprs.flatMap(columnsRead)), rangeOf);
    // Of which of them something can be said does not depend on the numbers.
    const telling = within(summed, () => ({ low: 1, high: 2 }));
    const told = summed.filter((_, k) => telling[k] !== null);
    const facts = await this.#facts(plan, new Set(told.flatMap(columnsRead)), ask);
    const ranges = within(told, (name) => facts.get(name)?.range ?? null);
    const known = told.flatMap((expr, k) => (ranges[k] ? [[JSON.stringify(expr), ranges[k]] as const] : []));
    return { rows: plan.cluster.files.reduce((sum, file) => sum + file.rows, 0), ranges: new Map(known) };
  }

  async #knownMissing(relation: Relation, names: readonly string[], ask: Ask): Promise<(number | null)[]> {
    const plan = unsettled(relation);
    if (!isOverFiles(plan)) return names.map(() => null);
    const facts = await this.#facts(plan, new Set(names), ask);
    const present = presentColumns(plan, names, (name) => facts.get(name)?.missing === 0);
    const isWhole = plan.steps.every(({ kept, rows }) => !kept && rows === undefined);
    const passed = isWhole ? passedColumns(plan, names) : names.map(() => null);
    return names.map((name, k) => {
      const own = passed[k];
      if (present.has(name)) return 0;
      return own === null ? null : (facts.get(own)?.missing ?? null);
    });
  }

  /** What is known of the table's columns that lead to these of the plan; one reading where some are new. */
  async #facts(
    { cluster, steps }: OverFiles,
    wanted: ReadonlySet<string>,
    ask: Ask,
  ): Promise<ReadonlyMap<string, ColumnFacts>> {
    const found = this.#tableOf(cluster);
    const { read } = leadingTo(steps, wanted);
    const names = read ?? wanted;
    const table: Relation = { artifact: "", steps: [], cluster };
    const fresh = cluster.columns.filter(({ column: { name } }) => names.has(name) && !found.has(name));
    for (let from = 0; from < fresh.length; from += columnsAtOnce) {
      const some = fresh.slice(from, from + columnsAtOnce);
      const isNumber = (k: number) => some[k].from === "number" || some[k].from === "integer";
      const asked = some.flatMap(({ column: { name } }, k) => {
        if (!isNumber(k)) return [call("count", column(name, "string"))];
        const x = column(name, some[k].from === "integer" ? "integer" : "number");
        return [call("count", x), call("min", x), call("max", x)];
      });
      const [[rows, ...cells]] = await ask(table, (tables) => askAggregates(table, [call("count"), ...asked], tables));
      const left = cells.values();
      for (const [k, { column: own }] of some.entries()) {
        const [present, low, high] = left.take(isNumber(k) ? 3 : 1).toArray();
        const range = { low: Number(low ?? 0), high: Number(high ?? 0) };
        const isHeld = isNumber(k) && Number.isFinite(range.low) && Number.isFinite(range.high);
        found.set(own.name, { missing: Number(rows) - Number(present), range: isHeld ? range : null });
      }
    }
    return found;
  }

  #tableOf(cluster: OverFiles["cluster"]): Map<string, ColumnFacts> {
    const key = `${keyOfSource(cluster.source)}${JSON.stringify([cluster.files, cluster.columns])}`;
    const found = this.#tables.get(key) ?? new Map<string, ColumnFacts>();
    this.#tables.delete(key);
    this.#tables.set(key, found);
    const [oldest] = this.#tables.keys();
    if (this.#tables.size > mostTables) this.#tables.delete(oldest);
    return found;
  }
}

function keyOfSource(source: ClusterTable["source"]): string {
  return `${JSON.stringify(source)} `;
}

function isOverFiles(plan: Relation): plan is OverFiles {
  return plan.cluster?.files !== undefined && plan.cluster.files !== null;
}
