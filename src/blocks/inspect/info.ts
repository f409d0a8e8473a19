import { defineBlock } from "../../core/block.ts";
import { typeName } from "../../core/frame.ts";
import { count } from "../../core/names.ts";
import { selectFrom } from "../../core/relation.ts";
import { col, join, sql } from "../../core/sql.ts";
import { stack, text } from "../../core/view.ts";
import { distinctCounts } from "../distinct.ts";
import { explainInfo } from "./explain.ts";

interface Info {
  readonly rows: number;
  readonly columns: readonly { name: string; type: string; missing: number; unique: number }[];
  readonly memory_bytes: number;
}

/** DP_INF. Says of each column its type, how many cells are missing, and how many values differ. */
export const info = defineBlock({
  code: "DP_INF",
  name: "info",
  args: {},
  example: 'session.input("sample:penguins").info()',
  explain: explainInfo,
  async run(frame, _args, context) {
    const parts = frame.columns.map(({ name, type }) => {
      const bytes =
        type === "string" || type === "category"
          ? sql`coalesce(sum(strlen(${col(name)})), 0) + 16 * count(*)`
          : sql`8 * count(*)`;
      return sql`count(${col(name)}), ${bytes}`;
    });
    const [row] = await context.tables.query(sql`SELECT ${join(parts)} FROM (${selectFrom(frame.relation)})`);
    const unique = await distinctCounts(frame, context);
    const columns = frame.columns.map((column, k) => ({
      name: column.name,
      type: typeName(column),
      missing: frame.rows - Number(row[2 * k]),
      unique: unique[k],
    }));
    const memory = frame.columns.reduce((sum, _, k) => sum + Number(row[2 * k + 1]), 0);
    return { frame, output: { rows: frame.rows, columns, memory_bytes: memory } };
  },
  view({ output }) {
    const { rows, columns, memory_bytes } = output as unknown as Info;
    return stack(
      text(`${count(rows, "row")}, ${count(columns.length, "column")}, ${bytesText(memory_bytes)} in memory.`),
      {
        kind: "table",
        summary: true,
        columns: [
          { name: "column", type: "text" },
          { name: "type", type: "text" },
          { name: "missing", type: "integer", alarm: true },
          { name: "missing %", type: "number", digits: 1, alarm: true },
          { name: "unique", type: "integer" },
        ],
        rows: columns.map((each) => [
          each.name,
          each.type,
          each.missing,
          rows ? (100 * each.missing) / rows : 0,
          each.unique,
        ]),
      },
    );
  },
});

function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 2 ** 20 ? `${(bytes / 1024).toFixed(1)} kB` : `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
