import { arrowStream } from "../../client/arrow-file.ts";
import type { Link } from "../../client/link.ts";
import { type Given, typed } from "./columns.ts";
import { columnsIn, type GivenTable } from "./given.ts";

/** What an argument may be long; a table of more letters is sent as a file. */
const mostLetters = 9000;

/** A table of a program, typed and ready to be sent. */
export function packed(table: GivenTable): Given {
  return typed(columnsIn(table));
}

/**
 * Brings a table to the service and answers the URL under which it is read, again and again.
 *
 * A small one is the URL itself, JSON that a person can read, so that no request goes before the block's own. A larger
 * one is uploaded as Arrow, once for all blocks of the project that read the same rows.
 */
export async function sent(link: Link, project: number, given: Given): Promise<string> {
  const json = given.remarks.length === 0 ? jsonOf(given) : null;
  const url = json && `data:application/json,${json.replace(/[%#]/g, encodeURIComponent)}`;
  if (url && url.length <= mostLetters) return url;
  const content = await arrowStream(given.columns, given.remarks);
  return await link.upload({ name: "rows", content, project });
}

/** The rows as JSON that is read with the very same types; null where it has no words for one of them. */
function jsonOf({ columns, rows, isPlain }: Given): string | null {
  if (!isPlain || rows === 0 || rows * columns.length > mostLetters / 4) return null;
  const names = columns.map(({ name }) => name);
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length || !names.every(isPlainName)) return null;
  const cells = columns.map(({ values: { kind, items } }) => {
    const isMoments = kind === "days" || kind === "moments";
    return Array.from(items as readonly unknown[], (item) =>
      isMoments ? momentText(item as number, kind) : Number.isNaN(item) ? null : (item ?? null),
    );
  });
  if (cells.some((each) => !each.some((cell) => cell !== null) || !each.every(isPlainCell))) return null;
  const objects = Array.from({ length: rows }, (_, i) =>
    Object.fromEntries(names.map((name, k) => [name, cells[k][i]])),
  );
  return JSON.stringify(objects);
}

/** The reader of JSON numbers names that look as if it had numbered them. */
function isPlainName(name: string): boolean {
  return /^[A-Za-z][\w ]*$/.test(name) && !/_\d+$|^C\d+$| $/.test(name);
}

function isPlainCell(cell: unknown): boolean {
  if (typeof cell === "number") return Number.isFinite(cell);
  return typeof cell === "string" ? cell.isWellFormed() : cell === null || typeof cell === "boolean";
}

/** A moment as JSON's are read; a fraction of a second, or a year of five digits, has no such form. */
function momentText(ms: number, kind: "days" | "moments"): unknown {
  if (Number.isNaN(ms)) return null;
  const text = new Date(ms).toISOString();
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.000Z$/.exec(text);
  return match ? (kind === "days" ? match[1] : `${match[1]} ${match[2]}`) : undefined;
}
