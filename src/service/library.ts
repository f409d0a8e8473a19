import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { AccessError, ArgsError, BlocklabError, CancelledError, NotFoundError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import type { DatasetRecord } from "../core/record.ts";
import { passwordInUrl } from "../core/secrets.ts";
import type { Library, NewDataset, Upload } from "../store/library.ts";
import { type Page, unknownProject } from "../store/state.ts";
import type { Caller, ReadyFile } from "./contract.ts";
import type { Quota } from "./quota.ts";

/** A file that a client sends, as it comes in. */
export interface Incoming {
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
  /** The project whose blocks alone read it: it is kept once, and goes when none of them does any more. */
  readonly project?: number | undefined;
}

/** What bounds an upload. */
export interface UploadOptions {
  /** Bytes at most. */
  readonly mostBytes: number;
  readonly signal?: AbortSignal;
}

/** Uploads and data sets of the callers; what another key owns does not exist. */
export interface LibraryService {
  /** Keeps a file that a client sends; it never is in memory as a whole. */
  upload(caller: Caller, file: Incoming, options: UploadOptions): Promise<Upload>;
  /** An uploaded file, to be sent back. */
  uploaded(caller: Caller, id: string): Promise<ReadyFile & { readonly name: string }>;
  deleteUpload(caller: Caller, id: string): Promise<void>;
  /** Names a data set; `fields` are untrusted. */
  createDataset(caller: Caller, fields: Readonly<Record<string, unknown>>): Promise<DatasetRecord>;
  datasets(caller: Caller, page?: Page): Promise<DatasetRecord[]>;
  dataset(caller: Caller, id: number): Promise<DatasetRecord>;
  deleteDataset(caller: Caller, id: number): Promise<void>;
}

const longest: Readonly<Record<keyof NewDataset, number>> = {
  dataset_name: 200,
  dataset_description: 2000,
  dataset_type: 50,
  dataset_url: 4000,
};

/** Uploads and data sets over a store's library. */
export function libraryService(library: Library, quota?: Quota): LibraryService {
  const found = (caller: Caller, id: string): Upload => {
    const upload = library.upload(caller.owner, id);
    if (!upload) throw unknownUpload(id);
    return upload;
  };
  return {
    async upload(caller, { name, content, project }, { mostBytes, signal }) {
      if (project !== undefined && !library.hasProject(caller.owner, project)) throw unknownProject(project);
      const path = library.files.temporary();
      const hold = quota?.hold(caller.owner);
      try {
        const measured = await written(content, path, signal, (bytes, all) => {
          if (all > mostBytes) throw tooLarge(mostBytes);
          hold?.add(bytes);
        });
        hold?.add(0);
        return await library.keep(caller.owner, path, { name: plainName(name), ...measured, project });
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      } finally {
        hold?.end();
      }
    },
    async uploaded(caller, id) {
      const { name, bytes, sha256 } = found(caller, id);
      const path = library.files.path(id);
      if (!(await stat(path).catch(() => null))) throw unknownUpload(id);
      return { path, name, bytes, sha256, mediaType: "application/octet-stream", temporary: false };
    },
    async deleteUpload(caller, id) {
      if (!(await library.deleteUpload(caller.owner, id))) throw unknownUpload(id);
    },
    async createDataset(caller, fields) {
      const set = datasetOf(fields);
      const made = library.createDataset(caller.owner, set);
      if (made) return made;
      throw new AccessError(403, `A data set named ${quoted(set.dataset_name)} already exists; choose another name.`, {
        code: "name_taken",
        path: "dataset_name",
        got: set.dataset_name,
      });
    },
    datasets: async (caller, page) => library.datasets(caller.owner, page),
    async dataset(caller, id) {
      const set = library.dataset(caller.owner, id);
      if (!set) throw unknownDataset(id);
      return set;
    },
    async deleteDataset(caller, id) {
      if (!library.deleteDataset(caller.owner, id)) throw unknownDataset(id);
    },
  };
}

/** Writes what comes in to a file, counting and hashing it on the way; `take` may refuse a piece. */
async function written(
  content: AsyncIterable<Uint8Array>,
  path: string,
  signal: AbortSignal | undefined,
  take: (bytes: number, all: number) => void,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  async function* measured() {
    for await (const chunk of content) {
      bytes += chunk.length;
      take(chunk.length, bytes);
      hash.update(chunk);
      yield chunk;
    }
  }
  try {
    await pipeline(measured, createWriteStream(path, { flags: "wx", mode: 0o600 }), { signal });
  } catch (error) {
    if (signal?.aborted) throw new CancelledError("The upload was broken off; nothing of it was stored.");
    throw error;
  }
  return { bytes, sha256: hash.digest("hex") };
}

function tooLarge(mostBytes: number): BlocklabError {
  return new BlocklabError(
    413,
    `The file is larger than the ${mostBytes.toLocaleString("en-US")} bytes that are accepted.`,
    {
      code: "too_large",
      path: "file",
      expected: mostBytes,
      hint: "The operator can raise --upload-limit.",
    },
  );
}

/** The last part of a name that may be a whole path, without what a terminal or a header would act on. */
function plainName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  const clean = last.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069"]/g, "").trim();
  return /^\.*$/.test(clean) ? "file" : clean.slice(-200);
}

function datasetOf(fields: Readonly<Record<string, unknown>>): NewDataset {
  const text = (field: keyof NewDataset, other?: string): string => {
    const value = [fields[field], other === undefined ? undefined : fields[other]].find(
      (each) => each !== undefined && each !== null && each !== "",
    );
    if (value === undefined) return "";
    if (typeof value === "string" && value.length <= longest[field]) return value.trim();
    const got = typeof value === "string" ? `${value.length} characters` : quoted(JSON.stringify(value).slice(0, 60));
    throw new ArgsError(`${field} must be a text of at most ${longest[field]} characters, got ${got}.`, {
      path: field,
      expected: "text",
    });
  };
  const set = {
    dataset_name: text("dataset_name", "name"),
    dataset_description: text("dataset_description", "description"),
    dataset_type: text("dataset_type", "type"),
    dataset_url: text("dataset_url", "url"),
  };
  for (const field of ["dataset_name", "dataset_url"] as const) {
    if (set[field] === "")
      throw new ArgsError(`A data set needs a ${field} (text).`, { path: field, expected: "text" });
  }
  if (passwordInUrl(set.dataset_url)) {
    throw new ArgsError("dataset_url holds a password, which is never stored; give it to input (DP_1) as dbpassword.", {
      path: "dataset_url",
    });
  }
  return set;
}

/** The error for an upload that is not there, or another key's. */
export function unknownUpload(id: string): NotFoundError {
  return new NotFoundError(`There is no uploaded file ${quoted(id.slice(0, 40))}, or it belongs to another key.`, {
    code: "unknown_upload",
  });
}

function unknownDataset(id: number): NotFoundError {
  return new NotFoundError(`There is no data set ${id}, or it belongs to another key.`, {
    code: "unknown_dataset",
    got: id,
  });
}
