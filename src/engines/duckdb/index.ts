import { writeFile } from "node:fs/promises";
import type { Column } from "../../core/frame.ts";
import type { ImageOptions, IngestedImages } from "../../core/images.ts";
import type { ClassColumn, NumberColumns, SparseColumns } from "../../core/matrix.ts";
import { modelText } from "../../core/model.ts";
import type { Held, RowOutputs, RowSink } from "../../core/rows.ts";
import type { Selection } from "../../core/selection.ts";
import type {
  Groups,
  Ingested,
  IngestOptions,
  Pairs,
  Rows,
  Selected,
  Sketch,
  SourceFile,
  Summing,
  TableSelection,
  Tables,
  WriteColumn,
} from "../../core/tables.ts";
import type { Cell } from "../../core/view.ts";
import type { Joined, Made, Relation } from "../../plan/node.ts";
import type { Sql } from "../sql.ts";
import { aggregateRows, findRows, groupRows, numbersWhere } from "./aggregate.ts";
import { isWrittenLater } from "./choose.ts";
import type { Duck } from "./duck.ts";
import { exactly } from "./exact.ts";
import { filledTable } from "./fill-gaps.ts";
import { readImages } from "./ingest/images.ts";
import { describeParquet, ingestFile } from "./ingest/ingest.ts";
import { readPicture } from "./ingest/pictures.ts";
import { keepRows } from "./keep.ts";
import { partedTable } from "./parted.ts";
import { queryTables } from "./query.ts";
import { countNulls } from "./read/null-counts.ts";
import { lookAtNumbers, readCells, readClasses, readNumbers, rowNumbers } from "./read/read.ts";
import { readSparse } from "./read/read-sparse.ts";
import { selectionMask } from "./read/selection-mask.ts";
import { summedColumns } from "./read/summed.ts";
import { originals, repeats } from "./repeats.ts";
import { writeRows } from "./rows.ts";
import { askedOfGroups, countPairs, selectGroups, selectMade, selectOrder, selectPairs } from "./settle.ts";
import { sketchRows } from "./sketch.ts";
import { rowsIn, writeColumns, writeParquet } from "./write.ts";
import { writeTable, writeTaken } from "./write-table.ts";

export { aggregateRows } from "./aggregate.ts";
export { Duck, type DuckOptions, SqlFailure } from "./duck.ts";
export { explainReading } from "./explain-reading.ts";
export { withArchive } from "./ingest/archive.ts";
export { describeParquet } from "./ingest/ingest.ts";
export { keptAsFloats, keptAsText } from "./ingest/long-numbers.ts";
export { heldAs, MixedColumn } from "./ingest/mixed.ts";
export { thumbnail } from "./ingest/pictures.ts";
export { countNulls } from "./read/null-counts.ts";
export {
  cellBatches,
  countFound,
  type Extent,
  readCells,
  readExtents,
  readListFile,
  readOrder,
  readRows,
  readTensors,
} from "./read/read.ts";
export { readTyped } from "./read/typed.ts";
export { showPlan } from "./show.ts";
export { firstUnwritten, missingUnwritten, writeMade } from "./unwritten.ts";
export { writeTableFile } from "./write-table.ts";

/** Where new artifacts are put: under a temporary name first, then kept. */
export interface Shelf {
  /** A temporary path, and `keep`, which makes the file an artifact and answers its id. */
  place(extension: string): Promise<{ readonly path: string; keep(): Promise<string>; drop(): Promise<void> }>;
  /** The id of a table whose file is written when it is first read. */
  promise(): string;
  /** Removes an artifact of the same block. */
  discard(artifact: string): Promise<void>;
}

/** Less text than this is not worth a call to the file system. */
const pieceLetters = 1 << 16;

/** The same text in fewer pieces: those of a model's text are mostly a name or a number. */
function* inPieces(texts: Iterable<string>): Generator<string> {
  let piece = "";
  for (const text of texts) {
    piece += text;
    if (piece.length < pieceLetters) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

/** The tables that one running block works with; its signal stops them. */
export class EngineTables implements Tables {
  readonly isFar = false;
  readonly here: Tables = this;
  readonly broughtCells = 0;
  readonly #duck: Duck;
  readonly #shelf: Shelf;
  readonly #signal: AbortSignal;

  constructor(duck: Duck, shelf: Shelf, signal: AbortSignal) {
    this.#duck = duck;
    this.#shelf = shelf;
    this.#signal = signal;
  }

  async collect(relation: Relation): Promise<Relation> {
    return relation;
  }

  async aggregate(...[relation, rows, aggregates]: Parameters<Tables["aggregate"]>): Promise<Cell[]> {
    return await aggregateRows(this.#duck, relation, rows, aggregates, this.#signal);
  }

  async groups(...[relation, rows, grouping]: Parameters<Tables["groups"]>): Promise<Groups> {
    return await groupRows(this.#duck, relation, rows, grouping, this.#signal);
  }

  async find(...[relation, rows, wanted]: Parameters<Tables["find"]>): Promise<Cell[][]> {
    return await findRows(this.#duck, relation, rows, wanted, this.#signal);
  }

  async sketch(...[relation, rows, sketching]: Parameters<Tables["sketch"]>): Promise<Sketch> {
    return await sketchRows(this.#duck, relation, rows, sketching, this.#signal);
  }

  async numbers(
    relation: Relation,
    selection: Selection & { readonly columns: readonly string[] },
  ): Promise<NumberColumns> {
    return await readNumbers(this.#duck, relation, selection, this.#signal);
  }

  async look(
    relation: Relation,
    selection: TableSelection,
    memory?: Float64Array,
  ): Promise<NumberColumns & { readonly isKept: boolean }> {
    return await lookAtNumbers(this.#duck, relation, selection, this.#signal, memory);
  }

  async sums<Part, All>(
    relation: Relation,
    rows: Rows,
    columns: readonly Column[],
    summing: Summing<Part, All>,
  ): Promise<All[]> {
    return await summedColumns(this.#duck, relation, rows, columns, summing, this.#signal);
  }

  async keep(...[relation, keeping]: Parameters<Tables["keep"]>): Promise<Relation> {
    return await keepRows(relation, keeping, this);
  }

  async mask(...[relation, rows, where]: Parameters<Tables["mask"]>): Promise<Uint8Array> {
    return await selectionMask(this.#duck, numbersWhere(relation, where), rows, this.#signal);
  }

  async filled(...[relation, filling]: Parameters<Tables["filled"]>): Promise<Relation | null> {
    return await filledTable(relation, filling, this);
  }

  async settle(made: Made): Promise<{ readonly relation: Relation; readonly rows: number }> {
    const exact = made.made === "groups" && (await exactly(this.#duck, askedOfGroups(made), this.#signal));
    const artifact = await this.write(exact ? selectGroups(made, exact) : selectMade(made));
    return { relation: { artifact, steps: [], holds: made }, rows: await this.#duck.facts.rows(artifact) };
  }

  async settleLater(...[made, size]: Parameters<Tables["settleLater"]>): Promise<Relation> {
    if (!isWrittenLater(size)) return (await this.settle(made)).relation;
    return { artifact: this.#shelf.promise(), steps: [], holds: made };
  }

  async order(...[relation, by]: Parameters<Tables["order"]>): Promise<Int32Array> {
    return await rowNumbers(this.#duck, selectOrder(relation, by), this.#signal);
  }

  async pairs(made: Joined): Promise<Pairs> {
    const [found] = await this.#duck.rows(countPairs(made), this.#signal);
    const [rows, left, right, most] = found.map(Number);
    return { rows, left, right, most };
  }

  async pairRows(made: Joined): Promise<Int32Array> {
    return await rowNumbers(this.#duck, selectPairs(made), this.#signal);
  }

  async select(...[query, who]: Parameters<Tables["select"]>): Promise<Selected> {
    let columns: Column[] = [];
    const artifact = await this.#keep("parquet", async (path) => {
      columns = await queryTables(this.#duck, query, path, who, this.#signal);
    });
    const rows = await this.#duck.facts.rows(artifact);
    return { relation: { artifact, steps: [], holds: { made: "query", ...query, columns } }, columns, rows };
  }

  async repeats(...[relation, columns, rows, others]: Parameters<Tables["repeats"]>): Promise<number> {
    const [[found]] = await this.#duck.rows(repeats(relation, columns, rows, others), this.#signal);
    return Number(found);
  }

  async parted(...[relation, parted]: Parameters<Tables["parted"]>): Promise<Relation> {
    return await partedTable(relation, parted, this);
  }

  async originals(...[relation, rows, columns, keep]: Parameters<Tables["originals"]>): Promise<Uint8Array> {
    return await selectionMask(this.#duck, originals(relation, columns, keep), rows, this.#signal);
  }

  async missing(relation: Relation, names: readonly string[]): Promise<number[]> {
    return await countNulls(this.#duck, relation, names, this.#signal);
  }

  async sparse(
    relation: Relation,
    selection: Selection & { readonly columns: readonly string[] },
  ): Promise<{ readonly x: SparseColumns; readonly plain: readonly number[] } | null> {
    return await readSparse(this.#duck, relation, selection, this.#signal);
  }

  async classes(
    relation: Relation,
    name: string,
    selection?: Selection & { readonly labels?: ClassColumn["labels"] },
  ): Promise<ClassColumn> {
    return await readClasses(this.#duck, relation, name, selection, this.#signal);
  }

  async cells(relation: Relation, selection: Selection): Promise<Cell[][]> {
    return await readCells(this.#duck, relation, selection, this.#signal);
  }

  /** Runs a SELECT into a new Parquet file and answers its artifact id. */
  async write(statement: Sql): Promise<string> {
    return await this.#keep("parquet", (path) => writeParquet(this.#duck, statement, path, this.#signal));
  }

  /** Writes a SELECT that looks up a number for each row: `item` is SQL for that of a row's number. */
  async writeWith(items: Uint8Array, statement: (item: (row: Sql) => Sql) => Sql): Promise<string> {
    return await this.#duck.withItems(items, (item, engine) =>
      this.#keep("parquet", (path) => writeParquet(engine, statement(item), path, this.#signal)),
    );
  }

  async writeTable(...[relation, selection, made = []]: Parameters<Tables["writeTable"]>): Promise<string> {
    return await this.#keep("parquet", (path) => writeTable(this.#duck, relation, selection, made, path, this.#signal));
  }

  async writeTaken(...[relation, taking]: Parameters<Tables["writeTaken"]>): Promise<string> {
    return await this.#keep("parquet", (path) => writeTaken(this.#duck, relation, taking, path, this.#signal));
  }

  async writeColumns(columns: readonly WriteColumn[]): Promise<string> {
    const artifact = await this.#keep("parquet", (path) => writeColumns(this.#duck, columns, path, this.#signal));
    if (columns[0]) this.#duck.facts.told(artifact, rowsIn(columns[0]));
    return artifact;
  }

  async writeJson(value: unknown): Promise<string> {
    return await this.#keep("json", (path) => writeFile(path, inPieces(modelText(value))));
  }

  /** Writes a text that comes in pieces. */
  async writePieces(pieces: AsyncIterable<string>): Promise<string> {
    return await this.#keep("json", (path) => writeFile(path, pieces));
  }

  async discard(artifact: string): Promise<void> {
    await this.#shelf.discard(artifact);
  }

  async describe(artifact: string): Promise<{ columns: Column[]; rows: number }> {
    return await describeParquet(this.#duck, this.#duck.path(artifact));
  }

  async ingest(source: SourceFile, options: IngestOptions): Promise<Ingested> {
    let read: Omit<Ingested, "artifact"> | undefined;
    const artifact = await this.#keep("parquet", async (path) => {
      read = await ingestFile(this.#duck, source, options, path, this.#signal);
    });
    return { artifact, ...(read as Omit<Ingested, "artifact">) };
  }

  async images(
    source: SourceFile,
    options: ImageOptions,
    progress: (done: number, total: number) => void,
  ): Promise<IngestedImages> {
    let read: Awaited<ReturnType<typeof readImages>> | undefined;
    const artifact = await this.#keep("parquet", async (path) => {
      read = await readImages(source, options, {
        duck: this.#duck,
        signal: this.#signal,
        progress,
        write: (holds, fill) => writeRows(this.#duck, holds, path, fill, this.#signal),
      });
    });
    return { artifact, ...(await this.describe(artifact)), ...(read as NonNullable<typeof read>) };
  }

  async picture(source: SourceFile, size: readonly [number, number], rescale: boolean): Promise<Float32Array> {
    return await readPicture(source, size, rescale);
  }

  /** Writes rows that `fill` hands over in batches; it answers the output columns in SQL over `c0`, `c1` … */
  async fromRows(
    holds: readonly Held[],
    fill: (sink: RowSink) => Promise<RowOutputs>,
  ): Promise<Omit<Ingested, "notices">> {
    const artifact = await this.#keep("parquet", (path) => writeRows(this.#duck, holds, path, fill, this.#signal));
    return { artifact, ...(await this.describe(artifact)) };
  }

  async #keep(extension: string, fill: (path: string) => Promise<void>): Promise<string> {
    const place = await this.#shelf.place(extension);
    try {
      await fill(place.path);
      return await place.keep();
    } catch (error) {
      await place.drop();
      throw error;
    }
  }
}
