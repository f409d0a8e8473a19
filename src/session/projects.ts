import type { Link } from "../client/link.ts";
import { ArgsError, BlocklabError } from "../core/errors.ts";
import { listed } from "../core/names.ts";
import type { ProjectRecord, StateRecord } from "../core/record.ts";
import { byCode } from "../registry/index.ts";

/** The project that is opened when none was named. */
export const defaultProject = "default";

/** The project of that name, made when there is none. */
export async function findOrCreate(link: Link, name: string): Promise<ProjectRecord> {
  const find = async () => (await link.projects()).find((project) => project.project_name === name.trim());
  const known = await find();
  if (known) return known;
  try {
    return await link.createProject(name);
  } catch (error) {
    // Another process may have made it in between.
    const made = await find();
    if (made) return made;
    throw error;
  }
}

/** The record of a block of the project. */
export async function stateOf(link: Link, project: ProjectRecord, block: number): Promise<StateRecord> {
  const states = await link.states(project.id);
  const found = states.find((state) => state.block_id === block);
  // Lists leave large outputs out.
  if (found) return found.output_bytes === undefined ? found : await link.state(found.id);
  const known = states.map((state) => `${state.block_id} ${byCode(state.function_code).name}`);
  throw new ArgsError(`block ${block} is not in project ${project.project_name}. Blocks: ${listed(known)}.`, {
    path: "block_id",
    got: block,
  });
}

/**
 * Runs a new block under the first free id of the project, at least `from`.
 *
 * Others may work in the project at the same time: what they made since is left alone, and so is what runs now.
 */
export async function runAsNew(
  link: Link,
  project: ProjectRecord,
  from: number,
  run: (block: number, isNew: boolean) => Promise<StateRecord>,
): Promise<StateRecord> {
  for (let block = from; ; ) {
    try {
      return await run(block, true);
    } catch (error) {
      const { status, detail } = error instanceof BlocklabError ? error : { status: 0, detail: null };
      if (status !== 409 || detail?.got !== block) throw error;
      const states = await link.states(project.id);
      block = Math.max(block + 1, ...states.map(({ block_id }) => block_id + 1));
    }
  }
}
