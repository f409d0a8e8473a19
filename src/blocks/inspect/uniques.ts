import { defineBlock } from "../../core/block.ts";
import { selectFrom } from "../../core/relation.ts";
import { col, join, sql } from "../../core/sql.ts";

/** DP_UNQ. Counts the different values of each column; missing cells don't count. */
export const uniques = defineBlock({
  code: "DP_UNQ",
  name: "uniques",
  args: {},
  example: 'session.input("sample:penguins").uniques()',
  async run(frame, _args, context) {
    const counts = join(frame.columns.map(({ name }) => sql`count(DISTINCT ${col(name)})`));
    const [row] = await context.tables.query(sql`SELECT ${counts} FROM (${selectFrom(frame.relation)})`);
    return {
      frame,
      output: { columns: Object.fromEntries(frame.columns.map(({ name }, k) => [name, Number(row[k])])) },
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
