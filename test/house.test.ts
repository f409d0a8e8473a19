import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../src/", import.meta.url));

/** Which room may import which; the table of docs/architecture.md. Nothing else is allowed. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  plan: [],
  core: ["plan"],
  numerics: [],
  workers: ["numerics"],
  engines: ["core", "plan"],
  blocks: ["core", "plan", "numerics"],
  registry: ["core", "blocks"],
  store: ["core", "plan"],
  service: ["core", "plan", "registry", "engines", "workers", "store", "spark"],
  server: ["core", "service", "store"],
  spark: [],
  client: ["core", "service"],
  session: ["plan", "core", "blocks", "registry", "client", "engines"],
  render: ["core"],
  evaluator: ["core", "render"],
  notebooks: ["core", "evaluator"],
  jupyter: ["core", "evaluator", "render"],
  repl: ["core", "evaluator", "notebooks", "session", "render", "registry"],
  "index.ts": ["core", "client", "session", "render"],
  commands: [
    "index.ts",
    "core",
    "registry",
    "store",
    "server",
    "session",
    "render",
    "evaluator",
    "notebooks",
    "jupyter",
    "repl",
  ],
  "cli.ts": ["core", "commands"],
};

/** Packages that only these rooms and folders may import; any room may use Node's own modules. */
const packages: Readonly<Record<string, readonly string[]>> = {
  plan: ["acorn"],
  core: ["zod"],
  numerics: [],
  workers: [],
  "engines/postgres": [],
  "engines/spark": [],
  "engines/pandas": [],
  spark: ["@grpc/grpc-js", "apache-arrow"],
  blocks: ["zod"],
  registry: ["zod"],
  store: [],
  session: ["zod"],
};

interface Source {
  readonly path: string;
  readonly room: string;
  readonly text: string;
}

const sources: Source[] = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => {
    const path = relative(root, join(entry.parentPath, entry.name));
    return { path, room: path.split(sep)[0], text: readFileSync(join(root, path), "utf8") };
  });

/** What a file imports, statically, dynamically or as a type. */
function importsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const found = [...code.matchAll(/(?:\bfrom\s+|\bimport\s+|\bimport\(\s*)"([^"]+)"/g)].map((match) => match[1]);
  // The name of this package stands in code that is written for users, never in an import of ours.
  return found.filter((specifier) => specifier !== "blocklab");
}

function roomOf(importer: string, specifier: string): string {
  return relative(root, join(root, importer, "..", specifier)).split(sep)[0];
}

/** Files of ours that a file imports. */
const neighbours = new Map(
  sources.map(({ path, text }) => [
    path,
    importsOf(text)
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => relative(root, join(root, path, "..", specifier))),
  ]),
);

function reachedFrom(path: string): Set<string> {
  const reached = new Set(neighbours.get(path));
  for (const each of reached) for (const next of neighbours.get(each) ?? []) reached.add(next);
  return reached;
}

/** Circles that still have to be cut; a new one is none of them. */
const oldCircles = [
  "core/images.ts core/tables.ts",
  "service/context.ts service/replay.ts",
  "session/chain.ts session/helpers.ts session/result.ts",
  "session/code.ts session/python/index.ts",
];

describe("the house", () => {
  it("has no room that the table of arrows does not know", () => {
    expect([...new Set(sources.map((source) => source.room))].sort()).toEqual(Object.keys(arrows).sort());
  });

  it("has imports that go downhill only", () => {
    const uphill = sources.flatMap((source) =>
      importsOf(source.text)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => roomOf(source.path, specifier))
        .filter((room) => room !== source.room && !arrows[source.room].includes(room))
        .map((room) => `${source.path} imports ${room}`),
    );
    expect(uphill).toEqual([]);
  });

  it("has no arrow that nobody uses", () => {
    const used = new Set(
      sources.flatMap((source) =>
        importsOf(source.text)
          .filter((specifier) => specifier.startsWith("."))
          .map((specifier) => `${source.room} -> ${roomOf(source.path, specifier)}`),
      ),
    );
    const drawn = Object.entries(arrows).flatMap(([room, others]) => others.map((other) => `${room} -> ${other}`));
    expect(drawn.filter((arrow) => !used.has(arrow))).toEqual([]);
  });

  it("keeps packages out of the rooms that must do without", () => {
    const foreign = sources.flatMap((source) => {
      const allowed = packages[source.room] ?? packages[source.path.split(sep).slice(0, 2).join("/")];
      if (!allowed) return [];
      return importsOf(source.text)
        .filter((specifier) => !specifier.startsWith(".") && !allowed.includes(specifier))
        .filter((specifier) => source.room === "numerics" || !specifier.startsWith("node:"))
        .map((specifier) => `${source.path} imports ${specifier}`);
    });
    expect(foreign).toEqual([]);
  });

  it("has one door for programs that never leads to the prompt", () => {
    const reached = new Set<string>(["index.ts"]);
    for (const path of reached) {
      for (const specifier of importsOf(sources.find((source) => source.path === path)?.text ?? "")) {
        if (specifier.startsWith(".")) reached.add(relative(root, join(root, path, "..", specifier)));
      }
    }
    expect([...reached].filter((path) => /^(?:repl|jupyter|server|commands)\b/.test(path))).toEqual([]);
  });

  it("has no circles between files, types included", () => {
    const reached = new Map(sources.map(({ path }) => [path, reachedFrom(path)]));
    const circles = sources
      .filter(({ path }) => reached.get(path)?.has(path))
      .map(({ path }) =>
        [...(reached.get(path) ?? [])]
          .filter((other) => reached.get(other)?.has(path))
          .sort()
          .join(" "),
      );
    expect([...new Set(circles)].sort()).toEqual(oldCircles);
  });

  it("leaves SQL to the engines", () => {
    const holding = sources
      .filter(({ room }) => ["core", "plan", "blocks", "session", "service"].includes(room))
      .filter(({ text }) => {
        const words = /(?<![\w.])(?:sql`|raw\()|\b(?:selectFrom|rowsOfSplit)\(|\btables\.(?:query|write|writeWith)\(/;
        const imported = importsOf(text).map((specifier) => specifier.split("/").slice(-2).join("/"));
        return words.test(text) || imported.some((each) => /^engines\/sql(?:-calls)?\.ts$/.test(each));
      })
      .map(({ path }) => path);
    expect(holding).toEqual([]);
  });

  it("asks no variable of the environment that only its writer knew", () => {
    // The system's and other programs' own; ours begin with BLOCKLAB_.
    const known = `EDITOR FORCE_COLOR INK_SCREEN_READER JPY_PARENT_PID JPY_SESSION_NAME LOCALAPPDATA NO_COLOR PATH TERM
      VIRTUAL_ENV VISUAL XDG_DATA_HOME`.split(/\s+/);
    const asked = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/\bprocess\.env\.(\w+)/g)].map(([, name]) => ({ path, name })),
    );
    expect(asked.filter(({ name }) => !name.startsWith("BLOCKLAB_") && !known.includes(name))).toEqual([]);
  });

  it("has no default exports", () => {
    const defaults = sources.filter((source) => /^export default\b/m.test(source.text)).map((source) => source.path);
    expect(defaults).toEqual([]);
  });
});
