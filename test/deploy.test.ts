import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "blocklab-deploy-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const read = (path: string) => readFileSync(join(root, path), "utf8");
/** Lines that end in a backslash go on in the next. */
const dockerfile = read("deploy/Dockerfile").replace(/\\\n/g, " ");
const unit = read("deploy/blocklab.service").replaceAll(/\\\n/g, " ");

function arrayOf(instruction: string): string[] {
  const found = new RegExp(`^${instruction} (\\[.*\\])$`, "m").exec(dockerfile)?.[1];
  return JSON.parse(found ?? "[]") as string[];
}

/** The words of a command with a port and a home of this test's own. */
function ours(words: readonly string[]): string[] {
  return words.map((word, k) => (words[k - 1] === "--port" ? "0" : words[k - 1] === "--home" ? home : word));
}

/** Starts the service as a deployment does, and answers its URL to the work. */
async function started(words: readonly string[], work: (url: string) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [join(root, "src/cli.ts"), ...words], {
    env: { PATH: process.env.PATH, BLOCKLAB_HOME: home, BLOCKLAB_KEY: "k" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const ended = once(child, "exit");
  let url = "";
  for await (const line of createInterface({ input: child.stdout })) {
    url = /listening on (\S+)/.exec(line)?.[1] ?? "";
    break;
  }
  expect(url, errors).toMatch(/^http:/);
  await work(url);
  child.kill("SIGTERM");
  expect((await ended)[0]).toBe(0);
}

describe("the Dockerfile", () => {
  test("copies what there is, and nothing that stays at home", () => {
    for (const [, words] of dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm))
      for (const source of words.split(/\s+/)) expect(existsSync(join(root, source)), source).toBe(true);
    for (const name of ["node_modules", "dist", ".git"]) expect(read(".dockerignore").split("\n")).toContain(name);
    // What the build and the program read from the checkout.
    for (const name of ["scripts/build.mjs", "package-lock.json", "samples"])
      expect(existsSync(join(root, name))).toBe(true);
    const removed = /rm -rf ([\w. ]+)$/m.exec(dockerfile)?.[1].split(" ") ?? [];
    const shipped = (JSON.parse(read("package.json")) as { files: string[] }).files;
    expect(removed.filter((name) => shipped.includes(name))).toEqual([]);
  });

  test("starts a service that its health check finds ready", { timeout: 60_000 }, async () => {
    expect(arrayOf("ENTRYPOINT")).toEqual(["tini", "--", "blocklab"]);
    const words = ours(arrayOf("CMD"));
    expect(words[0]).toBe("serve");
    await started(words, async (url) => {
      const port = new URL(url).port;
      const probe = healthCheck().map((word) => word.replace("127.0.0.1:8765", `127.0.0.1:${port}`));
      expect(probe.join(" ")).toContain(`127.0.0.1:${port}/readyz`);
      const run = () => once(spawn(process.execPath, probe.slice(1), { stdio: "ignore" }), "exit");
      expect((await run())[0]).toBe(0);
    });
  });
});

/** The command of HEALTHCHECK, which stands on the same line after its options. */
function healthCheck(): string[] {
  return JSON.parse(/^HEALTHCHECK .*CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? "[]") as string[];
}

describe("the systemd unit", () => {
  const command = /^ExecStart=(.*)$/m.exec(unit)?.[1].trim().split(/\s+/) ?? [];

  test("starts a service with options that there are", { timeout: 60_000 }, async () => {
    expect(command.slice(0, 2)).toEqual(["/opt/blocklab/node_modules/.bin/node", "/opt/blocklab/dist/cli.js"]);
    const words = ours(command.slice(2).filter((word) => word !== "$OPTIONS"));
    await started(words, async (url) => expect((await fetch(`${url}/readyz`)).status).toBe(200));
  });

  test("waits longer for the end than the service takes", () => {
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
    const longestStopMs = Number(/longestStopMs = (\d+)/.exec(read("src/server/serve.ts"))?.[1]);
    expect(seconds * 1000).toBeGreaterThan(longestStopMs);
  });

  const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
  test.runIf(hasSystemd)("is valid by systemd's own check", () => {
    const path = join(home, "blocklab.service");
    writeFileSync(
      path,
      read("deploy/blocklab.service").replaceAll("/opt/blocklab/node_modules/.bin/node", process.execPath),
    );
    const said = spawnSync("systemd-analyze", ["verify", "--man=no", path], { encoding: "utf8" });
    // Other units of the machine are none of ours.
    expect(said.stderr.split("\n").filter((line) => line.includes("blocklab"))).toEqual([]);
  });
});
