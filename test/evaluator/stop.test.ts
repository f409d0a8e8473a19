import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "blocklab-stop-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const room = pathToFileURL(fileURLToPath(new URL("../../src/evaluator/", import.meta.url))).href;

/** What a program of its own prints: these tests stop threads and provoke errors that end a process. */
function printed(program: string, env: NodeJS.ProcessEnv = {}): string {
  const file = join(folder, "program.mjs");
  writeFileSync(
    file,
    `import { createEvaluator } from "${room}create.ts";\nimport { StopKey } from "${room}stop-key.ts";\n${program}`,
  );
  return execFileSync(process.execPath, ["--no-warnings", file], {
    encoding: "utf8",
    stdio: "pipe",
    env: { ...process.env, NODE_OPTIONS: "", ...env },
  });
}

describe("ctrl-c at a prompt", () => {
  it.each([
    ["a loop", "while (true) n++"],
    ["a loop after an await", "await new Promise((resolve) => setTimeout(resolve, 5)); while (true) n++"],
    ["a loop that only awaits", "while (true) { await null; n++ }"],
  ])("stops %s and keeps the names", (_, loop) => {
    const keys = join(folder, "keys");
    writeFileSync(keys, "x\u0003");
    const out = printed(`
      const evaluator = createEvaluator({ cwd: "." });
      const key = new StopKey(${JSON.stringify(keys)}, () => evaluator.interrupt());
      await evaluator.run("let n = 0");
      const stopped = await key.during(() => evaluator.run(${JSON.stringify(loop)}));
      const after = await evaluator.run("n > 0");
      console.log(stopped.error.name, after.value);
      await Promise.all([evaluator.close(), key.close()]);
    `);
    expect(out).toBe("Interrupted true\n");
  });

  it("ends a loop whose terminal was gone before anybody watched it", async () => {
    const file = join(folder, "gone.mjs");
    writeFileSync(
      file,
      `import { StopKey } from "${room}stop-key.ts";\nawait new StopKey("/dev/tty", () => undefined).during(async () => { while (true); });`,
    );
    // A program of a session of its own has no terminal.
    const child = spawn(process.execPath, ["--no-warnings", file], { detached: true, stdio: "ignore" });
    const [, signal] = await once(child, "exit");
    expect(signal).toBe("SIGKILL");
  });

  it("leaves a cell alone that keeps the program responsive", () => {
    const keys = join(folder, "keys");
    writeFileSync(keys, "x\u0003");
    const out = printed(`
      const evaluator = createEvaluator({ cwd: "." });
      const key = new StopKey(${JSON.stringify(keys)}, () => evaluator.interrupt());
      const cell = "await new Promise((resolve) => setTimeout(resolve, 700)); 1";
      console.log((await key.during(() => evaluator.run(cell))).value);
      await Promise.all([evaluator.close(), key.close()]);
    `);
    expect(out).toBe("1\n");
  });
});

describe("errors that nobody awaits", () => {
  const strays = `
    const heard = [];
    const evaluator = createEvaluator({ cwd: ".", onOutput: (...output) => heard.push(output) });
    await evaluator.run("setTimeout(() => { throw new Error('thrown') }, 5); 0", { cellId: "a" });
    await evaluator.run("void (async () => { await 0; null.x })(); 0", { cellId: "b" });
    await new Promise((resolve) => setTimeout(resolve, 50));
    heard.sort((one, other) => (one[2] < other[2] ? -1 : 1));
    console.log(JSON.stringify(heard), (await evaluator.run("1")).value);
    await evaluator.close();
  `;

  it("are told to their cell, and the program goes on", () => {
    const out = printed(strays);
    expect(out).toMatch(/ 1\n$/);
    expect(JSON.parse(out.replace(/ 1\n$/, ""))).toEqual([
      ["stderr", expect.stringMatching(/^Uncaught Error: thrown\n {2}at .*cell 1, line 1, column 26/), "a"],
      ["stderr", expect.stringMatching(/^Uncaught TypeError: Cannot read .*\n {2}at .*cell 2, line 1, column 35/), "b"],
    ]);
  });

  it("end the program as ever when they are no cell's", () => {
    expect(() => printed(`${strays}\nPromise.reject(new Error("own fault"));`)).toThrow(/own fault/);
    expect(() => printed(`${strays}\nsetTimeout(() => { throw new Error("own fault") });`)).toThrow(/own fault/);
  });
});
