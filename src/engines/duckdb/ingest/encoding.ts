import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArgsError, DataError } from "../../../core/errors.ts";
import { didYouMean, quoted } from "../../../core/names.ts";
import type { SourceFile } from "../../../core/tables.ts";

/** A text file that the table engine can read: valid UTF-8, for it refuses anything else. */
export interface TextFile {
  readonly path: string;
  /** How the file itself is written. */
  readonly encoding: string;
  readonly notices: readonly string[];
  /** False: there is surely none behind the first line. */
  readonly mayHaveUnderscores: boolean;
  /** Removes a copy in UTF-8; does nothing to the file itself. */
  release(): Promise<void>;
}

/** Names that other programs use for what the standard of text encodings calls otherwise. */
const synonyms: Readonly<Record<string, string>> = {
  "latin-1": "windows-1252",
  ansi: "windows-1252",
  "utf-8-sig": "utf-8",
  "utf-16-le": "utf-16le",
  "utf-16-be": "utf-16be",
  "mac-roman": "macintosh",
  cp932: "shift_jis",
  cp936: "gbk",
  cp949: "euc-kr",
  cp950: "big5",
  cp65001: "utf-8",
};

const common = ["utf-8", "windows-1252", "latin-1", "utf-16", "windows-1251", "shift_jis", "gb18030", "macintosh"];

const headBytes = 2 ** 16;
const pieceBytes = 2 ** 22;

/** Letters that Windows-1252 leaves undefined; a text that holds them is in another encoding. */
const undefinedLetters = /[\x81\x8d\x8f\x90\x9d]/;

/**
 * The file as UTF-8: itself where it is, else a copy in the system's temporary folder.
 *
 * Without `wanted`, what is neither UTF-16 nor valid UTF-8 to its last byte is taken for Windows-1252.
 */
export async function asUtf8(source: SourceFile, wanted: string | undefined, signal?: AbortSignal): Promise<TextFile> {
  const named = wanted === undefined ? undefined : encodingNamed(wanted);
  const head = await beginning(source.path, headBytes);
  if (head.length === 0) throw new DataError(`input: ${quoted(source.name)} is empty.`, { code: "empty_file" });
  // The name "utf-16" leaves it to the byte-order mark which of the two it is.
  const encoding = (named === "utf-16le" ? wideEncoding(head) : null) ?? named ?? wideEncoding(head) ?? "utf-8";
  if (encoding === "utf-8") {
    if (named === undefined && isBinary(head)) {
      throw new DataError(
        `input: ${quoted(source.name)} is not a text file (it holds binary bytes); give its true file_type, or export it as CSV.`,
        { code: "not_text" },
      );
    }
    const found = head.length < headBytes ? seenIn(head) : await lookedThrough(source.path, signal);
    if (found.isUtf8) return { path: source.path, encoding, notices: [], ...found, release: async () => undefined };
    if (named !== undefined) throw misread(source, encoding);
  }
  const isGuess = encoding === "utf-8";
  const path = await copied(source, isGuess ? "windows-1252" : encoding, isGuess, signal);
  const notices = isGuess
    ? [
        `input (DP_1): ${quoted(source.name)} is not UTF-8; it was read as Windows-1252. If letters look wrong, name its encoding, such as encoding: "windows-1251".`,
      ]
    : [];
  return {
    path,
    encoding: isGuess ? "windows-1252" : encoding,
    notices,
    mayHaveUnderscores: true,
    release: () => rm(path, { force: true }),
  };
}

/** A copy of a text file whose lines all end in LF; what stands in quotes is left alone. */
export async function withPlainNewlines(source: SourceFile, text: TextFile, signal?: AbortSignal): Promise<TextFile> {
  let isQuoted = false;
  let held = "";
  const path = await copied({ ...source, path: text.path }, "utf-8", false, signal, (piece, isLast) => {
    const whole = held + piece;
    const all = isLast || !whole.endsWith("\r") ? whole : whole.slice(0, -1);
    held = whole.slice(all.length);
    return all
      .split('"')
      .map((part, k) => {
        if (k > 0) isQuoted = !isQuoted;
        return isQuoted ? part : part.replace(/\r\n?/g, "\n");
      })
      .join('"');
  });
  await text.release();
  return { ...text, path, release: () => rm(path, { force: true }) };
}

/** A text file without a byte-order mark: itself, or a copy; DuckDB's JSON reader takes a mark for a value. */
export async function withoutMark(source: SourceFile, text: TextFile, signal?: AbortSignal): Promise<TextFile> {
  const head = await beginning(text.path, 3);
  if (head.toString() !== "\uFEFF") return text;
  const path = await copied({ ...source, path: text.path }, "utf-8", false, signal);
  await text.release();
  return { ...text, path, release: () => rm(path, { force: true }) };
}

/** The first bytes of a file. */
export async function beginning(path: string, bytes: number): Promise<Buffer> {
  const handle = await open(path, "r");
  try {
    const buffer = Buffer.alloc(bytes);
    const { bytesRead } = await handle.read(buffer, 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The standard's name of an encoding. */
function encodingNamed(name: string): string {
  const plain = name.trim().toLowerCase();
  for (const label of [plain, plain.replaceAll("_", "-")]) {
    try {
      return new TextDecoder(synonyms[label] ?? label).encoding;
    } catch {
      // Not a name that the standard knows.
    }
  }
  throw new ArgsError(
    `input: encoding ${quoted(name)} is not known.${didYouMean(name, [...common, ...Object.keys(synonyms)])} Among others there are ${common.join(", ")}.`,
    { path: "encoding", got: name.slice(0, 80), expected: common },
  );
}

/** UTF-16, by its byte-order mark, or because every second byte is zero wherever ASCII stands. */
function wideEncoding(head: Buffer): "utf-16le" | "utf-16be" | null {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  const zeros = [0, 0];
  for (let i = 0; i < head.length; i++) if (head[i] === 0) zeros[i % 2]++;
  const [even, odd] = zeros;
  // Delimiters, digits and line ends are ASCII in any script.
  if (Math.min(even, odd) > 0 || Math.max(even, odd) < head.length / 50) return null;
  const found = odd > 0 ? "utf-16le" : "utf-16be";
  const text = new TextDecoder(found).decode(head.subarray(0, head.length & ~1));
  return /[\x01-\x08\x0e-\x1f]/.test(text) || !/[\n\r]|^\s*[[{]/.test(text) ? null : found;
}

/** Does it hold bytes that no text has? */
function isBinary(head: Buffer): boolean {
  let strange = 0;
  for (const byte of head) {
    if (byte === 0) return true;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13 && byte !== 12) strange++;
  }
  return strange / head.length > 0.05;
}

/** What the bytes of a whole file show. */
function seenIn(bytes: Buffer) {
  return { isUtf8: isUtf8(bytes), mayHaveUnderscores: hasUnderscore(bytes) };
}

/** Is there an underscore behind the first line? */
function hasUnderscore(bytes: Buffer): boolean {
  return bytes.includes("_", Math.max(0, bytes.indexOf("\n")));
}

/** Looks at every byte of a file, in a few per cent of the time that reading it as a table takes. */
async function lookedThrough(path: string, signal?: AbortSignal) {
  const handle = await open(path, "r");
  try {
    // V8 takes large pieces for pressure: 4 MB for each small file made it mark all of its memory at every other file.
    const buffer = Buffer.alloc(Math.min(pieceBytes, Math.max(1024, (await handle.stat()).size)));
    let mayHaveUnderscores = false;
    let isFirst = true;
    for (let kept = 0; ; ) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, kept, buffer.length - kept);
      const length = kept + bytesRead;
      // A letter of several bytes that the piece cuts belongs to the next one.
      const end = bytesRead === 0 ? length : lastWhole(buffer, length);
      const piece = buffer.subarray(0, end);
      if (!isUtf8(piece)) return { isUtf8: false, mayHaveUnderscores };
      mayHaveUnderscores ||= isFirst ? hasUnderscore(piece) : piece.includes("_");
      if (bytesRead === 0) return { isUtf8: true, mayHaveUnderscores };
      buffer.copyWithin(0, end, length);
      kept = length - end;
      isFirst = false;
    }
  } finally {
    await handle.close();
  }
}

/** Where the last letter begins that the bytes may cut. */
function lastWhole(bytes: Buffer, length: number): number {
  for (let at = length - 1; at >= Math.max(0, length - 3); at--) if (bytes[at] >= 0xc0) return at;
  return length;
}

/** Writes the text in UTF-8, piece by piece, to a temporary file. */
async function copied(
  source: SourceFile,
  encoding: string,
  isGuess: boolean,
  signal?: AbortSignal,
  change: (piece: string, isLast: boolean) => string = (piece) => piece,
): Promise<string> {
  const path = join(tmpdir(), `blocklab-${randomUUID()}.txt`);
  const decoder = new TextDecoder(encoding, { fatal: !isGuess });
  const decoded = (bytes?: Buffer): string => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch (error) {
      throw misread(source, encoding, error);
    }
  };
  const handle = await open(path, "w");
  try {
    for await (const bytes of createReadStream(source.path, { highWaterMark: pieceBytes, ...(signal && { signal }) })) {
      const text = decoded(bytes as Buffer);
      if (isGuess && undefinedLetters.test(text)) {
        throw new DataError(
          `input: ${quoted(source.name)} is neither UTF-8 nor Windows-1252; name its encoding, such as encoding: "windows-1251" or "shift_jis".`,
          { code: "unknown_encoding", path: "encoding" },
        );
      }
      await handle.appendFile(change(text, false));
    }
    await handle.appendFile(change(decoded(), true));
    return path;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

function misread(source: SourceFile, encoding: string, cause?: unknown): DataError {
  return new DataError(
    `input: ${quoted(source.name)} is not ${encoding}; leave encoding out to have it detected, or name another, such as "windows-1252".`,
    { code: "bad_encoding", path: "encoding", got: encoding },
    { cause },
  );
}
