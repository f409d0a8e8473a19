import { type Stats, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { DataError } from "../core/errors.ts";
import type { Database } from "./database.ts";
import { digest, type Files, flush, formats, newArtifactId } from "./files.ts";
import type { Artifact } from "./state.ts";
import { removed } from "./sweep.ts";

/** A file as it was when it was written. */
export interface Seal {
  readonly sha256: string;
  readonly bytes: number;
}

/** What a store knows of artifacts: who has them, what they must look like on disk, which of them nobody can reach. */
export class Artifacts {
  readonly #database: Database;
  readonly #files: Files;
  readonly #process: string;
  /** Files that were found whole, by what the disk said of them then. */
  readonly #whole = new Map<string, string>();
  /** Artifacts that were given up, whose rows could not be deleted yet. */
  readonly #givenUp = new Set<string>();

  constructor(database: Database, files: Files, process: string) {
    this.#database = database;
    this.#files = files;
    this.#process = process;
  }

  /**
   * Reserves an artifact before its file is there; it belongs to this process until a state takes it.
   *
   * Without a seal its file is written once somebody reads it, see `fulfil`.
   */
  reserve(project: number, kind: Artifact["kind"], seal: Seal | null): string {
    this.#forgetGivenUp();
    const id = newArtifactId();
    this.#database.run(
      "INSERT INTO artifacts (id, project, kind, process, sha256, bytes) VALUES (?, ?, ?, ?, ?, ?)",
      id,
      project,
      kind,
      this.#process,
      seal?.sha256 ?? null,
      seal?.bytes ?? null,
    );
    return id;
  }

  /** Gives a reserved artifact its file, whose digest was just taken. */
  async keep(id: string, temporary: string): Promise<void> {
    await this.#files.keep(temporary, id);
    this.#whole.set(id, versionOf(await stat(this.#files.path(id))));
  }

  /** Is it an artifact whose file nobody has written yet? */
  isUnwritten(id: string): boolean {
    if (this.#files.has(id)) return false;
    const row = this.#database.all("SELECT sha256 FROM artifacts WHERE id = ? AND kind = 'table'", id)[0];
    return row !== undefined && row.sha256 === null;
  }

  /** Gives an artifact that was reserved without a seal its file; another process may have done so meanwhile. */
  async fulfil(id: string, temporary: string): Promise<Seal> {
    const seal = await sealOf(temporary);
    await this.keep(id, temporary);
    const { sha256, bytes } = seal;
    const { changes } = this.#database.run(
      "UPDATE artifacts SET sha256 = ?, bytes = ? WHERE id = ?",
      sha256,
      bytes,
      id,
    );
    // Nobody wants it any more.
    if (changes === 0) await this.#files.remove(id);
    return seal;
  }

  /** Gives up reserved artifacts and their files; never fails, since it follows a failure, such as a full disk. */
  async discard(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#givenUp.add(id);
    this.#forgetGivenUp();
    await this.remove(ids);
    // What could not be written before may have room now.
    this.#forgetGivenUp();
  }

  #forgetGivenUp(): void {
    try {
      for (const id of this.#givenUp) {
        this.#database.run("DELETE FROM artifacts WHERE id = ?", id);
        this.#givenUp.delete(id);
      }
    } catch {
      // On a full disk; the next one to be reserved or given up tries again, and so does the next start.
    }
  }

  /** Removes the files of artifacts whose rows are deleted; what can't be removed now goes at the next start. */
  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      for (const name of [id, ...formats.map((format) => `${id}.${format}`)]) this.#whole.delete(name);
    }
    await removed(this.#database, [this.#files], ids);
  }

  find(owner: string, id: string): Artifact | null {
    const row = this.#database.all(
      "SELECT a.* FROM artifacts a JOIN projects p ON p.id = a.project WHERE a.id = ? AND p.owner = ?",
      id,
      owner,
    )[0];
    if (!row) return null;
    return {
      id: row.id as string,
      project: row.project as number,
      state: row.state as number | null,
      kind: row.kind as Artifact["kind"],
      variable: row.variable as string | null,
    };
  }

  /**
   * The file of an artifact, after a check that it is as it was written; once per process and version of the file.
   *
   * One that is gone or damaged is an error that says which block to run again, and lets it run again.
   */
  async check(id: string): Promise<Seal> {
    const row = this.#database.all("SELECT sha256, bytes FROM artifacts WHERE id = ?", id)[0];
    const path = this.#files.path(id);
    const sealed = row?.sha256 ? ({ sha256: row.sha256, bytes: row.bytes } as Seal) : null;
    // A look of microseconds; on another thread it would wait for that one, too.
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) throw this.#lost(id, "is gone from disk");
    const version = versionOf(found);
    if (sealed && this.#whole.get(id) === version) return sealed;
    const seal = { sha256: await digest(path), bytes: found.size };
    if (sealed && seal.sha256 !== sealed.sha256) {
      throw this.#lost(id, "is damaged on disk (its SHA-256 is not the one it was stored with)");
    }
    this.#whole.set(id, version);
    return seal;
  }

  /** A written-out form of an artifact, when it is there and whole. */
  async copy(id: string, format: string): Promise<Seal | null> {
    const row = this.#database.all("SELECT sha256, bytes FROM copies WHERE artifact = ? AND format = ?", id, format)[0];
    const found = await stat(this.#files.path(id, format)).catch(() => null);
    if (!row || !found) return null;
    const seal = { sha256: row.sha256 as string, bytes: row.bytes as number };
    const [name, version] = [`${id}.${format}`, versionOf(found)];
    if (this.#whole.get(name) === version) return seal;
    if (found.size !== seal.bytes || (await digest(this.#files.path(id, format))) !== seal.sha256) return null;
    this.#whole.set(name, version);
    return seal;
  }

  /** Keeps a written-out form of an artifact under its name. */
  async keepCopy(id: string, format: string, temporary: string): Promise<Seal> {
    const seal = await sealOf(temporary);
    // The row first: a copy whose file isn't there, or isn't that one, is written anew.
    this.#database.run(
      "INSERT OR REPLACE INTO copies (artifact, format, sha256, bytes) SELECT id, ?, ?, ? FROM artifacts WHERE id = ?",
      format,
      seal.sha256,
      seal.bytes,
      id,
    );
    await this.#files.keep(temporary, id, format);
    this.#whole.set(`${id}.${format}`, versionOf(await stat(this.#files.path(id, format))));
    return seal;
  }

  /** Bytes that an owner's artifacts and uploads take on disk. */
  usage(owner: string): number {
    const [row] = this.#database.all(
      `SELECT (SELECT coalesce(sum(a.bytes), 0) FROM artifacts a JOIN projects p ON p.id = a.project
            WHERE p.owner = ?1 AND a.bytes IS NOT NULL)
         + (SELECT coalesce(sum(c.bytes), 0) FROM copies c JOIN artifacts a ON a.id = c.artifact
            JOIN projects p ON p.id = a.project WHERE p.owner = ?1)
         + (SELECT coalesce(sum(bytes), 0) FROM uploads WHERE owner = ?1) AS bytes`,
      owner,
    );
    return row.bytes as number;
  }

  /** Bytes that each owner's artifacts and uploads take on disk. */
  usages(): number[] {
    const rows = this.#database.all(
      `SELECT sum(bytes) AS bytes FROM (
         SELECT p.owner, a.bytes FROM artifacts a JOIN projects p ON p.id = a.project WHERE a.bytes IS NOT NULL
         UNION ALL
         SELECT p.owner, c.bytes FROM copies c JOIN artifacts a ON a.id = c.artifact JOIN projects p ON p.id = a.project
         UNION ALL
         SELECT owner, bytes FROM uploads
       ) GROUP BY owner`,
    );
    return rows.map((row) => Number(row.bytes ?? 0));
  }

  /**
   * Removes what no state of the project leads to any more.
   *
   * A replaced block's artifacts stay while the frame of a later block, an output, or a kept model names any of them.
   * Nothing else may run in the project meanwhile.
   */
  async collect(project: number): Promise<number> {
    const gone = this.#database.transaction(() => {
      const rows = this.#database.all(
        `SELECT id, state, kind,
           EXISTS (SELECT 1 FROM named WHERE artifact = id) OR EXISTS (SELECT 1 FROM models WHERE artifact = id) AS needed
         FROM artifacts WHERE project = ? AND orphaned = 1`,
        project,
      );
      const needed = new Set(rows.filter((row) => row.needed === 1).map((row) => row.state));
      const lost = rows.filter((row) => row.kind === "projection" || !needed.has(row.state));
      for (const row of lost) this.#database.run("DELETE FROM artifacts WHERE id = ?", row.id);
      return lost.map((row) => row.id as string);
    });
    await this.remove(gone);
    return gone.length;
  }

  /** The block that wrote it may run again: it counts as stale, or it would answer what it answered before. */
  #lost(id: string, what: string): DataError {
    const block = this.#database.all(
      "SELECT s.id, s.block_id, s.code FROM artifacts a JOIN states s ON s.id = a.state WHERE a.id = ?",
      id,
    )[0];
    if (block) this.#database.run("UPDATE states SET stale = 1 WHERE id = ?", block.id);
    const whose = block ? ` of block ${block.block_id} (${block.code})` : "";
    const cure = block ? `Run block ${block.block_id} again` : "Run its chain again from the first block";
    return new DataError(`The artifact "${id}"${whose} ${what}. ${cure}.`, { code: "lost_artifact", got: id });
  }
}

/** The artifacts that a frame or an output names, as JSON. */
export function namedIn(json: string): string[] {
  return [...json.matchAll(/"\$?artifact":"([A-Za-z0-9_-]{22})"/g)].map((match) => match[1]);
}

/** What the disk says of a file, which no writing leaves as it was. */
function versionOf({ size, mtimeMs, ino }: Stats): string {
  return `${size}:${mtimeMs}:${ino}`;
}

/** From here on a file's way to the disk takes as long as its digest. */
const largeBytes = 2 ** 22;

/** The digest and size of a file, which is on its way to the disk meanwhile. */
export async function sealOf(path: string): Promise<Seal> {
  const { size } = await stat(path);
  const [sha256] = await Promise.all([digest(path), size > largeBytes ? flush(path) : null]);
  return { sha256, bytes: size };
}
