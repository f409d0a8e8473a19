import {
  BlocklabError,
  CancelledError,
  DataError,
  type ErrorDetail,
  InternalError,
  storageFailure,
} from "../core/errors.ts";
import { masked, secretsIn, withoutUrlPasswords } from "../core/secrets.ts";
import { SqlFailure } from "../engines/duckdb/index.ts";
import { helpOf, short } from "../registry/index.ts";
import { limitOf } from "./limits.ts";
import type { Checked } from "./request.ts";

/** The error with the passwords of URLs masked, in its words and its details, and without a cause that may hold them. */
export function withoutPasswords(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof Error) || secrets.length === 0) return error;
  const detail = error instanceof BlocklabError ? { detail: withoutUrlPasswords(error.detail) } : {};
  const { message, stack = "" } = error;
  return Object.assign(error, {
    message: withoutUrlPasswords(message),
    stack: masked(stack, secrets),
    cause: undefined,
    ...detail,
  });
}

/** The error as the caller gets it: who first, the block named, our own faults without innards. */
export function explained(error: unknown, checked: Checked, signal: AbortSignal): unknown {
  const { block, blockId } = checked;
  const who = `${block.name} (${block.code})`;
  const limit = signal.aborted ? limitOf(signal) : null;
  if (limit) return Object.assign(limit, { detail: { block: block.code, ...limit.detail } });
  if (signal.aborted && !(error instanceof CancelledError)) return new CancelledError();
  if (error instanceof BlocklabError) {
    if (error instanceof CancelledError || error instanceof InternalError) return error;
    const isNamed =
      error.message.startsWith(block.name.split(".").at(-1) ?? block.name) || error.message.startsWith(block.name);
    const message = isNamed
      ? error.message.replace(new RegExp(`^${block.name}:`), `${who}:`)
      : `${who}: ${error.message.replace(/^input: /, "")}`;
    const detail = { block: block.code, ...(error.status === 400 ? asked(checked, error.detail) : error.detail) };
    return Object.assign(error, { message, detail });
  }
  const disk = storageFailure(error, who);
  if (disk) return Object.assign(disk, { detail: { block: block.code, ...disk.detail } });
  if (isOutOfMemory(error)) {
    return new DataError(
      `${who}: the block needs more memory than it may take. Work on fewer rows or columns, or raise --memory-limit.`,
      { code: "memory", block: block.code },
      { cause: error },
    );
  }
  if (error instanceof Error && isEnginesOwn(error) && !/call stack/.test(error.message)) {
    return new DataError(
      `${who}: the block needs more memory than there is, or than one array or text can take (${error.message}). Work on fewer rows or columns.`,
      { code: "memory", block: block.code },
      { cause: error },
    );
  }
  if (error instanceof SqlFailure && /^(?:conversion|out of range) error/i.test(error.message)) {
    const reason = error.message.split("\n", 1)[0].replace(/^.*?Error: /, "");
    return new DataError(`${who}: ${reason.replace(/[.!]?$/, ".")}`, { block: block.code }, { cause: error });
  }
  return new InternalError(`${who}: block ${blockId} failed by a fault of blocklab; nothing was stored.`, {
    cause: error,
  });
}

/**
 * Is it an error by which JavaScript's own engine refuses sizes, or too deep a recursion?
 *
 * Kernels refuse impossible shapes by RangeErrors too, in words of their own.
 */
export function isEnginesOwn(error: Error): boolean {
  const own =
    /^(?:Array buffer allocation failed|Invalid (?:typed )?array (?:buffer )?length|Invalid string length|Cannot create a string longer|(?:Set|Map) maximum size exceeded|WebAssembly\.Memory|File size \(|Maximum call stack)/;
  return own.test(error.message);
}

/** In the table engine, or in a worker's own heap. */
function isOutOfMemory(error: unknown): error is Error {
  if (error instanceof SqlFailure) return /out of memory/i.test(error.message);
  return (
    error instanceof Error && /worker died/i.test(error.message) && /memory limit|out of memory/i.test(error.message)
  );
}

/** The details of a 400 with what it leaves out: the argument, what came for it, and what it takes by its help. */
function asked({ block, args }: Checked, detail: ErrorDetail): ErrorDetail {
  const path = detail.path ?? argumentAt(args, detail.got);
  const [name] = path.split(/[.[]/, 1);
  const help = helpOf(block).arguments.find((each) => each.name === name);
  const value = name === "args" ? Object.keys(args) : args[name];
  // Masked before it is cut, since half a password is one too.
  const open = typeof value === "string" ? masked(value, secretsIn(args, block.secrets)) : value;
  const said = block.secrets?.includes(name) ? "a secret" : short(open);
  const takes = help ? help.doc || help.type : `arguments of ${block.name}: ${Object.keys(block.args).join(", ")}`;
  // An error may name a field and leave it open.
  return { ...detail, path, got: detail.got ?? said, expected: detail.expected ?? takes };
}

/** The argument that an error is about, found by what came; all of them when it is about how they go together. */
function argumentAt(args: Readonly<Record<string, unknown>>, got: unknown): string {
  const names = Object.keys(args);
  const isIt = (value: unknown): boolean =>
    value === got || (typeof value === "object" && value !== null && Object.values(value).some(isIt));
  const holds = (value: unknown): boolean =>
    typeof value === "string" ? value.includes(String(got)) : Array.isArray(value) && value.some(holds);
  const found =
    got === undefined ? undefined : (names.find((name) => isIt(args[name])) ?? names.find((name) => holds(args[name])));
  return found ?? (names.length === 1 ? names[0] : "args");
}
