import { defineBlock } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { isNumeric } from "../../core/frame.ts";
import { count } from "../../core/names.ts";
import { stack, type TextView, text } from "../../core/view.ts";
import { correlate, farCorrelations } from "../shared/correlate.ts";
import { matrixOf } from "../shared/row-parts.ts";
import { explainCorrelations } from "./explain.ts";
import { strongestPairs } from "./strongest.ts";

/** The matrix is answered as text, some 20 bytes a cell. */
const mostColumns = 2000;

/** Columns that the view shows; beyond them nobody reads on. */
const mostShown = 200;

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
    const found = context.tables.isFar
      ? await farCorrelations(frame, columns, context)
      : await correlate(matrixOf(await context.tables.look(frame.relation, { columns })), context);
    const matrix = columns.map((_, i) =>
      Array.from(found.subarray(i * columns.length, (i + 1) * columns.length), (value) =>
        Number.isNaN(value) ? null : value,
      ),
    );
    return { frame, output: { columns, matrix } };
  },
  view({ output }) {
    const { columns: all, matrix } = output as unknown as Output;
    const columns = all.slice(0, mostShown);
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
        rows: columns.map((name, i) => [isShort ? name : `${i + 1} ${name}`, ...matrix[i].slice(0, mostShown)]),
      },
      all.length > mostShown &&
        text(`The first ${mostShown} of ${count(all.length, "column")}; the output has them all.`, "quiet"),
      all.length > 3 && strongest({ columns: all, matrix }),
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

/** The three pairs of columns that go together most; nothing where none has a value. */
function strongest({ columns, matrix }: Output): TextView | null {
  const pairs = strongestPairs(columns, matrix, 3);
  if (pairs.length === 0) return null;
  const words = pairs.map(({ a, b, value }) => `${a} and ${b} ${value.toFixed(2)}`);
  return text(`Strongest: ${words.join(", ")}.`, "quiet");
}
