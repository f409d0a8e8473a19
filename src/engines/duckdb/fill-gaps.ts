import { freshNames } from "../../core/names.ts";
import type { Filling, GapFills, WriteColumn } from "../../core/tables.ts";
import { rowColumn } from "../../plan/expr.ts";
import { type Own, type Relation, withOwn } from "../../plan/node.ts";
import { col, file, join, type Sql, sql } from "../sql.ts";
import { fillsFromSideTable } from "./choose.ts";
import { selectFrom } from "./select.ts";
import { isInSideRows, sideList, sideRows, type Writing } from "./side-table.ts";

/** What fills one column. */
interface Piece {
  readonly name: string;
  readonly own: Own;
  /** What lies in the side table for it. */
  readonly lists: readonly WriteColumn[];
  /** And what the table engine adds to that: cells of the column's own. */
  readonly collected?: Sql;
}

/** What the lists of one column are called. */
type Names = Readonly<Record<(typeof kinds)[number], string>>;

const kinds = ["gaps", "sources", "places", "values"] as const;

/** Fills gaps of a plan's last node by a side table; null where one would take longer to read than a table of its own. */
export async function filledTable(relation: Relation, filling: Filling, writing: Writing): Promise<Relation | null> {
  if (!fillsFromSideTable(filling)) return null;
  const { taken, rows } = filling;
  const columns = await filling.find();
  const fresh = freshNames(
    columns.flatMap((_, k) => kinds.map((kind) => `${kind}_${k}`)),
    taken,
  );
  const pieces = columns.map((fills, k) => {
    const [gaps, sources, places, values] = fresh.slice(k * kinds.length);
    const names = { gaps, sources, places, values };
    return fills.numbers ? byNumbers(fills, fills.numbers, names, rows) : byCells(fills, names, rows);
  });
  const before = { ...relation, steps: relation.steps.slice(0, -1) };
  const artifact = await written(before, pieces, writing);
  return withOwn(relation, new Map(pieces.map(({ name, own }) => [name, own])), { artifact });
}

function byNumbers(
  { name, rows: filled, isWhole }: GapFills,
  numbers: Float64Array,
  names: Pick<Names, "gaps" | "values">,
  rows: number,
): Piece {
  return {
    name,
    own: { gaps: names.gaps, fills: names.values, isWhole },
    lists: [sideRows(names.gaps, filled, rows), sideList(names.values, numbers)],
  };
}

/** Fills any column with cells of its own, which the engine collects. */
function byCells({ name, rows: filled, sources, isWhole }: GapFills, names: Names, rows: number): Piece {
  const place = new Map<number, number>();
  for (const row of sources.toSorted()) if (!place.has(row)) place.set(row, place.size);
  const cell = sql`{'row': ${col(rowColumn)}, 'cell': ${col(name)}}`;
  const collected = sql`list_sort(list(${cell}) FILTER (${isInSideRows(names.sources)}))`;
  return {
    name,
    own: { gaps: names.gaps, fills: names.values, places: names.places, isWhole },
    lists: [
      sideRows(names.gaps, filled, rows),
      sideRows(names.sources, Int32Array.from(place.keys()), rows),
      sideList(
        names.places,
        sources.map((row) => place.get(row) as number),
      ),
    ],
    collected: sql`list_transform(${collected}, lambda each: each."cell") AS ${col(names.values)}`,
  };
}

/** Writes the lists of all columns into one file of one row. */
async function written(before: Relation, pieces: readonly Piece[], writing: Writing): Promise<string> {
  const artifact = await writing.writeColumns(pieces.flatMap(({ lists }) => lists));
  const collected = pieces.flatMap((each) => each.collected ?? []);
  if (collected.length === 0) return artifact;
  const columns = pieces.filter((each) => each.collected).map(({ name }) => name);
  const lists = sql`read_parquet(${file(artifact)})`;
  const rows = sql`(${selectFrom(before, { columns, row: true })})`;
  const all = await writing.write(sql`SELECT * FROM ${lists}, (SELECT ${join(collected)} FROM ${rows}, ${lists})`);
  await writing.discard(artifact);
  return all;
}
