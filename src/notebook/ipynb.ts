import { randomUUID } from "node:crypto";
import { z } from "zod";
import { DataError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";

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
    raw = JSON.parse(json);
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

/** A notebook as Jupyter writes it: keys sorted, one space of indentation, a newline at the end. */
export function writeNotebook(book: Notebook): string {
  return `${JSON.stringify(sorted(book), null, 1)}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** A multi-line text as the format keeps it: lines with their newlines. */
export function toLines(whole: string): string[] {
  return whole.split(/(?<=\n)/);
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
