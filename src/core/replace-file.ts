import { randomBytes } from "node:crypto";
import { open, realpath, rename, rm, stat, writeFile } from "node:fs/promises";

/**
 * Puts what `write` writes in the place of a file.
 *
 * It is written under another name beside it and renamed, so that neither a crash nor an error leaves anything
 * half-written. A link stays a link, and the file's mode what it was.
 */
export async function replaceFile(file: string, write: (path: string) => Promise<void>): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const mode = await stat(target).then(
    (known) => known.mode,
    () => 0o666,
  );
  const beside = `${target}.${randomBytes(4).toString("hex")}.part`;
  try {
    await (await open(beside, "wx", mode)).close();
    await write(beside);
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Puts a text in the place of a file, in the same way. */
export async function replaceText(file: string, text: string): Promise<void> {
  await replaceFile(file, (path) => writeFile(path, text));
}
