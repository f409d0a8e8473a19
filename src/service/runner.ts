import { createHmac, randomBytes, randomInt } from "node:crypto";
import type { Outcome } from "../core/block.ts";
import { ArgsError, CancelledError, ConflictError, storageFailure, takenBlock } from "../core/errors.ts";
import { type Frame, projection, variables } from "../core/frame.ts";
import type { Json, StateRecord } from "../core/record.ts";
import { secretsIn, withoutSecrets } from "../core/secrets.ts";
import { isOnCluster } from "../plan/node.ts";
import type { State } from "../store/state.ts";
import { refuseFar } from "./cluster/refusals.ts";
import { RunningBlock } from "./context.ts";
import { explained, withoutPasswords } from "./failures.ts";
import type { Claim } from "./fair-scheduler.ts";
import { outputOf, storedOutput } from "./outputs.ts";
import type { Parts } from "./parts.ts";
import { toRecord } from "./records.ts";
import { askedFor, type Checked, checkRequest, mostBlockId, parentOf } from "./request.ts";
import type { Caller, RunOptions } from "./service.ts";
import { fingerprint } from "./sources.ts";

/** The frame of a block that needs no table, such as a plot of arrays. */
const noFrame: Frame = {
  relation: { artifact: "", steps: [] },
  rows: 0,
  columns: [],
  x: null,
  y: null,
  split: null,
  fits: [],
  lineage: [],
  raw: [],
};

/** Tells a repetition with the same password from one with another; never stored, so nothing stored helps a guess. */
const secretsKey = randomBytes(32);

/** How long to wait before asking again whether another process is done with a project. */
const pollMs = 20;

/** Validates, runs and commits blocks; the only place where a block executes. */
export class Runner {
  readonly #parts: Parts;
  readonly #running = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async run(caller: Caller, request: unknown, options: RunOptions = {}): Promise<StateRecord> {
    const early = checkRequest(this.#parts.store, caller, request);
    const { blockId } = early;
    const run = () =>
      this.#parts.scheduler.run(claimOf(caller, early), options.signal, () => this.#claimed(caller, early, options));
    try {
      return await (blockId === null ? run() : this.#once(early.project.id, blockId, run));
    } catch (error) {
      throw storageFailure(error) ?? error;
    }
  }

  /** Runs a block, unless the one of that id runs or waits already. */
  async #once<T>(project: number, blockId: number, run: () => Promise<T>): Promise<T> {
    const place = `${project}:${blockId}`;
    if (this.#running.has(place)) throw alreadyRunning(blockId);
    this.#running.add(place);
    try {
      return await run();
    } finally {
      this.#running.delete(place);
    }
  }

  async #claimed(caller: Caller, early: Checked, options: RunOptions): Promise<StateRecord> {
    const { store } = this.#parts;
    const { project, blockId } = early;
    for (;;) {
      if (options.signal?.aborted) throw new CancelledError();
      const holder = store.tryClaim(project.id, blockId ?? this.#nextBlock(project.id));
      if (holder === null) break;
      if (holder === blockId) throw alreadyRunning(blockId);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    try {
      // While this waited for its turn, its parent may have been replaced.
      const checked = { ...early, parent: parentOf(store, early) };
      const state = await (blockId === null
        ? this.#added(caller, checked, options)
        : this.#placed(caller, { ...checked, blockId }, options));
      return toRecord(state, caller, await outputOf(state, store));
    } finally {
      store.release(project.id);
    }
  }

  /** A new block, under the next id of the project; one whose request came before is there already. */
  async #added(caller: Caller, checked: Checked, options: RunOptions): Promise<State> {
    const project = checked.project.id;
    const asked = askedFor(checked, this.#fingerprint(checked));
    const before = options.key === undefined ? null : this.#parts.store.keyed(project, options.key);
    if (before === null) {
      const blockId = this.#nextBlock(project);
      return await this.#once(project, blockId, () => this.#watched(caller, { ...checked, blockId }, asked, options));
    }
    if (before.asked === asked && before.parentId === checked.parentId) return before;
    throw new ConflictError(
      `block ${before.blockId} was made by another request with the same Idempotency-Key; a new request needs a key of its own.`,
      { path: "Idempotency-Key", got: before.blockId },
    );
  }

  /** The block of an id that the caller chose: its record where it stands for the same, else anew in its place. */
  async #placed(caller: Caller, checked: Placed, options: RunOptions): Promise<State> {
    const { store } = this.#parts;
    const { project, blockId } = checked;
    const before = store.block(project.id, blockId);
    if (options.isNew && before) throw takenBlock(blockId);
    const asked = askedFor(checked, this.#fingerprint(checked));
    if (before !== null && isRepeated(before, checked, asked)) return before;
    const state = await this.#watched(caller, checked, asked, { ...options, key: undefined });
    // What a replaced block leaves behind is no reason to fail: the next one, or the next start, removes it.
    if (before) await store.collect(project.id).catch(() => undefined);
    return state;
  }

  /** The next id of a project that is not promised to a request which waits. */
  #nextBlock(project: number): number {
    let id = this.#parts.store.lastBlock(project) + 1;
    while (this.#running.has(`${project}:${id}`)) id += 1;
    if (id <= mostBlockId) return id;
    throw new ArgsError(
      `The project has given its last block id, ${mostBlockId}; say by block_id which block to replace.`,
      { path: "block_id" },
    );
  }

  /** What decides the result besides the arguments that may be stored: the state of the files that it names, and secrets. */
  #fingerprint({ block, args }: Checked): string | null {
    const named = (block.files ?? [])
      .flatMap((name) => args[name])
      .filter((each): each is string => typeof each === "string");
    const found = named.flatMap((name) => fingerprint(name, this.#parts.rules) ?? []);
    const files = found.length === 0 ? null : found.join();
    const secrets = secretsIn(args, block.secrets);
    if (secrets.length === 0) return files;
    return `${files ?? ""}#${createHmac("sha256", secretsKey).update(JSON.stringify(secrets)).digest("hex")}`;
  }

  #watched(caller: Caller, checked: Placed, asked: string, options: RunOptions): Promise<State> {
    const { block } = checked;
    this.#parts.quota.expect(caller.owner, 1);
    return this.#parts.watch.over(`${block.name} (${block.code})`, options.signal, (signal) =>
      this.#execute(caller, checked, asked, { ...options, signal }),
    );
  }

  async #execute(caller: Caller, checked: Placed, asked: string, options: RunOptions): Promise<State> {
    const { block, blockId, parent, project } = checked;
    const args = withSeed(block.args, checked.args);
    const who = `${block.name} (${block.code})`;
    if (parent) refuseFar(parent.frame, block.code, who);
    const far = parent && isOnCluster(parent.frame.relation) ? await this.#parts.far.block() : null;
    const context = new RunningBlock(this.#parts, {
      caller,
      project: project.id,
      block: { id: blockId, code: block.code, name: block.name },
      options,
      parent,
      ...(far ? { far: far.tables } : {}),
    });
    try {
      if (parent?.stale)
        context.notice(
          `block ${parent.blockId} (${parent.code}) is stale: a block before it was replaced. Run it again first.`,
        );
      if (parent) {
        const relation = block.behind?.(parent.frame) ?? parent.frame.relation;
        const read = relation === parent.frame.relation ? parent.frame : { ...parent.frame, relation };
        await this.#parts.materials.whole(caller.owner, read, context.signal);
      }
      const result = await block.run(parent?.frame ?? noFrame, args as never, context);
      if (context.signal.aborted) throw new CancelledError();
      far?.check(result.frame.relation, who);
      const output = await storedOutput(result.output, context.here);
      return this.#commit(checked, asked, args, { ...result, ...output }, context, options.key);
    } catch (error) {
      await context.discard();
      throw withoutPasswords(explained(error, checked, context.signal), secretsIn(args));
    } finally {
      await far?.end();
    }
  }

  #commit(
    checked: Placed,
    asked: string,
    args: Record<string, unknown>,
    result: Omit<Outcome, "output"> & Pick<State, "output" | "outputFile">,
    context: RunningBlock,
    key: string | undefined,
  ): State {
    const { frame } = result;
    return this.#parts.store.commit({
      project: checked.project.id,
      blockId: checked.blockId,
      parentId: checked.parent?.blockId ?? 0,
      parentState: checked.parent?.id ?? null,
      code: checked.block.code,
      asked,
      args: withoutSecrets({ ...args, ...result.chosen }, checked.block.secrets) as Json,
      frame,
      output: result.output,
      outputFile: result.outputFile,
      report: result.report,
      notices: context.notices,
      functionAction: result.functionAction ?? null,
      variables: frame.columns.length === 0 ? [] : variables.filter((variable) => projection(frame, variable) !== null),
      written: context.written,
      uses: context.used,
      model: result.model,
      ...(key === undefined ? {} : { key }),
    });
  }
}

/** A checked request whose block has its id. */
type Placed = Checked & { readonly blockId: number };

/** Is what this request made before still what it would make now? */
function isRepeated(before: State, { parent }: Checked, asked: string): boolean {
  return (
    !before.stale &&
    before.asked === asked &&
    before.parentId === (parent?.blockId ?? 0) &&
    before.parentState === (parent?.id ?? null)
  );
}

/** Is it a table that any data block works through in a moment? */
export function isLight({ rows, columns, relation }: Frame): boolean {
  return !isOnCluster(relation) && rows * columns.length <= 200_000;
}

function claimOf(caller: Caller, { project, block, parent }: Checked): Claim {
  const light = block.code.startsWith("DP_") && parent !== null && isLight(parent.frame);
  return { owner: caller.owner, project: project.id, light };
}

/** A block that draws and wasn't given a seed gets one, which is recorded with it. */
function withSeed(shape: Record<string, unknown>, args: Record<string, unknown>): Record<string, unknown> {
  if (!("random_state" in shape) || args.random_state !== undefined) return args;
  return { ...args, random_state: randomInt(0, 2 ** 32) };
}

function alreadyRunning(blockId: number): ConflictError {
  return new ConflictError(`block ${blockId} is running now; wait for it, or cancel it.`, {
    path: "block_id",
    got: blockId,
  });
}
