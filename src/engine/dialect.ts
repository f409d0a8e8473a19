import { open } from "node:fs/promises";
import { DataError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";

/** How a CSV file is written, as far as its beginning tells. */
export interface Dialect {
  readonly delimiter: string;
  readonly encoding: "utf-8" | "utf-16" | "latin-1";
  /** Empty lines before the first record. */
  readonly blankLines: number;
  /** Some lines end in CRLF, others in LF; DuckDB reads such a file only when it is not strict. */
  readonly mixedNewlines: boolean;
  /** The first record, as it stands. */
  readonly first: readonly string[];
}

const sampleBytes = 65_536;

/**
 * Detects delimiter and encoding from the first 64 KB.
 *
 * DuckDB's own detection would rather call a ragged file one wide column than say that it is ragged, so the
 * delimiter is the candidate that splits the first records most evenly.
 */
export async function detectDialect(path: string, name: string, wanted?: string): Promise<Dialect> {
  const head = await beginning(path);
  if (head.length === 0) throw new DataError(`input: ${quoted(name)} is empty.`, { code: "empty_file" });
  const encoding = encodingOf(head, name);
  const text = decode(head, encoding);
  if (text.trim() === "") throw new DataError(`input: ${quoted(name)} holds only blanks.`, { code: "empty_file" });
  const delimiter = wanted ?? likeliestDelimiter(text);
  return {
    delimiter,
    encoding,
    blankLines: /^(?:\r?\n)*/.exec(text)?.[0].replaceAll("\r", "").length ?? 0,
    mixedNewlines: mixesNewlines(text),
    first: records(text, delimiter, 1)[0] ?? [],
  };
}

async function beginning(path: string): Promise<Buffer> {
  const handle = await open(path, "r");
  try {
    const buffer = Buffer.alloc(sampleBytes);
    const { bytesRead } = await handle.read(buffer, 0, sampleBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function encodingOf(head: Buffer, name: string): Dialect["encoding"] {
  if (head.length >= 2 && ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff))) {
    return "utf-16";
  }
  if (head.includes(0) || binaryShare(head) > 0.05) {
    throw new DataError(
      `input: ${quoted(name)} is not a text file (it holds binary bytes); give its true file_type, or export it as CSV.`,
      { code: "not_text" },
    );
  }
  // The sample may end inside a character, so the last few bytes don't count.
  const whole = head.length < sampleBytes ? head : head.subarray(0, head.length - 4);
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(whole, { stream: true });
    return "utf-8";
  } catch {
    return "latin-1";
  }
}

function binaryShare(head: Buffer): number {
  let strange = 0;
  for (const byte of head) if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13 && byte !== 12) strange++;
  return strange / head.length;
}

function decode(head: Buffer, encoding: Dialect["encoding"]): string {
  const label = encoding === "utf-16" ? (head[0] === 0xfe ? "utf-16be" : "utf-16le") : encoding;
  return new TextDecoder(label === "latin-1" ? "windows-1252" : label).decode(head).replace(/^\uFEFF/, "");
}

function likeliestDelimiter(text: string): string {
  let best = ",";
  let bestScore = 0;
  for (const candidate of [",", ";", "\t", "|"]) {
    const widths = records(text, candidate, 20).map((record) => record.length);
    const width = widths[0] ?? 1;
    if (width < 2) continue;
    const even = widths.filter((other) => other === width).length / widths.length;
    const score = even * 100 + Math.min(width, 50) / 100;
    if (score > bestScore) {
      bestScore = score;
      best = candidate;
    }
  }
  return best;
}

function mixesNewlines(text: string): boolean {
  const lines = text.replace(/"[^"]*"/g, "");
  return /\r\n/.test(lines) && /(?<!\r)\n/.test(lines);
}

/** The first `most` records of a CSV text; a last one that may be cut off is left out when there are others. */
function records(text: string, delimiter: string, most: number): string[][] {
  const found: string[][] = [];
  let record: string[] = [];
  let cell = "";
  let inQuotes = false;
  for (let i = 0; i < text.length && found.length < most; i++) {
    const letter = text[i];
    if (inQuotes) {
      if (letter !== '"') cell += letter;
      else if (text[i + 1] === '"') {
        cell += '"';
        i++;
      } else inQuotes = false;
    } else if (letter === '"' && cell === "") inQuotes = true;
    else if (letter === delimiter) {
      record.push(cell);
      cell = "";
    } else if (letter === "\n" || letter === "\r") {
      if (letter === "\r" && text[i + 1] === "\n") i++;
      if (record.length > 0 || cell !== "") found.push([...record, cell]);
      record = [];
      cell = "";
    } else cell += letter;
  }
  if (found.length < most && (record.length > 0 || cell !== "") && (found.length === 0 || text.length < sampleBytes)) {
    found.push([...record, cell]);
  }
  return found;
}
