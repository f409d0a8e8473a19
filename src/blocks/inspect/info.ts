import { defineBlock } from "../../core/block.ts";
import { cell, typeName } from "../../core/frame.ts";
import { count } from "../../core/names.ts";
import { stack, text } from "../../core/view.ts";
import { call } from "../../plan/expr.ts";
import { sparseReading } from "../../plan/sparse.ts";
import { distinctCounts } from "./distinct.ts";
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
    const names = frame.columns.map((column) => column.name);
    // Places of sparse rows are never missing, and there may be thousands.
    const { plain } = sparseReading(frame.relation, { columns: names });
    const cells = plain.map((k) => cell(frame.columns[k]));
    const texts = cells.filter(({ type }) => type === "string");
    const counted = await context.tables.aggregate(frame.relation, {}, [
      ...cells.map((each) => call("count", each)),
      ...texts.map((each) => call("sum", call("byteLength", each))),
    ]);
    const present = names.map(() => frame.rows);
    for (const [at, k] of plain.entries()) present[k] = Number(counted[at]);
    const unique = await distinctCounts(frame, context);
    const columns = frame.columns.map((column, k) => ({
      name: column.name,
      type: typeName(column),
      missing: frame.rows - present[k],
      unique: unique[k],
    }));
    // A number takes 8 bytes, a text 16 and its letters.
    const letters = counted.slice(cells.length).reduce<number>((sum, bytes) => sum + Number(bytes), 0);
    const memory = 8 * frame.rows * (names.length + texts.length) + letters;
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
