import { rm } from "node:fs/promises";
import type { DatasetRecord } from "../core/record.ts";
import type { Database } from "./database.ts";
import { type Files, newArtifactId } from "./files.ts";
import type { Page, Row } from "./state.ts";
import { removed } from "./sweep.ts";

/** An uploaded file as the store knows it. */
export interface Upload {
  readonly id: string;
  /** What its owner calls it; never a part of a path. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The project whose blocks alone read it; absent where nobody but its owner decides when it goes. */
  readonly project?: number | undefined;
}

/** So long an upload of a project may wait for the block that reads it. */
const waitingMs = 600_000;

/** What a data set is made of, besides its id. */
export type NewDataset = Pick<DatasetRecord, "dataset_name" | "dataset_description" | "dataset_type" | "dataset_url">;

/** Each owner's uploaded files and named data sets. */
export class Library {
  /** The files of uploads, under their ids. */
  readonly files: Files;
  readonly #database: Database;

  constructor(database: Database, files: Files) {
    this.#database = database;
    this.files = files;
  }

  /** Is there such a project, and is it the owner's? */
  hasProject(owner: string, project: number): boolean {
    return this.#database.get("SELECT 1 FROM projects WHERE id = ? AND owner = ?", project, owner) !== undefined;
  }

  /**
   * Takes a written temporary file as an upload: flushed and renamed first, then known. Until then it is to go.
   *
   * Of a project's own files none is kept twice.
   */
  async keep(owner: string, temporary: string, about: Omit<Upload, "id">): Promise<Upload> {
    const same = this.#sameOf(about);
    if (same !== null) {
      await rm(temporary, { force: true });
      return { id: same, ...about };
    }
    const id = newArtifactId();
    this.#database.run("INSERT INTO removals (id, process) VALUES (?, ?)", id, this.files.process);
    try {
      await this.files.keep(temporary, id);
      this.#database.transaction(() => {
        this.#database.run(
          "INSERT INTO uploads (id, owner, name, bytes, sha256, created_at, project) VALUES (?, ?, ?, ?, ?, ?, ?)",
          id,
          owner,
          about.name,
          about.bytes,
          about.sha256,
          now(),
          about.project ?? null,
        );
        this.#database.run("DELETE FROM removals WHERE id = ?", id);
      });
    } catch (error) {
      await removed(this.#database, [this.files], [id]);
      throw error;
    }
    return { id, ...about };
  }

  #sameOf({ project, sha256, name }: Omit<Upload, "id">): string | null {
    if (project === undefined) return null;
    return this.#database.transaction(() => {
      const text = "SELECT id FROM uploads WHERE project = ? AND sha256 = ? AND name = ?";
      const id = this.#database.all(text, project, sha256, name)[0]?.id as string | undefined;
      // Who is about to collect it sees that it is young again.
      if (id !== undefined) this.#database.run("UPDATE uploads SET created_at = ? WHERE id = ?", now(), id);
      return id ?? null;
    });
  }

  /** Removes what came with blocks of the project and is read by none any more. */
  async collect(project: number): Promise<void> {
    const before = now(Date.now() - waitingMs);
    const gone = this.#database.transaction(() => {
      const found = this.#database.all(
        `SELECT id FROM uploads WHERE project = ?1 AND created_at < ?2
           AND NOT EXISTS (SELECT 1 FROM states WHERE project = ?1 AND instr(args, uploads.id) > 0)`,
        project,
        before,
      );
      for (const { id } of found) this.#database.run("DELETE FROM uploads WHERE id = ?", id as string);
      return found;
    });
    await this.removeFiles(gone.map(({ id }) => id as string));
  }

  /** Removes the files of uploads whose rows are deleted; what can't be removed now goes at the next start. */
  async removeFiles(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await removed(this.#database, [this.files], ids);
  }

  upload(owner: string, id: string): Upload | null {
    const row = this.#database.get("SELECT * FROM uploads WHERE id = ? AND owner = ?", id, owner);
    if (!row) return null;
    return {
      id: row.id as string,
      name: row.name as string,
      bytes: row.bytes as number,
      sha256: row.sha256 as string,
    };
  }

  async deleteUpload(owner: string, id: string): Promise<boolean> {
    const { changes } = this.#database.run("DELETE FROM uploads WHERE id = ? AND owner = ?", id, owner);
    if (changes === 0) return false;
    await removed(this.#database, [this.files], [id]);
    return true;
  }

  /** Null when the owner has a data set of that name. */
  createDataset(owner: string, set: NewDataset): DatasetRecord | null {
    const created = now();
    const { changes, id } = this.#database.run(
      "INSERT INTO datasets (owner, name, description, type, url, created_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      owner,
      set.dataset_name,
      set.dataset_description,
      set.dataset_type,
      set.dataset_url,
      created,
    );
    return changes === 0 ? null : { id, ...set, created_at: created };
  }

  datasets(owner: string, { limit = -1, offset = 0, after = 0 }: Page = {}): DatasetRecord[] {
    const text = "SELECT * FROM datasets WHERE owner = ? AND id > ? ORDER BY id LIMIT ? OFFSET ?";
    return this.#database.all(text, owner, after, limit, offset).map(toDataset);
  }

  dataset(owner: string, id: number): DatasetRecord | null {
    const row = this.#database.get("SELECT * FROM datasets WHERE id = ? AND owner = ?", id, owner);
    return row ? toDataset(row) : null;
  }

  deleteDataset(owner: string, id: number): boolean {
    return this.#database.run("DELETE FROM datasets WHERE id = ? AND owner = ?", id, owner).changes > 0;
  }
}

function toDataset(row: Row): DatasetRecord {
  return {
    id: row.id as number,
    dataset_name: row.name as string,
    dataset_description: row.description as string,
    dataset_type: row.type as string,
    dataset_url: row.url as string,
    created_at: row.created_at as string,
  };
}

/** In UTC, with as many digits as the interface's times have. */
function now(ms = Date.now()): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
