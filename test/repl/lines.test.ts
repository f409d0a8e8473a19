import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { toCells } from "../../src/repl/lines.ts";

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "blocklab-lines-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function blocklab(input: string, words: readonly string[] = []) {
  const env = { ...process.env, NODE_OPTIONS: "", BLOCKLAB_HOME: home, BLOCKLAB_URL: "" };
  return spawnSync(process.execPath, [cli, ...words], { input, encoding: "utf8", env, cwd: home });
}

describe("lines from a pipe", () => {
  it("run as cells, chains over several lines included", () => {
    const done = blocklab('await session.input("sample:iris")\n  .xy({ y: "species" });\nsession.last\n1 + 1\n');
    expect(done).toMatchObject({ status: 0, stderr: "" });
    expect(done.stdout).toMatch(/\n2\n2\n$/);
  });

  it("end with status 1 at the first error, told in one sentence", () => {
    const done = blocklab('1\nawait session.input("sample:irsi")\nconsole.log("not reached")\n');
    expect(done.status).toBe(1);
    expect(done.stderr).toMatch(/^input \(DP_1\): there is no sample "irsi"\. Did you mean "iris"\?.*\n$/);
    expect(done.stdout).toBe("1\n");
  });

  it("are commands where they are at the prompt", () => {
    const done = blocklab('await session.input("sample:iris")\n:blocks\nridge?\n.help\n:time\n.exit\nnull.x\n');
    expect(done).toMatchObject({ status: 0, stderr: "" });
    for (const part of ["1 input", "ridge (BL_RIDGE)", ":projects", "input"]) expect(done.stdout).toContain(part);
  });

  it("write a chain as a program whose lines are whole", () => {
    const chain =
      'await session.input("sample:penguins").missing("mean").xy({ y: "species" }).split({ random_state: 1 })';
    const { stdout } = blocklab(`${chain}\n:code python\n`);
    const script = stdout.slice(stdout.indexOf("import numpy"));
    expect(script).toContain('"penguins.csv", sep=",", header=0, names=names, dtype=types, keep_default_na=False,\n');
  });

  it("end at a command that fails", () => {
    const done = blocklab(":at x\n1 + 1\n");
    expect(done).toMatchObject({ status: 1, stdout: "" });
    expect(done.stderr).toBe(':at takes the number of a block, as :blocks shows it, got "x".\n');
    expect(blocklab(":block\n").stderr).toMatch(/^there is no command ":block"\. Did you mean ":?blocks"/);
  });

  it("are a tour when there are none", () => {
    const { status, stdout } = blocklab("");
    expect(status).toBe(0);
    expect(stdout).toMatch(/sample:penguins[\s\S]*accuracy/);
  });
});

describe("blocklab -e", () => {
  it("prints a value, or JSON for machines", () => {
    expect(blocklab("", ["-e", "[1, 2].length"]).stdout).toBe("2\n");
    expect(JSON.parse(blocklab("", ["-e", "({ a: [1] })", "--json"]).stdout)).toEqual({ a: [1] });
    const record = JSON.parse(blocklab("", ["-e", 'await session.input("sample:iris")', "--json"]).stdout);
    expect(record.function_code).toBe("DP_1");
  });

  it("ends with status 1 at an error, JSON included", () => {
    const plain = blocklab("", ["-e", "null.x"]);
    expect([plain.status, plain.stderr]).toEqual([1, expect.stringMatching(/^TypeError: Cannot read/)]);
    const json = blocklab("", ["-e", 'await session.input("no.csv")', "--json"]);
    expect([json.status, JSON.parse(json.stderr).error.detail.code]).toEqual([1, "no_file"]);
  });
});

describe("process.exit(3) while the engine reads", () => {
  const engine = new URL("../../dist/engines/duckdb/index.js", import.meta.url).href;
  const core = new URL("../../dist/engines/sql.js", import.meta.url).href;
  /** Rows without end, of which each reading takes some; the timer of the cell ends the process in the middle. */
  const code = `const [{ Duck }, { sql }] = await Promise.all([import("${engine}"), import("${core}")]); const duck = new Duck({ spillTo: ".", path: (id) => id }); setTimeout(() => process.exit(3), 300); await duck.eachRun([sql\`i::DOUBLE\`], sql\`SELECT i FROM range(100000000000) t(i)\`, 1e11, () => {});`;

  it.each([
    ["in -e", "", ["-e", code]],
    ["in a line from a pipe", `${code}\n`, []],
    ["in a script", "", ["run", "exit.ts"]],
  ])("ends with 3 %s", (_, input, words) => {
    writeFileSync(join(home, "exit.ts"), code);
    expect(blocklab(input, words)).toMatchObject({ status: 3, signal: null });
  });
});

describe("a text", () => {
  const isWhole = (code: string) => (code.match(/[{(]/g)?.length ?? 0) === (code.match(/[})]/g)?.length ?? 0);
  it("falls into cells where one is whole and the next line doesn't go on", () => {
    expect(toCells("a\n\nf(\n1)\nx\n  .y()\n  .z()\nb", isWhole)).toEqual(["a", "f(\n1)", "x\n  .y()\n  .z()", "b"]);
    expect(toCells("a\n.help\nknn?\n:at 3\nx\n.save()\n", isWhole)).toEqual([
      "a",
      ".help",
      "knn?",
      ":at 3",
      "x\n.save()",
    ]);
    expect(toCells("\n \n", isWhole)).toEqual([]);
    expect(toCells("f(", isWhole)).toEqual(["f("]);
  });
});
