import { defineBlock } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { isNumeric } from "../../core/frame.ts";
import { count } from "../../core/names.ts";
import { stack, type TextView, text } from "../../core/view.ts";
import { correlate } from "../correlate.ts";
import { matrixOf } from "../row-parts.ts";
import { explainCorrelations } from "./explain.ts";

/** The matrix is stored as text, some 20 bytes a cell. */
const mostColumns = 2000;

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
    if (columns.length > mostColumns) {
      const most = mostColumns.toLocaleString("en-US");
      throw new DataError(
        `correlations (DP_CRR): ${count(columns.length, "numeric column")} are too many for a matrix; at most ${most} fit. Drop some with drop (DP_6), or begin with pca (DP_PCA).`,
        { got: columns.length, expected: `at most ${most}` },
      );
    }
    const found = await correlate(matrixOf(await context.tables.look(frame.relation, { columns })), context);
    const matrix = columns.map((_, i) =>
      columns.map((_, j) => {
        const value = found[j * columns.length + i];
        return Number.isNaN(value) ? null : value;
      }),
    );
    return { frame, output: { columns, matrix } };
  },
  view({ output }) {
    const { columns, matrix } = output as unknown as Output;
    const isShort = columns.reduce((sum, name) => sum + Math.max(name.length, 5) + 2, longest(columns)) <= shortLine;
    return stack(
      {
        kind: "table",
        summary: true,
        columns: [
          { name: "", type: "text" },
          ...columns.map((name, k) => ({
            name: isShort ? name : String(k + 1),
            type: "number" as const,
            tint: "diverging" as const,
            digits: 2,
          })),
        ],
        rows: columns.map((name, i) => [isShort ? name : `${i + 1} ${name}`, ...matrix[i]]),
      },
      columns.length > 3 && strongest({ columns, matrix }),
    );
  },
});

interface Output {
  readonly columns: readonly string[];
  readonly matrix: readonly (readonly (number | null)[])[];
}

/** Letters in a line of a terminal; where the names take more, columns are numbered and the rows say which is which. */
const shortLine = 80;

function longest(names: readonly string[]): number {
  return names.reduce((most, name) => Math.max(most, name.length), 0);
}

/** The three pairs of columns that go together most, the other way round included; nothing where none has a value. */
function strongest({ columns, matrix }: Output): TextView | null {
  const pairs = columns.flatMap((one, i) =>
    columns.slice(0, i).flatMap((other, j) => {
      const value = matrix[i][j];
      return value === null ? [] : [{ names: `${other} and ${one}`, value }];
    }),
  );
  if (pairs.length === 0) return null;
  pairs.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const words = pairs.slice(0, 3).map(({ names, value }) => `${names} ${value.toFixed(2)}`);
  return text(`Strongest: ${words.join(", ")}.`, "quiet");
}
