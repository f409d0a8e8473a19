import { defineBlock } from "../../core/block.ts";
import { distinctCounts } from "./distinct.ts";
import { explainUniques } from "./explain.ts";

/** DP_UNQ. Counts the different values of each column; missing cells don't count. */
export const uniques = defineBlock({
  code: "DP_UNQ",
  name: "uniques",
  args: {},
  example: 'session.input("sample:penguins").uniques()',
  explain: explainUniques,
  async run(frame, _args, context) {
    const counts = await distinctCounts(frame, context);
    return {
      frame,
      output: { columns: Object.fromEntries(frame.columns.map(({ name }, k) => [name, counts[k]])) },
    };
  },
  view({ output }) {
    const { columns } = output as { columns: Record<string, number> };
    return {
      kind: "table",
      summary: true,
      columns: [
        { name: "column", type: "text" },
        { name: "unique", type: "integer" },
      ],
      rows: Object.entries(columns),
    };
  },
});
