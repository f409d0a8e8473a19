import { BlocklabError, BusyError, CancelledError, type ErrorDetail, storageFailure } from "../core/errors.ts";
import { quoted } from "../core/names.ts";

/** The body of every failed answer; `message` alone is enough for a person. */
export interface FailureBody {
  readonly status: "false";
  readonly message: string;
  readonly error: ErrorDetail;
}

/** A failed answer. `cause` is set when the fault is ours and must be logged. */
export interface Failure {
  readonly status: number;
  readonly body: FailureBody;
  /** Seconds after which another try is worth it, for the header Retry-After. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** What the server knows about the request that failed, for messages and for what the log must hide. */
export interface FailureContext {
  readonly requestId: string;
  readonly contentType?: string;
  readonly bodyLimit: number;
  readonly stopping: boolean;
}

/** Turns anything thrown into an answer: known errors with their words, all others as a 500 that tells nothing. */
export function failureOf(error: unknown, context: FailureContext): Failure {
  const known = error instanceof BlocklabError ? error : (storageFailure(error) ?? fromFramework(error, context));
  if (known instanceof CancelledError && context.stopping) return failureOf(stopping(), context);
  if (known) {
    const body = bodyOf(known.message, known.detail);
    if (known instanceof BusyError) {
      const { status, retryAfter, cause } = known;
      return { status, body, retryAfter, ...(cause === undefined ? {} : { cause: known }) };
    }
    return known.status >= 500 ? { status: known.status, body, cause: known } : { status: known.status, body };
  }
  const message = `Something failed inside the service; nothing was stored. Its log tells more under request ${context.requestId}.`;
  return { status: 500, body: bodyOf(message, { code: "internal" }), cause: error };
}

/** The service is shutting down (503). */
export function stopping(): BlocklabError {
  return new BusyError(503, "The service is stopping; nothing of the request was stored. Try again in a moment.", {
    code: "stopping",
  });
}

/** Errors that the HTTP framework throws before a route is reached, in our own words. */
function fromFramework(error: unknown, context: FailureContext): BlocklabError | null {
  if (!(error instanceof Error)) return null;
  const { code = "", statusCode } = error as Error & { code?: string; statusCode?: number };
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    const got = context.contentType ?? "none";
    const message = `The body must be JSON (Content-Type: application/json), got ${quoted(got)}.`;
    return new BlocklabError(415, message, { code: "media_type", got, expected: "application/json" });
  }
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    const message = `The body is larger than the ${context.bodyLimit.toLocaleString("en-US")} bytes that are accepted.`;
    return new BlocklabError(413, message, {
      code: "too_large",
      expected: context.bodyLimit,
      hint: "Give large data as a file or a URL, not inline.",
    });
  }
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return null;
  return new BlocklabError(statusCode, `The request can't be read: ${error.message.replace(/\.$/, "")}.`, {
    code: "bad_request",
  });
}

function bodyOf(message: string, detail: ErrorDetail): FailureBody {
  return { status: "false", message, error: plain(detail) };
}

/** Letters of what came that an answer repeats: enough to know it by, however many megabytes a client sent. */
const mostLetters = 1000;

/** Details hold what a client sent or data held; what JSON can't carry is written as text, and long texts are cut. */
function plain(detail: ErrorDetail): ErrorDetail {
  try {
    const json = (value: unknown) =>
      JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? String(inner) : inner)) ?? "";
    const { got, ...rest } = detail;
    const came = typeof got === "string" ? got : json(got);
    const shown = came.length <= mostLetters ? got : `${came.slice(0, mostLetters)}…`;
    return JSON.parse(json({ ...rest, got: shown }));
  } catch {
    const { code, block, path, hint } = detail;
    return { code, block, path, hint };
  }
}
