import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isPublicAddress } from "../../src/runner/addresses.ts";
import { download, type FetchLimits } from "../../src/runner/fetch.ts";

const folder = mkdtempSync(join(tmpdir(), "blocklab-fetch-"));
const limits: FetchLimits = { publicOnly: false, mostBytes: 1_000, timeoutMs: 300 };
let server: Server;
let base = "";

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? "";
    if (path === "/data.csv") response.end("a,b\n1,2\n");
    else if (path === "/moved") response.writeHead(302, { location: "/data.csv" }).end();
    else if (path === "/circle") response.writeHead(302, { location: "/circle" }).end();
    else if (path === "/to-file") response.writeHead(302, { location: "file:///etc/passwd" }).end();
    else if (path === "/big") response.end(Buffer.alloc(5_000));
    else if (path !== "/silent") response.writeHead(404).end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  // A cast because a server on a TCP port has an address with one.
  base = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  rmSync(folder, { recursive: true });
});

const target = join(folder, "fetched");
const fetched = (path: string, more: Partial<FetchLimits> = {}, signal = new AbortController().signal) =>
  download(path.startsWith("http") ? path : `${base}${path}`, target, { ...limits, ...more }, signal);

describe("a URL", () => {
  it("is downloaded, through redirects", async () => {
    for (const path of ["/data.csv", "/moved"]) {
      rmSync(target, { force: true });
      await fetched(path);
      expect(readFileSync(target, "utf8")).toBe("a,b\n1,2\n");
    }
  });

  it.each([
    ["/nothing", /answered 404; check the URL/],
    ["/circle", /redirects more than 5 times/],
    ["/to-file", /only http and https can be fetched, got "file:"/],
    ["/big", /is larger than 0 MB, the most that is fetched/],
    ["/silent", /no answer within 0\.3 s/],
    ["http://127.0.0.1:1/x", /nothing listens there/],
    ["http://no-such-host.invalid/x", /its host is not known|can't be fetched/],
  ])("%s fails with one sentence", async (path, sentence) => {
    await expect(fetched(path)).rejects.toThrow(sentence);
  });

  it("stops with the caller's signal", async () => {
    const caller = new AbortController();
    setTimeout(() => caller.abort(), 30);
    await expect(fetched("/silent", { timeoutMs: 5_000 }, caller.signal)).rejects.toMatchObject({
      name: "CancelledError",
    });
  });

  it("of an address inside the network is refused before it is asked", async () => {
    rmSync(target, { force: true });
    const { port } = new URL(base);
    for (const url of [
      base,
      `http://localhost:${port}`,
      `http://[::ffff:127.0.0.1]:${port}`,
      `http://2130706433:${port}`,
    ])
      await expect(fetched(`${url}/data.csv`, { publicOnly: true })).rejects.toThrow(/public/);
    expect(existsSync(target)).toBe(false);
  });
});

describe("an address", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "::1",
    "fe80::1",
    "fc00::1",
    "::ffff:10.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::a00:1",
    "not an address",
  ])("%s is not public", (address) => expect(isPublicAddress(address)).toBe(false));
  it.each(["8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"])("%s is public", (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );
});
