import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ArgsError } from "../core/errors.ts";
import { DatabaseSync } from "../core/sqlite.ts";
import { openingFailure } from "./damage.ts";

/** What is known about a key; never the key itself. */
export interface KeyRecord {
  /** Also the owner of the projects made with the key. */
  readonly id: string;
  readonly label: string;
  /** ISO 8601 in UTC. */
  readonly created_at: string;
  /** ISO 8601 in UTC; null while the key is valid. */
  readonly revoked_at: string | null;
}

/** A new key. `key` is shown now and never again. */
export interface NewKey extends KeyRecord {
  readonly key: string;
}

/** The keys of a service: made, listed, revoked and checked. */
export interface KeyStore {
  /** Makes a key of 256 random bits. */
  create(label: string): NewKey;
  /** All keys, the oldest first; revoked ones too. */
  list(): KeyRecord[];
  /** Ends a key; its projects stay on disk. False when no valid key has this id. */
  revoke(id: string): boolean;
  /** The owner behind a key, or null when it is unknown or revoked. */
  check(key: string): string | null;
  /** May this owner still do anything, or was its key revoked? */
  isValid(owner: string): boolean;
  /** Can any key at all get in? */
  hasKeys(): boolean;
  close(): void;
}

/** How a key store is opened. */
export interface KeyStoreOptions {
  /** A key that is valid without being stored, such as the environment's BLOCKLAB_KEY. */
  readonly fixed?: string;
}

const longestLabel = 200;

/** Opens the keys of a home (`keys.db`). Several processes may share it; a revocation counts at once in all. */
export function openKeys(home: string, options: KeyStoreOptions = {}): KeyStore {
  const database = opened(home);
  const fixed = options.fixed?.trim() ? ownedBy(options.fixed.trim()) : null;
  const valid = database.prepare("SELECT id FROM keys WHERE hash = ? AND revoked_at IS NULL");
  const byId = database.prepare("SELECT 1 FROM keys WHERE id = ? AND revoked_at IS NULL");
  const any = database.prepare("SELECT 1 FROM keys WHERE revoked_at IS NULL LIMIT 1");
  const insert = database.prepare("INSERT INTO keys (id, label, hash, created_at) VALUES (?, ?, ?, ?)");
  const all = database.prepare("SELECT id, label, created_at, revoked_at FROM keys ORDER BY rowid");
  const end = database.prepare("UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL");
  return {
    create(label) {
      const named = label.trim();
      if (named.length > longestLabel) {
        throw new ArgsError(`A key's label has at most ${longestLabel} characters, got ${named.length}.`, {
          path: "label",
          got: named.length,
        });
      }
      const key = `bl_${randomBytes(32).toString("base64url")}`;
      const id = `key_${randomBytes(8).toString("hex")}`;
      const created_at = new Date().toISOString();
      insert.run(id, named, hashOf(key).toString("hex"), created_at);
      return { id, label: named, created_at, revoked_at: null, key };
    },
    list: () => all.all().map((row) => ({ ...row }) as unknown as KeyRecord),
    revoke: (id) => end.run(new Date().toISOString(), id).changes > 0,
    check(key) {
      const hash = hashOf(key);
      // Looked up by the digest of what came: how long that takes says nothing of a key to whom it lacks.
      const stored = valid.get(hash.toString("hex")) as { readonly id: string } | undefined;
      // A stored key that is also the fixed one keeps its own projects.
      return stored?.id ?? (fixed && timingSafeEqual(hash, fixed.hash) ? fixed.owner : null);
    },
    isValid: (owner) => owner === fixed?.owner || byId.get(owner) !== undefined,
    hasKeys: () => fixed !== null || any.get() !== undefined,
    close: () => database.close(),
  };
}

interface OwnedHash {
  readonly owner: string;
  readonly hash: Buffer;
}

/** The fixed key's owner comes from its hash, hashed again: the same after a restart, and no clue to the key. */
function ownedBy(key: string): OwnedHash {
  const hash = hashOf(key);
  return {
    hash,
    owner: `env_${createHash("sha256").update("blocklab owner").update(hash).digest("hex").slice(0, 16)}`,
  };
}

// A plain hash is enough: a key of 256 random bits can't be guessed, unlike a password.
function hashOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

function opened(home: string): DatabaseSync {
  try {
    return openDatabase(home);
  } catch (error) {
    throw openingFailure(error, home);
  }
}

function openDatabase(home: string): DatabaseSync {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const path = join(home, "keys.db");
  const database = new DatabaseSync(path, { timeout: 10_000 });
  chmodSync(path, 0o600);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS keys (
      id TEXT NOT NULL UNIQUE,
      label TEXT NOT NULL,
      hash TEXT NOT NULL UNIQUE,
      created_at TEXT NOT NULL,
      revoked_at TEXT
    ) STRICT;`);
  return database;
}
