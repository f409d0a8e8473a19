import type { Finished } from "../../core/block.ts";
import { type BlockExplain, series } from "../../core/explanation.ts";
import { count, listed } from "../../core/names.ts";
import type { Ingested } from "../../core/tables.ts";

/** DP_1 in words. */
export const explainInput: BlockExplain = {
  why: "Everything begins with a table. Types that were detected wrongly are best mended here, with types, since all that follows builds on them.",
  found: ({ report }: Finished) => ({ ...(report as Pick<Ingested, "form">).form }),
  did({ after, report }: Finished) {
    const { source, engine } = report as { source: string; engine?: string };
    const kinds = new Map<string, number>();
    for (const { type, integer } of after.columns) {
      const kind =
        type === "number"
          ? integer
            ? "of whole numbers"
            : "of numbers"
          : {
              string: "of text",
              category: "of categories",
              boolean: "of true and false",
              datetime: "of dates",
              tensor: "of arrays",
            }[type];
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    const words = [...kinds].map(([kind, n]) => `${n} ${kind}`);
    return [
      `Read ${count(after.rows, "row")} and ${count(after.columns.length, "column")} from ${listed([source])}: ${series(words)}.`,
      ...(engine ? ["Spark counted, ordered and sent the rows; the blocks that follow work on them here."] : []),
      ...(after.x ? [`Features: ${listed(after.x)}.${after.y?.length ? ` Target: ${listed(after.y)}.` : ""}`] : []),
    ];
  },
};
