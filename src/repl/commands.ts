import { BlocklabError } from "../core/errors.ts";
import { didYouMean } from "../core/names.ts";
import type { StateRecord } from "../core/record.ts";
import { text, type View } from "../core/view.ts";
import { byCode, overview } from "../registry/index.ts";
import type { Session } from "../session/index.ts";

/** A `:` command of the prompt. */
interface Command {
  readonly takes: string;
  readonly does: string;
  run(session: Session, rest: string): Promise<View | null>;
}

/** The commands by their names; `null` as an answer leaves the prompt. */
export const commands: Readonly<Record<string, Command>> = {
  help: { takes: "", does: "lists the commands and the blocks", run: async () => helpPage() },
  projects: { takes: "", does: "lists the projects", run: async (session) => projectList(session) },
  open: {
    takes: "NAME",
    does: "opens a project, making it when there is none",
    run: async (session, name) => {
      const project = await session.project(name || "default");
      return text(`Project ${project.project_name}, last block ${session.last || "none"}.`);
    },
  },
  blocks: {
    takes: "",
    does: "shows the project's blocks as a tree",
    run: async (session) => tree(await session.blocks(), session.last),
  },
  at: {
    takes: "BLOCK",
    does: "goes on from an earlier block",
    run: async (session, block) => {
      await session.at(Number(block));
      return text(`At block ${session.last}.`);
    },
  },
  sql: { takes: "", does: "shows the table as SQL", run: async (session) => text(await session.sql()) },
  code: { takes: "", does: "shows the chain as TypeScript", run: async (session) => text(await session.code()) },
  quit: { takes: "", does: "leaves", run: async () => null },
};

/** Runs a line that begins with a colon. */
export async function runCommand(line: string, session: Session): Promise<View | null> {
  const [, name, rest] = /^:(\S*)\s*(.*)$/s.exec(line.trim()) ?? [];
  if (name === "q") return null;
  if (!name || !Object.hasOwn(commands, name)) {
    const known = Object.keys(commands);
    throw new BlocklabError(
      400,
      `there is no command ":${name ?? ""}".${didYouMean(name ?? "", known)} Commands: ${known.map((each) => `:${each}`).join(" ")}.`,
    );
  }
  return await commands[name].run(session, rest.trim());
}

function helpPage(): View {
  const rows = Object.entries(commands).map(([name, { takes, does }]) => [`:${name} ${takes}`.trim(), does]);
  const table: View = {
    kind: "table",
    summary: true,
    columns: [
      { name: "command", type: "text" },
      { name: "what it does", type: "text" },
    ],
    rows,
  };
  const keys = text(
    "Tab completes, ? after a name explains it, alt-enter breaks the line, ctrl-c cancels, ctrl-d leaves.",
    "quiet",
  );
  return { kind: "stack", views: [overview(), table, keys] };
}

async function projectList(session: Session): Promise<View> {
  const open = (await session.current()).id;
  const projects = await session.projects();
  return {
    kind: "table",
    summary: true,
    columns: [
      { name: "project", type: "text" },
      { name: "made", type: "text" },
      { name: "", type: "text" },
    ],
    rows: projects.map((project) => [
      project.project_name,
      project.created_at.slice(0, 16).replace("T", " "),
      project.id === open ? "open" : "",
    ]),
  };
}

/** The blocks as a tree: children below their parent, where you stand, and what is stale. */
export function tree(states: readonly StateRecord[], last: number): View {
  const lines: string[] = [];
  const walk = (parent: number, depth: number) => {
    for (const state of states.filter((each) => each.parent_id === parent)) {
      const here = state.block_id === last ? "  ← here" : "";
      const stale = state.stale ? "  (stale: run it again)" : "";
      const { name, code } = byCode(state.function_code);
      lines.push(`${"  ".repeat(depth)}${state.block_id} ${name} (${code})${stale}${here}`);
      walk(state.block_id, depth + 1);
    }
  };
  walk(0, 0);
  return text(lines.length === 0 ? 'No block yet. Start with session.input("sample:penguins").' : lines.join("\n"));
}
