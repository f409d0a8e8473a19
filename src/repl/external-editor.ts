import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArgsError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";

/** Opens a text in the user's own editor, which has the terminal meanwhile; answers what was saved. */
export async function editOutside(text: string): Promise<string> {
  const editor = process.env.VISUAL || process.env.EDITOR || (process.platform === "win32" ? "notepad" : "vi");
  const folder = await mkdtemp(join(tmpdir(), "blocklab-cell-"));
  const file = join(folder, "cell.ts");
  try {
    await writeFile(file, text, { mode: 0o600 });
    await stopReading(process.stdin);
    await run(editor, file);
    return (await readFile(file, "utf8")).replace(/\r?\n$/, "");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Leaves what is typed to the editor.
 *
 * Ink 8 takes its listener off, but Node goes on reading and would get the editor's first keys; only a stream that
 * flows can be paused. The next listener makes it read again.
 */
async function stopReading(input: NodeJS.ReadStream): Promise<void> {
  input.resume();
  await new Promise((resolve) => setImmediate(resolve));
  input.pause();
}

/** The editor's command may have words of its own, as `code --wait` has; the shell knows how to read them. */
function run(editor: string, file: string): Promise<void> {
  const isWindows = process.platform === "win32";
  const words = isWindows ? ["/d", "/s", "/c", `${editor} "${file}"`] : ["-c", `${editor} "$1"`, "sh", file];
  const child = spawn(isWindows ? "cmd.exe" : "/bin/sh", words, { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => {
      if (status === 0) resolve();
      else
        reject(
          new ArgsError(`the editor ${quoted(editor)} ended with status ${status}; set EDITOR to one that is here.`),
        );
    });
  });
}
