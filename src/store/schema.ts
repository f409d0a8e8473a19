import { DataError } from "../core/errors.ts";
import type { DatabaseSync } from "../core/sqlite.ts";

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
  // A file goes when the database knows that it may: its row was deleted, or it has none yet and its process ended.
  `CREATE TABLE removals (id TEXT PRIMARY KEY, process TEXT) STRICT, WITHOUT ROWID;
   CREATE TRIGGER artifact_deleted AFTER DELETE ON artifacts BEGIN
     INSERT OR IGNORE INTO removals (id) VALUES (old.id);
   END;
   CREATE TRIGGER upload_deleted AFTER DELETE ON uploads BEGIN
     INSERT OR IGNORE INTO removals (id) VALUES (old.id);
   END;
   CREATE INDEX artifacts_with_bytes ON artifacts (project, bytes) WHERE bytes IS NOT NULL;
   CREATE INDEX states_by_parent ON states (project, parent_id);
   CREATE TABLE named (
     state INTEGER NOT NULL REFERENCES states (id) ON DELETE CASCADE,
     artifact TEXT NOT NULL,
     PRIMARY KEY (state, artifact)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX named_by_artifact ON named (artifact);
   INSERT OR IGNORE INTO named
     WITH RECURSIVE found (state, artifact, rest) AS (
       SELECT id, NULL, frame || coalesce(output, '') FROM states
       UNION ALL
       SELECT state, substr(rest, instr(rest, 'artifact":"') + 11, 22), substr(rest, instr(rest, 'artifact":"') + 33)
       FROM found WHERE instr(rest, 'artifact":"') > 0
     )
     SELECT state, artifact FROM found WHERE artifact IS NOT NULL;
   CREATE INDEX models_by_artifact ON models (artifact);
   ALTER TABLE artifacts ADD COLUMN orphaned INTEGER NOT NULL DEFAULT 0;
   UPDATE artifacts SET orphaned = 1 WHERE process IS NULL AND state NOT IN (SELECT id FROM states);
   CREATE INDEX artifacts_orphaned ON artifacts (project) WHERE orphaned = 1;
   CREATE TRIGGER state_deleted AFTER DELETE ON states BEGIN
     UPDATE artifacts SET orphaned = 1 WHERE state = old.id;
   END;`,
  // SQLite writes on the thread that serves; an output of tens of megabytes is a file.
  "ALTER TABLE states ADD COLUMN output_file TEXT;",
  // Rows of a program come as a file of the project, which goes when none of its blocks reads it any more.
  `ALTER TABLE uploads ADD COLUMN project INTEGER REFERENCES projects (id) ON DELETE CASCADE;
   CREATE INDEX uploads_by_project ON uploads (project) WHERE project IS NOT NULL;`,
  // A join is made of two blocks, and becomes stale with either.
  `CREATE TABLE uses (
     state INTEGER NOT NULL REFERENCES states (id) ON DELETE CASCADE,
     project INTEGER NOT NULL,
     block_id INTEGER NOT NULL,
     PRIMARY KEY (state, block_id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX uses_by_block ON uses (project, block_id);`,
  // New blocks get their ids here, none of them twice; a request that was sent twice is known by its key.
  `ALTER TABLE projects ADD COLUMN last_block INTEGER NOT NULL DEFAULT 0;
   UPDATE projects SET last_block = coalesce((SELECT max(block_id) FROM states WHERE project = projects.id), 0);
   ALTER TABLE states ADD COLUMN request_key TEXT;
   CREATE UNIQUE INDEX states_by_key ON states (project, request_key) WHERE request_key IS NOT NULL;`,
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
