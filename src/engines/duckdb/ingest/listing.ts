import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ArgsError, DataError } from "../../../core/errors.ts";
import { type ImageOptions, pictureEnding } from "../../../core/images.ts";
import { count, didYouMean, listed, quoted } from "../../../core/names.ts";
import type { SourceFile } from "../../../core/tables.ts";
import { literal, quote } from "../../sql.ts";
import type { Duck } from "../duck.ts";
import type { Entry } from "./archive.ts";
import { ingestFile } from "./ingest.ts";
import type { LabelColumn } from "./labels.ts";

/** Pictures with what the archive says of them, row by row. */
export interface Listing {
  readonly files: LabelColumn;
  readonly entries: readonly (Entry | undefined)[];
  readonly targets: readonly LabelColumn[];
  /** Columns of the CSV file that are neither file names nor targets. */
  readonly others: readonly LabelColumn[];
  readonly notices: readonly string[];
}

const mostCsvBytes = 256 * 2 ** 20;

/** Each folder below the pictures' folder is a class; a picture deeper down belongs to the class above it. */
export function fromFolders(all: readonly Entry[], options: ImageOptions, source: SourceFile): Listing {
  const within = below(all, options.imagesPath, source);
  const pictures = within.entries.filter(({ path }) => pictureEnding.test(path));
  const foreign = within.entries.filter(({ path }) => !pictureEnding.test(path));
  if (pictures.length === 0) throw noPictures(source, within.root);
  const root = options.imagesPath === undefined ? commonRoot(pictures) : within.root;
  const loose = pictures.find(({ path }) => !path.slice(root.length).includes("/"));
  if (loose) {
    throw new DataError(
      `input: ${quoted(loose.path)} lies in no class folder; img_class_folder wants CLASS/picture below ${root === "" ? "the zip's root" : quoted(root)}.`,
      { code: "no_class" },
    );
  }
  const classes = pictures.map(({ path }) => path.slice(root.length).split("/")[0]);
  const text = { held: "text", type: "VARCHAR" } as const;
  const notices =
    foreign.length === 0
      ? []
      : [
          `input (DP_1): ${count(foreign.length, "file")} left out as no pictures: ${listed(
            foreign.map(({ path }) => path),
            5,
          )}.`,
        ];
  return {
    files: { ...text, name: "file", values: pictures.map(({ path }) => path.slice(root.length)) },
    entries: pictures,
    targets: [{ ...text, name: "label", values: classes }],
    others: [],
    notices,
  };
}

/** File names and targets from a CSV file in the archive. */
export async function fromCsv(
  all: readonly Entry[],
  options: ImageOptions,
  source: SourceFile,
  duck: Duck,
  signal: AbortSignal,
): Promise<Listing> {
  const { csvPath = "", fileColumn = "", yColumns = [] } = options;
  const csv = all.find(({ path }) => path === csvPath.replace(/^\.?\//, ""));
  if (!csv) {
    const csvs = all.map(({ path }) => path).filter((path) => /\.[ct]sv$/i.test(path));
    throw new ArgsError(
      `input: csv_path ${quoted(csvPath)} is not in ${quoted(source.name)}.${didYouMean(csvPath, csvs)} CSV files there: ${listed(csvs)}.`,
      { path: "csv_path", got: csvPath.slice(0, 80), expected: csvs.slice(0, 50) },
    );
  }
  if (csv.bytes > mostCsvBytes) {
    throw new DataError(`input: ${quoted(csv.path)} unpacks to more than ${mostCsvBytes / 2 ** 20} MB.`, {
      code: "too_large",
    });
  }
  const { columns, notices } = await csvColumns(csv, duck, signal);
  const names = columns.map(({ name }) => name);
  const pick = (name: string, path: string) => {
    const found = columns.find((column) => column.name === name);
    if (found) return found;
    throw new ArgsError(
      `input: ${path} ${quoted(name)} is not a column of ${quoted(csv.path)}.${didYouMean(name, names)} Columns: ${listed(names)}.`,
      { code: "unknown_column", path, got: name.slice(0, 80), expected: names.slice(0, 50) },
    );
  };
  const files = pick(fileColumn, "image_files_column");
  const targets = (yColumns.length > 0 ? [...yColumns] : names.filter((name) => name !== fileColumn)).map((name) =>
    pick(name, "y_columns"),
  );
  const within = below(all, options.imagesPath, source);
  const byName = new Map(within.entries.map((entry) => [entry.path.slice(within.root.length), entry]));
  const wanted = files.values.map((value) => String(value ?? ""));
  const deep = wanted.find((name) => /[\\/]/.test(name));
  if (deep !== undefined) {
    throw new DataError(
      `input: column ${quoted(fileColumn)} holds ${quoted(deep)}, but names must be of files in one folder; give that folder as images_path.`,
      { code: "nested_picture", path: "image_files_column", got: deep.slice(0, 80) },
    );
  }
  if (wanted.length === 0)
    throw new DataError(`input: ${quoted(csv.path)} lists no pictures.`, { code: "no_pictures" });
  return {
    files,
    entries: wanted.map((name) => byName.get(name)),
    targets,
    others: columns.filter((column) => column !== files && !targets.includes(column)),
    notices,
  };
}

/** The CSV file read as any other, through a temporary copy. */
async function csvColumns(
  csv: Entry,
  duck: Duck,
  signal: AbortSignal,
): Promise<{ columns: LabelColumn[]; notices: readonly string[] }> {
  const path = join(tmpdir(), `blocklab-${randomUUID()}`);
  try {
    await writeFile(`${path}.csv`, await csv.read());
    const copy = { path: `${path}.csv`, name: basename(csv.path), release: async () => undefined };
    const { columns, notices } = await ingestFile(duck, copy, { format: "csv" }, path, signal);
    const select = columns.map(({ name, type }) =>
      type === "datetime" ? `CAST(${quote(name)} AS VARCHAR)` : quote(name),
    );
    const text = `SELECT ${select.join(", ")} FROM read_parquet(${literal(path)})`;
    const values = await duck.use(async (connection) => (await connection.runAndReadAll(text)).getColumns(), signal);
    return {
      notices,
      columns: columns.map(({ name, type, integer }, k) => ({
        name,
        held: type === "number" ? (integer ? "bigint" : "number") : type === "boolean" ? "boolean" : "text",
        type:
          type === "number"
            ? integer
              ? "BIGINT"
              : "DOUBLE"
            : type === "boolean"
              ? "BOOLEAN"
              : type === "datetime"
                ? "TIMESTAMP"
                : "VARCHAR",
        values: values[k] ?? [],
      })),
    };
  } finally {
    for (const each of [path, `${path}.csv`]) await rm(each, { force: true });
  }
}

/** The entries below a folder, and that folder with a slash at its end. */
function below(
  all: readonly Entry[],
  folder: string | undefined,
  source: SourceFile,
): { root: string; entries: readonly Entry[] } {
  const plain = (folder ?? "").replace(/^\.?\/+|(?<!\/)\/+$/g, "");
  const root = plain === "" || plain === "." ? "" : `${plain}/`;
  const entries = all.filter(({ path }) => path.startsWith(root));
  if (entries.length > 0 || root === "") return { root, entries };
  const folders = [
    ...new Set(all.map(({ path }) => path.split("/").slice(0, -1).join("/")).filter((path) => path !== "")),
  ];
  throw new ArgsError(
    `input: images_path ${quoted(plain)} is not in ${quoted(source.name)}.${didYouMean(plain, folders)} Folders there: ${listed(folders)}.`,
    { path: "images_path", got: plain.slice(0, 80), expected: folders.slice(0, 50) },
  );
}

/** Zips are often made of one folder with all the rest inside; the classes are below it. */
function commonRoot(pictures: readonly Entry[]): string {
  const first = pictures[0].path.split("/");
  let root = "";
  for (const part of first) {
    const next = `${root}${part}/`;
    if (!pictures.every(({ path }) => path.startsWith(next) && path.slice(next.length).includes("/"))) return root;
    root = next;
  }
  return root;
}

function noPictures(source: SourceFile, root: string): DataError {
  return new DataError(
    `input: ${quoted(source.name)} holds no pictures${root === "" ? "" : ` below ${quoted(root)}`}; jpeg, png, gif, webp, tiff and avif are read.`,
    { code: "no_pictures" },
  );
}
