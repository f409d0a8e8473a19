import { copyFile, rm, stat, writeFile } from "node:fs/promises";
import type { TypedColumns } from "../core/column-values.ts";
import { BlocklabError, CancelledError, DataError, NotFoundError } from "../core/errors.ts";
import { type Column, columnsNamed, type Frame, projection, type Variable } from "../core/frame.ts";
import { count, didYouMean, listed, quoted } from "../core/names.ts";
import type { Selection } from "../core/selection.ts";
import {
  cellBatches,
  type Duck,
  describeParquet,
  readCells,
  readListFile,
  readTensors,
  readTyped,
  writeMade,
  writeTableFile,
} from "../engines/duckdb/index.ts";
import { type Chain, listFiles } from "../engines/onnx/chain.ts";
import { isOnCluster, type Relation, withHeld } from "../plan/node.ts";
import { namedIn, type Seal } from "../store/artifacts.ts";
import { isArtifactId } from "../store/files.ts";
import { type Artifact, frameText } from "../store/state.ts";
import type { Store } from "../store/store.ts";
import { arrowBytes, npyBytes, npyTensors } from "./binary.ts";
import type { Far } from "./cluster/far.ts";
import type {
  Caller,
  FileFormat,
  FileOptions,
  Part,
  Reading,
  ReadyFile,
  TableBatch,
  TableData,
  TableFormat,
} from "./contract.ts";
import type { ModelShelf } from "./model-shelf.ts";
import { writeOnnx } from "./onnx-file.ts";
import { Pages, searchable } from "./pages.ts";
import type { Quota } from "./quota.ts";

const mediaTypes: Readonly<Record<FileFormat, string>> = {
  csv: "text/csv; charset=utf-8",
  json: "application/json",
  parquet: "application/vnd.apache.parquet",
  arrow: "application/vnd.apache.arrow.file",
  npy: "application/octet-stream",
  onnx: "application/octet-stream",
  "onnx-chain": "application/octet-stream",
};

interface Table {
  readonly relation: Relation;
  readonly selection: Selection;
  readonly columns: readonly Column[];
  readonly total: number;
}

/** Writes a file in some format. */
type Write = (path: string) => Promise<void>;

/** Makes artifacts readable: a projection is written out when it is first read whole, then kept. */
export class Materials {
  readonly #store: Store;
  readonly #duck: Duck;
  readonly #models: ModelShelf;
  readonly #quota: Quota;
  /** One writing at a time per file, however many ask for it. */
  readonly #writing = new Map<string, Promise<Seal>>();
  readonly #pages: Pages;
  /** The artifacts that frames in memory name; a long chain's is a megabyte of JSON. */
  readonly #named = new WeakMap<Frame, ReadonlySet<string>>();

  readonly #far: Far;

  constructor(store: Store, duck: Duck, models: ModelShelf, quota: Quota, far: Far) {
    this.#far = far;
    this.#store = store;
    this.#quota = quota;
    this.#duck = duck;
    this.#models = models;
    this.#pages = new Pages(duck);
  }

  kind(caller: Caller, id: string): "table" | "json" {
    return this.#artifact(caller, id).kind === "json" ? "json" : "table";
  }

  /** The relation behind a table artifact. */
  async relationOf(caller: Caller, id: string): Promise<{ relation: Relation; selection: Selection }> {
    const { relation, selection } = await this.#table(caller, id);
    return { relation, selection };
  }

  /** A Parquet file with the whole of a table artifact. */
  async tableFile(caller: Caller, id: string): Promise<string> {
    const file = await this.file(caller, id, "parquet");
    return file.path;
  }

  /** A part of a table in memory. */
  async table(caller: Caller, id: string, part: Part = {}, { signal }: Reading = {}): Promise<TableData> {
    const table = await this.#table(caller, id, true);
    const { columns, selection } = narrowed(table, part);
    if (isOnCluster(table.relation)) return await this.#farPage(table, columns, selection, signal);
    const { cells, total } = await this.#pages.read(id, table.relation, selection, table.total);
    const rows = Array.from({ length: cells[0]?.length ?? 0 }, (_, i) => cells.map((values) => values[i]));
    return { columns, rows, total };
  }

  /** A table or a part of it while it is read: some rows at a time, one array per column. */
  async *batches(caller: Caller, id: string, part: Part = {}): AsyncGenerator<TableBatch> {
    const table = await this.#table(caller, id);
    const { columns, selection } = narrowed(table, part);
    for await (const cells of cellBatches(this.#duck, table.relation, selection)) yield { columns, cells };
  }

  /** A part of a table in memory, column by column in the forms of their types. */
  async columns(caller: Caller, id: string, part: Part = {}): Promise<TypedColumns> {
    const table = await this.#table(caller, id);
    const { columns, selection } = narrowed(table, part);
    return { columns, values: await readTyped(this.#duck, table.relation, selection, columns) };
  }

  /** A table or a part of it as a file in some format; a model as ONNX, or as it is. */
  async file(caller: Caller, id: string, format: FileFormat, part: Part & FileOptions = {}): Promise<ReadyFile> {
    const isModel = this.kind(caller, id) === "json";
    const isOnnx = format === "onnx" || format === "onnx-chain";
    if (isOnnx && !isModel) {
      throw new BlocklabError(400, `artifact ${quoted(id)} is a table, and ONNX is a form of models.`, {
        code: "not_a_model",
        path: "format",
        got: format,
      });
    }
    if (isOnnx) {
      const frame = format === "onnx" ? undefined : this.#frameOf(caller, id);
      const write = async (path: string) =>
        await writeOnnx(await this.#models.load(id), path, frame && (await this.#chainOf(frame)));
      return await this.#copy(caller, id, format, write);
    }
    if (isModel) return await this.#asItIs(id, "json");
    if (isWhole(part)) {
      const whole = await this.#whole(caller, id, format);
      return typeof whole === "function" ? await this.#copy(caller, id, format, whole) : whole;
    }
    const table = await this.#table(caller, id);
    const { columns, selection } = narrowed(table, part);
    const path = this.#store.files.temporary();
    await this.#write(table.relation, selection, columns, format, path, part);
    const { size } = await stat(path);
    return { path, mediaType: mediaTypes[format], bytes: size, sha256: null, temporary: true };
  }

  /** What the block that trained a model had before it. */
  #frameOf(caller: Caller, id: string): Frame {
    const { state } = this.#artifact(caller, id);
    const trained = state === null ? null : this.#store.state(caller.owner, state);
    if (trained) return trained.frame;
    throw new NotFoundError(`artifact ${quoted(id)} has lost its block; run the block again.`);
  }

  /** The chain with the lists that its steps take from files. */
  async #chainOf({ raw, reading, lineage }: Frame): Promise<Chain> {
    const files = listFiles(lineage).map(async (file) => [file, await readListFile(this.#duck, file)] as const);
    return { raw, reading, lineage, lists: new Map(await Promise.all(files)) };
  }

  /** Writes what `file` hands out to a path; what lies on the disk already is copied. */
  async save(caller: Caller, id: string, format: FileFormat, path: string, options: FileOptions = {}): Promise<void> {
    if (this.kind(caller, id) === "json" || format === "onnx" || format === "onnx-chain") {
      return await copyFile((await this.file(caller, id, format)).path, path);
    }
    if (options.formulas !== undefined) {
      const table = await this.#table(caller, id);
      const { columns, selection } = narrowed(table, {});
      return await this.#write(table.relation, selection, columns, format, path, options);
    }
    const whole = await this.#whole(caller, id, format);
    if (typeof whole !== "function") return await copyFile(whole.path, path);
    const kept = await this.#kept(id, format);
    await (kept ? copyFile(kept.path, path) : whole(path));
  }

  /** A whole table in some format: the file that lies there as such, or what writes it. */
  async #whole(caller: Caller, id: string, format: TableFormat): Promise<ReadyFile | Write> {
    if (format === "parquet" && this.#artifact(caller, id).kind === "table") return await this.#asItIs(id, format);
    const table = await this.#table(caller, id);
    if (format === "parquet" && (await this.#isFile(table))) return await this.#asItIs(table.relation.artifact, format);
    const { columns, selection } = narrowed(table, {});
    return (path) => this.#write(table.relation, selection, columns, format, path);
  }

  async #asItIs(id: string, format: FileFormat): Promise<ReadyFile> {
    const { files, artifacts } = this.#store;
    return { path: files.path(id), mediaType: mediaTypes[format], ...(await artifacts.check(id)), temporary: false };
  }

  /** The artifact's file in another format, where one is kept. */
  async #kept(id: string, format: FileFormat): Promise<ReadyFile | null> {
    const seal = await this.#store.artifacts.copy(id, format);
    return seal && this.#copied(id, format, seal);
  }

  #copied(id: string, format: FileFormat, seal: Seal): ReadyFile {
    return { path: this.#store.files.path(id, format), mediaType: mediaTypes[format], ...seal, temporary: false };
  }

  /** The artifact's file in another format: the one that is kept, else one that is written and kept. */
  async #copy(caller: Caller, id: string, format: FileFormat, write: Write): Promise<ReadyFile> {
    const kept = await this.#kept(id, format);
    if (kept) return kept;
    const seal = await this.#once(`${id}.${format}`, () =>
      this.#keep(caller.owner, write, (path) => this.#store.artifacts.keepCopy(id, format, path)),
    );
    return this.#copied(id, format, seal);
  }

  async #once(key: string, work: () => Promise<Seal>): Promise<Seal> {
    const running = this.#writing.get(key) ?? work().finally(() => this.#writing.delete(key));
    this.#writing.set(key, running);
    return await running;
  }

  /** Writes a file in a temporary place, as long as there is room, and hands it to who keeps it. */
  async #keep(owner: string, write: Write, keep: (path: string) => Promise<Seal>): Promise<Seal> {
    const path = this.#store.files.temporary();
    const hold = this.#quota.hold(owner);
    try {
      await write(path);
      hold.add((await stat(path)).size);
      return await keep(path);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      hold.end();
    }
  }

  async #write(
    relation: Relation,
    selection: Selection,
    columns: readonly Column[],
    format: TableFormat,
    path: string,
    { formulas }: FileOptions = {},
  ): Promise<void> {
    refuseFormulas(format, formulas);
    if (format === "parquet" || format === "csv" || format === "json") {
      const form = { format, columns, isSafe: formulas === "escape" };
      return await writeTableFile(this.#duck, relation, selection, form, path);
    }
    if (format === "npy" && columns.length === 1 && columns[0].type === "tensor") {
      const tensors = await readTensors(this.#duck, relation, { ...selection, columns: [columns[0].name] });
      return await writeFile(path, npyTensors(columns[0], tensors));
    }
    if (format === "arrow") {
      const values = await readTyped(this.#duck, relation, selection, columns);
      return await writeFile(path, await arrowBytes({ columns, values }));
    }
    await writeFile(path, npyBytes(columns, await readCells(this.#duck, relation, selection)));
  }

  #artifact(caller: Caller, id: string): Artifact {
    const found = isArtifactId(id) ? this.#store.artifacts.find(caller.owner, id) : null;
    if (!found)
      throw new NotFoundError(
        `there is no artifact ${quoted(id)}, or it belongs to another key; its block may have been replaced.`,
        { code: "unknown_artifact" },
      );
    return found;
  }

  /** A page of a table that lies on a cluster. */
  async #farPage(
    { relation, total }: Table,
    columns: readonly Column[],
    selection: Selection,
    signal?: AbortSignal,
  ): Promise<TableData> {
    const { limit = Number.POSITIVE_INFINITY } = selection;
    if (limit > mostFarRows && total > mostFarRows) throw onCluster(total);
    const page = { ...selection, limit: Math.min(limit, mostFarRows) };
    const rows = limit === 0 ? [] : await this.#far.cells(relation, page, signal);
    return { columns, rows, total: selection.search ? await this.#far.countFound(relation, selection, signal) : total };
  }

  /** The table behind an artifact; `mayBeFar`: also one whose rows lie on a cluster. */
  async #table(caller: Caller, id: string, mayBeFar = false): Promise<Table> {
    const found = await this.#anyTable(caller, id);
    if (!mayBeFar && isOnCluster(found.relation)) throw onCluster(found.total);
    return found;
  }

  async #anyTable(caller: Caller, id: string): Promise<Table> {
    const artifact = this.#artifact(caller, id);
    if (artifact.kind === "json")
      throw new BlocklabError(400, `artifact ${quoted(id)} is a model, not a table.`, { code: "not_a_table" });
    if (artifact.kind === "projection") return await this.#projection(caller, artifact);
    await this.#store.artifacts.check(id);
    const { columns, rows } = await describeParquet(this.#duck, this.#store.files.path(id));
    return { relation: { artifact: id, steps: [] }, selection: {}, columns, total: rows };
  }

  /** Is it the whole of a file as it lies there, so that nothing has to be written? */
  async #isFile({ relation, selection, columns }: Table): Promise<boolean> {
    const { subset = "all" } = selection;
    if (relation.steps.length > 0 || subset !== "all") return false;
    const file = await describeParquet(this.#duck, this.#store.files.path(relation.artifact));
    return JSON.stringify(file.columns.map(({ name }) => name)) === JSON.stringify(columns.map(({ name }) => name));
  }

  /** Sees to it that all files which a frame reads are there, and as they were written. */
  async whole(owner: string, frame: Frame, signal?: AbortSignal): Promise<void> {
    const named = this.#named.get(frame) ?? new Set(namedIn(frameText(frame)));
    this.#named.set(frame, named);
    const unwritten = withHeld(frame.relation).filter((each) => this.isUnwritten(each));
    const later = new Set(unwritten.map(({ artifact }) => artifact));
    for (const id of named) if (!later.has(id)) await this.#store.artifacts.check(id);
    for (const relation of unwritten) await this.#writeLater(owner, relation, signal);
  }

  /** Is a table's file still to be written? */
  isUnwritten({ artifact, holds }: Relation): boolean {
    return holds !== undefined && artifact !== "" && this.#store.artifacts.isUnwritten(artifact);
  }

  /** Writes a file that was to be written later; who reads it meanwhile waits for the same. */
  async #writeLater(owner: string, { artifact, holds }: Relation, signal?: AbortSignal): Promise<void> {
    if (!holds) return;
    const write: Write = (path) => writeMade(this.#duck, holds, path, signal);
    const keep = (path: string) => this.#store.artifacts.fulfil(artifact, path);
    while (this.#store.artifacts.isUnwritten(artifact)) {
      await this.#once(artifact, () => this.#keep(owner, write, keep)).catch((error: unknown) => {
        // Who began may have given up, and this one goes on.
        if (!(error instanceof CancelledError) || signal?.aborted) throw error;
      });
    }
  }

  async #projection(caller: Caller, artifact: Artifact): Promise<Table> {
    const state = this.#store.state(caller.owner, artifact.state as number);
    const part = state && projection(state.frame, artifact.variable as Variable);
    if (!state || !part)
      throw new NotFoundError(`artifact ${quoted(artifact.id)} has lost its block; run the block again.`);
    const { frame } = state;
    await this.whole(caller.owner, frame);
    const columns = columnsNamed(frame.columns, part.columns);
    const total = part.subset === "all" || !frame.split ? frame.rows : frame.split[part.subset];
    return {
      relation: frame.relation,
      selection: { columns: part.columns, subset: part.subset, split: frame.split },
      columns,
      total,
    };
  }
}

/** So many rows of a table on a cluster come at a time. */
const mostFarRows = 10_000;

function onCluster(rows: number): DataError {
  return new DataError(
    `the table's ${count(rows, "row")} lie on Spark, from where up to ${mostFarRows.toLocaleString("en-US")} at a time are read; collect() brings all of them here.`,
    { code: "on_cluster", got: rows },
  );
}

function refuseFormulas(format: TableFormat, formulas: FileOptions["formulas"]): void {
  if (formulas === undefined || format === "csv") return;
  throw new BlocklabError(400, `formulas are escaped in CSV alone, got the format ${quoted(format)}.`, {
    path: "formulas",
    got: format,
    expected: "csv",
  });
}

function isWhole(part: Part & FileOptions): boolean {
  return Object.values(part).every((each) => each === undefined);
}

function narrowed(table: Table, part: Part): { columns: readonly Column[]; selection: Selection } {
  const names = table.columns.map((column) => column.name);
  const wanted = part.columns ?? names;
  mustBeThere("columns", wanted, names);
  mustBeThere("sort", part.sort === undefined ? [] : [part.sort], names);
  const columns = columnsNamed(table.columns, wanted);
  const { offset, limit, sort, descending, search: text } = part;
  const search = text && {
    text,
    columns: searchable(table.columns, text),
  };
  return {
    columns,
    selection: { ...table.selection, columns: wanted, offset, limit, sort, descending, ...(search ? { search } : {}) },
  };
}

function mustBeThere(path: string, wanted: readonly string[], names: readonly string[]): void {
  const known = new Set(names);
  const unknown = wanted.find((name) => !known.has(name));
  if (unknown === undefined) return;
  throw new BlocklabError(
    400,
    `${path}: ${quoted(unknown)} is not in the table.${didYouMean(unknown, names)} Columns: ${listed(names)}.`,
    { code: "unknown_column", path, got: unknown },
  );
}
