import { type CellBlocks, cellBookOf, type Session } from "../../session/index.ts";

/** The blocks that a lesson's cells made in a project, kept beside the progress. */
export interface Earlier {
  /** The project, by the name that no other service gives to another. */
  readonly app_id: string;
  /** By the cells' ids. */
  readonly cells: Readonly<Record<string, CellBlocks>>;
}

/** What the cells whose ids begin so made in the open project; null before the first block. */
export async function madeSoFar(session: Session, prefix: string): Promise<Earlier | null> {
  const { app_id, id } = await session.current();
  const made = [...cellBookOf(session).blocks(id)].filter(([cell, { made }]) => cell.startsWith(prefix) && made.length);
  return made.length === 0 ? null : { app_id, cells: Object.fromEntries(made) };
}

/**
 * Has each cell run in the place of the blocks that it made in an earlier session, so that taking a lesson twice makes
 * no second chain; unchanged blocks answer from their records.
 *
 * Blocks that are gone, or that somebody has replaced since, are left alone. Answers whether there were any.
 */
export async function takePlaces(session: Session, { app_id, cells }: Earlier): Promise<boolean> {
  const project = (await session.projects()).find((each) => each.app_id === app_id);
  if (!project) return false;
  const states = await (await session.link).states(project.id);
  const now = new Map(states.map(({ block_id, id }) => [block_id, id]));
  let isAny = false;
  for (const [cell, { before, made }] of Object.entries(cells)) {
    const gone = made.findIndex(({ block, state }) => now.get(block) !== state);
    const there = gone < 0 ? made : made.slice(0, gone);
    if (there.length === 0 || (before !== 0 && !now.has(before))) continue;
    cellBookOf(session).adopt(project.id, cell, { before, made: there });
    isAny = true;
  }
  return isAny;
}
