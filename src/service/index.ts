import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { ResourceLimits } from "node:worker_threads";
import { z } from "zod";
import { AccessError, ArgsError, ConflictError, NotFoundError } from "../core/errors.ts";
import type { Frame } from "../core/frame.ts";
import { count, quoted } from "../core/names.ts";
import type { StateRecord } from "../core/record.ts";
import type { View } from "../core/view.ts";
import { Duck, showPlan } from "../engines/duckdb/index.ts";
import { isOnCluster, type Relation } from "../plan/node.ts";
import { allBlocks, helpOf, jsonSchema } from "../registry/index.ts";
import { openingFailure } from "../store/damage.ts";
import { type State, unknownProject } from "../store/state.ts";
import { Store } from "../store/store.ts";
import { createPool } from "../workers/pool.ts";
import { Reach } from "./addresses.ts";
import { Far } from "./cluster/far.ts";
import { knownCluster } from "./cluster/known.ts";
import { FairScheduler } from "./fair-scheduler.ts";
import { type LibraryService, libraryService } from "./library.ts";
import { Watch } from "./limits.ts";
import { loadOf, type ServiceLoad } from "./load.ts";
import { Materials } from "./materials.ts";
import { outputOf } from "./outputs.ts";
import { ModelShelf, type Parts } from "./parts.ts";
import { produce } from "./production.ts";
import { Quota } from "./quota.ts";
import { explanationOfState, FrameReader, viewOfState } from "./reader.ts";
import { toRecord } from "./records.ts";
import { toRequest } from "./request.ts";
import { isLight, Runner } from "./runner.ts";
import type { Caller, FunctionEntry, Page, Reading, RunOptions, Service, ServiceOptions, Which } from "./service.ts";

export * from "./service.ts";

/** States that are read at once: one with a large output takes some 30 ms, whether it is wanted or not. */
const slice = 8;

const projectName = z.string().trim().min(1).max(200);

/** Starts the service over a home; several processes may share one. One that can't be opened is an error with the cure. */
export async function createService(options: ServiceOptions): Promise<Service> {
  try {
    return await started(options);
  } catch (error) {
    throw openingFailure(error, options.home);
  }
}

async function started(options: ServiceOptions): Promise<Service> {
  const cluster = await knownCluster(options.spark ?? process.env.BLOCKLAB_ENGINE_SPARK);
  const store = new Store(options.home);
  const spillTo = join(options.home, "spill");
  mkdirSync(spillTo, { recursive: true });
  const duck = new Duck({
    spillTo,
    // Its limit is a soft one, and models need room beside it.
    memoryLimit: options.memoryLimit && Math.floor(options.memoryLimit / 2),
    threads: options.threads || undefined,
    path: (id) => store.files.path(id),
  });
  const cores = availableParallelism();
  const quota = new Quota(store, options.quota);
  const models = new ModelShelf(store);
  const rules = { files: options.files, reach: options.files === undefined ? null : new Reach(options.fetchFrom) };
  const far = new Far({ address: cluster, broughtCells: options.broughtCells ?? 2_000_000 }, rules, duck, store);
  const parts: Parts = {
    store,
    duck,
    pool: createPool({ size: options.threads ?? cores, resourceLimits: heapOf(options.memoryLimit) }),
    rules,
    cluster,
    far,
    materials: new Materials(store, duck, models, quota, far),
    models,
    library: libraryService(store.library, quota),
    scheduler: new FairScheduler({ atOnce: options.atOnce ?? Math.max(4, 2 * cores), waiting: options.queue ?? 200 }),
    watch: new Watch({ timeoutMs: options.blockTimeoutMs, memory: options.memoryLimit }),
    quota,
  };
  const { setAside, back } = await store.sweep();
  if (setAside > 0) options.warn?.(setAsideSentence(setAside, options.home));
  if (back > 0)
    options.warn?.(
      `${count(back, "file")} came back from ${join(options.home, "quarantine")}: the database knows of them again.`,
    );
  return new LocalService(parts, () => loadOf(parts, options.home, { memory: options.memoryLimit }));
}

function setAsideSentence(files: number, home: string): string {
  return `The database doesn't know ${count(files, "file")} of artifacts or uploads, as when it was lost or an older one was restored; nothing was deleted, they are in ${join(home, "quarantine")}. Put the right blocklab.db back and start again, and they come back; else delete that folder.`;
}

/** JavaScript's own heap of each worker; the large arrays lie outside it, where the watch sees them. */
function heapOf(memoryLimit: number | undefined): ResourceLimits | undefined {
  return memoryLimit === undefined ? undefined : { maxOldGenerationSizeMb: Math.ceil(memoryLimit / 2 ** 20) };
}

class LocalService implements Service {
  readonly library: LibraryService;
  readonly load: () => ServiceLoad;
  readonly #parts: Parts;
  readonly #runner: Runner;
  #functions: readonly FunctionEntry[] | null = null;

  constructor(parts: Parts, load: () => ServiceLoad) {
    this.#parts = parts;
    this.load = load;
    this.library = parts.library;
    this.#runner = new Runner(parts);
  }

  async createProject(caller: Caller, name: string, description = "") {
    const checked = projectName.safeParse(name);
    if (!checked.success) {
      throw new ArgsError("project_name must be a text of 1 to 200 characters.", {
        path: "project_name",
        got: typeof name === "string" ? name.slice(0, 80) : typeof name,
      });
    }
    const made = this.#parts.store.createProject(caller.owner, checked.data, String(description ?? "").slice(0, 2000));
    if (!made)
      throw new AccessError(403, `a project named ${quoted(checked.data)} already exists; choose another name.`, {
        code: "name_taken",
        path: "project_name",
        got: checked.data,
      });
    return made;
  }

  async projects(caller: Caller, page?: Page, name?: string) {
    return this.#parts.store.projects(caller.owner, page, name);
  }

  async project(caller: Caller, appId: string) {
    const found = this.#parts.store.projectByAppId(caller.owner, appId);
    if (!found)
      throw new NotFoundError(`there is no project ${quoted(appId)}, or it belongs to another key.`, {
        code: "unknown_project",
        got: appId.slice(0, 80),
      });
    return found;
  }

  async deleteProject(caller: Caller, appId: string) {
    const { id } = await this.project(caller, appId);
    await this.#alone(id, () => this.#parts.store.deleteProject(id));
  }

  async run(caller: Caller, request: unknown, options: RunOptions = {}) {
    const record = await this.#runner.run(caller, request, options);
    if (options.onView) await this.#show(caller, record.id, options.onView);
    return record;
  }

  async states(caller: Caller, project?: number, page: Page & Which = {}) {
    if (project !== undefined && !this.#parts.store.project(caller.owner, project)) throw unknownProject(project);
    const found: StateRecord[] = [];
    for (let { limit = Number.POSITIVE_INFINITY, offset = 0, after = 0 } = page; found.length < limit; offset = 0) {
      const most = Math.min(slice, limit - found.length);
      const states = this.#parts.store.states(caller.owner, project, { ...page, limit: most, offset, after });
      found.push(...states.map((state) => toRecord(state, caller)));
      if (states.length < most) break;
      after = states[states.length - 1].id;
      await turn();
    }
    return found;
  }

  async state(caller: Caller, id: number) {
    const state = this.#state(caller, id);
    return toRecord(state, caller, await outputOf(state, this.#parts.store));
  }

  async deleteState(caller: Caller, id: number) {
    const state = this.#state(caller, id);
    await this.#alone(state.project, async () => {
      this.#parts.store.deleteState(state);
      await this.#parts.store.collect(state.project);
    });
  }

  async view(caller: Caller, id: number, { signal }: Reading = {}) {
    const state = this.#state(caller, id);
    const output = await outputOf(state, this.#parts.store);
    const { duck, materials } = this.#parts;
    const writer = {
      isUnwritten: (relation: Relation) => materials.isUnwritten(relation),
      whole: (frame: Frame) => materials.whole(caller.owner, frame),
    };
    const reader = new FrameReader(duck, this.#parts.far, writer, signal);
    return await viewOfState(state, this.#before(caller, state), output, reader);
  }

  async explain(caller: Caller, id: number) {
    const state = this.#state(caller, id);
    const output = await outputOf(state, this.#parts.store);
    return await explanationOfState(state, this.#before(caller, state), output, this.#parts.duck);
  }

  async sql(caller: Caller, id: number) {
    const { frame } = this.#state(caller, id);
    return isOnCluster(frame.relation) ? await this.#parts.far.show(frame.relation) : showPlan(frame.relation);
  }

  async request(caller: Caller, id: number) {
    return toRequest(this.#state(caller, id));
  }

  async produce(caller: Caller, flow: number, data: unknown, options: { readonly signal?: AbortSignal } = {}) {
    const state = this.#state(caller, flow);
    const { scheduler, watch } = this.#parts;
    return await scheduler.run({ owner: caller.owner, project: null }, options.signal, () =>
      watch.over("production", options.signal, (signal) => produce(this.#parts, caller, state, data, signal)),
    );
  }

  ready() {
    return this.#parts.store.expectWhole();
  }

  async artifactKind(caller: Caller, artifact: string) {
    return this.#parts.materials.kind(caller, artifact);
  }

  table(caller: Caller, artifact: string, part = {}, options: Reading = {}) {
    return this.#parts.materials.table(caller, artifact, part, options);
  }

  batches(caller: Caller, artifact: string, part = {}) {
    return this.#parts.materials.batches(caller, artifact, part);
  }

  columns(caller: Caller, artifact: string, part = {}) {
    return this.#parts.materials.columns(caller, artifact, part);
  }

  file(...args: Parameters<Service["file"]>) {
    return this.#parts.materials.file(...args);
  }

  save(...args: Parameters<Service["save"]>) {
    return this.#parts.materials.save(...args);
  }

  functions(): readonly FunctionEntry[] {
    this.#functions ??= allBlocks.map((block) => {
      const { summary, description, example, arguments: args } = helpOf(block);
      const aliases = Object.fromEntries(args.flatMap((each) => each.aliases.map((alias) => [alias, each.name])));
      const family = block.task ?? (/^(A_)?DL_/.test(block.code) ? "deep" : "data");
      return {
        function_code: block.code,
        name: block.name,
        family,
        summary,
        description,
        example,
        aliases,
        args: jsonSchema(block),
      };
    });
    return this.#functions;
  }

  async close() {
    await this.#parts.pool.close();
    await this.#parts.duck.close();
    this.#parts.store.close();
  }

  /** Tells what a stored block shows, if that takes a moment alone; a block is done, whatever becomes of its view. */
  async #show(caller: Caller, id: number, onView: (view: View) => void): Promise<void> {
    const state = this.#parts.store.state(caller.owner, id);
    if (!state || !isLight(state.frame)) return;
    const view = await this.view(caller, id).catch(() => null);
    if (view) onView(view);
  }

  /** Changes a project while no block runs in it. */
  async #alone(project: number, work: () => Promise<void>): Promise<void> {
    const { store } = this.#parts;
    const holder = store.tryClaim(project, 0);
    if (holder !== null) {
      throw new ConflictError(`Block ${holder} is running in the project now; wait for it, or cancel it.`, {
        code: "running",
        got: holder,
      });
    }
    try {
      await work();
    } finally {
      store.release(project);
    }
  }

  #before(caller: Caller, { parentState }: State): State | null {
    return parentState === null ? null : this.#parts.store.state(caller.owner, parentState);
  }

  #state(caller: Caller, id: number): State {
    const found = Number.isSafeInteger(id) ? this.#parts.store.state(caller.owner, id) : null;
    if (!found)
      throw new NotFoundError(`there is no state record ${id}, or it belongs to another key.`, {
        code: "unknown_state",
        got: id,
      });
    return found;
  }
}
