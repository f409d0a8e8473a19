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
  const known = await stat(target).catch(() => null);
  const beside = `${target}.${randomBytes(4).toString("hex")}.part`;
  try {
    await (await open(beside, "wx", known ? 0o600 : 0o666)).close();
    await write(beside);
    if (known) await giveMode(beside, known.mode & 0o7777);
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function giveMode(file: string, mode: number): Promise<void> {
  const handle = await open(file, "r+");
  try {
    await handle.chmod(mode);
  } finally {
    await handle.close();
  }
}

/** Puts a text in the place of a file, in the same way. */
export async function replaceText(file: string, text: string): Promise<void> {
  await replaceFile(file, (path) => writeFile(path, text));
}
