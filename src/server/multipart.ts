import { ArgsError, type BlocklabError } from "../core/errors.ts";

/** The file of a multipart body, to be read to its end. */
export interface MultipartFile {
  /** The name that the client gives it, as it came. */
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
}

const mostHeaderBytes = 16 * 1024;
const mostOtherBytes = 1024 * 1024;
const endOfLine = Buffer.from("\r\n");

/**
 * The one file of a multipart/form-data body (RFC 7578), under the field `file`; other fields are skipped.
 *
 * The body is read as it comes: no more of it than a chunk is in memory. What is wrong with it is an error of the
 * file's content too, so that whoever keeps the file keeps nothing then.
 */
export async function multipartFile(body: AsyncIterable<Uint8Array>, contentType: string): Promise<MultipartFile> {
  const reader = new PartReader(body, boundaryOf(contentType));
  const file = await nextFile(reader);
  if (file === null) throw bad('The body has no file: send it as the multipart field "file".', "file");
  async function* content() {
    yield* reader.content();
    if ((await nextFile(reader)) !== null) throw bad("The body has more than one file; send one at a time.", "file");
  }
  return { name: file, content: content() };
}

/** Skips to the next part that is the file, and answers its name; null at the end. */
async function nextFile(reader: PartReader): Promise<string | null> {
  let skipped = 0;
  for (let headers = await reader.next(); headers !== null; headers = await reader.next()) {
    const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(headers)?.[1] ?? "";
    const field = parameter(disposition, "name");
    const name = parameter(disposition, "filename");
    if (field === "file" && name !== null) return name;
    if (field === "file") throw bad('The field "file" must be a file with a filename, not a plain value.', "file");
    if (name !== null)
      throw bad(`The file must come in the field "file", got ${JSON.stringify(field?.slice(0, 60))}.`, "file");
    for await (const chunk of reader.content()) {
      skipped += chunk.length;
      if (skipped > mostOtherBytes) throw bad("The fields beside the file are larger than 1 MiB.", "body");
    }
  }
  return null;
}

/** Cuts a stream at a boundary, part by part. */
class PartReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #delimiter: Buffer;
  /** What was read and not yet handed on; begins with a line's end, so that every delimiter looks alike. */
  #buffer = Buffer.from(endOfLine);
  #isInside = false;
  #isOver = false;

  constructor(body: AsyncIterable<Uint8Array>, boundary: string) {
    this.#chunks = body[Symbol.asyncIterator]();
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  }

  /** Goes to the next part and answers its headers; null after the last one. */
  async next(): Promise<string | null> {
    if (this.#isOver) return null;
    if (!this.#isInside) {
      // What comes before the first boundary belongs to no part.
      this.#isInside = true;
      for await (const _ of this.content());
    }
    while (this.#buffer.length < 2) await this.#more();
    if (this.#buffer.subarray(0, 2).toString("latin1") === "--") {
      this.#isOver = true;
      return null;
    }
    const blank = Buffer.from("\r\n\r\n");
    while (this.#buffer.indexOf(blank) < 0) {
      if (this.#buffer.length > mostHeaderBytes) throw bad("The headers of a part are larger than 16 KiB.", "body");
      await this.#more();
    }
    const end = this.#buffer.indexOf(blank);
    const headers = this.#buffer.subarray(0, end).toString("utf8");
    this.#buffer = this.#buffer.subarray(end + blank.length);
    return headers;
  }

  /** What the part holds. */
  async *content(): AsyncGenerator<Buffer> {
    for (;;) {
      const end = this.#buffer.indexOf(this.#delimiter);
      // A delimiter may be cut in two by the chunks; what can be its beginning is held back.
      const sure = end >= 0 ? end : Math.max(0, this.#buffer.length - this.#delimiter.length + 1);
      if (sure > 0) yield this.#buffer.subarray(0, sure);
      this.#buffer = this.#buffer.subarray(end >= 0 ? end + this.#delimiter.length : sure);
      if (end >= 0) return;
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done) throw bad("The multipart body ends before its last boundary.", "body");
    this.#buffer = this.#buffer.length === 0 ? Buffer.from(value) : Buffer.concat([this.#buffer, value]);
  }
}

function boundaryOf(contentType: string): string {
  const boundary = parameter(contentType.slice(contentType.indexOf(";")), "boundary") ?? "";
  if (boundary !== "" && boundary.length <= 70) return boundary;
  throw bad("The Content-Type multipart/form-data needs a boundary of 1 to 70 characters.", "Content-Type");
}

/** A parameter of a header, quoted or not; `name*=` in UTF-8 wins (RFC 5987). */
function parameter(text: string, name: string): string | null {
  const extended = new RegExp(`;?\\s*${name}\\*=utf-8'[^']*'([^;\\s]*)`, "i").exec(text)?.[1];
  if (extended !== undefined) {
    try {
      return decodeURIComponent(extended);
    } catch {
      // The plain form stands beside it.
    }
  }
  const match = new RegExp(`(?:^|;)\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, "i").exec(text);
  if (!match) return null;
  return (match[1]?.replace(/\\(["\\])/g, "$1") ?? match[2]).replace(/%22/g, '"');
}

function bad(message: string, path: string): BlocklabError {
  return new ArgsError(message, { code: "bad_multipart", path });
}
