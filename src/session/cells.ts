import type { ProjectRecord } from "../core/record.ts";

/** The cell that runs now, as the evaluator tells it. */
export interface CurrentCell {
  readonly id?: string;
  readonly signal: AbortSignal;
}

/** The evaluator puts a function here that tells the running cell; without one there are no cells. */
const seam = Symbol.for("blocklab.cell");

/** The cell that runs now, if any. */
export function currentCell(): CurrentCell | undefined {
  return (globalThis as { [seam]?: () => CurrentCell | undefined })[seam]?.();
}

interface CellRun {
  readonly signal: AbortSignal;
  /** The session's last block when the cell first began. */
  readonly before: number;
  /** The blocks it made, in order; run again, it replaces them in this order. */
  readonly made: Made[];
  used: number;
  /** Blocks that this run found unchanged, and those that it made anew in the place of another. */
  readonly kept: number[];
  readonly replaced: number[];
}

/** What a cell that ran again did to the blocks it had made before. */
export interface Rerun {
  /** Block ids that answered from the cache. */
  readonly kept: readonly number[];
  /** Block ids that stand for something else now. */
  readonly replaced: readonly number[];
}

/** A block that a cell made. */
export interface Made {
  readonly block: number;
  /** The id of its state record, another one after each true run. */
  readonly state: number;
}

/** What a cell made in a project, to be remembered beyond the session. */
export interface CellBlocks {
  /** The session's last block when the cell first began. */
  readonly before: number;
  readonly made: readonly Made[];
}

/** The books of the sessions there are. */
const books = new WeakMap<object, CellBook>();

/** What a session's cells made; for who has them run again in another session. */
export function cellBookOf(session: object): CellBook {
  const book = books.get(session) ?? new CellBook();
  books.set(session, book);
  return book;
}

/**
 * Remembers which blocks each cell made, so that a cell run again replaces its own blocks.
 *
 * A run is told from the next by its signal, which is new each time.
 */
export class CellBook {
  readonly #projects = new Map<ProjectRecord["id"], Map<string, CellRun>>();
  #runs = new Map<string, CellRun>();

  /** Where the session must rewind to because this cell has just begun again; null when it hasn't. */
  enter(cell: CurrentCell | undefined, last: number): number | null {
    if (!cell?.id) return null;
    const known = this.#runs.get(cell.id);
    if (known?.signal === cell.signal) return null;
    // A cell that came before all blocks and made none, as when one above it had failed, begins where the session is now.
    const began = this.began(cell.id);
    this.#runs.set(cell.id, {
      signal: cell.signal,
      before: began ?? last,
      made: known?.made ?? [],
      used: 0,
      kept: [],
      replaced: [],
    });
    return began;
  }

  /** Where a cell began when it ran, and will begin again; null where it has not run. */
  began(id: string): number | null {
    const known = this.#runs.get(id);
    return known && (known.before > 0 || known.made.length > 0) ? known.before : null;
  }

  /** The block id that this cell's next block takes over, or `fresh` when it has none left. */
  next(cell: CurrentCell | undefined, fresh: number): number {
    const run = cell?.id ? this.#runs.get(cell.id) : undefined;
    return run?.made[run.used]?.block ?? fresh;
  }

  /** Records that a block of this cell was stored; one that failed leaves its id for the next. */
  stored(cell: CurrentCell | undefined, block: number, state: number): Rerun | null {
    const run = cell?.id ? this.#runs.get(cell.id) : undefined;
    if (!run) return null;
    const before = run.made[run.used];
    if (before) (before.state === state ? run.kept : run.replaced).push(block);
    run.made[run.used++] = { block, state };
    return run;
  }

  /** What the cells of a project made so far, by their ids. */
  blocks(project: ProjectRecord["id"]): Map<string, CellBlocks> {
    const runs = this.#projects.get(project) ?? new Map<string, CellRun>();
    return new Map([...runs].map(([id, { before, made }]) => [id, { before, made: [...made] }]));
  }

  /** Takes it that a cell made these blocks; not where it has run in this session. */
  adopt(project: ProjectRecord["id"], id: string, { before, made }: CellBlocks): void {
    const runs = this.#projects.get(project) ?? new Map<string, CellRun>();
    this.#projects.set(project, runs);
    if (runs.has(id)) return;
    // The signal of no run, so that its next one begins anew.
    const { signal } = new AbortController();
    runs.set(id, { signal, before, made: [...made], used: 0, kept: [], replaced: [] });
  }

  /** Turns to a project's cells: one that opens its project itself replaces its blocks there when it runs again. */
  open(project: ProjectRecord["id"]): void {
    this.#runs = this.#projects.get(project) ?? new Map();
    this.#projects.set(project, this.#runs);
  }
}
