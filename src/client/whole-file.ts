import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { ArgsError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such folder",
  ENOTDIR: "there is no such folder",
  EACCES: "the folder may not be written to",
  EROFS: "the folder may not be written to",
};

/** Writes a file under another name beside it first, so that nothing half-written stands under its own. */
export async function writeWhole(path: string, write: (path: string) => Promise<void>): Promise<void> {
  const beside = `${path}.${randomBytes(4).toString("hex")}.part`;
  try {
    await (await open(beside, "wx")).close();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    throw new ArgsError(`save: ${quoted(path)} can't be written: ${reasons[code] ?? code}.`, {
      path: "path",
      got: path,
    });
  }
  try {
    await write(beside);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
