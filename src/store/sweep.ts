import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Database } from "./database.ts";
import type { Files } from "./files.ts";

/** What a sweep did: files removed, set aside, and taken back. */
export interface Swept {
  readonly removed: number;
  readonly setAside: number;
  readonly back: number;
}

const quarantineName = "quarantine";
const namePattern = /^[A-Za-z0-9_-]{22}(?:\.\w+)?$/;

/**
 * Removes what crashed processes left behind, and sets aside files of which the database doesn't know.
 *
 * A file goes only when the database says that it may. One of which it never heard is no litter: the database may be
 * lost, or an older one. Such files lie in the quarantine until it knows them again.
 */
export async function sweep(
  database: Database,
  folders: readonly Files[],
  isAlive: (process: string) => boolean,
): Promise<Swept> {
  const ended = {
    artifacts: "DELETE FROM artifacts WHERE process = ?",
    running: "DELETE FROM running WHERE process = ?",
    removals: "UPDATE removals SET process = NULL WHERE process = ?",
  };
  for (const [table, statement] of Object.entries(ended)) {
    for (const row of database.all(`SELECT DISTINCT process FROM ${table} WHERE process IS NOT NULL`)) {
      if (!isAlive(row.process as string)) database.run(statement, row.process);
    }
  }
  const doomed = database.all("SELECT id FROM removals WHERE process IS NULL").map((row) => row.id as string);
  await removed(database, folders, doomed);
  const swept = { removed: doomed.length, setAside: 0, back: 0 };
  for (const { folder } of folders) {
    const quarantine = join(dirname(folder), quarantineName, basename(folder));
    // What gets its name after this look has its row already, so the rows are read after it.
    const [entries, aside] = [namesIn(folder), namesIn(quarantine)];
    const known = knownTo(database);
    const isKnown = (entry: string) => known.has(entry.slice(0, 22));
    const dead = entries.filter((entry) => {
      const temporary = /^tmp-([0-9a-f]+)-/.exec(entry);
      return temporary !== null && !isAlive(temporary[1]);
    });
    const unknown = entries.filter((entry) => namePattern.test(entry) && !isKnown(entry));
    const back = aside.filter((entry) => isKnown(entry) && !existsSync(join(folder, entry)));
    for (const entry of dead) await rm(join(folder, entry), { force: true });
    if (unknown.length > 0) mkdirSync(quarantine, { recursive: true, mode: 0o700 });
    for (const entry of unknown) await move(entry, folder, quarantine);
    for (const entry of back) await move(entry, quarantine, folder);
    swept.removed += dead.length;
    swept.setAside += unknown.length;
    swept.back += back.length;
  }
  return swept;
}

/** Removes files whose rows are deleted, and forgets that they were to go; what fails is left to the next start. */
export async function removed(database: Database, folders: readonly Files[], ids: readonly string[]): Promise<void> {
  try {
    for (const files of folders) for (const id of ids) await files.remove(id);
    database.run("DELETE FROM removals WHERE id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));
  } catch {
    // The rows among the removals stay.
  }
}

/** How many files of a home lie in its quarantine, and how many bytes. */
export function quarantined(home: string): { readonly files: number; readonly bytes: number } {
  const folder = join(home, quarantineName);
  const paths = namesIn(folder).flatMap((part) =>
    namesIn(join(folder, part)).map((entry) => join(folder, part, entry)),
  );
  const sizes = paths.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function knownTo(database: Database): Set<string> {
  const rows = database.all("SELECT id FROM artifacts UNION SELECT id FROM uploads UNION SELECT id FROM removals");
  return new Set(rows.map((row) => row.id as string));
}

/** Another process may sweep at the same time, and have moved it already. */
async function move(entry: string, from: string, to: string): Promise<void> {
  await rename(join(from, entry), join(to, entry)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

/** A stray file among the folders has no names in it. */
function namesIn(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}
