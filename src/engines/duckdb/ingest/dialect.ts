import { DataError } from "../../../core/errors.ts";
import { quoted } from "../../../core/names.ts";
import type { IngestOptions } from "../../../core/tables.ts";
import { beginning } from "./encoding.ts";

/** How a CSV file is written, as far as its beginning tells. */
export interface Dialect {
  readonly delimiter: string;
  /** Lines before the first record: those to skip, and empty ones. */
  readonly skip: number;
  /** Some lines end in CRLF, others in LF. */
  readonly mixedNewlines: boolean;
  /** Each record begins with its row's name, for which the first one, that of the columns' names, has no cell. */
  readonly hasRowNames: boolean;
  /** The first records; that of the columns' names, if there is one, comes first, with an empty cell for its rows' names. */
  readonly records: readonly Line[];
  /** All lines, each a record of cells without quotes; null where that is not so, and of a file longer than its beginning. */
  readonly lines: readonly string[] | null;
}

/** A record, and the number of the line where it begins. */
export interface Line {
  readonly at: number;
  readonly cells: readonly HeadCell[];
}

/** A cell as it stands, without its quotes. */
export interface HeadCell {
  readonly text: string;
  readonly isQuoted: boolean;
}

const sampleBytes = 65_536;
const mostSampleBytes = 2 ** 24;
const sampleRecords = 20;

/**
 * Detects the delimiter of a file in UTF-8 from its beginning.
 *
 * DuckDB's own detection would rather call a ragged file one wide column than say that it is ragged, so the
 * delimiter is the candidate that splits the first records most evenly.
 */
export async function detectDialect(
  path: string,
  name: string,
  { delimiter: wanted, skipRows = 0, header }: Pick<IngestOptions, "delimiter" | "skipRows" | "header">,
): Promise<Dialect> {
  for (let bytes = sampleBytes; ; bytes *= 16) {
    const head = await beginning(path, bytes);
    const isWhole = head.length < bytes;
    const text = new TextDecoder().decode(head, { stream: !isWhole });
    const lines = text.matchAll(/\r\n|\n|\r/g);
    let start = 0;
    let skip = 0;
    for (; skip < skipRows; skip++) start = endOf(lines.next()) ?? text.length;
    const blank = /^(?:\r\n|\n|\r)*/.exec(text.slice(start))?.[0] ?? "";
    const rest = text.slice(start + blank.length);
    skip += blank.replaceAll("\r\n", "\n").length;
    if (isWhole && rest.trim() === "") {
      throw new DataError(
        `input: ${quoted(name)} holds ${skipRows > 0 ? `nothing behind its first ${skipRows} lines` : "only blanks"}.`,
        { code: "empty_file" },
      );
    }
    const delimiter = wanted ?? likeliestDelimiter(rest, isWhole);
    const found = records(rest, delimiter, sampleRecords, isWhole);
    // The first records may be longer than the sample; one alone does not tell whether rows have names.
    if (found.length < 2 && !isWhole && bytes < mostSampleBytes) continue;
    const hasRowNames = header !== false && namesRows(found);
    const unnamed: readonly HeadCell[] = hasRowNames ? [{ text: "", isQuoted: false }] : [];
    return {
      delimiter,
      skip,
      mixedNewlines: mixesNewlines(rest),
      hasRowNames,
      lines: isWhole ? plainLines(rest) : null,
      records: found.map(({ at, cells }, k) => ({ at: at + skip, cells: k === 0 ? [...unnamed, ...cells] : cells })),
    };
  }
}

function endOf({ value, done }: IteratorResult<RegExpExecArray>): number | undefined {
  return done ? undefined : value.index + value[0].length;
}

/** How many cells most records have. */
export function usualWidth(lines: readonly Line[]): number {
  const widths = new Map<number, number>();
  for (const { cells } of lines) widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1);
  return [...widths].sort(([a, n], [b, m]) => m - n || b - a)[0]?.[0] ?? 1;
}

/**
 * Do the records begin with their rows' names, as those that R's write.table writes?
 *
 * Then all of them have one cell more than the first one. Names of rows differ, and where a delimiter that ends each line
 * is the reason, the last cells are empty. A single name above two cells could be one number with a decimal comma.
 */
function namesRows([first, ...others]: readonly Line[]): boolean {
  if (others.length === 0) return false;
  const width = first.cells.length + 1;
  const names = new Set(others.map(({ cells }) => cells[0].text));
  return (
    names.size === others.length &&
    others.every(({ cells }) => cells.length === width && cells[0].text !== "") &&
    (width > 2 || first.cells[0].isQuoted) &&
    others.some(({ cells }) => cells[width - 1].text !== "" || cells[width - 1].isQuoted)
  );
}

function likeliestDelimiter(text: string, isWhole: boolean): string {
  // What R writes unless told otherwise, with quotes around all names; a blank elsewhere stands between words.
  const spaced = records(text, " ", sampleRecords, isWhole);
  const isName = ({ isQuoted, text }: HeadCell) => isQuoted && !text.includes('"');
  const isNamed = spaced.every(({ cells }, k) => (k === 0 ? cells : cells.slice(0, 1)).every(isName));
  if (isNamed && namesRows(spaced)) return " ";
  let best = ",";
  let bestScore = 0;
  for (const candidate of [",", ";", "\t", "|"]) {
    const lines = records(text, candidate, sampleRecords, isWhole);
    const width = usualWidth(lines);
    if (width < 2) continue;
    const even = lines.filter(({ cells }) => cells.length === width).length / lines.length;
    const score = even * 100 + Math.min(width, 50) / 100;
    if (score > bestScore) {
      bestScore = score;
      best = candidate;
    }
  }
  return best;
}

/** The lines of a text, unless one of them may be something else than the cells of a record. */
function plainLines(text: string): readonly string[] | null {
  if (/"|\r(?!\n)/.test(text)) return null;
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines.includes("") ? null : lines;
}

function mixesNewlines(text: string): boolean {
  const lines = text.replace(/"[^"]*"/g, "");
  return /\r\n/.test(lines) && /(?<!\r)\n/.test(lines);
}

/** The first `most` records of a CSV text; a last one that may be cut off is left out. */
function records(text: string, delimiter: string, most: number, isWhole: boolean): Line[] {
  const found: Line[] = [];
  let record: HeadCell[] = [];
  let cell = "";
  let wasQuoted = false;
  let inQuotes = false;
  let line = 1;
  let at = 1;
  const endCell = () => {
    record.push({ text: cell, isQuoted: wasQuoted });
    cell = "";
    wasQuoted = false;
  };
  const endRecord = () => {
    if (record.length > 0 || cell !== "" || wasQuoted) {
      endCell();
      found.push({ at, cells: record });
    }
    record = [];
    at = line;
  };
  for (let i = 0; i < text.length && found.length < most; i++) {
    const letter = text[i];
    if (letter === "\n" || (letter === "\r" && text[i + 1] !== "\n")) line++;
    if (inQuotes) {
      if (letter !== '"') cell += letter;
      else if (text[i + 1] === '"') {
        cell += '"';
        i++;
      } else inQuotes = false;
    } else if (letter === '"' && cell === "") {
      inQuotes = true;
      wasQuoted = true;
    } else if (letter === delimiter) endCell();
    else if (letter === "\n") endRecord();
    else if (letter === "\r") {
      if (text[i + 1] !== "\n") endRecord();
    } else cell += letter;
  }
  if (found.length < most && isWhole) endRecord();
  return found;
}
