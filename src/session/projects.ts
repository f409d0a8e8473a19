import type { Link } from "../client/link.ts";
import { ArgsError } from "../core/errors.ts";
import { listed } from "../core/names.ts";
import type { ProjectRecord, StateRecord } from "../core/record.ts";
import { byCode } from "../registry/index.ts";

/** The project that is opened when none was named: in a notebook the one of its file's name, where Jupyter tells it. */
export function defaultProject(): string {
  const file = (process.env.JPY_SESSION_NAME ?? "").split(/[/\\]/).at(-1) ?? "";
  const notebook = file.endsWith(".ipynb") ? file.slice(0, -".ipynb".length).trim() : "";
  return notebook.slice(0, 200) || "default";
}

/** The project of that name, made when there is none. */
export async function findOrCreate(link: Link, name: string): Promise<ProjectRecord> {
  const find = async () => (await link.projects(name.trim())).at(0);
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
  const [found] = await link.states(project.id, { block });
  // Lists leave large outputs out.
  if (found) return found.output_bytes === undefined ? found : await link.state(found.id);
  const known = (await link.states(project.id)).map((state) => `${state.block_id} ${byCode(state.function_code).name}`);
  throw new ArgsError(`block ${block} is not in project ${project.project_name}. Blocks: ${listed(known)}.`, {
    path: "block_id",
    got: block,
  });
}
