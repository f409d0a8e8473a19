import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "blocklab-commands-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cli = fileURLToPath(new URL("../../src/cli.ts", import.meta.url));

/** Runs the command line from its source. */
function blocklab(words: readonly string[], env: NodeJS.ProcessEnv = {}): SpawnSyncReturns<string> {
  const own = { ...process.env, NODE_OPTIONS: "", BLOCKLAB_HOME: join(folder, "home"), BLOCKLAB_URL: "", ...env };
  return spawnSync(process.execPath, ["--no-warnings", cli, ...words], { encoding: "utf8", env: own, cwd: folder });
}

describe("blocklab", () => {
  it("says how it is used, and each command more of itself", () => {
    expect(blocklab(["--help"]).stdout).toContain("blocklab run FILE");
    for (const command of ["run", "learn", "serve", "keys", "kernel", "doctor"])
      expect(blocklab([command, "--help"]).stdout).toMatch(new RegExp(`^blocklab ${command}.*: `));
  });

  it("answers a command it doesn't know with the nearest", () => {
    const { status, stderr } = blocklab(["serv"]);
    expect(status).toBe(2);
    expect(stderr).toBe(
      'blocklab has no command "serv". Did you mean "serve"? Commands: repl, serve, run, learn, keys, kernel, doctor.\n',
    );
  });

  it("answers an option it doesn't know with the nearest, without a stack", () => {
    const { status, stderr } = blocklab(["serve", "--prot", "1"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^blocklab serve has no option "--prot"\. Did you mean "--port"\? .*\n$/);
  });

  it.each([
    [["serve", "--port", "99999"], /--port must be a whole number from 0 to 65535, got "99999"\./],
    [["serve", "--files", "/no/such/folder"], /--files must name a folder, and "\/no\/such\/folder" is none/],
    [["keys"], /takes create \[LABEL\], list, or revoke ID\./],
    [["keys", "revoke", "nobody"], /no valid key has the id "nobody"/],
    [["kernel", "instal"], /takes install, uninstall, or start/],
    [["kernel", "install", "--user", "--prefix", "x"], /exclude each other/],
    [["run"], /takes one file/],
    [["run", "missing.ts"], /missing\.ts/],
  ])("%j is refused in one sentence", (words, sentence) => {
    const { status, stderr } = blocklab(words);
    expect(status).toBe(1);
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe("a reader that has had enough", () => {
  it.each([
    [["-e", "for (let i = 0; i < 1e5; i++) console.log(i)"], "0\n"],
    [["--json", "-e", '"x".repeat(5e6)'], ""],
    [["help"], ""],
    [[], ""],
  ])("ends %j without a word", (words, begins) => {
    const quoted = [process.execPath, "--no-warnings", cli, ...words].map((word) => `'${word}'`).join(" ");
    const taken = begins === "" ? "true" : "head -n 1";
    const { stdout, stderr } = spawnSync("sh", ["-c", `${quoted} </dev/null | ${taken}`], {
      encoding: "utf8",
      env: { ...process.env, NODE_OPTIONS: "", BLOCKLAB_HOME: join(folder, "home"), BLOCKLAB_URL: "", TMPDIR: folder },
    });
    expect([stdout, stderr]).toEqual([begins, ""]);
    expect(readdirSync(folder).filter((name) => name.startsWith("blocklab-tour"))).toEqual([]);
  });
});

describe("what reaches a terminal", () => {
  it("as JSON is JSON, whatever letters are in it", () => {
    const { stdout } = blocklab([
      "--json",
      "-e",
      '({ "a\\u009b": "\\u001b[31m\\u007f\\u202e\\n", "b": "\\ud800 Zo\\u00eb \\ud83d\\ude00" })',
    ]);
    expect(stdout).toBe(`{"a\\u009b":"\\u001b[31m\\u007f\\u202e\\n","b":"\\ud800 Zoë 😀"}\n`);
    const { stderr } = blocklab(["--json", "-e", 'throw new Error("\\u009b2J")']);
    expect(stderr).toBe('{"error":{"name":"Error","message":"\\u009b2J"}}\n');
  });

  // A colour is the one sequence that a terminal may obey.
  const obeyed = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]|\u001b(?!\[[\d;]*m)/;
  const hostile = "\\u001b]0;title\\u0007\\u009b2J\\u202e\\r\\u0008";

  it.each([
    ["an error", `throw new Error("${hostile}");`],
    ["a value", `new Error("${hostile}");`],
    ["a column's name", `await session.input("odd.csv").info();`],
    ["an unknown column", `await session.input("odd.csv").drop("${hostile}");`],
    [
      "an error that nobody awaits",
      `void Promise.reject(new Error("${hostile}")); await new Promise((r) => setTimeout(r, 50));`,
    ],
  ])("of %s is words and colours", (_, code) => {
    writeFileSync(join(folder, "odd.csv"), `a\u001b[2J\u009b2Jb,c\n1,\u009b31m\n`);
    writeFileSync(join(folder, "odd.ts"), code);
    for (const words of [
      ["run", "odd.ts"],
      ["-e", code],
    ]) {
      const { stdout, stderr } = blocklab(words, { BLOCKLAB_HOME: join(folder, "odd") });
      expect(stdout + stderr).not.toBe("");
      expect(stdout).not.toMatch(obeyed);
      expect(stderr).not.toMatch(obeyed);
    }
  });

  it("of an option, a command or a file's name is words", () => {
    for (const words of [
      ["\u009b2J\u001b[2J"],
      ["serve", "--\u009b2J"],
      ["run", "\u009b2J\u001b[2J.ts"],
      ["keys", "\u009b"],
    ]) {
      expect(blocklab(words).stderr).not.toMatch(obeyed);
    }
  });
});

describe("blocklab run", () => {
  it("runs a script with the session in scope, and ends with 1 at an error", () => {
    writeFileSync(
      join(folder, "good.ts"),
      'import { session } from "blocklab";\nconst iris = await session.input("sample:iris").xy({ y: "species" });\nconsole.log(iris.block, iris.record.function_code);\n',
    );
    writeFileSync(join(folder, "bad.ts"), 'await session.input("sample:irsi");\nconsole.log("not reached");\n');
    expect(blocklab(["run", "good.ts"])).toMatchObject({ status: 0, stdout: expect.stringContaining("2 DP_FSP") });
    const bad = blocklab(["run", "bad.ts"]);
    expect(bad.status).toBe(1);
    expect(bad.stderr + bad.stdout).toContain('Did you mean "iris"?');
    expect(bad.stdout).not.toContain("not reached");
  });

  it("checks a notebook's outputs, and writes them back when asked", () => {
    const file = join(folder, "small.ipynb");
    const cell = { cell_type: "code", id: "a", execution_count: null, metadata: {}, outputs: [], source: ["6 * 7"] };
    writeFileSync(file, JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
    copyFileSync(file, join(folder, "kept.ipynb"));
    expect(blocklab(["run", "small.ipynb", "--check"]).status).toBe(1);
    expect(blocklab(["run", "small.ipynb", "--inplace"]).status).toBe(0);
    expect(readFileSync(file, "utf8")).toContain('"42"');
    expect(blocklab(["run", "small.ipynb", "--check"]).status).toBe(0);
  });

  it("runs in a data folder of its own with --fresh, where blocks count from 1", () => {
    writeFileSync(
      join(folder, "count.ts"),
      'import { session } from "blocklab";\nconsole.log((await session.input("sample:iris")).block);\n',
    );
    const counts = [[], [], ["--fresh"]].map((more) => Number(blocklab(["run", "count.ts", ...more]).stdout.trim()));
    expect(counts).toEqual([counts[0], counts[0] + 1, 1]);
  });
});

describe("blocklab keys", () => {
  it("creates, lists without the secret, and revokes", () => {
    const made = blocklab(["keys", "create", "ada"]);
    const id = /^Key (\S+)\./.exec(made.stderr)![1];
    const listed = blocklab(["keys", "list"]).stdout;
    expect(listed).toMatch(new RegExp(`^${id} .* valid +"ada"$`, "m"));
    expect(listed).not.toContain(made.stdout.trim());
    expect(blocklab(["keys", "revoke", id]).status).toBe(0);
    expect(blocklab(["keys", "list"]).stdout).toMatch(/revoked .* "ada"/);
  });
});

describe("blocklab doctor", () => {
  it("finds a kernel that was installed, and names the cure where there is none", () => {
    const env = { XDG_DATA_HOME: join(folder, "data"), JUPYTER_DATA_DIR: join(folder, "jupyter"), VIRTUAL_ENV: "" };
    const before = blocklab(["doctor"], env);
    expect(before.stdout).toContain("Run blocklab kernel install");
    expect(before.status).toBe(1);
    expect(blocklab(["kernel", "install"], env).stdout).toContain(join(folder, "jupyter"));
    const after = blocklab(["doctor"], env);
    expect(after.stdout).toMatch(/✓ Jupyter kernel +.*jupyter/);
    expect(after.stdout).toMatch(/✓ ZeroMQ +\d+\.\d+/);
    expect(after.status).toBe(0);
  });

  it("says whether Jupyter is there, which is no failure", () => {
    const env = { JUPYTER_DATA_DIR: join(folder, "jupyter"), VIRTUAL_ENV: "", PATH: join(folder, "programs") };
    const before = blocklab(["doctor"], env);
    expect(before.stdout).toMatch(/○ Jupyter +not on the PATH[^\n]*\n +Run pip install jupyterlab/);
    mkdirSync(join(folder, "programs"));
    writeFileSync(join(folder, "programs", "jupyter"), "");
    expect(blocklab(["doctor"], env).stdout).toContain(`✓ Jupyter        ${join(folder, "programs", "jupyter")}\n`);
  });

  it("tells a kernel whose program is gone, and a folder that can't be written", () => {
    const env = { JUPYTER_DATA_DIR: join(folder, "moved"), VIRTUAL_ENV: "" };
    blocklab(["kernel", "install"], env);
    const spec = join(folder, "moved", "kernels", "blocklab", "kernel.json");
    writeFileSync(spec, readFileSync(spec, "utf8").replace("cli.js", "gone/cli.js"));
    const { stdout, status } = blocklab(["doctor"], env);
    expect(stdout).toMatch(
      /✗ Jupyter kernel[^\n]*\n +It starts .*gone\/cli\.js, which is gone; run blocklab kernel install/,
    );
    expect(status).toBe(1);
    const file = join(folder, "a-file");
    writeFileSync(file, "");
    expect(blocklab(["doctor"], { ...env, BLOCKLAB_HOME: file }).stdout).toContain("Set BLOCKLAB_HOME");
  });
});
