import { uniqueNames } from "../../../core/names.ts";
import type { IngestOptions, SourceFile } from "../../../core/tables.ts";
import { literal, quote } from "../../sql.ts";
import type { Duck } from "../duck.ts";
import { columnFor } from "../read/cells.ts";
import { shapesIn, tensorType } from "../read/shapes.ts";
import { keptAsText } from "./long-numbers.ts";
import {
  askedType,
  explainUnreadable,
  noticeWords,
  refuseUnknown,
  type TypedField,
  typedSelect,
} from "./typed-file.ts";

type Shapes = Record<string, readonly number[]>;

/** A table of DuckDB's whose columns have types of their own. */
export interface TypedTable {
  /** SQL for what it is read from. */
  readonly from: string;
  readonly columns: readonly TypedColumn[];
}

interface TypedColumn {
  /** What the file calls it; nothing where it has no name. */
  readonly name: string;
  /** What DuckDB calls it. */
  readonly column: string;
  /** Its type of DuckDB's. */
  readonly has: string;
  /** The shape of its lists of numbers, where they are a tensor. */
  readonly shape?: readonly number[] | undefined;
}

type Write = (text: string, shapes: Shapes) => Promise<unknown>;

/** Reads a Parquet file through `write` into one of ours at `path`; answers what is worth a notice. */
export async function readParquet(
  duck: Duck,
  source: SourceFile,
  options: IngestOptions,
  path: string,
  write: Write,
  signal?: AbortSignal,
): Promise<string[]> {
  const table = async () => await parquetTable(duck, source, signal);
  return await readTable(duck, table, { source, options, path, kind: "parquet" }, write, signal);
}

async function parquetTable(duck: Duck, source: SourceFile, signal?: AbortSignal): Promise<TypedTable> {
  const from = `read_parquet(${literal(source.path)})`;
  const described = (await rowsOf(duck, `DESCRIBE SELECT * FROM ${from}`, signal)).map(([name, type]) => [
    String(name),
    String(type),
  ]);
  const shapes = await duck.use((connection) => shapesIn(connection, source.path), signal);
  const nameless = described.some(([name], k) => name === `C${k}`) ? await namelessColumns(duck, source, signal) : [];
  const columns = described.map(([name, has], k) => ({
    name: nameless.includes(k) ? "" : name,
    column: name,
    has,
    shape: Object.hasOwn(shapes, name) ? shapes[name] : undefined,
  }));
  return { from, columns };
}

async function rowsOf(duck: Duck, text: string, signal?: AbortSignal): Promise<unknown[][]> {
  return await duck.use(async (connection) => (await connection.runAndReadAll(text)).getRows(), signal);
}

/** What is read, how, and into which file. */
interface Reading {
  readonly source: SourceFile;
  readonly options: IngestOptions;
  readonly path: string;
  readonly kind: "parquet" | "arrow";
}

/** Reads such a table through `write` into a Parquet file of ours at `path`; answers what is worth a notice. */
export async function readTable(
  duck: Duck,
  load: () => Promise<TypedTable>,
  { source, options: given, path, kind }: Reading,
  write: Write,
  signal?: AbortSignal,
): Promise<string[]> {
  const options = { ...given, asText: false };
  let fields: TypedField[] = [];
  try {
    const { from, columns } = await load();
    const names = uniqueNames(columns.map(({ name }) => name));
    refuseUnknown(names, options);
    const exact = columns.flatMap(({ has }, k) =>
      askedType(names[k], options) === undefined && mayBeLong(has) ? [k] : [],
    );
    const ranges = exact.flatMap((k) => ["min", "max"].map((each) => `${each}(${quote(columns[k].column)})::VARCHAR`));
    const [range] = exact.length === 0 ? [[]] : await rowsOf(duck, `SELECT ${ranges.join(", ")} FROM ${from}`, signal);
    const held = new Map(exact.map((k, i) => [k, heldIn(columns[k].has, range.slice(2 * i, 2 * i + 2))]));
    const kept: Shapes = {};
    fields = columns.map(({ column, has, shape }, k) => {
      const isTensor = has === tensorType && shape !== undefined;
      if (isTensor) kept[names[k]] = shape;
      const asked = askedType(names[k], options);
      const type = asked ?? (isTensor ? has : (held.get(k) ?? ownType(has)));
      return { name: names[k], ...cellOf(quote(column), has, type), type, missing: options.naValues ?? [] };
    });
    await write(typedSelect(fields, from), kept);
    const long = fields.filter((_, k) => held.get(k) === "VARCHAR").map(({ name }) => keptAsText(name));
    return [...long, ...(await noticeWords(duck, path, fields, kind === "arrow" ? "Arrow" : "Parquet", signal))];
  } catch (error) {
    throw explainUnreadable(error, source, kind, fields);
  }
}

/** A column's cell in the type in which it is worked on: what is no number goes by way of text where it becomes one. */
function cellOf(name: string, has: string, type: string): Pick<TypedField, "cell" | "has"> {
  if (type === "VARCHAR" && /(\[\]|^STRUCT|^MAP|^UNION)/.test(has)) {
    return { cell: `CAST(to_json(${name}) AS VARCHAR)`, has: "VARCHAR" };
  }
  return type === "VARCHAR" ? { cell: `CAST(${name} AS VARCHAR)`, has: "VARCHAR" } : { cell: name, has };
}

function ownType(has: string): string {
  const { scale, digits } = decimalOf(has);
  if (digits > 0) return scale === 0 ? "BIGINT" : "DOUBLE";
  return columnFor("", has).cast ?? has;
}

/** Digits and scale of a decimal type; no digits where it is another type. */
function decimalOf(type: string): { readonly digits: number; readonly scale: number } {
  const [, digits = "0", scale = "0"] = /^DECIMAL\((\d+),\s*(\d+)\)$/.exec(type) ?? [];
  return { digits: Number(digits), scale: Number(scale) };
}

/** May a column of this type hold numbers that neither 64-bit integers nor doubles hold? */
function mayBeLong(type: string): boolean {
  const { digits, scale } = decimalOf(type);
  return /^(U(BIG|HUGE)INT|HUGEINT)$/.test(type) || digits - scale > (scale === 0 ? 18 : 15);
}

/** The type that such a column becomes by its least and greatest number: text where they are too long. */
function heldIn(type: string, range: readonly unknown[]): string {
  const isWhole = decimalOf(type).scale === 0;
  const most = isWhole ? 2n ** 63n : 2n ** 53n;
  const isLong = range.some((each) => {
    const whole = each === null ? 0n : BigInt(String(each).split(".")[0]);
    return whole >= most || whole < -most;
  });
  return isLong ? "VARCHAR" : isWhole ? "BIGINT" : "DOUBLE";
}

/** DuckDB calls a column without a name C3; the file itself says which these are. */
async function namelessColumns(duck: Duck, source: SourceFile, signal?: AbortSignal): Promise<number[]> {
  const found = await rowsOf(duck, `SELECT name, num_children FROM parquet_schema(${literal(source.path)})`, signal);
  const nameless: number[] = [];
  let at = 1;
  const end = (from: number): number => {
    let next = from + 1;
    for (let left = Number(found[from][1] ?? 0); left > 0; left--) next = end(next);
    return next;
  };
  for (let k = 0; at < found.length; k++, at = end(at)) if (String(found[at][0]).trim() === "") nameless.push(k);
  return nameless;
}
