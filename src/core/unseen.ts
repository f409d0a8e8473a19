import { call, column } from "../plan/expr.ts";
import type { Relation, Unseen } from "../plan/node.ts";
import type { BlockContext } from "./block.ts";
import { listed, quoted } from "./names.ts";

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
    const words = call("written", column(name));
    const { found } = await context.tables.groups(
      relation,
      {},
      {
        by: [words],
        where,
        outputs: [words],
        order: [{ expr: words }],
        limit: 6,
      },
    );
    if (found.length === 0) continue;
    const shown = listed(
      found.map(([value]) => String(value)),
      5,
    );
    context.notice(
      `${who}: ${shown} of column ${quoted(name)} ${found.length === 1 ? "is" : "are"} not among ${learntFrom} and ${become}.`,
    );
  }
}
