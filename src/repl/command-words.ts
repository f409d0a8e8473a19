import { readdir } from "node:fs/promises";
import { basename, dirname, resolve, sep } from "node:path";
import type { Completion } from "../evaluator/evaluator.ts";
import { byCode } from "../registry/index.ts";
import type { Session } from "../session/index.ts";

/** Words to choose from. */
export function words(list: readonly string[]): Completion[] {
  return list.map((word) => ({ text: word, kind: "word" }));
}

/** The projects of the service. */
export async function projectNames(session: Session): Promise<Completion[]> {
  return (await session.projects()).map(({ project_name }) => ({ text: project_name, kind: "project" }));
}

/** The blocks of the project, the newest first. */
export async function blockIds(session: Session): Promise<Completion[]> {
  const blocks = await session.blocks();
  return blocks.toReversed().map(({ block_id, function_code }) => ({
    text: String(block_id),
    kind: "block",
    detail: `${byCode(function_code).name} (${function_code})`,
  }));
}

/** Files of an ending and folders that a path may go on with. */
export async function files(cwd: string, typed: string, ending: string): Promise<Completion[]> {
  const isFolder = typed === "" || /[/\\]$/.test(typed);
  const folder = isFolder ? typed : typed.slice(0, typed.length - basename(typed).length);
  const entries = await readdir(resolve(cwd, folder || dirname(".")), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.name.startsWith(".") && (entry.isDirectory() || entry.name.endsWith(ending)))
    .map((entry) => ({ text: folder + entry.name + (entry.isDirectory() ? sep : ""), kind: "file" }))
    .sort((a, b) => (a.text < b.text ? -1 : 1));
}
