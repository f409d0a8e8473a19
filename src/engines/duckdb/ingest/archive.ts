import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { inflateRawSync } from "node:zlib";
import { openPromise, type Entry as ZipEntry, type ZipFile } from "yauzl";
import { DataError } from "../../../core/errors.ts";
import { count, quoted } from "../../../core/names.ts";
import type { SourceFile } from "../../../core/tables.ts";

/** A file in an archive. */
export interface Entry {
  /** Its path from the archive's root, with forward slashes. */
  readonly path: string;
  /** Its size once unpacked, as the archive says; reading more than that fails. */
  readonly bytes: number;
  /** Its content, in memory. */
  read(): Promise<Buffer>;
  /** Its content as it is unpacked. */
  stream(): Promise<Readable>;
}

const mostEntries = 250_000;
const mostBytes = 32 * 2 ** 30;

/** What systems leave in archives besides what one put there. */
const leftovers = /(?:^|\/)(?:__MACOSX|\.[^/]*|Thumbs\.db|desktop\.ini)(?:\/|$)/i;

const archives = /\.(?:zip|jar|tar|tgz|gz|bz2|xz|zst|7z|rar)$/i;

/**
 * Lends the files of a zip archive, in the order of their paths; nothing is unpacked to disk.
 *
 * Refuses archives with paths that climb, with other archives inside, encrypted ones, and those whose number of
 * files or size, both as declared, are past all reason.
 */
export async function withArchive<T>(source: SourceFile, work: (entries: readonly Entry[]) => Promise<T>): Promise<T> {
  const options = { lazyEntries: true, autoClose: false, strictFileNames: true };
  const zip = await openPromise(source.path, options).catch((error: Error) =>
    Promise.reject(refusal(source, `is not a zip archive, or a damaged one: ${reason(error)}`, error)),
  );
  let file: FileHandle | undefined;
  try {
    file = await open(source.path);
    return await work(await entriesOf(zip, file, source));
  } finally {
    zip.close();
    await file?.close();
  }
}

async function entriesOf(zip: ZipFile, file: FileHandle, source: SourceFile): Promise<Entry[]> {
  if (zip.entryCount > mostEntries) {
    throw refusal(
      source,
      `holds ${count(zip.entryCount, "file")}, more than the ${mostEntries.toLocaleString("en-US")} that are read`,
    );
  }
  const entries: Entry[] = [];
  let bytes = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      const path = entry.fileName;
      if (path.endsWith("/") || leftovers.test(path)) continue;
      if (archives.test(path))
        throw refusal(source, `holds another archive, ${quoted(path)}; put its files themselves into the zip`);
      if (entry.isEncrypted()) throw refusal(source, `is encrypted (${quoted(path)}); make it without a password`);
      bytes += entry.uncompressedSize;
      if (bytes > mostBytes) throw refusal(source, `unpacks to more than ${mostBytes / 2 ** 30} GB`);
      entries.push({
        path,
        bytes: entry.uncompressedSize,
        read: async () => (await readSmall(zip, file, entry)) ?? (await readEntry(zip, entry)),
        stream: () => zip.openReadStreamPromise(entry),
      });
    }
  } catch (error) {
    if (error instanceof DataError) throw error;
    const path = /^(?:invalid relative path|absolute path|invalid characters in fileName): (.*)$/s.exec(
      reason(error as Error),
    )?.[1];
    if (path !== undefined) throw refusal(source, `holds a path that leads out of it, ${quoted(path)}`, error);
    throw refusal(source, `is a damaged zip archive: ${reason(error as Error)}`, error);
  }
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Up to here setting up a stream takes longer than unpacking. */
const smallBytes = 2 ** 18;

/** The content of a small file; null where it isn't small, or isn't as the archive says: reading it as a stream tells why. */
async function readSmall(zip: ZipFile, file: FileHandle, entry: ZipEntry): Promise<Buffer | null> {
  const { compressedSize, uncompressedSize, compressionMethod } = entry;
  if (Math.max(compressedSize, uncompressedSize) > smallBytes || compressionMethod !== 8) return null;
  try {
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    const packed = Buffer.allocUnsafe(compressedSize);
    const { bytesRead } = await file.read(packed, 0, compressedSize, fileDataStart);
    const content = inflateRawSync(packed.subarray(0, bytesRead), { maxOutputLength: uncompressedSize + 1 });
    return content.length === uncompressedSize ? content : null;
  } catch {
    return null;
  }
}

/** Reading stops with an error when there is more than the archive says. */
async function readEntry(zip: ZipFile, entry: ZipEntry): Promise<Buffer> {
  const stream: Readable = await zip.openReadStreamPromise(entry);
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function refusal(source: SourceFile, what: string, cause?: unknown): DataError {
  return new DataError(`input: ${quoted(source.name)} ${what}.`, { code: "bad_zip" }, { cause });
}

/** The first sentence of what the zip reader says. */
export function reason(error: Error): string {
  return error.message
    .split(". ", 1)[0]
    .replace(/(?<![.\s])[.\s]+$/, "")
    .slice(0, 200);
}
