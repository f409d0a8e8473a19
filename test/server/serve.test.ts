import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openKeys } from "../../src/store/keys.ts";
import { request } from "./app.ts";

const main = fileURLToPath(new URL("serve-main.ts", import.meta.url));
let home: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "blocklab-serve-"));
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(home, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  /** All that it wrote so far. */
  readonly out: { text: string; errors: string };
  /** Its URL, once it has printed one; empty when it ended before. */
  readonly url: Promise<string>;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
}

function start(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Started {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main, home, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const out = { text: "", errors: "" };
  const ended = once(child, "close").then(([code]) => code as number | null);
  const url = new Promise<string>((resolve) => {
    child.stdout?.on("data", (chunk) => {
      out.text += chunk;
      const match = /^blocklab listening on (\S+)\n/.exec(out.text);
      if (match) resolve(match[1]);
    });
    ended.then(() => resolve(""));
  });
  child.stderr?.on("data", (chunk) => {
    out.errors += chunk;
  });
  return { child, out, url, ended };
}

const post = (url: string, code: string) =>
  fetch(`${url}/api/v1/engine/start`, {
    method: "POST",
    headers: { "x-svc-key": "env-key", "content-type": "application/json" },
    body: JSON.stringify(request(code)),
  });

test("prints one line when it is ready, and takes the environment's key", async () => {
  const { child, out, url, ended } = start(["0"], { BLOCKLAB_KEY: "env-key" });
  expect(await url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await post(await url, "DP_1")).status).toBe(200);
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(out).toEqual({ text: `blocklab listening on ${await url}\n`, errors: "" });
});

test("takes stored keys; without any it says how to make one", async () => {
  const { out, url } = start();
  const service = await url;
  await expect
    .poll(() => out.errors)
    .toBe('There is no API key yet, so every request is refused: make one with "blocklab keys create".\n');
  const keys = openKeys(home);
  const { key } = keys.create("laptop");
  keys.close();
  const projects = (given: string) => fetch(`${service}/api/v1/project`, { headers: { "x-svc-key": given } });
  expect((await projects(key)).status).toBe(200);
  expect((await projects("other")).status).toBe(401);
});

test("ends what runs for a key within a moment of its being revoked, and leaves others alone", async () => {
  const { url } = start();
  const service = await url;
  const keys = openKeys(home);
  const [gone, kept] = [keys.create("gone"), keys.create("kept")];
  const send = (key: string, code: string, accept = "application/json") =>
    fetch(`${service}/api/v1/engine/start?resume=300`, {
      method: "POST",
      headers: { "x-svc-key": key, "content-type": "application/json", accept },
      body: JSON.stringify(request(code)),
    });
  const waiting = [send(gone.key, "WAIT"), send(gone.key, "WAIT", "text/event-stream")];
  const other = send(kept.key, "WAIT");
  const running = async () =>
    /^blocklab_blocks_running (\d+)/m.exec(await (await fetch(`${service}/metrics`)).text())?.[1];
  await expect.poll(running).toBe("3");
  keys.revoke(gone.id);
  const [answer, stream] = await Promise.all(waiting);
  expect(answer.status).toBe(401);
  expect(await answer.json()).toMatchObject({ error: { code: "revoked" } });
  expect(await stream.text()).toMatch(/event: error\ndata: .*"code":"revoked".*"http_status":401/);
  expect(await running()).toBe("1");
  expect((await send(gone.key, "DP_1")).status).toBe(401);
  keys.close();
  other.catch(() => undefined);
});

test("warns when it can be reached from outside without encryption", async () => {
  const { out, url } = start(["0", "0.0.0.0"], { BLOCKLAB_KEY: "env-key" });
  expect(await url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await expect
    .poll(() => out.errors)
    .toMatch(/^Keys and data travel unencrypted; give --tls-cert and --tls-key, or put a proxy with TLS/);
});

describe("a signal", () => {
  test("cancels a block that does not end, tells its client, and the process ends well", async () => {
    const { child, url, ended } = start(["0"], { BLOCKLAB_KEY: "env-key" });
    const service = await url;
    const answer = post(service, "WAIT");
    await expect
      .poll(async () => (await fetch(`${service}/metrics`)).text())
      .toContain("\nblocklab_blocks_running 1\n");
    child.kill("SIGINT");
    const { status } = await answer;
    expect(status).toBe(503);
    expect(await ended).toBe(0);
  });

  test("given twice ends the process at once", async () => {
    const { child, url, ended } = start(["0"], { BLOCKLAB_KEY: "env-key" });
    const lost = post(await url, "WAIT").catch(() => "lost");
    await expect
      .poll(async () => (await fetch(`${await url}/metrics`)).text())
      .toContain("\nblocklab_blocks_running 1\n");
    child.kill("SIGINT");
    await expect.poll(async () => (await fetch(`${await url}/healthz`)).status).toBe(503);
    child.kill("SIGINT");
    expect(await ended).toBe(1);
    expect(await lost).toBe("lost");
  });
});

describe("an address that can't be had", () => {
  test("a taken port", async () => {
    const { port } = new URL(await start(["0"], { BLOCKLAB_KEY: "k" }).url);
    const second = start([port]);
    expect(await second.ended).toBe(2);
    expect(second.out).toEqual({
      text: "",
      errors: `Port ${port} on 127.0.0.1 is taken by another program; give another --port (0 takes a free one).\n`,
    });
  });

  test.each([
    ["70000", "127.0.0.1", "The port must be a whole number from 0 to 65535, got 70000.\n"],
    ["0", "203.0.113.7", "This machine has no address 203.0.113.7.\n"],
  ])("port %s on %s", async (port, host, words) => {
    const { out, ended } = start([port, host]);
    expect(await ended).toBe(2);
    expect(out.errors).toBe(words);
  });
});
