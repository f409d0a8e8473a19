import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { ArgsError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such folder",
  ENOTDIR: "there is no such folder",
  EACCES: "it may not be written to",
  EPERM: "it may not be written to",
  EROFS: "it may not be written to",
  EISDIR: "it is a folder",
  ENOSPC: "the disk is full",
};

/** Writes a file under another name beside it first, so that nothing half-written stands under its own. */
export async function writeWhole(path: string, write: (path: string) => Promise<void>): Promise<void> {
  const beside = `${path}.${randomBytes(4).toString("hex")}.part`;
  try {
    await (await open(beside, "wx")).close();
    await write(beside);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw explained(error, path);
  }
}

/** What the file system says, in one sentence; other errors as they are. */
function explained(error: unknown, path: string): unknown {
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const sentence = `save: ${quoted(path)} can't be written: ${reasons[code] ?? code}.`;
  return new ArgsError(sentence, { path: "path", got: path }, { cause: error });
}
