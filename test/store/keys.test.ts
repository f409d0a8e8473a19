import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type KeyStore, openKeys } from "../../src/store/keys.ts";

let home: string;
let open: KeyStore[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "blocklab-keys-"));
  open = [];
});

afterEach(() => {
  for (const keys of open) keys.close();
  rmSync(home, { recursive: true, force: true });
});

function keysOf(fixed?: string): KeyStore {
  const keys = openKeys(home, { fixed });
  open.push(keys);
  return keys;
}

test("a new key has 256 bits and lets its owner in", () => {
  const keys = keysOf();
  const { key, id } = keys.create("laptop");
  expect(key).toMatch(/^bl_[A-Za-z0-9_-]{43}$/);
  expect(keys.check(key)).toBe(id);
  expect(keys.check(`${key}x`)).toBeNull();
  expect(keys.check("")).toBeNull();
});

test("the list shows labels and never a key or its hash", () => {
  const keys = keysOf();
  const made = [keys.create("laptop"), keys.create(" class ")];
  expect(keys.list()).toEqual(
    made.map(({ id, created_at }, k) => ({ id, label: ["laptop", "class"][k], created_at, revoked_at: null })),
  );
});

test("the key itself is not on disk", () => {
  const { key } = keysOf().create("laptop");
  for (const name of ["keys.db", "keys.db-wal"]) {
    expect(readFileSync(join(home, name)).includes(key)).toBe(false);
  }
});

test("a revoked key is refused at once, in other processes' stores too", () => {
  const keys = keysOf();
  const other = keysOf();
  const { key, id } = keys.create("laptop");
  expect(other.check(key)).toBe(id);
  expect(other.isValid(id)).toBe(true);
  expect(keys.revoke(id)).toBe(true);
  expect(other.check(key)).toBeNull();
  expect(other.isValid(id)).toBe(false);
  expect(keys.revoke(id)).toBe(false);
  expect(keys.list()[0].revoked_at).toMatch(/^\d{4}-.*Z$/);
});

test("the fixed key has the same owner after a restart, and another key another owner", () => {
  const owner = keysOf("secret-1").check("secret-1");
  expect(owner).toMatch(/^env_[0-9a-f]{16}$/);
  expect(keysOf("secret-1").isValid(owner as string)).toBe(true);
  expect(keysOf("secret-2").isValid(owner as string)).toBe(false);
  expect(keysOf("secret-1\n").check("secret-1")).toBe(owner);
  expect(keysOf("secret-2").check("secret-2")).not.toBe(owner);
  expect(keysOf("secret-2").check("secret-1")).toBeNull();
});

test("a stored key that is also the fixed one keeps its own owner", () => {
  const { key, id } = keysOf().create("laptop");
  expect(keysOf(key).check(key)).toBe(id);
});

test("an empty fixed key lets nobody in", () => {
  const keys = keysOf("  ");
  expect(keys.hasKeys()).toBe(false);
  expect(keys.check("")).toBeNull();
  expect(keys.check("  ")).toBeNull();
  keys.create("laptop");
  expect(keys.hasKeys()).toBe(true);
});

test("a label that is too long is refused with its length", () => {
  expect(() => keysOf().create("x".repeat(201))).toThrow("at most 200 characters, got 201");
});
