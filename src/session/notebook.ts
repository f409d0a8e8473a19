import { writeFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { inspect } from "node:util";
import type { Link } from "../client/link.ts";
import { ArgsError, ConflictError } from "../core/errors.ts";
import { count, quoted } from "../core/names.ts";
import { notebookMetadata, toLines } from "../core/nbformat.ts";
import type { StateRecord } from "../core/record.ts";
import { stack, text, type View, viewOf } from "../core/view.ts";
import { byCode } from "../registry/index.ts";
import { callText, chainTo } from "./code.ts";
import { Explained, escapeMarkdown } from "./explanation.ts";
import { print } from "./print.ts";

/** A cell of a notebook in Jupyter's format 4.5; the keys in Jupyter's order. */
export type ChainCell =
  | {
      readonly cell_type: "markdown";
      readonly id: string;
      readonly metadata: object;
      readonly source: readonly string[];
    }
  | {
      readonly cell_type: "code";
      readonly execution_count: null;
      readonly id: string;
      readonly metadata: object;
      readonly outputs: readonly never[];
      readonly source: readonly string[];
    };

/** Files that this process wrote; another's is never replaced. */
const written = new Set<string>();

/** A chain as a notebook: a cell per block, its explanation above it. */
export class ChainNotebook {
  /** The notebook itself, ready for JSON. */
  readonly book: {
    readonly cells: readonly ChainCell[];
    readonly metadata: object;
    readonly nbformat: 4;
    readonly nbformat_minor: 5;
  };
  /** Where it was written; null when it was not. */
  readonly file: string | null;
  readonly #steps: readonly string[];

  constructor(cells: readonly ChainCell[], steps: readonly string[], file: string | null) {
    this.book = { cells, metadata: notebookMetadata, nbformat: 4, nbformat_minor: 5 };
    this.#steps = steps;
    this.file = file;
  }

  /** The notebook as the text of an .ipynb file. */
  json(): string {
    return `${JSON.stringify(this.book, null, 1)}\n`;
  }

  /** Shows what is in it. */
  show(): Promise<void> {
    return print(this);
  }

  [viewOf](): View {
    const where = this.file === null ? "not written yet; give a file to write it" : basename(this.file);
    return stack(text(`Notebook of ${count(this.#steps.length, "block")}: ${where}.`), {
      kind: "facts",
      items: this.#steps.map((step, k) => ({ label: String(k + 1), value: step })),
    });
  }

  [inspect.custom](): string {
    return `ChainNotebook { ${count(this.#steps.length, "block")}, ${this.file ?? "not written"} } — .json() for its text`;
  }
}

/** The chain that leads to a block as a notebook, written to `file` when one is given. */
export async function notebookFor(link: Link, record: StateRecord, file?: string): Promise<ChainNotebook> {
  const path = file === undefined ? null : pathOf(file);
  const chain = await chainTo(link, record);
  const project = (await link.projects()).find(({ id }) => id === record.project)?.project_name ?? "chain";
  // A project of its own, so that running it disturbs no block of the one it tells of.
  const own = `${project.slice(0, 180)} (notebook)`;
  const cells: ChainCell[] = [
    markdown(
      "title",
      `# ${escapeMarkdown(project)}\n\n${count(chain.length, "block")}, each with what it did and why one would.`,
    ),
    code("open", `import { session } from "blocklab";\n\nawait session.project(${JSON.stringify(own)})`),
  ];
  const steps: string[] = [];
  for (const [k, state] of chain.entries()) {
    const told = new Explained(await link.explain(state.id));
    const call = callText(await link.request(state.id));
    steps.push(call);
    const words = told.markdown().split("\n").slice(2).join("\n");
    cells.push(
      markdown(`text-${k + 1}`, `## ${k + 1}. ${escapeMarkdown(byCode(state.function_code).name)}\n\n${words}`),
    );
    cells.push(code(`block-${k + 1}`, `await session.${call}`));
  }
  const made = new ChainNotebook(cells, steps, path);
  if (path !== null) await write(path, made.json(), file as string);
  return made;
}

function markdown(id: string, source: string): ChainCell {
  return { cell_type: "markdown", id, metadata: {}, source: toLines(source.trimEnd()) };
}

function code(id: string, source: string): ChainCell {
  return { cell_type: "code", execution_count: null, id, metadata: {}, outputs: [], source: toLines(source) };
}

function pathOf(file: string): string {
  if (typeof file === "string" && /[^/\\]\.ipynb$/.test(file)) return resolve(file);
  throw new ArgsError(`notebook: the file's name must end in .ipynb, got ${quoted(String(file))}.`, {
    path: "file",
    got: file,
  });
}

async function write(path: string, json: string, file: string): Promise<void> {
  try {
    await writeFile(path, json, { flag: written.has(path) ? "w" : "wx" });
    written.add(path);
  } catch (error) {
    // Every failure of the file system has a code.
    const { code: reason } = error as NodeJS.ErrnoException;
    if (reason === "EEXIST")
      throw new ConflictError(
        `notebook: ${quoted(file)} exists already and is not this session's; take another name.`,
        {
          path: "file",
          got: file,
        },
      );
    throw new ArgsError(`notebook: ${quoted(file)} can't be written (${reason}).`, { got: file }, { cause: error });
  }
}
