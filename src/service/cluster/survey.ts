import type { ClusterSource, Surveyed } from "../../core/cluster.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { listed } from "../../core/names.ts";
import { askCount } from "../../engines/spark/asked.ts";
import { hiddenNames } from "../../engines/spark/source.ts";
import { matchColumn, rowColumn } from "../../plan/expr.ts";
import type { ClusterColumn, ClusterTable, Relation } from "../../plan/node.ts";
import {
  quotedName,
  type Relation as Rows,
  type SparkClient,
  SparkError,
  type SparkField,
  sql,
} from "../../spark/index.ts";
import { rowsOf } from "./cells.ts";
import type { ClusterFacts } from "./facts.ts";
import { type ClusterSession, nameOfSource, withPlaces } from "./session.ts";

/** So many files are listed in a plan at most; those of more are numbered by a sort, in the same order. */
const mostFiles = 2000;

/** Decimals of more digits lose some as a double. */
const doubleDigits = 15;

/** Looks at a table or files of the cluster, whose rows stay there: columns, their types here, and how many rows. */
export async function survey(source: ClusterSource, session: ClusterSession, facts: ClusterFacts): Promise<Surveyed> {
  const place = stayingSource(source);
  facts.forget(place);
  const { columns, files, order } = await session.during(async (client, signal) => {
    const rows = await session.rowsOf(place);
    const fields = await client.schema(rows, signal);
    const held = columnsOf(fields, nameOfSource(place));
    return { columns: held, ...(await filesOf(client, rows, held, signal)) };
  });
  const cluster: ClusterTable = { source: place, columns, files, order };
  const relation: Relation = { artifact: "", steps: [], cluster };
  const [[counted]] = files
    ? [[files.reduce((sum, { rows }) => sum + rows, 0)]]
    : await session.cells([relation], (names) => askCount(relation, undefined, names));
  const long = columns.filter(({ from, isLong }) => from === "number" && isLong).map(({ column }) => column.name);
  return {
    relation,
    columns: columns.map(({ column }) => column),
    rows: Number(counted),
    notices: [
      ...(order === "columns"
        ? [
            `input (DP_1): ${nameOfSource(place)} has no order of its own in Spark, so its rows are in the order of all columns.`,
          ]
        : []),
      ...(long.length > 0
        ? [
            `input (DP_1): ${listed(long)} ${long.length === 1 ? "has" : "have"} more digits than a number holds, and rounds to 15.`,
          ]
        : []),
    ],
  };
}

function stayingSource(source: ClusterSource): ClusterTable["source"] {
  if ("table" in source) return { table: source.table };
  if (source.format === "parquet") return { address: source.address };
  throw new ArgsError(
    "input (DP_1): keep is for tables and Parquet files, and CSV files are read here; leave keep out, or make a table of them in Spark.",
    { path: "keep" },
  );
}

/** The Parquet files of rows, by name, each with its number of rows; null where they are too many, or there are none. */
async function filesOf(
  client: SparkClient,
  rows: Rows,
  columns: readonly ClusterColumn[],
  signal?: AbortSignal,
): Promise<Pick<ClusterTable, "files" | "order">> {
  const { file, place } = hiddenNames({ columns });
  const placed = withPlaces(rows, file, place);
  const hasFiles = await client.schema(placed, signal).then(
    () => true,
    (error: unknown) => {
      // Files of other kinds have no places, and views no files.
      if (error instanceof SparkError && /^(UNRESOLVED_COLUMN|FIELD_NOT_FOUND)/.test(error.code)) return false;
      throw error;
    },
  );
  if (!hasFiles) return { files: null, order: "columns" };
  await client.createView("surveyed", placed, { signal });
  const name = quotedName(file);
  const counted = sql(`SELECT ${name}, count(*) FROM surveyed GROUP BY 1 ORDER BY 1 LIMIT ${mostFiles + 1}`);
  const found: { path: string; rows: number }[] = [];
  for await (const batch of client.rows(counted, { signal })) {
    for (const [path, n] of rowsOf(batch)) found.push({ path: String(path), rows: Number(n) });
  }
  return { files: found.length > 0 && found.length <= mostFiles ? found : null, order: "files" };
}

/** Our columns for those of the cluster; who has a type that none can hold is refused by name. */
function columnsOf(fields: readonly SparkField[], source: string): (ClusterColumn & { isLong?: boolean })[] {
  const columns = fields.map((field) => ({ field, made: columnOf(field) }));
  const unheld = columns.filter(({ made }) => made === null).map(({ field }) => field);
  const [first] = unheld;
  if (first) {
    throw new DataError(
      `input (DP_1): ${listed(unheld.map(({ name }) => name))} of ${source} ${unheld.length === 1 ? "is" : "are"} of type ${first.type.text}, which no column here can hold; make a view in Spark that casts or leaves out such columns, and read that.`,
      { code: "unheld_column" },
    );
  }
  const names = fields.map(({ name }) => name);
  const taken = names.find((name, k) => name === rowColumn || name === matchColumn || names.indexOf(name) < k);
  if (taken !== undefined) {
    throw new DataError(
      `input (DP_1): a column of ${source} can't be called ${JSON.stringify(taken)} here; make a view in Spark that calls it otherwise, and read that.`,
      { code: "bad_name", got: taken },
    );
  }
  return columns.flatMap(({ made }) => made ?? []);
}

function columnOf({ name, type }: SparkField): (ClusterColumn & { isLong?: boolean }) | null {
  switch (type.kind) {
    case "byte":
    case "short":
    case "integer":
    case "long":
      return { column: { name, type: "number", integer: true }, from: "integer" };
    case "float":
    case "double":
      return { column: { name, type: "number" }, from: "number" };
    case "decimal": {
      const isLong = (type.precision ?? 0) > doubleDigits;
      return { column: { name, type: "number" }, from: "number", ...(isLong ? { isLong } : {}) };
    }
    case "boolean":
      return { column: { name, type: "boolean" }, from: "boolean" };
    case "string":
    case "binary":
    case "null":
      return { column: { name, type: "string" }, from: "text" };
    case "date":
    case "timestamp":
    case "timestamp_ntz":
      return { column: { name, type: "datetime" }, from: "date" };
    case "array":
    case "struct":
      return { column: { name, type: "string" }, from: "json" };
    case "map":
      return { column: { name, type: "string" }, from: "json", isMap: true };
    default:
      return null;
  }
}
