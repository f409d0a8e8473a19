import { inspect } from "node:util";
import type { Link } from "../client/link.ts";
import type { Block } from "../core/block.ts";
import { ArgsError } from "../core/errors.ts";
import type { Column } from "../core/frame.ts";
import { quoted } from "../core/names.ts";
import type { Progress, ProjectRecord, StateRecord } from "../core/record.ts";
import { text, type View, viewOf } from "../core/view.ts";
import { type CardOptions, cardOf, type ModelCard } from "./card.ts";
import { type CurrentCell, cellBookOf, currentCell, type Rerun } from "./cells.ts";
import { addHelpers, Chain, type Conductor } from "./chain.ts";
import type { CodeOptions } from "./code.ts";
import { type Comparison, compareModels } from "./compare.ts";
import type { Explained } from "./explanation.ts";
import { type Graph, type GraphOptions, graphOf } from "./graph.ts";
import { type Helpers, toArgs } from "./helpers.ts";
import { type BlockRun, Listeners } from "./listeners.ts";
import { addForeignNames, refuseHelpers, tellMethods } from "./looked-at.ts";
import { Model } from "./model.ts";
import {
  type EvaluateCall,
  listModels,
  type MetricsCall,
  type ModelCall,
  type ModelEntry,
  type ModelPlace,
  type ModelSuffix,
  modelRequest,
  noBlockYet,
  type PredictCall,
  type TrainCall,
} from "./models.ts";
import type { ChainNotebook } from "./notebook.ts";
import { defaultProject, findOrCreate, stateOf } from "./projects.ts";
import { Result } from "./result.ts";
import { tablesIn, withUrls } from "./rows/any-table.ts";
import { Table } from "./table.ts";

/** Every block as a method; see `help()` for all of them. */
export interface Session extends Helpers {}

/**
 * Where you work: it knows the project and the last block, and runs what you call in order.
 *
 * A helper on the session runs its block on the session's last one; an input starts a chain of its own.
 */
export class Session implements Conductor {
  readonly #open: () => Promise<Link>;
  readonly #cells = cellBookOf(this);
  readonly #listeners = new Listeners<Progress>();
  readonly #watchers = new Listeners<BlockRun>();
  /** Milliseconds that blocks took, by their records' ids; the longest, as an answer from the record takes none. */
  readonly #times = new Map<number, number>();
  #opened: Promise<Link> | null = null;
  #project: ProjectRecord | null = null;
  #last = 0;
  /** What the block shows that ran last, where that came with its answer. */
  #shown: { readonly state: number; readonly view: View } | null = null;
  /** The end of the queue; it never rejects. */
  #tail: Promise<unknown> = Promise.resolve();

  /** `open` makes the link to the service when it is first needed. */
  constructor(open: () => Promise<Link>) {
    this.#open = open;
  }

  /** The link to the service; opened when first asked for. */
  get link(): Promise<Link> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** The id of the block that the next helper builds on; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** Opens a project by name, making it when there is none; goes on where it stopped. */
  project(name: string): Promise<ProjectRecord> {
    return this.#queue(() => this.#openProject(name));
  }

  /** The projects of this service. */
  async projects(): Promise<ProjectRecord[]> {
    return await (await this.link).projects();
  }

  /** The open project; when none was named, the one of the notebook's name, elsewhere "default". */
  current(): Promise<ProjectRecord> {
    return this.#queue(() => this.#ensureProject());
  }

  /** The blocks of the project, oldest first. */
  async blocks(): Promise<StateRecord[]> {
    const project = await this.current();
    return await (await this.link).states(project.id);
  }

  /** The project's blocks and how they hang together, as a drawing; in a terminal as a tree. */
  async graph(options: GraphOptions = {}): Promise<Graph> {
    return graphOf(await this.blocks(), this.#last, options.times === false ? new Map() : this.#times);
  }

  /** The project's models, the newest last. */
  async models(): Promise<ModelEntry[]> {
    const project = await this.current();
    return await listModels(await this.link, project.id);
  }

  /** Ranks the project's models on the same rows, judging those that were not judged yet; the session stays where it is. */
  async compare(): Promise<Comparison> {
    const project = await this.current();
    return await this.#aside(project, async (link, run) => await compareModels(link, project.id, run));
  }

  /** The model card of the chain's last model, or of the one named: data, split, scores, importance or clusters, leaks; the session stays where it is. */
  async card(options: CardOptions = {}): Promise<ModelCard> {
    return await (await this.#lastResult()).card(options);
  }

  /** The columns of the last block's table; none before the first block. */
  async columns(): Promise<readonly Column[]> {
    await this.current();
    if (this.#last === 0) return [];
    return (await (await this.#lastResult()).dataset.shape()).columns;
  }

  /**
   * What the next block builds on: for a cell that ran before, where it began then. Null without an open project or a
   * block; nothing is opened for it.
   *
   * @internal
   */
  async before(cell: string | undefined): Promise<Result | null> {
    const block = (cell === undefined ? null : this.#cells.began(cell)) ?? this.#last;
    return this.#project === null || block === 0 ? null : await this.#resultOf(block);
  }

  /** A chain that begins at an earlier block; the session goes on from there. */
  at(block: number): Chain {
    const result = this.#queue(async () => {
      const found = await this.#resultOf(block);
      this.#last = block;
      return found;
    });
    return new Chain(this, result);
  }

  /** Predicts with the last model: the test rows where there is a split, or `test_data`. */
  predict(args: PredictCall = {}): Chain {
    return this.enqueueModel(null, "_P", args);
  }

  /** Judges the last model, on test rows where there is a split. */
  metrics(args: MetricsCall = {}): Chain {
    return this.enqueueModel(null, "_M", args);
  }

  /** Trains the last neural network and saves it, under `model_name` if given. */
  train(args: TrainCall = {}): Chain {
    return this.enqueueModel(null, "_T", args);
  }

  /** Judges the last neural network, on test rows where there is a split. */
  evaluate(args: EvaluateCall = {}): Chain {
    return this.enqueueModel(null, "_E", args);
  }

  /** What the last block did with its data and why one would, in plain words. */
  async explain(): Promise<Explained> {
    return await (await this.#lastResult()).explain();
  }

  /** The table of the last block as SQL. */
  async sql(): Promise<string> {
    return await (await this.#lastResult()).sql();
  }

  /** The chain to the last block as TypeScript, or with `{ as: "python" }` as a script for pandas and scikit-learn. */
  async code(options: CodeOptions = {}): Promise<string> {
    return await (await this.#lastResult()).code(options);
  }

  /** The chain to the last block as a notebook, a cell per block below its explanation; written to `file` when given. */
  async notebook(file?: string): Promise<ChainNotebook> {
    return await (await this.#lastResult()).notebook(file);
  }

  /** Calls back while blocks run; answers a function that ends it. */
  onProgress(listener: (progress: Progress) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Calls back after each block; answers a function that ends it. */
  onBlock(listener: (run: BlockRun) => void): () => void {
    return this.#watchers.add(listener);
  }

  /** Waits until everything called so far is done. */
  async settled(): Promise<void> {
    await this.#tail;
  }

  /** Ends the link to the service. */
  async close(): Promise<void> {
    await this.#tail;
    if (this.#opened) await (await this.#opened).close();
    this.#opened = null;
  }

  enqueue(parent: Promise<Result> | null, block: Block, args: Record<string, unknown>): Chain {
    const tables = tablesIn(block, args, `${block.name} (${block.code})`);
    return this.#enqueue(parent, async ({ project }) => ({
      code: block.code,
      args: await withBlockIds(await withUrls(args, tables, await this.link, project)),
      source: block.source === true,
    }));
  }

  enqueueModel(parent: Promise<Result> | null, suffix: ModelSuffix, args: ModelCall): Chain {
    // Rows are taken as they are now, like those of an input.
    const tables = tablesIn({ tables: ["test_data"], source: true }, { ...args }, "predict");
    return this.#enqueue(parent, async (place) => {
      if (place.block === 0) throw noBlockYet();
      const link = await this.link;
      const asked = await withUrls({ ...args }, tables, link, place.project);
      return { ...(await modelRequest(link, place, suffix, asked)), source: false };
    });
  }

  [viewOf](): View {
    const where = this.#project ? `project ${quoted(this.#project.project_name)}` : "no project open yet";
    return text(
      `blocklab session: ${where}, last block ${this.#last || "none"}. Try session.input("sample:penguins"), or help().`,
    );
  }

  [inspect.custom](): string {
    return `Session { project: ${this.#project?.project_name ?? "not opened yet"}, last block: ${this.#last} }`;
  }

  #enqueue(
    parent: Promise<Result> | null,
    request: (place: ModelPlace) => Promise<{ code: string; args: Record<string, unknown>; source: boolean }>,
  ): Chain {
    const cell = currentCell();
    let isFollowed = false;
    const run = async (): Promise<Result> => {
      const before = parent ? await parent : null;
      const project = await this.#ensureProject();
      if (before && before.record.project !== project.id) throw otherProject(before);
      this.#last = this.#cells.enter(cell, this.#last) ?? this.#last;
      const parentId = before?.block ?? this.#last;
      const place = { project: project.id, block: parentId, record: before?.record ?? null };
      const { code, args, source } = await request(place);
      const block_id = this.#cells.next(cell, 0);
      // A cell shows what it ends with; what others build on at once is looked at by nobody.
      const isShown = cell !== undefined && !isFollowed;
      return await this.#run({ project, cell, code, args, block_id, parent_id: source ? 0 : parentId, isShown });
    };
    return new Chain(this, this.#queue(run), () => {
      isFollowed = true;
    });
  }

  async #run(what: {
    project: ProjectRecord;
    cell: CurrentCell | undefined;
    code: string;
    args: Record<string, unknown>;
    /** 0 for a new one. */
    block_id: number;
    parent_id: number;
    /** Will its view be wanted with the answer? */
    isShown: boolean;
  }): Promise<Result> {
    const link = await this.link;
    const { project, parent_id, code: function_code, args } = what;
    const place = what.block_id > 0 ? { block_id: what.block_id } : {};
    let shown: View | null = null;
    const options = {
      ...(what.cell ? { signal: what.cell.signal } : {}),
      ...(this.#listeners.some ? { onProgress: (progress: Progress) => this.#listeners.tell(progress) } : {}),
      ...(what.isShown ? { onView: (view: View) => (shown = view) } : {}),
    };
    const start = performance.now();
    const record = await link.run({ project_id: project.id, ...place, parent_id, function_code, args }, options);
    const ms = performance.now() - start;
    this.#times.set(record.id, Math.max(ms, this.#times.get(record.id) ?? 0));
    this.#watchers.tell({ record, ms });
    this.#last = record.block_id;
    this.#shown = shown && { state: record.id, view: shown };
    return this.#result(link, record, this.#cells.stored(what.cell, record.block_id, record.id));
  }

  #result(link: Link, record: StateRecord, rerun: Rerun | null): Result {
    return new Result(link, record, {
      rerun,
      begin: (result) => new Chain(this, Promise.resolve(result)),
      card: async (options) => {
        const project = await this.current();
        return await this.#aside(project, (own, run) => cardOf(own, record, options, run));
      },
      // Once another block has run, this one may be stale, which its view would tell.
      view: async () => (this.#shown?.state === record.id ? this.#shown.view : await link.view(record.id)),
    });
  }

  /** Runs blocks beside the chain: the session stays where it is. */
  #aside<T>(project: ProjectRecord, work: (link: Link, run: RunBehind) => Promise<T>): Promise<T> {
    return this.#queue(async () => {
      const here = this.#last;
      const run: RunBehind = (code, args, parent_id) =>
        this.#run({ project, cell: undefined, code, args, block_id: 0, parent_id, isShown: false });
      try {
        return await work(await this.link, run);
      } finally {
        this.#last = here;
      }
    });
  }

  #queue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  async #ensureProject(): Promise<ProjectRecord> {
    return this.#project ?? (await this.#openProject(defaultProject()));
  }

  async #openProject(name: string): Promise<ProjectRecord> {
    const link = await this.link;
    const project = await findOrCreate(link, name);
    const [last] = await link.states(project.id, { block: "last" });
    this.#project = project;
    this.#last = last?.block_id ?? 0;
    this.#cells.open(project.id);
    return project;
  }

  async #lastResult(): Promise<Result> {
    return await this.#queue(async () => {
      await this.#ensureProject();
      if (this.#last === 0) throw noBlockYet();
      return await this.#resultOf(this.#last);
    });
  }

  async #resultOf(block: number): Promise<Result> {
    const project = await this.#ensureProject();
    const link = await this.link;
    return this.#result(link, await stateOf(link, project, block), null);
  }
}

/** Chains and results among the arguments, alone or in a list, as the ids of their blocks; tables as their URLs. */
async function withBlockIds(args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const idOf = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return await Promise.all(value.map(idOf));
    if (value instanceof Chain) return (await value).block;
    if (value instanceof Table) return value.url;
    return value instanceof Result ? value.block : value;
  };
  const entries = Object.entries(args).map(async ([name, value]) => [name, await idOf(value)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Runs a block behind another, beside the chain. */
type RunBehind = (code: string, args: Record<string, unknown>, parent: number) => Promise<Result>;

function otherProject({ block }: Result): ArgsError {
  return new ArgsError(
    `block ${block} is of another project than the one that is open; open its project first, with session.project(name).`,
    { path: "project_id" },
  );
}

addHelpers(Result.prototype, (self: Result, block, passed) => self.branch().follow(block, passed));
addHelpers(Session.prototype, (self: Session, block, passed) => self.enqueue(null, block, toArgs(block, passed)));
refuseHelpers(Table.prototype);
for (const [prototype, what] of [
  [Session.prototype, "session"],
  [Chain.prototype, "chain"],
  [Result.prototype, "result"],
  [Table.prototype, "table"],
  [Model.prototype, "model"],
] as const) {
  tellMethods(prototype, what);
  addForeignNames(prototype, what);
}
