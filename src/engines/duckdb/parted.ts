import { freshNames } from "../../core/names.ts";
import type { Parted, WriteColumn } from "../../core/tables.ts";
import { rowColumn } from "../../plan/expr.ts";
import type { Relation } from "../../plan/node.ts";
import { col, made, type Sql, sql } from "../sql.ts";
import { itemBeside, listBeside, mostBytesBeside } from "./beside.ts";
import { selectFrom } from "./select.ts";

/** Where new tables are put. */
interface Writing {
  writeWith(items: Uint8Array, statement: (item: (row: Sql) => Sql) => Sql): Promise<string>;
  writeColumns(columns: readonly WriteColumn[]): Promise<string>;
  discard(artifact: string): Promise<void>;
}

/**
 * Looks some columns of a plan's last node up by their rows' parts.
 *
 * Which part a row is in lies beside the table, unless that is too long a list; then the table is written anew.
 */
export async function partedTable(
  relation: Relation,
  { taken, parts, columns }: Parted,
  writing: Writing,
): Promise<Relation> {
  const [list, ...names] = freshNames(["parts", ...columns.map((_, k) => `means_${k}`)], taken);
  const lists = columns.map(({ numbers }, k) => listBeside(names[k], numbers));
  const lookedUp = (part: Sql, artifact: string): Relation => {
    const items = columns.map(({ name, place, size }, k): [string, Sql] => [
      name,
      itemBeside(names[k], sql`CAST(${part} AS BIGINT) * ${size} + ${made(place)} + 1`),
    ]);
    return withOutputs(relation, new Map(items), artifact);
  };
  if (parts.byteLength <= mostBytesBeside) {
    const artifact = await writing.writeColumns([listBeside(list, parts), ...lists]);
    return lookedUp(itemBeside(list, col(rowColumn)), artifact);
  }
  const artifact = await writing.writeColumns(lists);
  const table = await writing.writeWith(parts, (item) =>
    selectFrom(lookedUp(item(col(rowColumn)), artifact), { columns: namesOf(relation) }),
  );
  await writing.discard(artifact);
  return { artifact: table, steps: [] };
}

function namesOf({ steps }: Relation): string[] {
  return (steps.at(-1)?.outputs ?? []).map(({ column }) => column.name);
}

/** The plan, some of whose last outputs are made otherwise, of lists beside the table. */
export function withOutputs(relation: Relation, made: ReadonlyMap<string, Sql>, artifact: string): Relation {
  const steps = relation.steps.map((step, k) => {
    if (k < relation.steps.length - 1) return step;
    const outputs = step.outputs.map((output) => {
      const expr = made.get(output.column.name);
      return expr ? { column: output.column, expr } : output;
    });
    return { ...step, outputs, beside: { artifact } };
  });
  return { ...relation, steps };
}
