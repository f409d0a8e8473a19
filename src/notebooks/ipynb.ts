import { randomUUID } from "node:crypto";
import { z } from "zod";
import { DataError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import { toLines } from "../core/nbformat.ts";

const text = z.union([z.string(), z.array(z.string())]);

const output = z.looseObject({ output_type: z.string() });

const cell = z.looseObject({
  cell_type: z.string(),
  id: z.string().optional(),
  source: text,
  metadata: z.looseObject({}).default({}),
  outputs: z.array(output).optional(),
  execution_count: z.number().nullish(),
});

const notebook = z.looseObject({
  cells: z.array(cell),
  metadata: z.looseObject({}).default({}),
  nbformat: z.literal(4),
  nbformat_minor: z.number(),
});

/** A notebook in Jupyter's format 4; what blocklab doesn't know of stays as it is. */
export type Notebook = z.output<typeof notebook>;

/** A cell of a notebook. */
export type NotebookCell = Notebook["cells"][number];

/** One output of a cell. */
export type Output = z.output<typeof output>;

/** Reads a notebook's text. */
export function parseNotebook(json: string, name: string): Notebook {
  let raw: unknown;
  try {
    raw = JSON.parse(json, keepNumber);
  } catch (error) {
    throw new DataError(
      `${quoted(name)} is not a notebook: it is not JSON.`,
      { code: "bad_notebook" },
      { cause: error },
    );
  }
  const checked = notebook.safeParse(raw);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  throw new DataError(
    `${quoted(name)} is not a notebook of format 4: ${issue.path.join(".")} ${issue.message.toLowerCase()}.`,
    {
      code: "bad_notebook",
      path: issue.path.join("."),
    },
  );
}

/** Numbers as they are written, which the language knows and TypeScript's library doesn't yet. */
const raws = JSON as unknown as {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};

/** Python tells 1.0 from 1 and knows integers of any size; a number that would change is kept as its text. */
function keepNumber(this: unknown, _key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === "number" && source !== undefined && String(value) !== source ? raws.rawJSON(source) : value;
}

/** A notebook as Jupyter writes it: keys sorted, one space of indentation, a newline at the end. */
export function writeNotebook(book: Notebook): string {
  return `${toJson(book, "\n")}\n`;
}

/** Written out by hand, because JavaScript moves keys that look like numbers to the front. */
function toJson(value: unknown, newline: string): string {
  if (typeof value !== "object" || value === null || raws.isRawJSON(value)) return JSON.stringify(value);
  const inner = `${newline} `;
  if (Array.isArray(value)) {
    const items = value.map((item) => inner + (item === undefined ? "null" : toJson(item, inner)));
    return items.length === 0 ? "[]" : `[${items.join(",")}${newline}]`;
  }
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([key, item]) => `${inner}${JSON.stringify(key)}: ${toJson(item, inner)}`);
  return entries.length === 0 ? "{}" : `{${entries.join(",")}${newline}}`;
}

/** A MIME bundle as the format keeps it: texts, pictures in SVG and scripts line by line, the rest as it is. */
export function toMimeLines(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const split = (type: string, value: unknown): unknown =>
    typeof value === "string" && /^text\/|^application\/javascript$|^image\/svg\+xml$/.test(type)
      ? toLines(value)
      : value;
  return Object.fromEntries(Object.entries(data).map(([type, value]) => [type, split(type, value)]));
}

/** A text of the format as one string. */
export function fromLines(lines: string | readonly string[]): string {
  return typeof lines === "string" ? lines : lines.join("");
}

/** A new code or markdown cell. */
export function makeCell(kind: "code" | "markdown", source: string): NotebookCell {
  const common = { cell_type: kind, id: randomUUID().slice(0, 8), metadata: {}, source: toLines(source) };
  return kind === "code" ? { ...common, execution_count: null, outputs: [] } : common;
}
