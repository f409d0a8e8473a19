import { open, rm } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { BlocklabError, NotFoundError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import type { ReadyFile } from "../service/service.ts";

/** How a file is called, and whether a part of its bytes may be asked for. */
export interface SendOptions {
  readonly name: string;
  readonly ranges: boolean;
}

/** A range of bytes, both ends included. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Sends a file, or the bytes of it that were asked for; removes a temporary one afterwards. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ReadyFile,
  options: SendOptions,
): Promise<unknown> {
  try {
    return await prepared(request, reply, file, options);
  } catch (error) {
    await release(file);
    throw error;
  }
}

async function prepared(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ReadyFile,
  { name, ranges }: SendOptions,
): Promise<unknown> {
  const plainTag = file.sha256 === null ? null : `"${file.sha256}"`;
  const codedTag = file.sha256 === null ? null : `"${file.sha256}-gzip"`;
  const asked = request.headers["if-none-match"];
  const isUnchanged = plainTag !== null && (matches(asked, plainTag) || matches(asked, codedTag ?? ""));
  const coding = codingFor(request, file);
  const range = ranges && !isUnchanged && !coding ? rangeOf(request, plainTag, file.bytes) : null;
  if (range === "outside") {
    reply.header("content-range", `bytes */${file.bytes}`);
    throw outside(request.headers.range ?? "", file.bytes);
  }
  const { start, end } = range ?? { start: 0, end: file.bytes - 1 };
  const isEmpty = isUnchanged || request.method === "HEAD" || file.bytes === 0;
  const body = isEmpty ? Readable.from([]) : await opened(file, name, start, end);
  body.once("close", () => void release(file));

  const etag = coding ? codedTag : plainTag;
  if (etag) reply.header("etag", etag);
  // An artifact never changes, but it can be deleted: a copy may be kept, and must be asked about.
  reply.header("cache-control", "private, no-cache").header("vary", "accept, accept-encoding");
  if (isUnchanged) return reply.code(304).send(body);
  if (ranges) reply.header("accept-ranges", "bytes");
  if (range) reply.code(206).header("content-range", `bytes ${start}-${end}/${file.bytes}`);
  reply.type(file.mediaType).header("content-disposition", disposition(name));
  if (!coding) return reply.header("content-length", end - start + 1).send(body);
  reply.header("content-encoding", coding);
  if (isEmpty) return reply.send(body);
  const coded = createGzip({ level: gzipLevel });
  // A client that leaves ends both; a file that can't be read breaks the answer off.
  pipeline(body, coded, () => undefined);
  return reply.send(coded);
}

/** Level 1 takes a third of the time of the default, and a fifth more bytes (10 MB of numbers as CSV). */
const gzipLevel = 1;
const leastCoded = 1024;

/** Text goes compressed to clients that can read it so; a part of a file, and what is compressed already, as it is. */
function codingFor(request: FastifyRequest, file: ReadyFile): "gzip" | null {
  const isText = /^text\/|^application\/json/.test(file.mediaType);
  if (!isText || file.bytes < leastCoded || request.headers.range !== undefined) return null;
  const codings = String(request.headers["accept-encoding"] ?? "").toLowerCase();
  const asked = codings.split(",").map((part) => part.split(";").map((piece) => piece.trim()));
  const weight = (name: string) => {
    const found = asked.find(([coding]) => coding === name);
    return found ? Number(found.find((piece) => piece.startsWith("q="))?.slice(2) ?? 1) : undefined;
  };
  return (weight("gzip") ?? weight("x-gzip") ?? weight("*") ?? 0) > 0 ? "gzip" : null;
}

/** The name as every client reads it, and beside it as it is (RFC 6266). */
function disposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const exact = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16)}`,
  );
  return plain === name
    ? `attachment; filename="${name}"`
    : `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

async function release(file: ReadyFile): Promise<void> {
  if (file.temporary) await rm(file.path, { force: true });
}

/** Opened before the answer begins, so that a file deleted meanwhile is still a 404. */
async function opened(file: ReadyFile, name: string, start: number, end: number): Promise<Readable> {
  const handle = await open(file.path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw new NotFoundError(`The artifact ${quoted(name)} was deleted meanwhile.`);
    throw error;
  });
  return handle.createReadStream({ start, end });
}

function matches(header: string | undefined, etag: string): boolean {
  return (header ?? "").split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}

/** The range of a request, or null for the whole file: none, several ranges, or one of another version. */
function rangeOf(request: FastifyRequest, etag: string | null, bytes: number): ByteRange | "outside" | null {
  const { range, "if-range": ifRange } = request.headers;
  if (range === undefined || request.method !== "GET") return null;
  if (ifRange !== undefined && ifRange !== etag) return null;
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.replaceAll(" ", ""));
  if (!match || (match[1] === "" && match[2] === "")) return null;
  const [first, last] = [match[1], match[2]];
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  const start = first === "" ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (start >= bytes || (first === "" && Number(last) === 0)) return "outside";
  return { start, end };
}

function outside(range: string, bytes: number): BlocklabError {
  return new BlocklabError(416, `The range ${quoted(range)} lies outside the artifact, which has ${bytes} bytes.`, {
    code: "range",
    got: range,
    expected: `bytes=0-${Math.max(0, bytes - 1)}`,
  });
}
