import { defineBlock } from "../../core/block.ts";
import { typeName } from "../../core/frame.ts";

/** DP_DTY. Names the type of each column. */
export const dtypes = defineBlock({
  code: "DP_DTY",
  name: "dtypes",
  args: {},
  example: 'session.input("sample:penguins").dtypes()',
  async run(frame) {
    return { frame, output: { columns: Object.fromEntries(frame.columns.map((each) => [each.name, typeName(each)])) } };
  },
  view({ after }) {
    return {
      kind: "table",
      summary: true,
      columns: [
        { name: "column", type: "text" },
        { name: "type", type: "text" },
      ],
      rows: after.columns.map((each) => [each.name, typeName(each)]),
    };
  },
});
