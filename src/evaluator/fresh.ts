import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

interface Loaded {
  readonly version: number;
  /** When the file had last changed as it was loaded; NaN for one that must be loaded again. */
  readonly changed: number;
  /** The local files that it imports, each with the version it got. */
  readonly imports: Map<string, number>;
}

const loaded = new Map<string, Loaded>();

/**
 * Which version of a local file an import gets: a new one when the file has changed, or a file that it imports.
 *
 * `importer` is the local file that asks, null for a cell.
 */
export function versionOf(file: string, importer: string | null): number {
  const known = loaded.get(file);
  let version = known?.version ?? 0;
  if (!known || isStale(file, new Set())) {
    version++;
    loaded.set(file, { version, changed: changeOf(file), imports: new Map() });
  }
  if (importer !== null) loaded.get(importer)?.imports.set(file, version);
  return version;
}

/** Forgets a file whose import failed, and what it imports: the next import tries all of them anew. */
export function forget(file: string): void {
  const known = loaded.get(file);
  if (!known || Number.isNaN(known.changed)) return;
  loaded.set(file, { ...known, changed: Number.NaN });
  for (const inner of known.imports.keys()) forget(inner);
}

function isStale(file: string, seen: Set<string>): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  const known = loaded.get(file);
  if (!known || known.changed !== changeOf(file)) return true;
  return [...known.imports].some(([inner, version]) => {
    return loaded.get(inner)?.version !== version || isStale(inner, seen);
  });
}

function changeOf(url: string): number {
  return statSync(fileURLToPath(url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
