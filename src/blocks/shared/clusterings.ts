import type { Frame } from "../../core/frame.ts";

const names = new Set<string>();

/** Says that a block of this name makes a column of clusters or outliers. */
export function nameClustering(block: string): void {
  names.add(block);
}

/** The columns of clusters and outliers that the table has, the last one last. */
export function clusterColumns(frame: Frame): readonly string[] {
  const made = frame.lineage.flatMap(({ name, outputs }) =>
    names.has(name) ? outputs.flatMap(({ column, expr }) => (expr ? [column.name] : [])) : [],
  );
  return made.filter((name) => frame.columns.some((each) => each.name === name));
}
