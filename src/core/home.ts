import { homedir } from "node:os";
import { join } from "node:path";

/** The data folder when none is named. */
export function defaultHome(): string {
  const named = process.env.BLOCKLAB_HOME;
  if (named) return named;
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "blocklab");
  if (process.platform === "win32")
    return join(process.env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "blocklab");
  return join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "blocklab");
}
