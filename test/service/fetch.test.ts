import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isPublicAddress, Reach } from "../../src/service/addresses.ts";
import { download, type FetchLimits } from "../../src/service/fetch.ts";

const folder = mkdtempSync(join(tmpdir(), "blocklab-fetch-"));
const limits: FetchLimits = { reach: null, mostBytes: 1_000, timeoutMs: 300 };
let server: Server;
let base = "";
let asked = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? "";
    asked += 1;
    if (path === "/data.csv") response.end("a,b\n1,2\n");
    else if (path === "/moved") response.writeHead(302, { location: "/data.csv" }).end();
    else if (path === "/circle") response.writeHead(302, { location: "/circle" }).end();
    else if (path === "/inside") response.writeHead(302, { location: `${base}/data.csv` }).end();
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
    const before = asked;
    for (const host of [
      "127.0.0.1",
      "localhost",
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
      "2130706433",
      "0x7f.1",
      "017700000001",
      "0",
    ])
      await expect(fetched(`http://${host}:${port}/data.csv`, { reach: new Reach() }), host).rejects.toThrow(
        /not (a )?public/,
      );
    expect(existsSync(target)).toBe(false);
    expect(asked).toBe(before);
  });

  it("that redirects inside is refused there, though its first address is allowed", async () => {
    const { port } = new URL(base);
    const reach = new Reach(["localhost"]);
    await fetched(`http://localhost:${port}/data.csv`, { reach });
    await expect(fetched(`http://localhost:${port}/inside`, { reach })).rejects.toThrow(
      `input: "127.0.0.1:${port}" is not a public address, so this service does not fetch from it.`,
    );
  });

  it("is checked by the address that is connected to, not by one that the name had before", async () => {
    const { lookup } = new Reach();
    const answer = (host: string) =>
      new Promise((resolve) => lookup(host, { all: true }, (error, addresses) => resolve(error?.code ?? addresses)));
    // The names of this machine are in its own hosts file, so that no network is asked.
    expect(await answer("localhost")).toBe("ENOTPUBLIC");
    expect(await answer("8.8.8.8")).toEqual([{ address: "8.8.8.8", family: 4 }]);
  });
});

describe("what an operator allows", () => {
  it.each([
    [["data.intern"], "data.intern", "10.1.2.3", true],
    [["data.intern"], "Data.Intern.", "10.1.2.3", true],
    [["data.intern"], "other.intern", "10.1.2.3", false],
    [["10.1.0.0/16"], "other.intern", "10.1.2.3", true],
    [["10.1.0.0/16"], "other.intern", "::ffff:10.1.2.3", true],
    [["10.1.0.0/16"], "other.intern", "10.2.0.1", false],
    [["fd00:1::/32", "192.168.7.7"], "a", "fd00:1::5", true],
    [["192.168.7.7"], "a", "192.168.7.8", false],
    [[], "example.org", "93.184.215.14", true],
  ])("%j: %s at %s %s", (allowed, host, address, expected) => {
    expect(new Reach(allowed).allows(host, address)).toBe(expected);
  });

  it.each(["10.0.0.0/33", "a b", "http://data.intern", "", "10.0.0.0/8/8", "data.intern:80"])(
    "%j is refused at the start",
    (entry) => {
      expect(() => new Reach([entry])).toThrow("--fetch-from takes names of hosts, addresses, and networks");
    },
  );
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
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "::127.0.0.1",
    "fec0::1",
    "fe80::1%eth0",
    "203.0.113.7",
    "255.255.255.255",
    "not an address",
  ])("%s is not public", (address) => expect(isPublicAddress(address)).toBe(false));
  it.each(["8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"])("%s is public", (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );
});
