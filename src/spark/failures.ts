import { status } from "@grpc/grpc-js";
import { isServiceError, NoAnswer } from "./channel.ts";
import { type Connection, placeOf } from "./connection.ts";
import { SparkError, type SparkErrorDetail } from "./errors.ts";
import { ErrorInfo, Status } from "./messages.ts";

/** What Spark tells of a failure beside its text: `errorClass`, `sqlState`, `messageParameters` as JSON. */
type Told = Readonly<Record<string, string>>;

/** What failed: the first words with a server, a question, or work of which some rows may have come. */
type Stage = "greeting" | "question" | { readonly hasBegun: boolean; readonly rows: number };

/** May the same be asked again, since the connection failed rather than the work? */
export function isTransient(error: unknown): boolean {
  if (!isServiceError(error)) return false;
  const { errorClass } = toldBy(error);
  if (errorClass !== undefined) return errorClass.startsWith("INVALID_CURSOR.DISCONNECTED");
  if (error.code === status.UNAVAILABLE || error.code === status.CANCELLED) return true;
  return (error.code === status.INTERNAL || error.code === status.UNKNOWN) && isBroken(error.details);
}

/** Does the server not know the operation? */
export function isForgotten(error: unknown): boolean {
  return /^INVALID_HANDLE\.(OPERATION|SESSION)_NOT_FOUND$/.test(classOf(error));
}

/** Does the server not know the session, because it was restarted or the session ended? */
export function isSessionLost(error: unknown): boolean {
  return /^INVALID_HANDLE\.SESSION_/.test(classOf(error));
}

/** A failure of gRPC's as a SparkError; what is none of gRPC's stays as it is. */
export function explained(error: unknown, connection: Connection, stage: Stage): unknown {
  const who = `Spark at ${placeOf(connection)}`;
  const fails = (code: string, what: string, told: Told = {}) =>
    new SparkError(sentence(`${who} ${what}`, connection), { code, ...detailOf(told) }, { cause: error });
  const { hasBegun, rows } = typeof stage === "string" ? { hasBegun: false, rows: 0 } : stage;
  const gone = `was gone in the middle of the work, after ${rows} rows; run it again once it is back`;
  if (error instanceof NoAnswer) {
    if (hasBegun) return fails("SERVER_GONE", gone);
    return fails("NO_ANSWER", "gives no answer; check the address, and that no firewall is in between");
  }
  if (!isServiceError(error)) return error;
  const { code, details } = error;
  const told = toldBy(error);
  if (isSessionLost(error)) {
    const what = "has forgotten this session, with its views and settings; run it again from where they are made";
    return fails("SESSION_LOST", what, told);
  }
  if (told.errorClass !== undefined) return fails(told.errorClass, wordsOf(told, details), told);
  if (code === status.UNAUTHENTICATED || code === status.PERMISSION_DENIED) {
    const came = connection.token === undefined ? "a caller without a token" : "the token";
    return fails("ACCESS_DENIED", `refuses ${came}; give the right one with its address, sc://HOST:PORT/;token=…`);
  }
  // What is no gRPC at all may look like a message of a gigabyte.
  if (code === status.RESOURCE_EXHAUSTED && stage !== "greeting") {
    return fails("TOO_LARGE", `and this client take no message as large as that: ${firstLine(details)}`);
  }
  if (code === status.DEADLINE_EXCEEDED) {
    return fails(
      "NO_ANSWER",
      "accepts connections, but gives no answer; look whether it is overloaded, or no Spark at all",
    );
  }
  if (hasBegun && isTransient(error)) return fails("SERVER_GONE", gone);
  if (
    code === status.UNIMPLEMENTED ||
    code === status.RESOURCE_EXHAUSTED ||
    /parsing error|HTTP|Protocol error|ERR_HTTP2|without gRPC status/i.test(details)
  ) {
    return fails("NOT_SPARK", "does not speak Spark Connect; check its port, which is 15002 unless told otherwise");
  }
  if (code === status.UNAVAILABLE) return unreachable(details, fails);
  const known = knownFailure(code, details);
  return known ? fails(...known) : fails("FAILED", `failed: ${firstLine(details)}`);
}

/** Failures that Spark gives no class of its own, as code and words. */
function knownFailure(code: number, details: string): readonly [code: string, what: string] | null {
  const most = /is bigger than spark\.driver\.maxResultSize \(([^()]{1,40})\)/.exec(details)?.[1];
  if (most !== undefined) {
    const what = `hands out ${most} at most in one answer; ask for fewer rows or columns, or raise spark.driver.maxResultSize there`;
    return ["RESULT_TOO_LARGE", what];
  }
  if (/Java heap space|OutOfMemory|GC overhead limit/.test(details)) {
    return [
      "OUT_OF_MEMORY",
      `ran out of memory: ${firstLine(details)}; ask for fewer rows or columns, or give it more`,
    ];
  }
  // A stack that ran over has no message.
  const isSilent = details.trim() === "" && (code === status.INTERNAL || code === status.UNKNOWN);
  if (isSilent || /StackOverflow|Max iterations \(\d+\) reached/.test(details)) {
    return ["TOO_DEEP", tooDeep];
  }
  return null;
}

const tooDeep = "finds the query too deep or too long to work out; ask for less at once";

/** Reasons why there is no connection, as Node tells them. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, "nothing listens there"],
  [/Name resolution failed|ENOTFOUND|EAI_AGAIN/, "its host is not known"],
  [/ENETUNREACH|EHOSTUNREACH/, "there is no route to it"],
  [/ETIMEDOUT/, "it does not answer"],
  [/wrong version number|packet length too long|EPROTO/, "it speaks no TLS; leave out use_ssl, or put TLS before it"],
  [/ECONNRESET|socket hang up|dropped|EPIPE/, "it ends the connection; a server with TLS wants use_ssl=true"],
];

function unreachable(details: string, fails: (code: string, what: string) => SparkError): SparkError {
  if (/certificate|altnames|CERT_/i.test(details)) {
    return fails("CERTIFICATE", `can't be trusted: ${firstLine(/Error: (.*)/.exec(details)?.[1] ?? details)}`);
  }
  const reason = reasons.find(([pattern]) => pattern.test(details))?.[1] ?? firstLine(details);
  return fails("UNREACHABLE", `can't be reached: ${reason}`);
}

function isBroken(details: string): boolean {
  return /RST_STREAM|dropped|ECONNRESET|EPIPE|socket hang up|GOAWAY|session was destroyed/i.test(details);
}

/** Spark's error classes that people meet, in words that go on after "Spark at HOST". */
const words: Readonly<Record<string, (told: Told) => string>> = {
  TABLE_OR_VIEW_NOT_FOUND: ({ relationName }) =>
    `has no table or view ${relationName}; check its spelling, its catalog and its schema`,
  SCHEMA_NOT_FOUND: ({ schemaName }) => `has no schema ${schemaName}; check its spelling and its catalog`,
  CATALOG_NOT_FOUND: ({ catalogName }) => `has no catalog ${catalogName}; check its spelling`,
  REQUIRES_SINGLE_PART_NAMESPACE: ({ namespace }) =>
    `has no catalog for ${namespace}; write schema.table, or catalog.schema.table with a catalog that is set up there`,
  PATH_NOT_FOUND: ({ path }) => `finds no file at ${path}; the path must be one that the server can read`,
  DATA_SOURCE_NOT_FOUND: ({ provider }) => `can't read files of format ${provider}; its jar may be missing there`,
  "UNRESOLVED_COLUMN.WITH_SUGGESTION": ({ objectName, proposal }) =>
    `finds no column ${objectName}; did you mean one of ${proposal}?`,
  "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION": ({ objectName }) => `finds no column ${objectName}; check its spelling`,
  UNRESOLVED_ROUTINE: ({ routineName }) => `knows no function ${routineName}; check its spelling`,
  FAILED_TO_PARSE_TOO_COMPLEX: () => tooDeep,
  PARSE_SYNTAX_ERROR: ({ error, hint = "" }) => `can't read the SQL at ${error}${hint}`,
  DIVIDE_BY_ZERO: () => "divided by zero; try_divide makes a missing value of that",
  CAST_INVALID_INPUT: ({ expression, sourceType, targetType }) =>
    `can't make ${targetType} of the ${sourceType} ${expression}; try_cast makes a missing value of it`,
  CAST_OVERFLOW: ({ value, targetType }) =>
    `can't hold ${value} in ${targetType}; try_cast makes a missing value of it`,
  OPERATION_CANCELED: () => "was told by somebody else to stop this work",
};

function wordsOf(told: Told, details: string): string {
  const parameters = parametersOf(told);
  const known = words[told.errorClass]?.(parameters);
  // A parameter may be missing where they were too long for the message.
  if (known !== undefined && !known.includes("undefined")) return known;
  const text = details.trim().replace(/^\[[A-Z0-9_.]+\]\s*/, "");
  return `can't do that: ${firstLine(text.split("SQLSTATE:", 1)[0])}`;
}

/** The first line of a text, without its last full stop, and cut where it is long. */
function firstLine(text: string): string {
  const [line] = text.trim().split("\n", 1);
  return line.length > 300 ? `${line.slice(0, 299)}…` : line.trimEnd().replace(/\.$/, "");
}

/** A sentence in which a server's words bring no control characters along, and no token. */
function sentence(text: string, { token }: Connection): string {
  const shown = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  const masked = token ? shown.replaceAll(token, "…") : shown;
  return /[.?!…]$/.test(masked) ? masked : `${masked}.`;
}

function detailOf(told: Told): Omit<SparkErrorDetail, "code"> {
  return { sqlState: told.sqlState, parameters: parametersOf(told) };
}

function parametersOf({ messageParameters = "{}" }: Told): Told {
  try {
    const found: unknown = JSON.parse(messageParameters);
    if (typeof found !== "object" || found === null) return {};
    return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, String(value)]));
  } catch {
    return {};
  }
}

function classOf(error: unknown): string {
  if (!isServiceError(error)) return "";
  // Of handles the class stands in the text, since it is no error of Spark's own kind.
  return toldBy(error).errorClass ?? /^\[(INVALID_HANDLE\.[A-Z_]+)\]/.exec(error.details)?.[1] ?? "";
}

function toldBy(error: unknown): Told {
  if (!isServiceError(error)) return {};
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Uint8Array)) return {};
  try {
    const { details = [] } = Status.decode(bytes);
    const infos = details.map(({ value = new Uint8Array() }) => ErrorInfo.decode(value));
    const entries = infos.flatMap(({ metadata = [] }) => metadata);
    return Object.fromEntries(entries.map(({ key = "", value = "" }) => [key, value]));
  } catch {
    // Details of another make.
    return {};
  }
}
