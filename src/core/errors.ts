/** What a program needs to know about an error beyond its sentence; sent as `error` over HTTP. */
export interface ErrorDetail {
  readonly code?: string;
  readonly block?: string;
  readonly path?: string;
  readonly got?: unknown;
  readonly expected?: unknown;
  readonly hint?: string;
}

/**
 * An error a person can act on: one sentence with who, the rule, what came, and the cure.
 *
 * `status` is the HTTP status; the same words appear in the notebook, the REPL and over HTTP.
 */
export class BlocklabError extends Error {
  readonly status: number;
  readonly detail: ErrorDetail;

  constructor(status: number, message: string, detail: ErrorDetail = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.status = status;
    this.detail = detail;
  }
}

/** The arguments are wrong, whatever the data (400). */
export class ArgsError extends BlocklabError {
  constructor(message: string, detail: ErrorDetail = {}, options?: ErrorOptions) {
    super(400, message, { code: "bad_arguments", ...detail }, options);
  }
}

/** The arguments are fine, but this data can't take them (422). */
export class DataError extends BlocklabError {
  constructor(message: string, detail: ErrorDetail = {}, options?: ErrorOptions) {
    super(422, message, { code: "data", ...detail }, options);
  }
}

/** No or a wrong key (401), or a thing this key may not do or a taken name (403). */
export class AccessError extends BlocklabError {
  constructor(status: 401 | 403, message: string, detail: ErrorDetail = {}) {
    super(status, message, { code: status === 401 ? "unauthorized" : "forbidden", ...detail });
  }
}

/** Unknown project, parent, model or artifact, or one that another key owns (404). */
export class NotFoundError extends BlocklabError {
  constructor(message: string, detail: ErrorDetail = {}) {
    super(404, message, { code: "not_found", ...detail });
  }
}

/** The same block is running now (409). */
export class ConflictError extends BlocklabError {
  constructor(message: string, detail: ErrorDetail = {}) {
    super(409, message, { code: "conflict", ...detail });
  }
}

/** A new block was asked for under an id that one has already. */
export function takenBlock(blockId: number): ConflictError {
  return new ConflictError(`block ${blockId} is there already; a new one needs an id of its own.`, {
    path: "block_id",
    got: blockId,
  });
}

/** Our own fault (500). The cause stays on our side; the caller sees the sentence alone. */
export class InternalError extends BlocklabError {
  constructor(message: string, options?: ErrorOptions) {
    super(500, message, { code: "internal" }, options);
  }
}

/** Too much at once: the service is full (503), or the key asks too often (429). Worth another try. */
export class BusyError extends BlocklabError {
  /** Seconds after which to try again. */
  readonly retryAfter: number;

  constructor(status: 429 | 503, message: string, detail: ErrorDetail = {}, retryAfter = 2) {
    super(status, message, { code: "busy", ...detail });
    this.retryAfter = retryAfter;
  }
}

/** The caller asked the work to stop; nothing of it was stored. */
export class CancelledError extends BlocklabError {
  constructor(message = "The block was cancelled; nothing of it was stored.") {
    super(499, message, { code: "cancelled" });
  }
}

/**
 * A disk that is full or fails, or a database that another process holds (503); null for other errors.
 *
 * Told from what the system or a database says of it.
 */
export function storageFailure(error: unknown, who = "The service"): BusyError | null {
  if (!(error instanceof Error) || error instanceof BlocklabError) return null;
  const { code = "", errcode } = error as NodeJS.ErrnoException & { errcode?: number };
  // SQLITE_BUSY and SQLITE_LOCKED, with whatever more SQLite says in the higher bits.
  if (code === "ERR_SQLITE_ERROR" && errcode !== undefined && [5, 6].includes(errcode & 0xff)) {
    const message = `${who}: another process holds the service's database; nothing was stored, and what was stored before is intact. Try again in a moment.`;
    return Object.assign(new BusyError(503, message, { code: "database_locked" }, 5), { cause: error });
  }
  if (code === "ERR_SQLITE_ERROR" && errcode !== undefined && isDamage(errcode)) return damagedDatabase(error);
  const isFull =
    code === "ENOSPC" || code === "EDQUOT" || /no space left|disk is full|disk quota exceeded/i.test(error.message);
  const isBroken =
    /^(EIO|EROFS|EFBIG)$/.test(code) ||
    /disk I\/O error|input\/output error|file too large|read-only file system/i.test(error.message);
  if (!isFull && !isBroken) return null;
  const what = isFull ? "is full" : "can't be written to";
  const failure = new BusyError(
    503,
    `${who}: the disk of the service ${what}; nothing was stored, and what was stored before is intact. Try again once its operator has mended that.`,
    { code: isFull ? "disk_full" : "disk" },
    60,
  );
  failure.cause = error;
  return failure;
}

/** Does SQLite say that a file is no database, or a damaged one? */
export function isDamage(errcode: number): boolean {
  return [11, 26].includes(errcode & 0xff);
}

/** The service's database is damaged (503); what exactly, its operator reads in the log. */
export function damagedDatabase(cause: unknown): BusyError {
  const message =
    "The service's database is damaged; nothing was stored. Its operator must put a backup of the database in its place.";
  return Object.assign(new BusyError(503, message, { code: "database_damaged" }, 60), { cause });
}

/** Rebuilds an error that crossed HTTP, so that both links throw the same classes. */
export function errorFromStatus(status: number, message: string, detail: ErrorDetail): BlocklabError {
  if (status === 400) return new ArgsError(message, detail);
  if (status === 401 || status === 403) return new AccessError(status, message, detail);
  if (status === 404) return new NotFoundError(message, detail);
  if (status === 409) return new ConflictError(message, detail);
  if (status === 422) return new DataError(message, detail);
  return new BlocklabError(status, message, detail);
}

/** What to tell of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
