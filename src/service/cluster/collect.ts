import { rm } from "node:fs/promises";
import type { Column, Subset } from "../../core/frame.ts";
import { typeName } from "../../core/frame.ts";
import type { EngineTables } from "../../engines/duckdb/index.ts";
import { askCells } from "../../engines/spark/asked.ts";
import type { Relation } from "../../plan/node.ts";
import type { ClusterSession } from "./session.ts";
import { writeArrow } from "./transfer.ts";

/** Brings a plan's rows, or those of a side of its split, into a Parquet artifact, in their order; how many come is told first. */
export async function bring(
  relation: Relation,
  {
    columns,
    rows: total,
    subset,
  }: { readonly columns: readonly Column[]; readonly rows: number; readonly subset: Subset },
  { session, tables, path }: { readonly session: ClusterSession; readonly tables: EngineTables; readonly path: string },
): Promise<Relation> {
  const names = columns.map(({ name }) => name);
  const phase = `rows of ${total.toLocaleString("en-US")} collected`;
  try {
    session.progress(phase, 0, total);
    await session.read(
      [relation],
      (tablesThere) => askCells(relation, { columns: names, subset }, tablesThere),
      async (rows) => await writeArrow(rows, path, (n) => session.progress(phase, n, Math.max(n, total))),
      () => undefined,
    );
    // Their types are known: no text becomes a number here.
    const typed = columns.filter(({ type }) => type !== "tensor");
    const types = Object.fromEntries(typed.map((column) => [column.name, asked(column)]));
    const file = { path, name: "the cluster's rows", release: async () => undefined };
    const { artifact } = await tables.ingest(file, { format: "arrow", types });
    return { artifact, steps: [] };
  } finally {
    await rm(path, { force: true });
  }
}

function asked(column: Column): string {
  return column.type === "category" ? "string" : typeName(column);
}
