import { rm } from "node:fs/promises";
import type { Column } from "../../core/frame.ts";
import type { Selection } from "../../core/selection.ts";
import type { TableSelection, Taking, WriteColumn } from "../../core/tables.ts";
import { rowColumn } from "../../plan/expr.ts";
import type { Relation } from "../../plan/node.ts";
import { col, join, literal, raw, type Sql, sql } from "../sql.ts";
import type { Duck } from "./duck.ts";
import { duckType } from "./read/cells.ts";
import { selectFrom } from "./select.ts";
import { writeColumns, writeParquet, writeText } from "./write.ts";

const row = col(rowColumn);

/** Writes columns of a table into a Parquet file at `path`; `made` are those that come from memory, a value per row of the table. */
export async function writeTable(
  duck: Duck,
  relation: Relation,
  selection: TableSelection,
  made: readonly WriteColumn[],
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  const fresh = new Map(made.map((each) => [each.column.name, each]));
  const others = selection.columns.filter((name) => !fresh.has(name));
  if (fresh.size === 0) return await writeParquet(duck, selectFrom(relation, selection), path, signal);
  if (others.length === 0) {
    const columns = selection.columns.flatMap((name) => fresh.get(name) ?? []);
    return await writeColumns(duck, columns, path, signal);
  }
  const plain = selectFrom(relation, { columns: others, row: true });
  const chosen = selection.columns.map((name) => sql`${raw(fresh.has(name) ? "made" : "plain")}.${col(name)}`);
  await withFiles(duck, path, [made], signal, async ([file]) => {
    const all = sql`SELECT ${join(chosen)} FROM (${plain}) AS plain JOIN ${file} AS made ON made.${row} = plain.${row} ORDER BY plain.${row}`;
    await writeParquet(duck, all, path, signal);
  });
}

/** A file for others to read. */
export interface FileForm {
  readonly format: "parquet" | "csv" | "json";
  readonly columns: readonly Column[];
  /** No text in it is run by a spreadsheet. */
  readonly isSafe: boolean;
}

/** Writes a part of a table into a file at `path`, in a form for others to read. */
export async function writeTableFile(
  duck: Duck,
  relation: Relation,
  selection: Selection,
  { format, columns, isSafe }: FileForm,
  path: string,
): Promise<void> {
  const plain = selectFrom(relation, selection);
  const statement = isSafe ? withoutFormulas(plain, columns) : plain;
  if (format === "parquet") return await writeParquet(duck, statement, path, undefined, columns);
  await writeText(duck, statement, path, format);
}

/** What a spreadsheet takes for the beginning of a formula. Source: OWASP, CSV Injection. */
const formula = /^[=+\-@\t\r]/;

/** The rows with an apostrophe before each text, and each column's name, that a spreadsheet would run. */
function withoutFormulas(statement: Sql, columns: readonly Column[]): Sql {
  const cells = columns.map(({ name, type }) => {
    const cell = col(name);
    const isText = type === "string" || type === "category";
    const safe = isText ? sql`if(regexp_matches(${cell}, ${formula.source}), ${"'"} || ${cell}, ${cell})` : cell;
    return sql`${safe} AS ${col(formula.test(name) ? `'${name}` : name)}`;
  });
  return sql`SELECT ${join(cells)} FROM (${statement})`;
}

/** Writes rows of a table, and made ones among them, into a Parquet file at `path`. */
export async function writeTaken(
  duck: Duck,
  relation: Relation,
  { columns, rows, made }: Taking,
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  const types = new Map(made.map(({ column }) => [column.name, column]));
  let next = 0;
  const places = Float64Array.from(rows, (row) => (row < 0 ? next++ : Number.NaN));
  const sources = Float64Array.from(rows, (row) => (row < 0 ? Number.NaN : row));
  const index: WriteColumn[] = [
    { column: { name: "source", type: "number" }, values: sources },
    { column: { name: "made", type: "number" }, values: places },
  ];
  const chosen = columns.map((name) => {
    const type = types.get(name);
    return type
      ? sql`CASE WHEN i."made" IS NULL THEN ${cast(type)} ELSE new.${col(name)} END AS ${col(name)}`
      : sql`old.${col(name)}`;
  });
  await withFiles(duck, path, made.length > 0 ? [index, made] : [index], signal, async ([numbers, values]) => {
    const old = selectFrom(relation, { columns, row: true });
    const joined = values ? sql` LEFT JOIN ${values} AS new ON new.${row} = i."made"` : raw("");
    const all = sql`SELECT ${join(chosen)} FROM ${numbers} AS i LEFT JOIN (${old}) AS old ON old.${row} = i."source"${joined} ORDER BY i.${row}`;
    await writeParquet(duck, all, path, signal);
  });
}

/** A number may be of another type than those that are made. */
function cast(column: Column): Sql {
  const cell = sql`old.${col(column.name)}`;
  return column.type === "number" ? sql`CAST(${cell} AS ${raw(duckType(column))})` : cell;
}

/** Does work with tables of columns from memory, whose rows are numbered; their files go afterwards. */
async function withFiles(
  duck: Duck,
  path: string,
  tables: readonly (readonly WriteColumn[])[],
  signal: AbortSignal | undefined,
  work: (tables: readonly Sql[]) => Promise<void>,
): Promise<void> {
  const files = tables.map((_, k) => `${path}-${k}`);
  try {
    for (const [k, columns] of tables.entries()) await writeColumns(duck, columns, files[k], signal);
    await work(
      files.map(
        (file) =>
          sql`(SELECT *, file_row_number AS ${row} FROM read_parquet(${raw(literal(file))}, file_row_number = true))`,
      ),
    );
  } finally {
    await Promise.all(files.map((file) => rm(file, { force: true })));
  }
}
