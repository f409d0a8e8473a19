import type { DatabaseServer } from "./database.ts";
import { ArgsError } from "./errors.ts";

/** Quotes that open and close alike; a doubled one inside stands for itself. */
const quotes = ["'", '"', "`"];

/**
 * The query as one SELECT without its closing semicolon; anything else is refused.
 *
 * This is for a clear sentence before a connection is made. The server's own read-only transaction, and a
 * protocol that takes one statement at a time, are what protects the data.
 */
export function oneSelect(query: string, server: DatabaseServer): string {
  const isMysql = server === "mysql" || server === "mariadb";
  const refuse = (rule: string, got: string) =>
    new ArgsError(`input: query ${rule}, got ${JSON.stringify(got.slice(0, 60))}.`, {
      code: "bad_query",
      path: "query",
      got: got.slice(0, 60),
      expected: "one SELECT",
    });
  if (query.includes("\0")) throw refuse("must not hold a NUL character", "\\0");
  // These comments are code to MySQL, so nothing that looks at the text could judge it.
  if (isMysql && /\/\*M?!/i.test(query)) throw refuse("must do without comments that MySQL executes", "/*!");
  if (isMysql && /\b(?:outfile|dumpfile)\b/i.test(query)) throw refuse("must not write files", "INTO OUTFILE");
  const inner = (
    server === "sqlite"
      ? /pragma_\w+/i
      : /\b(?:load_file|pg_read_(?:binary_)?file|pg_ls_\w+|pg_stat_file|lo_(?:import|export)|dblink\w*)\b/i
  ).exec(query);
  // A courtesy to servers whose users may do too much; other spellings are up to the user's rights there.
  if (inner) throw refuse("must read tables, not files or settings of the server", inner[0]);
  const code = codeOf(query, isMysql);
  const end = code.indexOf(";", code.replace(/(?<![;\s])[;\s]+$/, "").length);
  const only = end === -1 ? code : code.slice(0, end);
  const second = only.indexOf(";");
  if (second !== -1) throw refuse("must be exactly one statement", query.slice(second + 1).trim());
  const first = /^[\s(]*([a-z]+)/i.exec(only)?.[1].toUpperCase() ?? "";
  if (!["SELECT", "WITH", "VALUES", "TABLE"].includes(first)) {
    throw refuse("must be a SELECT; input reads and never writes", first || "nothing");
  }
  return end === -1 ? query : query.slice(0, end);
}

/** The query with strings, names in quotes and comments blanked out, so that positions stay. */
function codeOf(query: string, isMysql: boolean): string {
  let code = "";
  for (let at = 0; at < query.length; ) {
    const end = endOfLiteral(query, at, isMysql);
    code += end > at ? " ".repeat(end - at) : query[at];
    at = Math.max(end, at + 1);
  }
  return code;
}

/** Where the comment or literal that begins at `at` ends; `at` itself when none does. */
function endOfLiteral(query: string, at: number, isMysql: boolean): number {
  const rest = query.slice(at, at + 80);
  if (rest.startsWith("--") || (isMysql && rest.startsWith("#"))) {
    const end = query.indexOf("\n", at);
    return end === -1 ? query.length : end;
  }
  if (rest.startsWith("/*")) {
    const end = query.indexOf("*/", at + 2);
    return end === -1 ? query.length : end + 2;
  }
  const dollar = isMysql ? null : /^\$(?:[A-Za-z_]\w*)?\$/.exec(rest);
  if (dollar) {
    const end = query.indexOf(dollar[0], at + dollar[0].length);
    return end === -1 ? query.length : end + dollar[0].length;
  }
  const quote = query[at];
  if (!quotes.includes(quote)) return at;
  // Only MySQL, and Postgres in E'…', take a backslash for more than itself.
  const escapes =
    (isMysql && quote !== "`") || (quote === "'" && /(?:^|\W)e$/i.test(query.slice(Math.max(0, at - 2), at)));
  for (let k = at + 1; k < query.length; k++) {
    if (escapes && query[k] === "\\") k++;
    else if (query[k] === quote) return k + 1;
  }
  return query.length;
}
