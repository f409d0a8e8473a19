import { rm } from "node:fs/promises";
import type { ArgsSpec, BlockContext, EarlierBlock, KernelHooks, TrainedOn } from "../core/block.ts";
import type { ClusterSource, Collecting, Surveyed } from "../core/cluster.ts";
import type { DatabaseQuery } from "../core/database.ts";
import { ArgsError, CancelledError, DataError, InternalError, NotFoundError } from "../core/errors.ts";
import { type Frame, projection, type Variable, variables } from "../core/frame.ts";
import type { ModelFile } from "../core/model.ts";
import type { Json } from "../core/record.ts";
import type { Selection } from "../core/selection.ts";
import type { Ingested, SourceFile, Tables } from "../core/tables.ts";
import { EngineTables, type Shelf } from "../engines/duckdb/index.ts";
import { isOnCluster, type Relation } from "../plan/node.ts";
import { byCode, validateArgs } from "../registry/index.ts";
import { sealOf } from "../store/artifacts.ts";
import { type Ancestor, type State, unknownModel } from "../store/state.ts";
import type { FarRunning, FarSurroundings } from "./cluster/far.ts";
import { noCluster } from "./cluster/known.ts";
import { mixedRefusal } from "./cluster/refusals.ts";
import { isEnginesOwn } from "./failures.ts";
import { entryOf, type Unpacking, unpacked } from "./packed.ts";
import type { Parts } from "./parts.ts";
import { ProgressMeter } from "./progress.ts";
import { replayed } from "./replay.ts";
import type { Caller, RunOptions } from "./service.ts";
import { openSource } from "./sources.ts";

/** What one running block needs to know of its surroundings. */
export interface Surroundings {
  readonly caller: Caller;
  readonly project: number;
  readonly block: BlockContext["block"];
  readonly options: RunOptions;
  /** The state it runs on; null for a source. */
  readonly parent: State | null;
  /** For a part of a block: the block's own context, with which it shares its threads. */
  readonly whole?: object;
  /** Threads that it may use (default: all). */
  readonly threads?: number;
  /** The tables of a block whose rows lie on a cluster (default: they lie here). */
  readonly far?: (running: FarRunning) => Tables;
  /** Files that the service itself hands to the block, by what it calls them. */
  readonly given?: ReadonlyMap<string, SourceFile>;
}

/** The context of one running block, and what it collected. */
export class RunningBlock implements BlockContext {
  readonly block: BlockContext["block"];
  readonly signal: AbortSignal;
  readonly tables: Tables;
  /** What it writes here, wherever its rows lie. */
  readonly here: EngineTables;
  readonly threads: number;
  readonly notices: string[] = [];
  /** Artifacts written so far; kept when the block is stored, discarded when it fails. */
  readonly written: string[] = [];
  /** The states of further blocks whose tables it looked at, by their blocks. */
  readonly used = new Map<number, number>();
  readonly #parts: Parts;
  readonly #where: Surroundings;
  readonly #meter: ProgressMeter;

  constructor(parts: Parts, where: Surroundings) {
    this.#parts = parts;
    this.#where = where;
    this.block = where.block;
    this.signal = where.options.signal ?? new AbortController().signal;
    this.threads = where.threads ?? Math.max(1, parts.pool.size);
    this.here = new EngineTables(parts.duck, shelfOf(parts, where, this.written), this.signal);
    this.#meter = new ProgressMeter(where.block.id, where.options.onProgress);
    this.tables = where.far?.(this) ?? this.here;
  }

  progress(phase: string, done: number, total: number): void {
    if (this.signal.aborted) throw new CancelledError();
    this.#meter.report(phase, done, total);
  }

  within<T>(phase: string, done: number, total: number, part: () => Promise<T>): Promise<T> {
    if (this.signal.aborted) throw new CancelledError();
    return this.#meter.within(phase, done, total, part);
  }

  async limited<T>(
    ms: number,
    work: (context: BlockContext) => Promise<T>,
    { heard = false, threads = this.threads }: { readonly heard?: boolean; readonly threads?: number } = {},
  ): Promise<T | null> {
    if (this.signal.aborted) throw new CancelledError();
    const end = AbortSignal.timeout(Math.max(0, Math.min(2 ** 31 - 1, Math.floor(ms))));
    const signal = AbortSignal.any([this.signal, end]);
    const whole = this.#where.whole ?? this;
    const part = new RunningBlock(this.#parts, { ...this.#where, whole, threads, options: { signal } });
    try {
      const found = await work(part);
      if (heard) this.notices.push(...part.notices);
      return found;
    } catch (error) {
      if (end.aborted && !this.signal.aborted) return null;
      throw error;
    } finally {
      await part.discard();
    }
  }

  notice(sentence: string): void {
    this.notices.push(sentence);
  }

  async compute<I, O>(
    kernel: (input: I, hooks: KernelHooks) => O,
    input: I,
    progress?: string | ((done: number, total: number) => void),
  ): Promise<O> {
    const onProgress =
      typeof progress === "string"
        ? (done: number, total: number) => this.#meter.report(progress, done, total)
        : // A report that comes after the end was asked for is of no use to anybody.
          progress && ((done: number, total: number) => this.signal.aborted || progress(done, total));
    try {
      const watched = { signal: this.signal, group: this.#where.whole ?? this, ...(onProgress ? { onProgress } : {}) };
      return await this.#parts.pool.run(kernel, input, watched);
    } catch (error) {
      if (this.signal.aborted) throw new CancelledError();
      // Kernels refuse impossible shapes and values by RangeError; the data is the caller's to mend.
      if (error instanceof Error && error.name === "RangeError" && !isEnginesOwn(error))
        throw new DataError(`${error.message}.`, {}, { cause: error });
      throw error;
    }
  }

  async open(dburl: string): Promise<SourceFile> {
    const { caller, given } = this.#where;
    const own = given?.get(dburl);
    if (own) return own;
    const artifact = caller.artifactIn(dburl);
    const upload = artifact === null ? (caller.uploads?.idIn(dburl) ?? null) : null;
    if (upload !== null) {
      const { path, name } = await this.#parts.library.uploaded(caller, upload);
      return await unpacked({ path, name, release: async () => undefined }, this.#unpacking);
    }
    if (artifact === null) {
      return await unpacked(await openSource(dburl, this.#parts.rules, this.signal), this.#unpacking);
    }
    const file = await this.#parts.materials.tableFile(caller, artifact);
    return { path: file, name: `${artifact}.parquet`, format: "parquet", release: async () => undefined };
  }

  async entry(source: SourceFile, choose: (paths: readonly string[]) => string | null): Promise<SourceFile | null> {
    return await entryOf(source, choose, this.#unpacking);
  }

  get #unpacking(): Unpacking {
    return { hold: () => this.#parts.quota.hold(this.#where.caller.owner), signal: this.signal };
  }

  async query(database: DatabaseQuery): Promise<Ingested> {
    // The drivers take 70 ms to load, for which no prompt should wait.
    const { readDatabase } = await import("./databases/read.ts");
    return await readDatabase(database, this.here, {
      reach: this.#parts.rules.reach,
      signal: this.signal,
      onRows: (rows) => this.progress("rows read", rows, 0),
    });
  }

  async collect(collecting: Collecting): Promise<Ingested> {
    const { cluster, rules, store } = this.#parts;
    if (cluster === null) throw noCluster();
    // Its client takes 100 ms to load.
    const { collect } = await import("./cluster/cluster.ts");
    return await collect(cluster, collecting, {
      rules,
      tables: this.here,
      signal: this.signal,
      temporary: store.files.temporary(),
      progress: (phase, done, total) => this.progress(phase, done, total),
    });
  }

  async survey(source: ClusterSource): Promise<Surveyed> {
    return await this.#parts.far.survey(source, this.aroundCluster());
  }

  /** What a session with the cluster needs of this block. */
  aroundCluster(): FarSurroundings {
    return {
      who: `${this.block.name} (${this.block.code})`,
      signal: this.signal,
      progress: (phase, done, total) => this.progress(phase, done, total),
    };
  }

  async resolve(frame: Frame, reference: string): Promise<{ relation: Relation; selection: Selection } | null> {
    const variable = reference
      .replace(/^x_value_url$/, "x")
      .replace(/^y_value_url$/, "y")
      .replace(/_url$/, "") as Variable;
    if (variables.includes(variable)) return this.#variable(frame, variable, reference);
    const artifact = this.#where.caller.artifactIn(reference);
    return artifact === null ? null : await this.#parts.materials.relationOf(this.#where.caller, artifact);
  }

  async table(block: number): Promise<Frame> {
    const { project } = this.#where;
    const { name, code, id } = this.block;
    const found = this.#parts.store.block(project, block);
    if (!found) {
      throw new NotFoundError(`${name} (${code}): there is no block ${block} in this project.`, {
        code: "unknown_block",
        got: block,
      });
    }
    if (this.#parts.store.isAtOrBefore(project, id, block)) {
      throw new ArgsError(`${name} (${code}): block ${block} builds on block ${id}, which can't be made of it.`, {
        got: block,
      });
    }
    if (found.stale) {
      this.notice(
        `block ${block} (${found.code}) is stale: a block before it was replaced. Run it again, then this one.`,
      );
    }
    if (found.frame.columns.length === 0) {
      throw new DataError(`${name} (${code}): block ${block} (${found.code}) has no table.`, { got: block });
    }
    if (isOnCluster(found.frame.relation) !== this.tables.isFar) throw mixedRefusal(`${name} (${code})`);
    await this.#parts.materials.whole(this.#where.caller.owner, found.frame, this.signal);
    this.used.set(block, found.id);
    return found.frame;
  }

  async refit<T>(
    train: Int32Array,
    test: Int32Array,
    work: (frame: Frame, fixed: readonly string[]) => Promise<T>,
  ): Promise<T> {
    const { caller, parent } = this.#where;
    if (!parent) throw new InternalError(`${this.block.name} (${this.block.code}): a source has no chain to fit anew.`);
    const options = { signal: this.signal };
    const scratch = (block: BlockContext["block"]) => new RunningBlock(this.#parts, { ...this.#where, block, options });
    return await replayed({ store: this.#parts.store, owner: caller.owner, end: parent, scratch }, train, test, work);
  }

  notes(key: string): { read(): Json | null; write(value: Json): void } {
    const { store } = this.#parts;
    const { project } = this.#where;
    return { read: () => store.note(project, key), write: (value) => store.keepNote(project, key, value) };
  }

  async model(name: string): Promise<{ file: ModelFile; artifact: string }> {
    const found = this.#parts.store.model(this.#where.project, name);
    if (!found) throw unknownModel(name, this.#parts.store.modelNames(this.#where.project));
    return { file: await this.#parts.models.load(found.artifact), artifact: found.artifact };
  }

  keeper(name: string): number | null {
    return this.#parts.store.model(this.#where.project, name)?.block ?? null;
  }

  trainedOn(name: string): TrainedOn | null {
    const { project, caller, parent } = this.#where;
    const { store } = this.#parts;
    const found = store.model(project, name);
    if (!found || !parent || found.state === parent.id) return null;
    const state = store.state(caller.owner, found.state);
    if (!state) return null;
    const [there, here] = [state, parent].map(({ id }) => originOf(store.ancestry(id)));
    return {
      block: state.blockId,
      frame: state.frame,
      isSameInput: here.source !== null && here.source === there.source,
      isSameSplit: here.split === there.split,
    };
  }

  checked(block: string | ArgsSpec, args: object): Readonly<Record<string, unknown>> {
    return validateArgs(typeof block === "string" ? byCode(block) : block, args);
  }

  before(codes: readonly string[]): EarlierBlock | null {
    const { parent, caller } = this.#where;
    for (let state = parent; state; ) {
      // The arguments were checked as an object before they were stored.
      const args = state.args as Readonly<Record<string, unknown>>;
      if (codes.includes(state.code)) return { id: state.blockId, code: state.code, args };
      state = state.parentState === null ? null : this.#parts.store.state(caller.owner, state.parentState);
    }
    return null;
  }

  /** Gives up everything the block wrote. */
  async discard(): Promise<void> {
    await this.#parts.store.artifacts.discard(this.written);
  }

  #variable(frame: Frame, variable: Variable, reference: string): { relation: Relation; selection: Selection } {
    const part = projection(frame, variable);
    if (!part) {
      const cure = variable.includes("_")
        ? "split the rows first with split (DP_4)"
        : "assign X and Y first with xy (DP_FSP)";
      throw new DataError(`there is no ${reference} yet; ${cure}.`, { got: reference });
    }
    return { relation: frame.relation, selection: { columns: part.columns, subset: part.subset, split: frame.split } };
  }
}

/** The states that read a chain's rows and that split them; null where there is none or it is gone. */
function originOf(ancestry: readonly Ancestor[]): { readonly source: number | null; readonly split: number | null } {
  const first = ancestry.at(-1);
  const split = ancestry.find(
    ({ code, split }, k) => split !== null && (code === "DP_4" || (ancestry[k + 1]?.split ?? null) === null),
  );
  return { source: first?.parentState === null ? first.id : null, split: split?.id ?? null };
}

/** Artifacts are written under a temporary name, flushed, and renamed; the id is reserved before. */
function shelfOf({ store, quota }: Parts, { project, caller }: Surroundings, written: string[]): Shelf {
  return {
    async place(extension) {
      const path = store.files.temporary();
      return {
        path,
        async keep() {
          const seal = await sealOf(path);
          quota.expect(caller.owner, seal.bytes);
          const id = store.artifacts.reserve(project, extension === "json" ? "json" : "table", seal);
          written.push(id);
          await store.artifacts.keep(id, path);
          return id;
        },
        drop: () => rm(path, { force: true }),
      };
    },
    promise() {
      const id = store.artifacts.reserve(project, "table", null);
      written.push(id);
      return id;
    },
    async discard(artifact) {
      const at = written.indexOf(artifact);
      if (at < 0) throw new InternalError(`artifact ${artifact} is not of this block`);
      written.splice(at, 1);
      await store.artifacts.discard([artifact]);
    },
  };
}
