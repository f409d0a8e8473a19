import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import { type DatabaseServer, databaseServers, tlsModes } from "../../core/database.ts";
import { ArgsError } from "../../core/errors.ts";
import { didYouMean, quoted } from "../../core/names.ts";
import { passwordInUrl } from "../../core/secrets.ts";
import type { Ingested } from "../../core/tables.ts";

/** Arguments of a database. */
export const databaseArgs = {
  /** Of a database: "postgres", "mysql", "mariadb" or "sqlite"; found from a URL's beginning when absent. */
  dbservertype: z.string().optional(),
  /** Of a database: its name on the server. */
  database_name: z.string().optional(),
  /** Of a database: the user, best one with restricted permissions. */
  dbuser: z.string().optional(),
  /** Of a database: the user's password. It is used and forgotten; exported code asks BLOCKLAB_DBPASSWORD for it. */
  dbpassword: z.string().optional(),
  /** Of a database: one SELECT, run in a read-only transaction. */
  query: z.string().optional(),
  /** Of a database: "prefer" encrypts where the server can, "require" always, "verify" checks its certificate too (default "prefer"). */
  tls: z.literal(tlsModes).default("prefer"),
  /** Of a database: certificates in PEM that "verify" trusts in place of the well-known ones. */
  tls_ca: z.string().optional(),
  /** Of a database: seconds to wait for the server each time it is asked, 1 to 3600 (default 60). */
  timeout: z.number().min(1).max(3600).default(60),
};

/** What a client says about a database. */
export type DatabaseArgs = z.output<z.ZodObject<typeof databaseArgs>> & { readonly dburl: string };

const otherNames: Readonly<Record<string, DatabaseServer>> = {
  postgresql: "postgres",
  psql: "postgres",
  pg: "postgres",
  mysql2: "mysql",
  sqlite3: "sqlite",
};

const urlForm = /^(postgres(?:ql)?|mysql|mariadb):\/\/(.*)$/is;

/** Is it the URL of a database server? */
export function isDatabaseUrl(dburl: string): boolean {
  return urlForm.test(dburl);
}

/** Runs the query and answers its rows, and what to call the database. */
export async function readQuery(args: DatabaseArgs, context: BlockContext): Promise<Ingested & { source: string }> {
  const { user, password, address, database } = partsOf(args);
  const server = serverOf(args);
  const query = needed("query", args.query, "one SELECT");
  const common = { server, query, tls: args.tls, certificates: args.tls_ca, timeoutMs: args.timeout * 1000 };
  if (server === "sqlite") {
    const file = await context.open(args.dburl);
    try {
      const read = await context.query({ ...common, address: file.path, database: "", user: "", password: "" });
      return { ...read, source: file.name };
    } finally {
      await file.release();
    }
  }
  const read = await context.query({
    ...common,
    address,
    database: needed("database_name", database, "the database's name"),
    user: needed("dbuser", user, "a database user, best one with restricted permissions"),
    password: needed("dbpassword", password, "the user's password; it is never stored, so give it with each run"),
  });
  return { ...read, source: `${server} ${database}` };
}

/** Which kind of database is asked. */
export function serverOf({ dburl, dbservertype }: Pick<DatabaseArgs, "dburl" | "dbservertype">): DatabaseServer {
  const said =
    dbservertype ?? urlForm.exec(dburl)?.[1] ?? (/\.(db|sqlite3?)(\.(gz|zst))?$/i.test(dburl) ? "sqlite" : undefined);
  const name = needed("dbservertype", said, databaseServers.map(quoted).join(", ")).trim().toLowerCase();
  const other = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
  const known = databaseServers.find((server) => server === name) ?? other;
  if (known) return known;
  throw new ArgsError(
    `input (DP_1): dbservertype must be ${databaseServers.map(quoted).join(", ")}, got ${quoted(name)}.${didYouMean(name, databaseServers)}`,
    { path: "dbservertype", got: name.slice(0, 80), expected: databaseServers },
  );
}

/** The pieces of a URL, where one is given; pieces given by name win. */
function partsOf(args: DatabaseArgs): { user?: string; password?: string; address: string; database?: string } {
  const named = { user: args.dbuser, password: args.dbpassword, database: args.database_name };
  if (!isDatabaseUrl(args.dburl)) return { address: args.dburl, ...given(named) };
  const inUrl = passwordInUrl(args.dburl);
  const match = /^[a-z]+:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^@/?#]*))?$/i.exec(inUrl?.without ?? args.dburl);
  // The URL is not repeated here, since it may hold the password in a way that was not understood.
  if (!match)
    throw new ArgsError(
      "input (DP_1): dburl must look like postgres://user@host:port/database, without further options.",
      {
        path: "dburl",
      },
    );
  const [, user, address, database] = match;
  const pieces = { user: decoded(user), password: decoded(inUrl?.password), database: decoded(database) };
  return { address, ...given(pieces), ...given(named) };
}

function given<T extends object>(pieces: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(pieces).filter(([, value]) => value !== undefined && value !== "")) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A field that only a database needs; the schema can't ask for it. */
function needed(path: string, value: string | undefined, rule: string): string {
  if (value !== undefined && value !== "") return value;
  throw new ArgsError(`input (DP_1) with file_type "db" needs ${path}: ${rule}.`, {
    code: "missing_argument",
    path,
    expected: rule,
  });
}
