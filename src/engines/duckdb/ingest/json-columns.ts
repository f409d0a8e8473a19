import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SourceFile } from "../../../core/tables.ts";
import { beginning } from "./encoding.ts";

/** Beyond this a file of columns is left to DuckDB, since turning it into records takes it into memory. */
const mostBytesInMemory = 256 * 2 ** 20;

/** When the file is one object of columns (`{"a": [1, 2], "b": …}`, or pandas' `{"a": {"0": 1}}`), writes records. */
export async function columnsToRecords(source: SourceFile, size: number): Promise<string | null> {
  if (size > mostBytesInMemory) return null;
  if (!mayBeColumns((await beginning(source.path, 2 ** 16)).toString())) return null;
  const columns = parsed((await readFile(source.path, "utf8")).replace(/^\uFEFF/, "")) as Record<
    string,
    unknown
  > | null;
  if (columns === null) return null;
  const records = recordsOf(columns);
  if (!records) return null;
  const path = join(tmpdir(), `blocklab-${randomUUID()}.json`);
  await writeFile(path, JSON.stringify(records));
  return path;
}

/** Does a text begin with a name and a list or an object? A name that the text cuts off may be followed by one. */
function mayBeColumns(text: string): boolean {
  return /^\uFEFF?\s*\{\s*(?:"(?:[^"\\]|\\.)*(?:"\s*(?::\s*(?:[[{]|$)|$)|\\?$)|$)/.test(text);
}

/** The value of a JSON text; null where it is none. Numbers that doubles can't hold stay as they are written. */
function parsed(text: string): unknown {
  // A text with 16 digits in a row may hold such a number; a function that is asked about each value takes its time.
  const reviver = /\d{16}/.test(text) ? asWritten : undefined;
  try {
    return JSON.parse(text, reviver);
  } catch {
    if (!/NaN|Infinity/.test(text)) return null;
  }
  // Python writes them, and JSON knows neither.
  const plain = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"?|\b(?:NaN|Infinity)\b/g, (word) =>
    word === "NaN" ? "null" : word === "Infinity" ? "1e999" : word,
  );
  try {
    return JSON.parse(plain, asWritten);
  } catch {
    return null;
  }
}

/** JSON.rawJSON and the reviver's source are newer than TypeScript's library. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

function asWritten(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  const isHeld = typeof value !== "number" || (Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER);
  return isHeld || source === undefined ? value : rawJSON(source);
}

function recordsOf(columns: Record<string, unknown>): Record<string, unknown>[] | null {
  const entries = Object.entries(columns);
  const lists = entries.map(([, value]) =>
    Array.isArray(value) ? value : typeof value === "object" && value !== null ? Object.values(value) : null,
  );
  const length = lists[0]?.length ?? 0;
  if (lists.some((list) => list === null || list.length !== length)) return null;
  return Array.from({ length }, (_, i) =>
    Object.fromEntries(entries.map(([name], k) => [name, lists[k]?.[i] ?? null])),
  );
}
