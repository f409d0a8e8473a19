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

/** Reads a Parquet file through `write` into one of ours at `path`; answers what is worth a notice. */
export async function readParquet(
  duck: Duck,
  source: SourceFile,
  given: IngestOptions,
  path: string,
  write: (text: string, shapes: Shapes) => Promise<void>,
  signal?: AbortSignal,
): Promise<string[]> {
  const options = { ...given, asText: false };
  const from = `read_parquet(${literal(source.path)})`;
  const rows = async (text: string) =>
    await duck.use(async (connection) => (await connection.runAndReadAll(text)).getRows(), signal);
  let fields: TypedField[] = [];
  try {
    const described = (await rows(`DESCRIBE SELECT * FROM ${from}`)).map(([name, type]) => [
      String(name),
      String(type),
    ]);
    const shapes = await duck.use((connection) => shapesIn(connection, source.path), signal);
    const nameless = described.some(([name], k) => name === `C${k}`) ? await namelessColumns(source, rows) : [];
    const names = uniqueNames(described.map(([name], k) => (nameless.includes(k) ? "" : name)));
    refuseUnknown(names, options);
    const exact = described.flatMap(([, type], k) =>
      askedType(names[k], options) === undefined && mayBeLong(type) ? [k] : [],
    );
    const ranges = exact.flatMap((k) => ["min", "max"].map((each) => `${each}(${quote(described[k][0])})::VARCHAR`));
    const [range] = exact.length === 0 ? [[]] : await rows(`SELECT ${ranges.join(", ")} FROM ${from}`);
    const held = new Map(exact.map((k, i) => [k, heldIn(described[k][1], range.slice(2 * i, 2 * i + 2))]));
    const kept: Shapes = {};
    fields = described.map(([name, has], k) => {
      const isTensor = has === tensorType && Object.hasOwn(shapes, name);
      if (isTensor) kept[names[k]] = shapes[name];
      const asked = askedType(names[k], options);
      const type = asked ?? (isTensor ? has : (held.get(k) ?? ownType(has)));
      return { name: names[k], ...cellOf(quote(name), has, type), type, missing: options.naValues ?? [] };
    });
    await write(typedSelect(fields, from), kept);
    const long = fields.filter((_, k) => held.get(k) === "VARCHAR").map(({ name }) => keptAsText(name));
    return [...long, ...(await noticeWords(duck, path, fields, "Parquet", signal))];
  } catch (error) {
    throw explainUnreadable(error, source, "parquet", fields);
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
async function namelessColumns(source: SourceFile, rows: (text: string) => Promise<unknown[][]>): Promise<number[]> {
  const found = await rows(`SELECT name, num_children FROM parquet_schema(${literal(source.path)})`);
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
