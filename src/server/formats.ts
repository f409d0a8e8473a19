import { ArgsError, BlocklabError } from "../core/errors.ts";
import { didYouMean, listed, quoted } from "../core/names.ts";
import { type FileFormat, type TableFormat, tableFormats } from "../service/service.ts";

/** The media type of a table as typed JSON: `{columns, rows, total}`. */
export const tableMediaType = "application/vnd.blocklab.table+json";

/** The same while it is read: a line of JSON with the columns, then lines with the cells of some rows each, column by column. */
export const batchesMediaType = "application/vnd.blocklab.batches+x-ndjson";

/** How an artifact is wanted: in a file format, or as typed JSON, whole or while it is read. */
export type Wanted = TableFormat | "table" | "batches";

/** Media types by which each format can be asked for; the first is the one it is answered with. */
export const mediaTypes: Readonly<Record<Wanted, readonly [string, ...string[]]>> = {
  csv: ["text/csv", "text/plain"],
  json: ["application/json"],
  parquet: ["application/vnd.apache.parquet", "application/x-parquet"],
  arrow: ["application/vnd.apache.arrow.file", "application/x-apache-arrow-file"],
  npy: ["application/x-npy", "application/x-numpy"],
  table: [tableMediaType],
  batches: [batchesMediaType],
};

/** The formats that a query may name: those of tables, and of models. */
export const fileFormats: readonly FileFormat[] = [...tableFormats, "onnx", "onnx-chain"];

/** The format in the query, or null when it names none. */
export function formatIn(values: readonly string[] | undefined): FileFormat | null {
  const text = values?.at(-1)?.trim().toLowerCase();
  if (!text) return null;
  const format = fileFormats.find((name) => name === text);
  if (format) return format;
  const message = `The query's format ${quoted(text)} is unknown.${didYouMean(text, fileFormats)} Formats: ${listed(fileFormats)}.`;
  throw new ArgsError(message, { code: "unknown_format", path: "format", got: text, expected: fileFormats });
}

/** The best format for an Accept header: CSV when it leaves the choice to us. */
export function negotiate(accept: string | undefined): Wanted {
  const ranges = rangesOf(accept);
  if (ranges.length === 0) return "csv";
  for (const { type } of ranges) {
    const found = (Object.keys(mediaTypes) as Wanted[]).find((name) => mediaTypes[name].includes(type));
    if (found) return found;
    if (type === "*/*" || type === "text/*") return "csv";
    if (type === "application/*") return "json";
  }
  const known = Object.values(mediaTypes).map(([first]) => first);
  const message = `An artifact can't be answered as ${quoted(accept ?? "")}. Ask for one of ${known.join(", ")}.`;
  throw new BlocklabError(406, message, { code: "not_acceptable", got: accept, expected: known });
}

/** Does an Accept header name this very media type? */
export function accepts(accept: string | undefined, mediaType: string): boolean {
  return rangesOf(accept).some(({ type }) => type === mediaType);
}

/** The ranges of an Accept header, the most wanted first; at the same weight the more specific one. */
function rangesOf(accept: string | undefined): { type: string; weight: number }[] {
  const ranges = (accept ?? "").split(",").flatMap((part) => {
    const [type, ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
    const q = parameters.find((piece) => piece.startsWith("q="))?.slice(2);
    const weight = q === undefined ? 1 : Number(q);
    return type && weight > 0 ? [{ type, weight }] : [];
  });
  const stars = (type: string) => (type.match(/\*/g) ?? []).length;
  return ranges.sort((a, b) => b.weight - a.weight || stars(a.type) - stars(b.type));
}
