import { text, type View } from "../core/view.ts";
import type { Variable } from "../evaluator/evaluator.ts";
import { byCode } from "../registry/index.ts";
import { duration } from "../session/index.ts";
import type { Ran } from "./journal.ts";

/** What cells declared, as a table. */
export function variableTable(variables: readonly Variable[]): View {
  if (variables.length === 0) return text("No cell has declared a name yet.");
  return {
    kind: "table",
    summary: true,
    columns: ["name", "type", "value"].map((name) => ({ name, type: "text" as const })),
    rows: variables.map(({ name, type, value }) => [name, type, value]),
  };
}

/** How long a cell and its blocks took, as a table. */
export function timeTable(cell: Ran | undefined): View {
  if (!cell) return text("No cell has run yet.");
  const blocks = cell.blocks.map(({ record, ms }) => {
    return [`${record.block_id} ${byCode(record.function_code).name} (${record.function_code})`, duration(ms)];
  });
  const [first, ...rest] = cell.source.trim().split("\n");
  return {
    kind: "table",
    summary: true,
    title: rest.length > 0 ? `${first} …` : first,
    columns: ["", "time"].map((name) => ({ name, type: "text" as const })),
    rows: [...blocks, [blocks.length > 0 ? "the whole cell" : "the cell", duration(cell.ms)]],
  };
}
