import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { Block } from "../core/block.ts";
import { sampleNames } from "../core/samples.ts";
import type { Completion } from "../evaluator/evaluator.ts";
import type { OpenString } from "./open-string.ts";

/** More files than that are no menu. */
const mostFiles = 200;

/** Does the string name what a block begins with, such as a file? */
export function namesSource(block: Block, { argument }: OpenString): boolean {
  const name = argument ?? block.positional?.[0];
  return block.source === true && name !== undefined && (block.files ?? []).includes(name);
}

/** Samples, and the files and folders that go on with what was typed; `cwd` null: the files are out of reach. */
export async function sourcesFor(typed: string, cwd: string | null): Promise<Completion[]> {
  const samples = sampleNames().map((name) => ({ text: `sample:${name}`, kind: "sample" }));
  if (cwd === null || /^[a-z]+:/i.test(typed)) return samples;
  const folder = typed.slice(0, typed.lastIndexOf("/") + 1);
  const isHidden = typed.slice(folder.length).startsWith(".");
  const entries = await readdir(resolve(cwd, folder || "."), { withFileTypes: true }).catch((): Dirent[] => []);
  const files = entries
    .filter(({ name }) => name.startsWith(typed.slice(folder.length)) && name.startsWith(".") === isHidden)
    .map((entry) => ({ text: `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`, kind: "file" }));
  return [...samples, ...files.sort((a, b) => (a.text < b.text ? -1 : 1)).slice(0, mostFiles)];
}
