import type { DuckDBConnection } from "@duckdb/node-api";
import { ArgsError, DataError, messageOf, storageFailure } from "../../core/errors.ts";
import type { Column } from "../../core/frame.ts";
import { mostRows } from "../../core/most-rows.ts";
import { didYouMean, listed, quoted, uniqueNames } from "../../core/names.ts";
import type { Queried } from "../../plan/node.ts";
import { literal, quote, show } from "../sql.ts";
import { type Duck, isShortage } from "./duck.ts";
import { writeExpression } from "./expressions.ts";
import { columnFor, nanMissing } from "./read/cells.ts";
import { parquetOptions } from "./read/chunks.ts";
import { selectFrom } from "./select.ts";

/** Functions that make rows of their arguments alone. */
const makers = ["unnest", "range", "generate_series"];

/** Functions that tell of the machine, the engine or its settings, and not of the tables. */
const outside =
  /^(getenv|getvariable|current_\w+|session_user|user|pg_\w+|duckdb_\w+|pragma_\w+|has_\w+|in_search_path|nextval|currval|write_log|txid_current|version)$/i;

/**
 * Writes what one SELECT over some tables answers into a Parquet file; answers its columns.
 *
 * It runs on an engine of its own, whose settings are locked: that knows these tables' files, and can open no others.
 */
export async function queryTables(
  duck: Duck,
  { sql: text, over }: Pick<Queried, "sql" | "over">,
  path: string,
  who: string,
  signal?: AbortSignal,
): Promise<Column[]> {
  const refused = (rule: string, got?: unknown) =>
    new ArgsError(`${who}: ${rule}`, { code: "bad_query", path: "sql", ...(got === undefined ? {} : { got }) });
  return await duck.apart(async (connection) => {
    try {
      const tree = await parsed(connection, text, refused);
      refuseOthers(tree, Object.keys(over), refused);
      const files = [...JSON.stringify(over).matchAll(/"artifact":"([\w-]+)"/g)].map((match) => duck.path(match[1]));
      for (const [name, relation] of Object.entries(over)) {
        const rows = show(selectFrom(relation), { path: (id) => duck.path(id), write: writeExpression });
        await connection.run(`CREATE VIEW ${quote(name)} AS ${rows}`);
      }
      const paths = [...new Set(files), path].map(literal).join(", ");
      await connection.run(`SET allowed_paths = [${paths}]`);
      await connection.run("SET enable_external_access = false");
      await connection.run("SET lock_configuration = true");
      // As the engine itself writes it: without comments, and without a semicolon behind it.
      const [[only]] = (
        await connection.runAndReadAll("SELECT json_deserialize_sql(json_serialize_sql($1::VARCHAR))", [text])
      ).getRows();
      const described = (await connection.runAndReadAll(`DESCRIBE SELECT * FROM (${only})`)).getRows();
      const names = uniqueNames(described.map(([name]) => String(name)));
      const columns = described.map(([, type], k) => columnFor(names[k], String(type)));
      const cells = columns.map(({ cast, column }, k) => {
        const cell = cast ? `CAST(c${k} AS ${cast})` : `c${k}`;
        const isDouble = column.type === "number" && !column.integer;
        return `${isDouble ? nanMissing(cell) : cell} AS ${quote(column.name)}`;
      });
      const answer = `SELECT ${cells.join(", ")} FROM (${only}) AS answer(${columns.map((_, k) => `c${k}`).join(", ")})`;
      // A limit takes one thread, and other texts answer no more rows than the tables have.
      const limit = multiplies(tree) ? ` LIMIT ${mostRows + 1}` : "";
      const [[rows]] = (
        await connection.runAndReadAll(`COPY (${answer}${limit}) TO ${literal(path)} (${parquetOptions()})`)
      ).getRows();
      if (Number(rows) > mostRows) {
        const most = mostRows.toLocaleString("en-US");
        throw refused(`sql answers more than ${most} rows, which a table has at most. Put a LIMIT behind it.`);
      }
      return columns.map(({ column }) => (column.type === "category" ? { ...column, type: "string" } : column));
    } catch (error) {
      throw explained(error, who, signal);
    }
  }, signal);
}

type Refuse = (rule: string, got?: unknown) => ArgsError;

/** The text as a tree, where it is one SELECT. */
async function parsed(connection: DuckDBConnection, text: string, refused: Refuse): Promise<unknown> {
  if (text.includes("\0")) throw refused("sql must not hold a NUL character.");
  const [[json]] = (await connection.runAndReadAll("SELECT json_serialize_sql($1::VARCHAR)", [text])).getRows();
  const tree = read(String(json)) as { error: boolean; error_message?: string; statements?: unknown[] } | null;
  if (!tree) throw refused("sql holds a number that is too large, such as 1e400.", text.slice(0, 60));
  if (tree.error && /only select/i.test(tree.error_message ?? "")) {
    throw refused("sql must be one SELECT over data; it reads, and changes nothing.", text.slice(0, 60));
  }
  if (tree.error) throw refused(`sql can't be read: ${String(tree.error_message).split("\n")[0]}.`, text.slice(0, 60));
  if (tree.statements?.length !== 1) throw refused("sql must be exactly one SELECT.", tree.statements?.length);
  return tree.statements[0];
}

/** The tree; null where it holds an infinite number, which the engine writes in a word that JSON has not. */
function read(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** Refuses whatever reads something else than these tables. */
function refuseOthers(tree: unknown, tables: readonly string[], refused: Refuse): void {
  const known = new Set([...tables, ...commonTables(tree)].map((name) => name.toLowerCase()));
  for (const node of nodesOf(tree)) {
    if (node.type === "SHOW_REF") throw refused("sql must be one SELECT; DESCRIBE, SHOW and SUMMARIZE stand in none.");
    if (node.type === "TABLE_FUNCTION") {
      const name = String((node.function as { function_name?: string } | undefined)?.function_name);
      if (!makers.includes(name.toLowerCase())) {
        throw refused(`sql reads ${name}(), and can read ${listed(tables)} alone.`, name);
      }
    }
    if (typeof node.function_name === "string" && outside.test(node.function_name)) {
      throw refused(
        `sql calls ${node.function_name}(), which tells of the machine and not of the table.`,
        node.function_name,
      );
    }
    if (node.type !== "BASE_TABLE") continue;
    const name = String(node.table_name);
    if (known.has(name.toLowerCase()) && !node.schema_name && !node.catalog_name) continue;
    throw refused(
      `sql reads ${quoted(name)}, which is no table here.${didYouMean(name, tables)} Tables: ${listed(tables)}; another block's is block_ and its id.`,
      name,
    );
  }
}

/** May it answer more rows than the tables have, which it reads? */
function multiplies(tree: unknown): boolean {
  const kinds = ["TABLE_FUNCTION", "JOIN", "RECURSIVE_CTE_NODE", "SET_OPERATION_NODE"];
  return [...nodesOf(tree)].some(
    ({ type, function_name: name }) => kinds.includes(String(type)) || makers.includes(String(name).toLowerCase()),
  );
}

type Node = Readonly<Record<string, unknown>>;

function* nodesOf(tree: unknown): Generator<Node> {
  if (typeof tree !== "object" || tree === null) return;
  if (!Array.isArray(tree)) yield tree as Node;
  for (const each of Object.values(tree)) yield* nodesOf(each);
}

/** The names of the tables that the text itself makes by WITH. */
function commonTables(tree: unknown): string[] {
  return [...nodesOf(tree)].flatMap((node) => {
    const { map } = (node.cte_map ?? {}) as { map?: readonly { readonly key?: unknown }[] };
    return [
      ...(map ?? []).map(({ key }) => String(key)),
      ...(node.type === "RECURSIVE_CTE_NODE" ? [String(node.cte_name)] : []),
    ];
  });
}

/** What the engine says of a text that it can't run, in one line and without paths. */
function explained(error: unknown, who: string, signal?: AbortSignal): unknown {
  if (signal?.aborted || error instanceof ArgsError || storageFailure(error) || isShortage(error)) return error;
  const [line] = messageOf(error).split("\n");
  const words = line
    .replace(/\/[^\s'"]*\//g, "")
    .replace(/^[A-Za-z ]*Error: /, "")
    .replace(/\.$/, "");
  return new DataError(`${who}: ${words}.`, { code: "bad_query", path: "sql" }, { cause: error });
}
