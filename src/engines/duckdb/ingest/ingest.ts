import type { Column, Reading } from "../../../core/frame.ts";
import { missingTokens } from "../../../core/missing-tokens.ts";
import type { CsvForm, Ingested, IngestOptions, SheetForm, SourceFile } from "../../../core/tables.ts";
import { literal, raw, sql } from "../../sql.ts";
import type { Duck } from "../duck.ts";
import { columnFor } from "../read/cells.ts";
import { parquetOptions } from "../read/chunks.ts";
import { keptShapes, shapesIn, tensorType } from "../read/shapes.ts";
import { readArrow } from "./arrow.ts";
import { readCsv } from "./csv.ts";
import { readJson } from "./json.ts";
import { readParquet } from "./parquet.ts";
import { readSheet } from "./sheet.ts";

/** Reads a data file into a Parquet file at `path`; answers what it holds. */
export async function ingestFile(
  duck: Duck,
  source: SourceFile,
  options: IngestOptions,
  path: string,
  signal?: AbortSignal,
): Promise<Omit<Ingested, "artifact">> {
  const write = async (text: string, shapes?: Parameters<typeof keptShapes>[0]) => {
    const copy = `COPY (${text}) TO ${literal(path)} (${parquetOptions()}${keptShapes(shapes)})`;
    const [[rows]] = await duck.answers({ text: copy, values: [] }, signal);
    return Number(rows);
  };
  const { notices, form, ...known } = await readFile(duck, source, options, path, write, signal);
  const { columns, rows } = known.columns ? known : await describeParquet(duck, path);
  return { columns, rows, notices, reading: readingOf(options, columns, form), ...(form ? { form } : {}) };
}

/** What reading a file comes to; the columns and rows of some formats are known by the file that was written. */
type Read = Pick<Ingested, "notices" | "form"> & ({ columns: Column[]; rows: number } | { columns?: undefined });

async function readFile(
  duck: Duck,
  source: SourceFile,
  options: IngestOptions,
  path: string,
  write: (text: string, shapes?: Parameters<typeof keptShapes>[0]) => Promise<number>,
  signal?: AbortSignal,
): Promise<Read> {
  switch (options.format) {
    case "csv":
      return await readCsv(duck, source, options, write, signal);
    case "xlsx":
      return await readSheet(duck, source, options, path, signal);
    case "json":
      return { notices: await readJson(duck, source, options, path, write, signal) };
    case "arrow":
      return { notices: await readArrow(duck, source, options, path, write, signal) };
    case "parquet":
      return { notices: await readParquet(duck, source, options, path, write, signal) };
  }
}

/** How another file is to be read so that its cells become what those of this one did. */
function readingOf(options: IngestOptions, columns: readonly Column[], form?: CsvForm | SheetForm): Reading {
  const { format, header, naValues = [] } = options;
  const missing = [...missingTokens, ...naValues];
  // Without a line of names the columns are numbered.
  const hasNames = header ?? columns.some(({ name }, k) => name !== `column_${k + 1}`);
  const told = Object.entries({
    delimiter: options.delimiter,
    encoding: options.encoding,
    skipRows: options.skipRows,
  }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return {
    missing,
    missingTexts: format === "csv" || format === "xlsx" ? missing : naValues,
    marks: form && "marks" in form ? form.marks : {},
    written: format === "csv" ? { header: hasNames, ...Object.fromEntries(told) } : {},
  };
}

/** The columns and the number of rows of a Parquet file of our own; its lists are tensors. */
export async function describeParquet(duck: Duck, path: string): Promise<{ columns: Column[]; rows: number }> {
  const from = raw(`read_parquet(${literal(path)})`);
  const [described, [[rows]]] = await Promise.all([
    duck.rows(sql`DESCRIBE SELECT * FROM ${from}`),
    duck.rows(sql`SELECT count(*) FROM ${from}`),
  ]);
  const hasTensors = described.some(([, type]) => type === tensorType);
  const shapes = hasTensors ? await duck.use((connection) => shapesIn(connection, path)) : {};
  return {
    columns: described.map(([rawName, type]) => {
      const name = String(rawName);
      if (type !== tensorType) return columnFor(name, String(type)).column;
      return { name, type: "tensor", ...(Object.hasOwn(shapes, name) ? { shape: shapes[name] } : {}) };
    }),
    rows: Number(rows),
  };
}
