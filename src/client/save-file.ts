import { ArgsError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import { replaceFile } from "../core/replace-file.ts";

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such folder",
  ENOTDIR: "there is no such folder",
  EACCES: "it may not be written to",
  EPERM: "it may not be written to",
  EROFS: "it may not be written to",
  EISDIR: "it is a folder",
  ENOSPC: "the disk is full",
};

/** Replaces a file of the user's; what the file system says against it is said in one sentence. */
export async function saveFile(path: string, write: (path: string) => Promise<void>): Promise<void> {
  try {
    await replaceFile(path, write);
  } catch (error) {
    const { code = "", syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    const sentence = `save: ${quoted(path)} can't be written: ${reasons[code] ?? code}.`;
    throw new ArgsError(sentence, { path: "path", got: path }, { cause: error });
  }
}
