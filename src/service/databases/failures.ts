import type { DatabaseQuery } from "../../core/database.ts";
import { ArgsError, BlocklabError, DataError } from "../../core/errors.ts";
import { quoted } from "../../core/names.ts";
import { masked } from "../../core/secrets.ts";

/** What a client reports, as far as it says. */
interface Reported {
  readonly code?: string;
  readonly errno?: number;
  readonly message?: string;
}

/** The failure of a server that gives no answer. */
export function stalled(): Error {
  return Object.assign(new Error("no answer"), { code: "STALLED" });
}

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "its host is not known",
  EAI_AGAIN: "its host is not known",
  ENOTPUBLIC: "its address is not public, so this service does not connect to it",
  ENETUNREACH: "there is no route to it",
  EHOSTUNREACH: "there is no route to it",
  ETIMEDOUT: "it does not answer",
  ECONNRESET: "it ended the connection",
  EPIPE: "it ended the connection",
  PROTOCOL_CONNECTION_LOST: "it ended the connection",
  HANDSHAKE_NO_SSL_SUPPORT: 'it offers no TLS; give tls: "off" if the network can be trusted',
};

/** Postgres' and MySQL's codes for a wrong user, password or database. */
const refused = ["28000", "28P01", "3D000", "ER_ACCESS_DENIED_ERROR", "ER_BAD_DB_ERROR", "ER_DBACCESS_DENIED_ERROR"];
const writes = ["25006", "ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION"];
const timeouts = ["STALLED", "57014", "ER_QUERY_TIMEOUT", "ER_STATEMENT_TIMEOUT"];

/** Turns what database clients throw into one sentence each, from which the password is kept out. */
export class Failing {
  readonly #query: DatabaseQuery;

  constructor(query: DatabaseQuery) {
    this.#query = query;
  }

  /** Does the work; its failure is explained. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof BlocklabError ? error : this.#explained(error as Reported);
    }
  }

  /** The cause stays behind: what a client keeps in its errors may hold the connection's settings. */
  #explained(error: Reported): BlocklabError {
    const { server, address, timeoutMs, user, database } = this.#query;
    const code = error.code ?? "";
    const where = server === "sqlite" ? `the SQLite file` : `${server} at ${quoted(address)}`;
    const reason = masked(error.message ?? "the connection failed", [this.#query.password])
      .replace(/\s+/g, " ")
      .replace(/(?<![.\s])[.\s]+$/, "")
      .slice(0, 300);
    if (timeouts.includes(code)) {
      return new DataError(
        `input: ${where} gave no answer within ${timeoutMs / 1000} s; ask for less, or raise timeout.`,
        { code: "database_timeout", expected: timeoutMs / 1000 },
      );
    }
    if (refused.includes(code)) {
      return new DataError(
        `input: ${where} refused user ${quoted(user)} for database ${quoted(database)}; check dbuser, dbpassword and database_name.`,
        { code: "database_refused" },
      );
    }
    if (writes.includes(code) || /must not contain data-modifying|readonly database/.test(reason)) {
      return new ArgsError(
        "input: query must only read; input runs it in a read-only transaction, which it would change.",
        {
          code: "bad_query",
          path: "query",
        },
      );
    }
    const network =
      unreachable[code] ?? (/server does not support SSL/.test(reason) ? unreachable.HANDSHAKE_NO_SSL_SUPPORT : "");
    if (network)
      return new DataError(`input: ${where} can't be reached: ${network}.`, { code: "database_unreachable" });
    if (/certificate|ssl|tls/i.test(code) || /certificate|altnames/i.test(reason)) {
      return new DataError(`input: ${where} can't be trusted: ${reason}.`, { code: "database_certificate" });
    }
    return new DataError(`input: ${where} can't answer the query: ${reason}.`, { code: "database_failed" });
  }
}
