import type { DatabaseSync } from "node:sqlite";
import { DataError } from "../core/errors.ts";

/** Each entry brings the schema from its index to the next; never changed, only added to. */
export const migrations: readonly string[] = [
  `CREATE TABLE projects (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     app_id TEXT NOT NULL UNIQUE,
     owner TEXT NOT NULL,
     name TEXT NOT NULL,
     description TEXT NOT NULL,
     created_at TEXT NOT NULL,
     UNIQUE (owner, name)
   ) STRICT;
   CREATE TABLE states (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
     block_id INTEGER NOT NULL,
     parent_id INTEGER NOT NULL,
     parent_state INTEGER,
     code TEXT NOT NULL,
     asked TEXT NOT NULL,
     args TEXT NOT NULL,
     frame TEXT NOT NULL,
     output TEXT,
     report TEXT,
     notices TEXT NOT NULL,
     function_action INTEGER,
     urls TEXT NOT NULL,
     stale INTEGER NOT NULL DEFAULT 0,
     created_at TEXT NOT NULL,
     UNIQUE (project, block_id)
   ) STRICT;
   CREATE TABLE artifacts (
     id TEXT PRIMARY KEY,
     project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
     state INTEGER,
     kind TEXT NOT NULL,
     variable TEXT,
     sha256 TEXT,
     bytes INTEGER,
     pid INTEGER
   ) STRICT;
   CREATE INDEX artifacts_by_state ON artifacts (state);
   CREATE TABLE models (
     project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
     name TEXT NOT NULL,
     state INTEGER NOT NULL,
     artifact TEXT NOT NULL,
     PRIMARY KEY (project, name)
   ) STRICT;
   CREATE TABLE running (
     project INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
     block_id INTEGER NOT NULL,
     pid INTEGER NOT NULL
   ) STRICT;`,
  // Processes get names, since numbers come again; what an unfinished block of before left is given up.
  `DELETE FROM artifacts WHERE pid IS NOT NULL;
   ALTER TABLE artifacts DROP COLUMN pid;
   ALTER TABLE artifacts ADD COLUMN process TEXT;
   DROP TABLE running;
   CREATE TABLE running (
     project INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
     block_id INTEGER NOT NULL,
     process TEXT NOT NULL
   ) STRICT;
   CREATE TABLE copies (
     artifact TEXT NOT NULL REFERENCES artifacts (id) ON DELETE CASCADE,
     format TEXT NOT NULL,
     sha256 TEXT NOT NULL,
     bytes INTEGER NOT NULL,
     PRIMARY KEY (artifact, format)
   ) STRICT;
   CREATE TABLE uploads (
     id TEXT PRIMARY KEY,
     owner TEXT NOT NULL,
     name TEXT NOT NULL,
     bytes INTEGER NOT NULL,
     sha256 TEXT NOT NULL,
     created_at TEXT NOT NULL
   ) STRICT;
   CREATE INDEX uploads_by_owner ON uploads (owner);
   CREATE TABLE datasets (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     owner TEXT NOT NULL,
     name TEXT NOT NULL,
     description TEXT NOT NULL,
     type TEXT NOT NULL,
     url TEXT NOT NULL,
     created_at TEXT NOT NULL,
     UNIQUE (owner, name)
   ) STRICT;`,
  `CREATE TABLE notes (
     project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
     key TEXT NOT NULL,
     value TEXT NOT NULL,
     PRIMARY KEY (project, key)
   ) STRICT;`,
  // What a project has, and what it leaves when it goes, is looked for with every block: not among all that there is.
  "CREATE INDEX artifacts_by_project ON artifacts (project, bytes); CREATE INDEX models_by_state ON models (state);",
];

/** Brings a database up to date, within a transaction. */
export function migrate(database: DatabaseSync): void {
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  if (version > migrations.length) {
    throw new DataError(
      `The data folder was written by a newer blocklab (schema ${version}, this one knows ${migrations.length}); update blocklab.`,
    );
  }
  for (const step of migrations.slice(version)) database.exec(step);
  database.exec(`PRAGMA user_version = ${migrations.length}`);
}
