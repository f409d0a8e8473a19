import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { CancelledError, DataError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import type { SourceFile } from "../core/tables.ts";
import { withArchive } from "../engines/duckdb/index.ts";
import type { Hold } from "./quota.ts";

/** What a block may do with packed files. */
export interface Unpacking {
  /** Room on the disk for what comes out. */
  hold(): Hold;
  readonly signal: AbortSignal;
}

/** How a single file is packed, by its first bytes. */
const packings = [
  { magic: "1f8b08", name: "gzip", unpack: createGunzip },
  { magic: "28b52ffd", name: "Zstandard", unpack: createZstdDecompress },
  { magic: "425a68", name: "bzip2" },
  { magic: "fd377a585a00", name: "xz" },
] as const;

/** A thousandth of it may claim to hold so much. */
const mostBytes = 32 * 2 ** 30;

/**
 * The file, with its format where its first bytes tell one; where gzip or Zstandard packed it, a temporary copy of what
 * is in it.
 *
 * A name such as rows.csv.gz becomes rows.csv.
 */
export async function unpacked(source: SourceFile, unpacking: Unpacking): Promise<SourceFile> {
  const head = await beginning(source.path);
  const packing = packings.find(({ magic }) => head.toString("hex", 0, 6).startsWith(magic));
  if (!packing) return { ...source, ...formatIn(head) };
  try {
    if (!("unpack" in packing))
      throw refusal(source, `is packed by ${packing.name}, which is not read; unpack it, or pack it by gzip`);
    const name = source.name.replace(/\.(?:gz|gzip|zst)$/i, "");
    const streams = [createReadStream(source.path), packing.unpack()];
    const file = await copied(name, streams, unpacking, (cause) =>
      refusal(source, `is a damaged ${packing.name} file: ${cause.message}`, cause),
    );
    const inside = await beginning(file.path);
    if (inside.toString("latin1", 257, 262) !== "ustar") return { ...file, ...formatIn(inside) };
    await file.release();
    throw refusal(source, "holds a tar archive, which is not read; unpack it, and give one of its files");
  } finally {
    await source.release();
  }
}

/** The file of a zip archive that `choose` takes by its path, as a temporary copy; null where it takes none. */
export async function entryOf(
  source: SourceFile,
  choose: (paths: readonly string[]) => string | null,
  unpacking: Unpacking,
): Promise<SourceFile | null> {
  return await withArchive(source, async (entries) => {
    const chosen = choose(entries.map(({ path }) => path));
    const entry = entries.find(({ path }) => path === chosen);
    if (!entry) return null;
    const name = entry.path.replace(/^.*\//, "");
    return await copied(name, [await entry.stream()], unpacking, (cause) =>
      refusal(source, `is a damaged zip archive: ${cause.message}`, cause),
    );
  });
}

/** What comes out of the last of these streams as a temporary file, for which room is held until it is released. */
async function copied(
  name: string,
  streams: readonly (Readable | Transform)[],
  unpacking: Unpacking,
  damaged: (cause: Error) => DataError,
): Promise<SourceFile> {
  const path = join(tmpdir(), `blocklab-${randomUUID()}`);
  const hold = unpacking.hold();
  const release = async () => {
    hold.end();
    await rm(path, { force: true });
  };
  let bytes = 0;
  const counted = new Transform({
    transform(piece: Buffer, _, done) {
      bytes += piece.length;
      try {
        if (bytes > mostBytes)
          throw new DataError(`input: ${quoted(name)} unpacks to more than ${mostBytes / 2 ** 30} GB.`, {
            code: "too_large",
          });
        hold.add(piece.length);
        done(null, piece);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  try {
    await pipeline([...streams, counted, createWriteStream(path, { mode: 0o600 })], { signal: unpacking.signal });
    return { path, name, release };
  } catch (error) {
    await release();
    if (unpacking.signal.aborted) throw new CancelledError();
    const isOfPacking = error instanceof Error && /^(?:Z_|ZSTD_)/.test(String((error as NodeJS.ErrnoException).code));
    throw isOfPacking ? damaged(error) : error;
  }
}

/** What a file says of itself in its first bytes, where it is Parquet or Arrow: no name and no argument knows better. */
function formatIn(head: Buffer): Pick<SourceFile, "format"> {
  const magic = head.toString("latin1", 0, 8);
  if (magic.startsWith("PAR1")) return { format: "parquet" };
  if (magic.startsWith("ARROW1") || magic.startsWith("FEA1")) return { format: "arrow" };
  // A stream begins with a mark of continuation and the length of its schema.
  const isStream = head.length >= 8 && head.readUInt32LE(0) === 0xffffffff && head.readInt32LE(4) > 0;
  return isStream && head.readInt32LE(4) < 2 ** 24 ? { format: "arrow" } : {};
}

/** The first bytes of a file, enough to tell what it is. */
async function beginning(path: string): Promise<Buffer> {
  const handle = await open(path, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(262), 0, 262, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function refusal(source: SourceFile, what: string, cause?: unknown): DataError {
  return new DataError(`input: ${quoted(source.name)} ${what}.`, { code: "bad_file" }, { cause });
}
