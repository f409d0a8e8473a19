import { availableParallelism } from "node:os";
import { CancelledError, DataError } from "../../../core/errors.ts";
import type { ImageOptions } from "../../../core/images.ts";
import { count, quoted, uniqueNames } from "../../../core/names.ts";
import type { Held, RowOutputs, RowSink } from "../../../core/rows.ts";
import type { SourceFile } from "../../../core/tables.ts";
import { quote } from "../../sql.ts";
import type { Duck } from "../duck.ts";
import { type Entry, reason, withArchive } from "./archive.ts";
import { type LabelColumn, labelled } from "./labels.ts";
import { fromCsv, fromFolders, type Listing } from "./listing.ts";
import { BadPicture, decodePicture, mostPictureBytes } from "./pictures.ts";

/** What reading needs from outside. */
export interface ImageReading {
  readonly duck: Duck;
  readonly signal: AbortSignal;
  readonly progress: (done: number, total: number) => void;
  /** Writes rows into the artifact. */
  write(holds: readonly Held[], fill: (sink: RowSink) => Promise<RowOutputs>): Promise<void>;
}

const mostNumbers = 2 ** 32;
const batchBytes = 8 * 2 ** 20;

/** The pictures of a zip archive as a table: file, tensor, labels. Answers features, targets and notices. */
export async function readImages(
  source: SourceFile,
  options: ImageOptions,
  reading: ImageReading,
): Promise<{ x: string[]; y: string[]; notices: string[] }> {
  return await withArchive(source, async (entries) => {
    const listing =
      options.method === "img_csv"
        ? await fromCsv(entries, options, source, reading.duck, reading.signal)
        : fromFolders(entries, options, source);
    const [rows, columns] = options.targetSize;
    if (rows * columns * 3 * listing.entries.length > mostNumbers) {
      throw new DataError(
        `input: ${count(listing.entries.length, "picture")} of ${rows} × ${columns} pixels are more than the ${mostNumbers.toLocaleString("en-US")} numbers that are kept; choose a smaller target_size.`,
        { code: "too_large", path: "target_size" },
      );
    }
    const labels = labelled(listing.targets, options.classMode);
    const beside = [listing.files, ...listing.others, ...labels];
    const named = uniqueNames([listing.files.name, "image", ...beside.slice(1).map(({ name }) => name)]);
    const skipped: string[] = [];
    await reading.write(["tensor", ...beside.map(({ held }) => held)], async (sink) => {
      await decodeAll(listing, beside, options, source, reading, sink, skipped);
      const outputs = beside.map(({ type }, k) => (type === "VARCHAR" ? `c${k + 1}` : `CAST(c${k + 1} AS ${type})`));
      outputs.splice(1, 0, "c0");
      return {
        outputs: outputs.map((output, k) => `${output} AS ${quote(named[k])}`),
        shapes: { [named[1]]: [rows, columns, 3] },
      };
    });
    const y = options.classMode === "input" ? [named[1]] : named.slice(2 + listing.others.length);
    const notices = [...listing.notices];
    if (skipped.length > 0) {
      notices.push(
        `input (DP_1): ${count(skipped.length, "picture")} skipped: ${skipped.slice(0, 5).join("; ")}${skipped.length > 5 ? "; …" : ""}.`,
      );
    }
    return { x: [named[1]], y, notices };
  });
}

/** Decodes a few pictures at a time and hands them over in order. One that can't be decoded is named and left out. */
async function decodeAll(
  listing: Listing,
  beside: readonly LabelColumn[],
  options: ImageOptions,
  source: SourceFile,
  { signal, progress }: ImageReading,
  sink: RowSink,
  skipped: string[],
): Promise<void> {
  const { entries } = listing;
  const [rows, columns] = options.targetSize;
  const most = Math.max(1, Math.min(2048, Math.floor(batchBytes / (rows * columns * 12))));
  const ahead: Promise<Float32Array | string>[] = [];
  const start = (k: number) => {
    if (k < entries.length) ahead[k] = decodeOne(entries[k], String(listing.files.values[k]), options, source);
    // Whoever awaits it hears of a failure; until then it must not end the process.
    ahead[k]?.catch(() => undefined);
  };
  for (let k = 0; k < availableParallelism() + 1; k++) start(k);
  let tensors: unknown[] = [];
  let kept: number[] = [];
  let total = 0;
  for (let k = 0; k < entries.length; k++) {
    if (signal.aborted) throw new CancelledError();
    const decoded = await ahead[k];
    delete ahead[k];
    start(k + availableParallelism() + 1);
    if (typeof decoded === "string") skipped.push(decoded);
    else {
      tensors.push(decoded);
      kept.push(k);
    }
    if (tensors.length === most || (k === entries.length - 1 && tensors.length > 0)) {
      total = await sink.append([tensors, ...beside.map(({ values }) => kept.map((row) => values[row]))]);
      tensors = [];
      kept = [];
    }
    progress(k + 1, entries.length);
  }
  if (total === 0) {
    throw new DataError(
      `input: of ${count(entries.length, "picture")} in ${quoted(source.name)} none can be read: ${skipped.slice(0, 3).join("; ")}.`,
      {
        code: "no_pictures",
      },
    );
  }
}

/** The pixels, or what is wrong with the picture. */
async function decodeOne(
  entry: Entry | undefined,
  name: string,
  { targetSize, rescale }: ImageOptions,
  source: SourceFile,
): Promise<Float32Array | string> {
  if (!entry) return `${quoted(name)} is not in the zip`;
  if (entry.bytes > mostPictureBytes) {
    throw new DataError(
      `input: ${quoted(entry.path)} in ${quoted(source.name)} unpacks to ${Math.round(entry.bytes / 2 ** 20).toLocaleString("en-US")} MB; a picture may have ${mostPictureBytes / 2 ** 20}.`,
      { code: "too_large", got: entry.bytes, expected: mostPictureBytes },
    );
  }
  try {
    return await decodePicture(await entry.read(), entry.path, targetSize, rescale);
  } catch (error) {
    if (error instanceof DataError) throw error;
    const what = error instanceof BadPicture ? error.message : `is damaged (${reason(error as Error)})`;
    return `${quoted(entry.path)} ${what}`;
  }
}
