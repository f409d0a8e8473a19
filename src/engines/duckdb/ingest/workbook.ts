import { open } from "node:fs/promises";
import { ArgsError, DataError } from "../../../core/errors.ts";
import { didYouMean, listed, quoted } from "../../../core/names.ts";
import type { SourceFile } from "../../../core/tables.ts";
import { isShortage } from "../duck.ts";
import { type Entry, reason, withArchive } from "./archive.ts";
import { readXml } from "./xml.ts";

/** A sheet and what its cells refer to. */
export interface Sheet {
  readonly name: string;
  readonly entry: Entry;
  /** Texts that cells name by number. */
  readonly strings: readonly string[];
  /** Which cell styles show a number as a date or a time. */
  readonly dateStyles: ReadonlySet<number>;
  /** Days count from 1904, as old Macs did. */
  readonly from1904: boolean;
  /** The workbook's other sheets. */
  readonly others: readonly string[];
}

const mostSheetBytes = 4 * 2 ** 30;
const mostStringBytes = 512 * 2 ** 20;

/** Lends a sheet of an Excel workbook (.xlsx): the one named, else the first. */
export async function withSheet<T>(
  source: SourceFile,
  wanted: string | undefined,
  work: (sheet: Sheet) => Promise<T>,
): Promise<T> {
  if (await isOldOrEncrypted(source.path)) {
    throw refusal(source, "is an old .xls workbook or one with a password; save it as .xlsx without one");
  }
  return await withArchive(source, async (entries) => {
    const sheets = await sheetsOf(source, entries);
    const names = sheets.map(({ name }) => name);
    const found = wanted === undefined ? sheets[0] : sheets.find(({ name }) => name === wanted);
    if (!found) {
      throw new ArgsError(
        `input: sheet ${quoted(wanted ?? "")} is not in ${quoted(source.name)}.${didYouMean(wanted ?? "", names)} Sheets: ${listed(names)}.`,
        { path: "sheet", got: wanted?.slice(0, 80), expected: names.slice(0, 50) },
      );
    }
    const entry = part(entries, found.path);
    if (!entry) throw refusal(source, `lacks the part ${quoted(found.path)} with its sheet ${quoted(found.name)}`);
    const strings = part(entries, "xl/sharedStrings.xml");
    for (const [each, most] of [
      [entry, mostSheetBytes],
      [strings, mostStringBytes],
    ] as const) {
      if (each && each.bytes > most)
        throw refusal(source, `unpacks to more than ${most / 2 ** 20} MB (${quoted(each.path)})`);
    }
    return await readable(source, async () =>
      work({
        name: found.name,
        entry,
        strings: strings ? await stringsOf(strings) : [],
        dateStyles: await dateStylesOf(part(entries, "xl/styles.xml")),
        from1904: found.from1904,
        others: names.filter((name) => name !== found.name),
      }),
    );
  });
}

/** Does the work; XML or a stream that is broken is told in one sentence. */
async function readable<T>(source: SourceFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The XML and zip readers throw plain errors; those of our own have names.
    if (!(error instanceof Error) || error.name !== "Error" || isShortage(error)) throw error;
    throw refusal(source, `is a damaged workbook: ${reason(error)}`, error);
  }
}

/** The names of parts are told apart without case. */
function part(entries: readonly Entry[], path: string): Entry | undefined {
  return entries.find((entry) => entry.path.toLowerCase() === path.toLowerCase());
}

async function sheetsOf(
  source: SourceFile,
  entries: readonly Entry[],
): Promise<{ name: string; path: string; from1904: boolean }[]> {
  const workbook = part(entries, "xl/workbook.xml");
  const relations = part(entries, "xl/_rels/workbook.xml.rels");
  if (!workbook || !relations) throw refusal(source, "is a zip archive, but no Excel workbook");
  return await readable(source, async () => {
    const targets = new Map<string, string>();
    await readXml(await relations.stream(), {
      open(name, attributes) {
        if (name === "Relationship") targets.set(attributes.Id ?? "", attributes.Target ?? "");
      },
    });
    const sheets: { name: string; path: string }[] = [];
    let from1904 = false;
    await readXml(await workbook.stream(), {
      open(name, attributes) {
        if (name === "workbookPr") from1904 = /^(?:1|true)$/.test(attributes.date1904 ?? "");
        const target = name === "sheet" ? targets.get(attributes["r:id"] ?? attributes.id ?? "") : undefined;
        // Charts stand among the sheets too.
        if (target === undefined || !/worksheets?\//i.test(target)) return;
        const path = target.startsWith("/") ? target.slice(1) : `xl/${target}`;
        sheets.push({ name: attributes.name ?? "", path });
      },
    });
    if (sheets.length === 0) throw refusal(source, "holds no sheet with cells");
    return sheets.map((sheet) => ({ ...sheet, from1904 }));
  });
}

/** Shared strings; runs of a formatted one are joined, reading aids for Japanese left out. */
async function stringsOf(entry: Entry): Promise<string[]> {
  const strings: string[] = [];
  let text = "";
  let inText = false;
  let inAid = false;
  await readXml(await entry.stream(), {
    open(name) {
      if (name === "si") text = "";
      if (name === "rPh") inAid = true;
      if (name === "t") inText = true;
    },
    text(piece) {
      if (inText && !inAid) text += piece;
    },
    close(name) {
      if (name === "t") inText = false;
      if (name === "rPh") inAid = false;
      if (name === "si") strings.push(text);
    },
  });
  return strings;
}

/** ECMA-376 18.8.30 lists the built-in formats; one that a workbook defines itself is judged by its letters. */
async function dateStylesOf(entry: Entry | undefined): Promise<Set<number>> {
  const found = new Set<number>();
  if (!entry) return found;
  const own = new Map<number, boolean>();
  let inCells = false;
  let style = 0;
  await readXml(await entry.stream(), {
    open(name, { numFmtId, formatCode = "" }) {
      if (name === "numFmt") own.set(Number(numFmtId), isDateFormat(formatCode));
      if (name === "cellXfs") inCells = true;
      if (name !== "xf" || !inCells) return;
      const id = Number(numFmtId ?? 0);
      if (
        own.get(id) ??
        ((id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58))
      ) {
        found.add(style);
      }
      style++;
    },
    close(name) {
      if (name === "cellXfs") inCells = false;
    },
  });
  return found;
}

function isDateFormat(code: string): boolean {
  // [h]:mm counts hours past 24: a duration, which stays a number of days.
  if (/\[[hms]+\]/i.test(code)) return false;
  return /[ymdhs]/i.test(code.replace(/"[^"]*"?|\\.|_.|\[[^\]]*\]?|General/gi, ""));
}

async function isOldOrEncrypted(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 0);
    return buffer.toString("hex") === "d0cf11e0a1b11ae1";
  } finally {
    await file.close();
  }
}

function refusal(source: SourceFile, what: string, cause?: unknown): DataError {
  return new DataError(`input: ${quoted(source.name)} ${what}.`, { code: "bad_xlsx" }, { cause });
}
