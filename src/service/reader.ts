import type { Finished, HeadOptions, Reader } from "../core/block.ts";
import type { Explanation } from "../core/explanation.ts";
import { type Column, type Frame, type Subset, subsetSize } from "../core/frame.ts";
import { parseInSlices } from "../core/json-slices.ts";
import type { Json } from "../core/record.ts";
import type { Selection } from "../core/selection.ts";
import { type Cell, type ImagesView, stack, type TableView, text, type View } from "../core/view.ts";
import {
  countNulls,
  type Duck,
  type Extent,
  explainReading,
  firstUnwritten,
  missingUnwritten,
  readCells,
  readExtents,
  readTensors,
  thumbnail,
} from "../engines/duckdb/index.ts";
import { isOnCluster, type Made, type Relation } from "../plan/node.ts";
import { byCode, explanationOf } from "../registry/index.ts";
import type { State } from "../store/state.ts";
import type { Far } from "./cluster/far.ts";

/** Beyond this many columns a head shows the first ones alone; the rest is counted. */
const mostHeadColumns = 200;

/** A table of so few rows and cells is read whole for its head: counting what is missing would be a query of its own. */
const mostSmallRows = 1_000;
const mostSmallCells = 20_000;

/** How many pictures a view shows, and how large their longer side is. */
const mostPictures = 8;
const pictureSide = 96;

/** What tells whether a table's file is written, and sees to it that it is. */
export interface Writer {
  isUnwritten(relation: Relation): boolean;
  whole(frame: Frame): Promise<void>;
}

/** Reads what views need from frames. */
export class FrameReader implements Reader {
  readonly #duck: Duck;
  readonly #far: Far;
  readonly #writer: Writer;
  readonly #signal: AbortSignal | undefined;

  constructor(duck: Duck, far: Far, writer: Writer, signal?: AbortSignal) {
    this.#duck = duck;
    this.#far = far;
    this.#writer = writer;
    this.#signal = signal;
  }

  async head(frame: Frame, options: HeadOptions = {}): Promise<TableView> {
    const subset = options.subset ?? "all";
    const named = new Set(options.named);
    const most = mostHeadColumns - named.size;
    const columns = frame.columns.filter(({ name }, k) => k < most || named.has(name)).slice(0, mostHeadColumns);
    const names = columns.map((column) => column.name);
    if (names.length === 0) return { kind: "table", columns: [], rows: [], total: 0 };
    const plain = columns.filter(({ type }) => type !== "tensor").map(({ name }) => name);
    const limit = options.rows ?? 5;
    const part = { subset, split: frame.split, limit };
    if (isOnCluster(frame.relation)) {
      const found = await this.#far.head(frame, names, { limit, subset }, this.#signal);
      return { ...tableOf(frame, columns, found.rows, found.missing, named), total: subsetSize(frame, subset) };
    }
    const isPlain = names.length === plain.length;
    const isFew = frame.rows <= mostSmallRows && frame.rows * names.length <= mostSmallCells;
    const isSmall = isFew && isPlain && subset === "all";
    const made = await this.#unwritten(frame, isPlain ? subset : null);
    const read = made
      ? await firstUnwritten(this.#duck, made, plain, limit)
      : plain.length === 0
        ? []
        : await readCells(this.#duck, frame.relation, {
            ...part,
            ...(isSmall ? { limit: frame.rows } : {}),
            columns: plain,
          });
    const tensors = await this.#tensorCells(frame, columns, part);
    const cells = names.map((name) => tensors.get(name) ?? read[plain.indexOf(name)]);
    const missing = isSmall ? cells.map(missingIn) : await this.#missing(frame, columns, made);
    const rows = Array.from({ length: Math.min(limit, cells[0]?.length ?? 0) }, (_, i) =>
      cells.map((values) => values[i]),
    );
    return { ...tableOf(frame, columns, rows, missing, named), total: subsetSize(frame, subset) };
  }

  /** What a table is made of, where its file is not written yet and its first rows do without; it is written else. */
  async #unwritten(frame: Frame, subset: Subset | null): Promise<Made | null> {
    const { relation } = frame;
    if (!this.#writer.isUnwritten(relation)) return null;
    if (relation.holds && relation.steps.length === 0 && subset === "all") return relation.holds;
    await this.#writer.whole(frame);
    return null;
  }

  async pictures(frame: Frame, column: string, labels: readonly string[]): Promise<ImagesView | null> {
    if (this.#writer.isUnwritten(frame.relation)) await this.#writer.whole(frame);
    const shape = frame.columns.find(({ name }) => name === column)?.shape;
    if (shape?.length !== 3 || !(shape[2] === 1 || shape[2] === 3) || frame.rows === 0) return null;
    const shown = Math.min(frame.rows, mostPictures);
    // Spread over all rows, since a table of pictures often begins with many of one class.
    const offsets = Array.from({ length: shown }, (_, i) => Math.floor((i * frame.rows) / shown));
    const items = await Promise.all(
      offsets.map(async (offset) => {
        const one = { offset, limit: 1 };
        const tensor = await readTensors(this.#duck, frame.relation, { ...one, columns: [column] });
        if (tensor?.size !== shape[0] * shape[1] * shape[2]) return null;
        const words =
          labels.length === 0 ? [] : await readCells(this.#duck, frame.relation, { ...one, columns: labels });
        const { png, width, height } = await thumbnail(tensor.data, shape, pictureSide);
        return {
          png: Buffer.from(png).toString("base64"),
          width,
          height,
          label: words.map(([cell]) => cell ?? "·").join(", "),
        };
      }),
    );
    return { kind: "images", items: items.filter((item) => item !== null), total: frame.rows };
  }

  /** Tensors as words, since all their numbers would say nothing: their shape, and from where to where they go. */
  async #tensorCells(frame: Frame, columns: readonly Column[], part: Selection): Promise<Map<string, Cell[]>> {
    const tensors = columns.filter(({ type }) => type === "tensor");
    if (tensors.length === 0) return new Map();
    const names = tensors.map(({ name }) => name);
    const found = await readExtents(this.#duck, frame.relation, { ...part, columns: names });
    const words = (extent: Extent | null, shape: readonly number[] | undefined) => {
      if (extent === null) return null;
      const { least, most, size } = extent;
      const digits = (value: number | null) => String(Number((value ?? 0).toPrecision(3)));
      return `${(shape ?? [size]).join("×")}, ${digits(least)} to ${digits(most)}`;
    };
    return new Map(tensors.map(({ name, shape }, k) => [name, found[k].map((extent) => words(extent, shape))]));
  }

  /** Tensors are never missing where blocks make them, and counting them would read them all. */
  async #missing({ relation, rows }: Frame, all: readonly Column[], made: Made | null): Promise<number[]> {
    const names = all.filter(({ type }) => type !== "tensor").map(({ name }) => name);
    const holes = made
      ? await missingUnwritten(this.#duck, made, names, rows)
      : await countNulls(this.#duck, relation, names);
    const found = new Map(names.map((name, k) => [name, holes[k]]));
    return all.map(({ name }) => found.get(name) ?? 0);
  }
}

/** Rows as a table with roles and types. */
function tableOf(
  { x, y, rows: total }: Frame,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  missing: readonly number[],
  named: ReadonlySet<string>,
): TableView {
  const roleOf = (name: string) => (x?.includes(name) ? "x" : y?.includes(name) ? "y" : null);
  return {
    kind: "table",
    columns: columns.map((column, k) => {
      const role = roleOf(column.name);
      return {
        name: column.name,
        type: column.type === "number" && column.integer ? "integer" : column.type,
        ...(role ? { role } : {}),
        missing: missing[k],
        ...(named.has(column.name) ? { named: true } : {}),
      };
    }),
    rows,
    total,
  };
}

function missingIn(cells: readonly Cell[]): number {
  return cells.reduce<number>((sum, cell) => sum + (cell === null ? 1 : 0), 0);
}

/** A stored block as its view and its explanation get it. */
async function finishedOf(state: State, before: State | null, output: string | null): Promise<Finished> {
  return {
    block: { id: state.blockId, code: state.code, name: byCode(state.code).name },
    args: state.args as Record<string, unknown>,
    before: before?.frame ?? null,
    after: state.frame,
    output: output === null ? undefined : ((await parseInSlices(output)) as Json),
    report: state.report,
  };
}

/** What a stored block did and why one would; `output`: its output as JSON. */
export async function explanationOfState(
  state: State,
  before: State | null,
  output: string | null,
  duck: Duck,
): Promise<Explanation> {
  const stale = state.stale ? ["Stale: a block before this one was replaced. Run it again."] : [];
  const told = explanationOf(await finishedOf(state, before, output), [...state.notices, ...stale]);
  const reading = isOnCluster(state.frame.relation)
    ? "its rows lie on Spark, and its plan runs there; what is shown of it alone comes here"
    : explainReading(duck, state.frame);
  return { ...told, reading };
}

/** What a stored block shows: its own view, or the default for its kind of result; notices first. `output`: as JSON. */
export async function viewOfState(
  state: State,
  before: State | null,
  output: string | null,
  reader: Reader,
): Promise<View> {
  const block = byCode(state.code);
  const finished = await finishedOf(state, before, output);
  const own = block.view ? await block.view(finished as never, reader) : await defaultView(finished, reader);
  const stale = state.stale && text("Stale: a block before this one was replaced. Run it again.", "warning");
  return stack(...state.notices.map((notice) => text(notice, "warning")), stale, own);
}

async function defaultView({ output, after }: Finished, reader: Reader): Promise<View> {
  return output === undefined ? await reader.head(after) : text(JSON.stringify(output, null, 2));
}
