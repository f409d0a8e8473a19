import type { Readable } from "node:stream";
import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { ArgsError, type BlocklabError } from "../core/errors.ts";

/** The file of a multipart body, to be read to its end. */
export interface MultipartFile {
  /** The name that the client gives it, as it came. */
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
}

const mostHeaderBytes = 16 * 1024;
const mostOtherBytes = 1024 * 1024;
/** Room for a boundary of 70 characters and other parameters; the search for a longer one would take long. */
const longestType = 256;

/**
 * The one file of a multipart/form-data body (RFC 7578), under the field `file`; other fields are skipped.
 *
 * The body is read as it comes: no more of it than a chunk is in memory. What is wrong with it is an error of the
 * file's content too, so that whoever keeps the file keeps nothing then.
 */
export async function multipartFile(body: Readable, contentType: string): Promise<MultipartFile> {
  const parser = parserOf(contentType);
  const found = Promise.withResolvers<MultipartFile>();
  const over = Promise.withResolvers<void>();
  over.promise.catch(() => undefined);
  let stream: BusboyFileStream | undefined;
  const refuse = (error: Error) => {
    found.reject(error);
    over.reject(error);
    stream?.destroy(error);
    parser.destroy();
  };
  // The parser tells an early end of the body, and nothing else, both here and on the file.
  const refuseEnd = () => refuse(bad("The multipart body ends before its last boundary.", "body"));
  async function* content(file: BusboyFileStream) {
    try {
      yield* file;
      await over.promise;
    } catch {
      // The file breaks with the parser's words; ours are here.
      await over.promise;
    } finally {
      parser.destroy();
    }
  }
  parser.on("file", (field, file, name) => {
    file.on("error", refuseEnd);
    if (field !== "file") {
      return refuse(bad(`The file must come in the field "file", got ${JSON.stringify(field?.slice(0, 60))}.`, "file"));
    }
    if (stream) return refuse(bad("The body has more than one file; send one at a time.", "file"));
    stream = file;
    // Browsers write a quote as %22.
    found.resolve({ name: name.replaceAll("%22", '"'), content: content(file) });
  });
  parser.on("field", (field) => {
    if (field === "file") {
      refuse(bad('The field "file" must be a file with a filename, not a plain value.', "file"));
    }
  });
  parser.on("error", refuseEnd);
  parser.on("finish", () => {
    over.resolve();
    found.reject(bad('The body has no file: send it as the multipart field "file".', "file"));
  });
  feed(body, parser, () => stream?.bytesRead ?? 0).catch(refuse);
  return await found.promise;
}

/** Hands the body to the parser as fast as it is read, and refuses one that is large beside its file. */
async function feed(body: Readable, parser: BusboyInstance, fileBytes: () => number): Promise<void> {
  let bytes = 0;
  // The connection is still needed for the answer when the body is refused.
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (parser.destroyed) return;
    bytes += chunk.length;
    await new Promise<void>((resolve, reject) => {
      parser.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
    if (bytes - fileBytes() > mostOtherBytes) throw bad("The fields beside the file are larger than 1 MiB.", "body");
  }
  parser.end();
}

function parserOf(contentType: string): BusboyInstance {
  try {
    if (contentType.length > longestType) throw new Error("too long");
    return new Busboy({
      headers: { "content-type": contentType },
      preservePath: true,
      isPartAFile: (_field, _type, name) => name !== undefined,
      limits: { fieldSize: mostOtherBytes, headerSize: mostHeaderBytes },
    });
  } catch {
    throw bad("The Content-Type multipart/form-data needs a boundary of 1 to 70 characters.", "Content-Type");
  }
}

function bad(message: string, path: string): BlocklabError {
  return new ArgsError(message, { code: "bad_multipart", path });
}
