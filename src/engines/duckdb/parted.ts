import { freshNames } from "../../core/names.ts";
import type { Parted } from "../../core/tables.ts";
import { rowColumn } from "../../plan/expr.ts";
import { type Relation, withOwn } from "../../plan/node.ts";
import { col, file, join, sql } from "../sql.ts";
import { fitsSideTable } from "./choose.ts";
import { outputSql, selectFrom } from "./select.ts";
import { numberOfPart, sideList, type Writing } from "./side-table.ts";

/**
 * Looks some columns of a plan's last node up by their rows' parts.
 *
 * Which part a row is in lies in a side table, unless that is too long a list; then the table is written anew.
 */
export async function partedTable(
  relation: Relation,
  { taken, parts, columns }: Parted,
  writing: Writing,
): Promise<Relation> {
  const [list, ...names] = freshNames(["parts", ...columns.map((_, k) => `means_${k}`)], taken);
  const outputs = relation.steps.at(-1)?.outputs ?? [];
  const lists = columns.map(({ name, numbers }, k) => {
    const { integer = false } = outputs.find((output) => output.column.name === name)?.column ?? {};
    return sideList(names[k], numbers, { integer });
  });
  const own = new Map(
    columns.map(({ name, place, size }, k) => [name, { parts: list, numbers: names[k], size, place }]),
  );
  if (fitsSideTable(parts.byteLength)) {
    const artifact = await writing.writeColumns([sideList(list, parts), ...lists]);
    return withOwn(relation, own, { artifact });
  }
  const artifact = await writing.writeColumns(lists);
  const before = selectFrom({ ...relation, steps: relation.steps.slice(0, -1) }, { row: true });
  const table = await writing.writeWith(parts, (item) => {
    const cells = outputs.map((output) => {
      const { name } = output.column;
      const of = own.get(name);
      return of ? sql`${numberOfPart(of, item(col(rowColumn)))} AS ${col(name)}` : outputSql(output);
    });
    return sql`SELECT ${join(cells)} FROM (${before}), read_parquet(${file(artifact)})`;
  });
  await writing.discard(artifact);
  return { artifact: table, steps: [] };
}
