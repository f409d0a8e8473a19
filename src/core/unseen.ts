import type { Relation, Unseen } from "../plan/node.ts";
import type { BlockContext } from "./block.ts";
import { listed, quoted } from "./names.ts";
import { selectFrom, sqlOf } from "./relation.ts";
import { col, sql } from "./sql.ts";

/**
 * Says which cells of a table a step has not learnt, and what became of them.
 *
 * `learntFrom` is what they are not among, such as "the training rows".
 */
export async function noticeUnseen(
  relation: Relation,
  unseen: readonly Unseen[],
  { who, learntFrom }: { readonly who: string; readonly learntFrom: string },
  context: BlockContext,
): Promise<void> {
  for (const { column: name, where, become } of unseen) {
    const cells = selectFrom(relation, { columns: [name] });
    const found = await context.tables.query(
      sql`SELECT DISTINCT CAST(${col(name)} AS VARCHAR) FROM (${cells}) WHERE ${sqlOf(where)} ORDER BY 1 LIMIT 6`,
    );
    if (found.length === 0) continue;
    const words = listed(
      found.map(([value]) => String(value)),
      5,
    );
    context.notice(
      `${who}: ${words} of column ${quoted(name)} ${found.length === 1 ? "is" : "are"} not among ${learntFrom} and ${become}.`,
    );
  }
}
