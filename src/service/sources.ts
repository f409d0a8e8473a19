import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, type Stats, statSync } from "node:fs";
import { realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ArgsError } from "../core/errors.ts";
import { didYouMean, listed, quoted } from "../core/names.ts";
import { sampleNames, samplesFolder } from "../core/samples.ts";
import type { SourceFile } from "../core/tables.ts";
import type { Reach } from "./addresses.ts";

const mostFetchedBytes = 2 * 2 ** 30;
const fetchTimeoutMs = 120_000;

/** Which files a service may read for its callers. */
export interface SourceRules {
  /** The one folder below which local files may be named; null: none; undefined: any file of the user's own. */
  readonly files: string | null | undefined;
  /** Where it may connect to; null: anywhere, as the user's own programs may. */
  readonly reach: Reach | null;
}

/** Opens what a `dburl` names, other than an artifact: a sample, an http(s) URL, or a local file. */
export async function openSource(dburl: string, rules: SourceRules, signal: AbortSignal): Promise<SourceFile> {
  if (dburl.startsWith("sample:")) return sample(dburl.slice("sample:".length));
  if (/^data:/i.test(dburl)) return await enclosed(dburl);
  if (/^https?:\/\//i.test(dburl)) return await fetched(dburl, rules, signal);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(dburl) && !dburl.startsWith("file://")) {
    throw new ArgsError(
      `input: dburl ${quoted(dburl)} has a scheme that is not known; use a path, http(s)://, or sample:NAME.`,
      {
        path: "dburl",
        got: dburl.slice(0, 80),
      },
    );
  }
  return await localFile(dburl, rules);
}

/** Changes when the named local file changes, so that a repeated input reads it anew; null for anything else. */
export function fingerprint(dburl: string, rules: SourceRules): string | null {
  if (/^[a-z][a-z0-9+.-]+:/i.test(dburl) && !dburl.startsWith("file://")) return null;
  const found = lookedAt(dburl, rules);
  // The time of the last change to anything tells a file that was replaced by one as old and as long.
  return found ? `${found.mtimeMs}:${found.ctimeMs}:${found.size}` : null;
}

function sample(name: string): SourceFile {
  // A single picture is a sample too, for the block that reads one.
  const file = readdirSync(samplesFolder).find(
    (each) => /\.(csv|json|zip|png)$/.test(each) && each.replace(/\.\w+$/, "") === name,
  );
  if (file !== undefined) return { path: join(samplesFolder, file), name: file, release: async () => undefined };
  const names = sampleNames();
  throw new ArgsError(
    `input: there is no sample ${quoted(name)}.${didYouMean(name, names)} Samples: ${listed(names)}.`,
    { path: "dburl", got: name.slice(0, 80), expected: names },
  );
}

async function fetched(url: string, rules: SourceRules, signal: AbortSignal): Promise<SourceFile> {
  const path = join(tmpdir(), `blocklab-${randomUUID()}`);
  const release = () => rm(path, { force: true });
  try {
    const limits = { reach: rules.reach, mostBytes: mostFetchedBytes, timeoutMs: fetchTimeoutMs };
    const { download } = await import("./fetch.ts");
    await download(url, path, limits, signal);
    return { path, name: basename(new URL(url).pathname) || url, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Kinds of files by the media types of data URLs; Parquet and Arrow tell themselves. */
const mediaFormats: Readonly<Record<string, SourceFile["format"]>> = { "application/json": "json", "text/csv": "csv" };

/** A data URL (RFC 2397): what is read stands in it. */
async function enclosed(dburl: string): Promise<SourceFile> {
  const [, media, base64, data] = /^data:([^,;]*)(?:;[^,;]*?)*?(;base64)?,(.*)$/is.exec(dburl) ?? [];
  if (data === undefined)
    throw new ArgsError('input: a data URL looks like data:application/json,[{"a": 1}] or data:text/csv,a,b.', {
      path: "dburl",
      got: dburl.slice(0, 80),
    });
  // Bytes, of which each may be written as %e4.
  const letters = Buffer.from(data).toString("latin1");
  const plain = letters.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const path = join(tmpdir(), `blocklab-${randomUUID()}`);
  await writeFile(path, base64 ? Buffer.from(plain, "base64") : Buffer.from(plain, "latin1"), { mode: 0o600 });
  const format = mediaFormats[media.toLowerCase()];
  return { path, name: "rows", ...(format ? { format } : {}), release: () => rm(path, { force: true }) };
}

async function localFile(dburl: string, rules: SourceRules): Promise<SourceFile> {
  const { path, isFile } = await localPlace(dburl, rules);
  if (!isFile)
    throw new ArgsError(`input: ${quoted(dburl)} is not a file.`, {
      code: "no_file",
      path: "dburl",
      got: dburl.slice(0, 200),
    });
  return { path, name: basename(path), release: async () => undefined };
}

/** The file or folder that a `dburl` names, which the rules let be read. */
export async function localPlace(dburl: string, rules: SourceRules): Promise<{ path: string; isFile: boolean }> {
  if (rules.files === null) {
    throw new ArgsError(
      "input: this service reads no local files (it was started without --files); upload the file, or give an http(s) URL.",
      {
        path: "dburl",
      },
    );
  }
  const path = pathOf(dburl, rules);
  const found = lookedAt(path, rules);
  if (rules.files !== undefined) await refuseOutside(found ? path : dirname(path), dburl, rules.files);
  if (!found) {
    const folder = dirname(path);
    const beside = existsSync(folder) ? readdirSync(folder).slice(0, 5000) : [];
    throw new ArgsError(`input: there is no file ${quoted(dburl)}.${didYouMean(basename(path), beside)}`, {
      code: "no_file",
      path: "dburl",
      got: dburl.slice(0, 200),
    });
  }
  return { path, isFile: found.isFile() };
}

/** The path of a file URL, which names no other machine. */
function pathIn(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    throw new ArgsError(`input: ${quoted(url)} is not the URL of a file on this machine.`, {
      path: "dburl",
      got: url.slice(0, 80),
    });
  }
}

/** What the disk says of a path; nothing when it can't be one, or is out of reach. */
function lookedAt(path: string, rules: SourceRules): Stats | undefined {
  try {
    return statSync(pathOf(path, rules), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function pathOf(dburl: string, rules: SourceRules): string {
  if (dburl.includes("\0")) throw new ArgsError("input: dburl holds a NUL character.", { path: "dburl" });
  const plain = dburl.startsWith("file://") ? pathIn(dburl) : dburl;
  const home = rules.files === undefined && /^~(?=\/|$)/.test(plain) ? plain.replace("~", homedir()) : plain;
  return resolve(rules.files ?? process.cwd(), home);
}

/** Links are followed before the check, so that none leads out of the folder. */
async function refuseOutside(path: string, dburl: string, folder: string): Promise<void> {
  const outside = new ArgsError(`input: ${quoted(dburl)} is outside the folder from which this service reads files.`, {
    code: "no_file",
    path: "dburl",
    got: dburl.slice(0, 200),
  });
  const real = await realpath(path).catch(() => null);
  // The folder itself may have gone since the service was started.
  const base = await realpath(folder).catch(() => null);
  const within = real === null || base === null ? null : relative(base, real);
  if (within === null || within === ".." || within.startsWith(`..${"/"}`) || isAbsolute(within)) throw outside;
}
