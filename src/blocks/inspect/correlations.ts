import { defineBlock } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { isNumeric } from "../../core/frame.ts";
import { correlate } from "../correlate.ts";
import { matrixOf } from "../row-parts.ts";
import { explainCorrelations } from "./explain.ts";

/** DP_CRR. Pearson correlations between the numeric columns, as pandas' corr with pairwise complete rows. */
export const correlations = defineBlock({
  code: "DP_CRR",
  name: "correlations",
  args: {},
  example: 'session.input("sample:penguins").correlations()',
  explain: explainCorrelations,
  async run(frame, _args, context) {
    const columns = frame.columns.filter(isNumeric).map((column) => column.name);
    if (columns.length === 0) {
      throw new DataError(
        "correlations (DP_CRR): the table has no numeric column. Encode some with encode (DP_3) first.",
      );
    }
    const found = await correlate(matrixOf(await context.tables.numbers(frame.relation, { columns })), context);
    const matrix = columns.map((_, i) =>
      columns.map((_, j) => {
        const value = found[j * columns.length + i];
        return Number.isNaN(value) ? null : value;
      }),
    );
    return { frame, output: { columns, matrix } };
  },
  view({ output }) {
    const { columns, matrix } = output as unknown as { columns: string[]; matrix: (number | null)[][] };
    return {
      kind: "table",
      summary: true,
      columns: [
        { name: "", type: "text" },
        ...columns.map((name) => ({ name, type: "number" as const, tint: "diverging" as const, digits: 2 })),
      ],
      rows: columns.map((name, i) => [name, ...matrix[i]]),
    };
  },
});
