import { ArgsError, BlocklabError } from "../core/errors.ts";
import { count, didYouMean, quoted } from "../core/names.ts";
import { stack, text, type View, viewOf } from "../core/view.ts";
import { byCode, overview } from "../registry/index.ts";
import type { Session } from "../session/index.ts";
import type { Command, CommandRoom } from "./command.ts";
import { blockIds, files, projectNames, words } from "./command-words.ts";
import { lessonCommands } from "./learn/commands.ts";
import { timeTable, variableTable } from "./reports.ts";
import { themes } from "./theme.ts";

export type { Command, CommandRoom } from "./command.ts";

/** The commands by their names. */
export const commands: Readonly<Record<string, Command>> = {
  help: { takes: "", does: "lists the commands and the blocks", run: async () => helpPage() },
  projects: { takes: "", does: "lists the projects", run: async ({ session }) => projectList(session) },
  open: {
    takes: "NAME",
    does: "opens a project, making it when there is none",
    run: async ({ session }, name) => {
      const project = await session.project(name || "default");
      return text(`Project ${project.project_name}, last block ${session.last || "none"}.`);
    },
    complete: ({ session }) => projectNames(session),
  },
  blocks: {
    takes: "",
    does: "shows the project's blocks as a tree",
    run: async ({ session }) => (await session.graph())[viewOf](),
  },
  at: {
    takes: "BLOCK",
    does: "goes on from an earlier block",
    run: async ({ session }, block) => {
      if (!/^\d+$/.test(block)) {
        const came = block === "" ? "nothing" : quoted(block);
        throw new ArgsError(`:at takes the number of a block, as :blocks shows it, got ${came}.`, { got: block });
      }
      await session.at(Number(block));
      return text(`At block ${session.last}.`);
    },
    complete: ({ session }) => blockIds(session),
  },
  undo: { takes: "", does: "goes back to the block before the last", run: async ({ session }) => undo(session) },
  vars: {
    takes: "",
    does: "shows what cells declared, with types and values",
    run: async ({ evaluator }) => variableTable(evaluator.variables()),
  },
  time: {
    takes: "",
    does: "shows how long the last cell and its blocks took",
    run: async ({ journal }) => timeTable(journal.cells.at(-1)),
  },
  save: {
    takes: "FILE.ipynb",
    does: "saves the session's cells as a notebook, with their outputs",
    run: async ({ journal, cwd }, file) => {
      const { saveNotebook } = await import("./notebook-file.ts");
      return text(await saveNotebook(file, journal.cells, cwd), "good");
    },
    complete: ({ cwd }, typed) => files(cwd, typed, ".ipynb"),
  },
  load: {
    takes: "FILE.ipynb",
    does: "runs a notebook's cells in order, up to the first error",
    run: async (room, file) => await load(room, file),
    complete: ({ cwd }, typed) => files(cwd, typed, ".ipynb"),
  },
  ...lessonCommands,
  explore: {
    takes: "",
    does: "opens the table full-screen: scroll, sort by a column, filter",
    run: async (room) => await explore(room),
  },
  explain: {
    takes: "",
    does: "says in plain words what the last block did, and why one would",
    run: async ({ session }) => (await session.explain())[viewOf](),
  },
  sql: { takes: "", does: "shows the table as SQL", run: async ({ session }) => text(await session.sql(), "code") },
  code: {
    takes: "[python]",
    does: "shows the chain as TypeScript, or as a Python script",
    run: async ({ session }, as) => {
      if (as !== "" && as !== "python" && as !== "typescript")
        throw new ArgsError(`:code takes nothing, typescript or python, got ${quoted(as)}.`, { got: as });
      return text(await session.code(as === "" ? {} : { as }), "code");
    },
    complete: async () => words(["typescript", "python"]),
  },
  theme: {
    takes: themes.join("|"),
    does: "sets the colours for a light or a dark terminal, none, or both",
    run: async (room, name) => {
      const theme = themes.find((each) => each === name);
      if (!theme)
        throw new ArgsError(`:theme takes ${themes.join(", ")}, got ${name === "" ? "nothing" : quoted(name)}.`);
      room.setTheme(theme);
      return text(`Colours: ${theme}.`);
    },
    complete: async () => words(themes),
  },
  doctor: { takes: "", does: "says what is installed where, and what is missing", run: (room) => room.doctor() },
  quit: { takes: "", does: "leaves", run: async () => null },
};

/** Runs a line that begins with a colon. */
export async function runCommand(line: string, room: CommandRoom): Promise<View | null> {
  const [, name, rest] = /^:(\S*)\s*(.*)$/s.exec(line.trim()) ?? [];
  if (name === "q" || name === "exit") return null;
  if (!name || !Object.hasOwn(commands, name)) {
    const known = Object.keys(commands);
    throw new BlocklabError(
      400,
      `there is no command ":${name ?? ""}".${didYouMean(name ?? "", known)} Commands: ${known.map((each) => `:${each}`).join(" ")}.`,
    );
  }
  return await commands[name].run(room, rest.trim());
}

const keys = [
  ["tab", "completes, or indents at the start of a line"],
  ["name?", "explains a block, and offers its example to enter"],
  ["alt-enter", "breaks the line"],
  ["up, down", "earlier cells that begin as the line does"],
  ["ctrl-r", "searches backwards through earlier cells"],
  ["ctrl-l", "empties the screen"],
  ["ctrl-o, alt-e", "opens the cell in $EDITOR"],
  ["_, _3", "the last result, the third one; a plot is drawn anew, as wide as the terminal is now"],
  ["= …", "below the line: what a pure expression comes to"],
  ["ctrl-c, ctrl-d", "cancels what runs or erases the cell; leaves"],
];

function helpPage(): View {
  const rows = Object.entries(commands).map(([name, { takes, does }]) => [`:${name} ${takes}`.trim(), does]);
  return stack(facts("Commands", rows), facts("Keys", keys), overview());
}

function facts(title: string, rows: readonly string[][]): View {
  return { kind: "facts", title, items: rows.map(([label, value]) => ({ label, value })) };
}

async function undo(session: Session): Promise<View> {
  const blocks = await session.blocks();
  const last = blocks.find((block) => block.block_id === session.last);
  if (!last) throw new ArgsError(":undo: there is no block yet, so there is nothing to go back from.");
  if (last.parent_id === 0)
    throw new ArgsError(`:undo: block ${last.block_id} begins its chain, so there is nothing before it.`);
  await session.at(last.parent_id);
  return text(`Back at block ${session.last}; block ${last.block_id} stays, as :blocks shows.`);
}

async function explore({ session, explore: show }: CommandRoom): Promise<View> {
  const record = (await session.blocks()).find((block) => block.block_id === session.last);
  const url = record?.dataset_url;
  if (!record || !url) throw new ArgsError(":explore: there is no table yet; start with an input.");
  const link = await session.link;
  const { columns, total } = await link.table(url, { limit: 0 });
  await show({
    title: `block ${record.block_id} ${byCode(record.function_code).name}`,
    columns,
    total,
    read: (part) => link.table(url, part),
  });
  return text(`${count(total, "row")} of block ${record.block_id} explored.`, "quiet");
}

async function load(room: CommandRoom, file: string): Promise<View> {
  const { loadNotebook } = await import("./notebook-file.ts");
  const cells = await loadNotebook(file, room.cwd);
  for (const [k, { id, source, metadata }] of cells.entries()) {
    if (!(await room.runCell(source, id, metadata)))
      return text(`Cell ${k + 1} of ${cells.length} failed; the rest did not run.`, "warning");
  }
  return text(`${count(cells.length, "cell")} of ${file} ran.`, "good");
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
