import type { Link } from "../client/link.ts";
import type { ProjectRecord } from "../core/record.ts";

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
