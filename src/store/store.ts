import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { ConflictError } from "../core/errors.ts";
import type { Json, ProjectRecord } from "../core/record.ts";
import { Artifacts, namedIn } from "./artifacts.ts";
import { DamageWatch } from "./damage.ts";
import { Database } from "./database.ts";
import { Files, newArtifactId } from "./files.ts";
import { Library } from "./library.ts";
import { Presence } from "./presence.ts";
import { RecentStates } from "./recent.ts";
import {
  type Ancestor,
  frameText,
  type ListedState,
  type NewState,
  type Page,
  type Row,
  type State,
  toListed,
  toProject,
  toState,
  type Which,
} from "./state.ts";
import { type Swept, sweep } from "./sweep.ts";

/** Bytes of an output that a list repeats. */
const mostListedBytes = 64 * 1024;

/** Projects, states, models and artifacts of one home. A state is absent or complete, whatever happens. */
export class Store {
  readonly files: Files;
  readonly artifacts: Artifacts;
  /** Uploads and data sets; most of them belong to no project. */
  readonly library: Library;
  readonly #database: Database;
  readonly #presence: Presence;
  readonly #damage: DamageWatch;
  readonly #claimed = new Set<number>();
  readonly #recent = new RecentStates();

  constructor(home: string) {
    this.#database = new Database(home);
    this.#presence = new Presence(home);
    this.#damage = new DamageWatch(home);
    this.files = new Files(join(home, "artifacts"), this.#presence.own);
    this.artifacts = new Artifacts(this.#database, this.files, this.#presence.own);
    this.library = new Library(this.#database, new Files(join(home, "uploads"), this.#presence.own));
  }

  /** Removes what crashed processes left behind; files of which the database doesn't know are set aside. */
  async sweep(): Promise<Swept> {
    const isAlive = (process: string) => this.#presence.isAlive(process);
    const swept = await sweep(this.#database, [this.files, this.library.files], isAlive);
    this.#presence.sweep();
    return swept;
  }

  /** Removes what no state of the project leads to any more; nothing else may run in it meanwhile. */
  async collect(project: number): Promise<void> {
    await this.artifacts.collect(project);
    await this.library.collect(project);
  }

  /** Throws (503) when the database on the disk is damaged. */
  expectWhole(): Promise<void> {
    return this.#damage.expectNone();
  }

  createProject(owner: string, name: string, description: string): ProjectRecord | null {
    const created = new Date().toISOString().replace("Z", "000Z");
    const { changes, id } = this.#database.run(
      "INSERT INTO projects (app_id, owner, name, description, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      randomUUID(),
      owner,
      name,
      description,
      created,
    );
    if (changes === 0) return null;
    return this.project(owner, id);
  }

  /** Projects in the order of their ids; with a name the one of that name alone. */
  projects(
    owner: string,
    { limit = -1, offset = 0, after = 0 }: Page = {},
    name: string | null = null,
  ): ProjectRecord[] {
    const text =
      "SELECT * FROM projects WHERE owner = ?1 AND id > ?2 AND name = coalesce(?3, name) ORDER BY id LIMIT ?4 OFFSET ?5";
    return this.#database.all(text, owner, after, name, limit, offset).map(toProject);
  }

  /** The project with that id, when the owner's. */
  project(owner: string, id: number): ProjectRecord | null {
    const row = this.#database.get("SELECT * FROM projects WHERE id = ? AND owner = ?", id, owner);
    return row ? toProject(row) : null;
  }

  projectByAppId(owner: string, appId: string): ProjectRecord | null {
    const row = this.#database.get("SELECT * FROM projects WHERE app_id = ? AND owner = ?", appId, owner);
    return row ? toProject(row) : null;
  }

  async deleteProject(id: number): Promise<void> {
    const artifacts = this.#database.all("SELECT id FROM artifacts WHERE project = ?", id);
    const uploads = this.#database.all("SELECT id FROM uploads WHERE project = ?", id).map((row) => row.id as string);
    this.#database.run("DELETE FROM projects WHERE id = ?", id);
    await this.artifacts.remove(artifacts.map((row) => row.id as string));
    await this.library.removeFiles(uploads);
  }

  /** Takes the project for one block; says which one has it when it is taken by this or another process. */
  tryClaim(project: number, blockId: number): number | null {
    const holder = this.#database.transaction(() => {
      const row = this.#database.get("SELECT block_id, process FROM running WHERE project = ?", project);
      if (row && this.#holds(project, row.process as string)) return row.block_id as number;
      this.#database.run(
        "INSERT OR REPLACE INTO running (project, block_id, process) VALUES (?, ?, ?)",
        project,
        blockId,
        this.#presence.own,
      );
      return null;
    });
    // Not before it is stored: a claim that a full disk refuses would hold the project up until a restart.
    if (holder === null) this.#claimed.add(project);
    return holder;
  }

  /** A claim of our own that could not be taken back, on a full disk, holds nobody up. */
  #holds(project: number, process: string): boolean {
    return process === this.#presence.own ? this.#claimed.has(project) : this.#presence.isAlive(process);
  }

  release(project: number): void {
    this.#claimed.delete(project);
    try {
      this.#database.run("DELETE FROM running WHERE project = ? AND process = ?", project, this.#presence.own);
    } catch {
      // On a full disk; the block itself is stored, and the next claim takes the row over.
    }
  }

  /** Stores a finished block in one transaction: replaces the one of that id, marks what came after it stale. */
  commit(state: NewState): State {
    return this.#database.transaction(() => {
      if (state.parentState !== null) {
        const { parentId, parentState } = state;
        this.#expectUnchanged(state, parentId, parentState, `its parent, block ${parentId},`);
      }
      for (const [block, used] of state.uses) this.#expectUnchanged(state, block, used);
      const before = this.#database.get(
        "SELECT id FROM states WHERE project = ? AND block_id = ?",
        state.project,
        state.blockId,
      );
      if (before) {
        this.#database.run("DELETE FROM states WHERE id = ?", before.id);
        this.#markStale(state.project, state.blockId);
      }
      const id = this.#insert(state);
      const { project, blockId } = state;
      this.#database.run("UPDATE projects SET last_block = max(last_block, ?) WHERE id = ?", blockId, project);
      const urls = Object.fromEntries(
        state.variables.map((variable) => {
          const artifact = newArtifactId();
          this.#database.run(
            "INSERT INTO artifacts (id, project, state, kind, variable) VALUES (?, ?, ?, 'projection', ?)",
            artifact,
            state.project,
            id,
            variable,
          );
          return [variable, artifact];
        }),
      );
      this.#database.run("UPDATE states SET urls = ? WHERE id = ?", JSON.stringify(urls), id);
      for (const artifact of state.written) {
        this.#database.run("UPDATE artifacts SET state = ?, process = NULL WHERE id = ?", id, artifact);
      }
      for (const block of state.uses.keys()) {
        this.#database.run("INSERT INTO uses (state, project, block_id) VALUES (?, ?, ?)", id, state.project, block);
      }
      if (state.model) {
        this.#database.run(
          "INSERT OR REPLACE INTO models (project, name, state, artifact) VALUES (?, ?, ?, ?)",
          state.project,
          state.model.name,
          id,
          state.model.artifact,
        );
      }
      const { variables: _, written: __, uses: ___, model: ____, key: _____, ...rest } = state;
      return { ...rest, id, urls, stale: false };
    });
  }

  state(owner: string, id: number): State | null {
    const head = this.#database.get(
      "SELECT s.id, s.stale FROM states s JOIN projects p ON p.id = s.project WHERE s.id = ? AND p.owner = ?",
      id,
      owner,
    );
    return this.#stateOf(head);
  }

  /** The state of a block, in the owner's project. */
  block(project: number, blockId: number): State | null {
    const head = this.#database.get(
      "SELECT id, stale FROM states WHERE project = ? AND block_id = ?",
      project,
      blockId,
    );
    return this.#stateOf(head);
  }

  /** The state that an earlier request with the same key made; null when there is none. */
  keyed(project: number, key: string): State | null {
    return this.#stateOf(
      this.#database.get("SELECT id, stale FROM states WHERE project = ? AND request_key = ?", project, key),
    );
  }

  /** The last block id that was given in the project; one of a deleted block is not given again. */
  lastBlock(project: number): number {
    const row = this.#database.get("SELECT last_block FROM projects WHERE id = ?", project);
    return (row?.last_block as number | undefined) ?? 0;
  }

  /** Reading a long chain's frame takes longer than most blocks run, and one after the other asks for it. */
  #stateOf(head: Row | undefined): State | null {
    if (!head) return null;
    const known = this.#recent.find(head.id as number, head.stale === 1);
    if (known) return known;
    const row = this.#database.get("SELECT * FROM states WHERE id = ?", head.id);
    return row ? this.#recent.keep(toState(row), lettersOf(row)) : null;
  }

  /** Is a block the other one, or one that the other builds on? */
  isAtOrBefore(project: number, blockId: number, other: number): boolean {
    if (blockId === other) return true;
    // Most blocks are new, and nothing builds on them: going back through a long chain takes as long as many a block.
    const isBuiltOn = this.#database.get(
      `SELECT 1 FROM states WHERE project = ?1 AND parent_id = ?2
       UNION ALL SELECT 1 FROM uses WHERE project = ?1 AND block_id = ?2 LIMIT 1`,
      project,
      blockId,
    );
    if (!isBuiltOn) return false;
    const found = this.#database.get(
      `WITH RECURSIVE before(id) AS (
         VALUES (?2)
         UNION
         SELECT m.block_id FROM states s JOIN before ON s.block_id = before.id JOIN (
           SELECT id AS state, parent_id AS block_id FROM states WHERE project = ?1
           UNION ALL SELECT state, block_id FROM uses WHERE project = ?1
         ) m ON m.state = s.id
         WHERE s.project = ?1
       )
       SELECT 1 FROM before WHERE id = ?3`,
      project,
      other,
      blockId,
    );
    return found !== undefined;
  }

  /** A state and those before it without their frames, the nearest first; as far back as they are known. */
  ancestry(state: number): Ancestor[] {
    return this.#database
      .all(
        `WITH RECURSIVE back (id, parent_state, code, split) AS (
           SELECT id, parent_state, code, frame ->> '$.folds.artifact' FROM states WHERE id = ?1
           UNION ALL
           SELECT s.id, s.parent_state, s.code, s.frame ->> '$.folds.artifact'
           FROM states s JOIN back ON s.id = back.parent_state
         )
         SELECT * FROM back`,
        state,
      )
      .map((row) => ({
        id: row.id as number,
        parentState: row.parent_state as number | null,
        code: row.code as string,
        split: row.split as string | null,
      }));
  }

  /** States in the order of their ids, of one project or all, without their large outputs. */
  states(
    owner: string,
    project?: number,
    { limit = -1, offset = 0, after = 0, ...which }: Page & Which = {},
  ): ListedState[] {
    const where = project === undefined ? "" : ` AND s.project = ?3${whereOf(which)}`;
    const block = typeof which.block === "number" ? which.block : null;
    return this.#database
      .all(
        `SELECT s.id, s.project, s.block_id, s.parent_id, s.code, s.notices, s.function_action, s.urls, s.stale,
           coalesce(octet_length(s.output), (SELECT bytes FROM artifacts WHERE id = s.output_file)) AS bytes,
           CASE WHEN octet_length(s.output) <= ${mostListedBytes} THEN s.output END AS output
         FROM states s JOIN projects p ON p.id = s.project
         WHERE p.owner = ?1 AND s.id > ?2${where} ORDER BY s.id LIMIT ?5 OFFSET ?6`,
        owner,
        after,
        project ?? null,
        block,
        limit,
        offset,
      )
      .map(toListed);
  }

  deleteState(state: State): void {
    this.#database.transaction(() => {
      this.#database.run("DELETE FROM models WHERE state = ?", state.id);
      this.#database.run("DELETE FROM states WHERE id = ?", state.id);
      this.#markStale(state.project, state.blockId);
    });
  }

  /** Names of the project's models. */
  modelNames(project: number): string[] {
    return this.#database
      .all("SELECT name FROM models WHERE project = ? ORDER BY name", project)
      .map((row) => row.name as string);
  }

  model(project: number, name: string): { artifact: string; state: number; block: number | null } | null {
    const row = this.#database.get(
      `SELECT m.artifact, m.state, s.block_id
       FROM models m LEFT JOIN states s ON s.id = m.state
       WHERE m.project = ? AND m.name = ?`,
      project,
      name,
    );
    if (!row) return null;
    const { artifact, state, block_id } = row;
    return { artifact: artifact as string, state: state as number, block: block_id as number | null };
  }

  /** What a block wrote down under the key, null when nothing. */
  note(project: number, key: string): Json | null {
    const row = this.#database.get("SELECT value FROM notes WHERE project = ? AND key = ?", project, key);
    return row ? (JSON.parse(row.value as string) as Json) : null;
  }

  /** Writes down something that stays even if the block that says it is never stored. */
  keepNote(project: number, key: string, value: Json): void {
    const text = JSON.stringify(value);
    this.#database.run("INSERT OR REPLACE INTO notes (project, key, value) VALUES (?, ?, ?)", project, key, text);
  }

  close(): void {
    this.#presence.close();
    this.#database.close();
  }

  /** What a block was made of must still be what it ran on; it may have been replaced by another process. */
  #expectUnchanged(state: NewState, block: number, was: number, what = `block ${block}`): void {
    const found = this.#database.get("SELECT id FROM states WHERE project = ? AND block_id = ?", state.project, block);
    if (found?.id !== was) {
      throw new ConflictError(
        `block ${state.blockId} (${state.code}) was not stored: ${what} was replaced while it ran. Run it again.`,
      );
    }
  }

  #insert(state: NewState): number {
    const { output } = state;
    const frame = frameText(state.frame);
    const { id } = this.#database.run(
      `INSERT INTO states (project, block_id, parent_id, parent_state, code, asked, args, frame, output, output_file, report, notices, function_action, urls, created_at, request_key)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '{}', ?, ?)`,
      state.project,
      state.blockId,
      state.parentId,
      state.parentState,
      state.code,
      state.asked,
      JSON.stringify(state.args),
      frame,
      output,
      state.outputFile,
      state.report === undefined ? null : JSON.stringify(state.report),
      JSON.stringify(state.notices),
      state.functionAction,
      new Date().toISOString(),
      state.key ?? null,
    );
    // A large output is searched only where it names any.
    const named = output?.includes('artifact":"') ? namedIn(output) : [];
    for (const artifact of new Set([...namedIn(frame), ...named])) {
      this.#database.run("INSERT INTO named (state, artifact) VALUES (?, ?)", id, artifact);
    }
    return id;
  }

  #markStale(project: number, blockId: number): void {
    this.#database.run(
      `WITH RECURSIVE after(id) AS (
         SELECT block_id FROM made_of WHERE of = ?2
         UNION
         SELECT m.block_id FROM made_of m JOIN after ON m.of = after.id
       ), made_of(block_id, of) AS (
         SELECT block_id, parent_id FROM states WHERE project = ?1 AND parent_state IS NOT NULL
         UNION ALL
         SELECT s.block_id, u.block_id FROM uses u JOIN states s ON s.id = u.state WHERE u.project = ?1
       )
       UPDATE states SET stale = 1 WHERE project = ?1 AND stale = 0 AND block_id IN (SELECT id FROM after)`,
      project,
      blockId,
    );
  }
}

/** The condition for some states `s` of project ?3; a block's number is ?4. */
function whereOf({ stale, ...which }: Which): string {
  return `${stale ? " AND s.stale = 1" : ""}${whereBlock(which)}`;
}

function whereBlock({ block, chain = false }: Which): string {
  if (block === undefined) return "";
  const last = "(SELECT block_id FROM states WHERE project = ?3 ORDER BY id DESC LIMIT 1)";
  const first = block === "last" ? last : "?4";
  if (!chain) return ` AND s.block_id = ${first}`;
  return ` AND s.block_id IN (
    WITH RECURSIVE back (id) AS (
      SELECT ${first}
      UNION
      SELECT b.parent_id FROM states b JOIN back ON b.block_id = back.id WHERE b.project = ?3
    )
    SELECT id FROM back)`;
}

function lettersOf(row: Row): number {
  return Object.values(row).reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
}
