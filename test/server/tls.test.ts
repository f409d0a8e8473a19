import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { afterAll, describe, expect, test } from "vitest";
import { tlsFrom } from "../../src/server/tls.ts";
import { Served } from "../support/served.ts";

const file = (name: string) => fileURLToPath(new URL(`../support/tls/${name}.pem`, import.meta.url));
const [cert, key] = [file("cert"), file("key")];

describe("a service with a certificate", () => {
  const service = new Served({ tlsCert: cert, tlsKey: key });
  const agent = new Agent({ connect: { ca: readFileSync(cert) } });
  afterAll(() => agent.close());

  async function ask(path: string, method: "GET" | "POST", body?: object, more: object = {}) {
    const { url } = await service.serving;
    const headers = { "x-svc-key": "served", "content-type": "application/json", ...more };
    const answer = await request(path.startsWith("/") ? `${url}${path}` : path, {
      method,
      headers,
      dispatcher: agent,
      body: body && JSON.stringify(body),
    });
    const text = await answer.body.text();
    return { http: answer.statusCode, text, json: () => JSON.parse(text) as Record<string, unknown> };
  }

  test("speaks HTTPS, and names its artifacts so", async () => {
    const { url } = await service.serving;
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const project = (await ask("/api/v1/project", "POST", { project_name: "p" })).json();
    const args = { dburl: "sample:penguins" };
    const block = { project_id: project.id, block_id: 1, parent_id: 0, function_code: "DP_1", args };
    const record = (await ask("/api/v1/engine/start", "POST", block)).json().message as { dataset_url: string };
    expect(record.dataset_url.startsWith(`${url}/api/v1/artifacts/`)).toBe(true);
    expect((await ask(record.dataset_url, "GET")).text).toMatch(/^species,/);
    // Its own URL is known again as an input, in whichever way it is called.
    const again = { ...block, block_id: 2, args: { dburl: record.dataset_url, file_type: "csv" } };
    expect((await ask("/api/v1/engine/start", "POST", again)).http).toBe(200);
  });

  test("takes pages of its own scheme alone, and no plain HTTP", async () => {
    const { url } = await service.serving;
    expect((await ask("/api/v1/project", "GET", undefined, { origin: url })).http).toBe(200);
    const plain = await ask("/api/v1/project", "GET", undefined, { origin: url.replace("https", "http") });
    expect(plain.http).toBe(403);
    await expect(fetch(url.replace("https", "http"))).rejects.toThrow();
  });
});

test.each([
  [cert, undefined, "HTTPS needs --tls-cert and --tls-key, and --tls-key is not given."],
  [undefined, key, "HTTPS needs --tls-cert and --tls-key, and --tls-cert is not given."],
  ["/no/such.pem", key, '--tls-cert names "/no/such.pem", which can\'t be read (ENOENT).'],
  [key, cert, "must be a certificate chain and the private key to it, in PEM without a passphrase"],
])("certificate %s with key %s is refused at the start", (certFile, keyFile, words) => {
  expect(() => tlsFrom(certFile, keyFile)).toThrow(words);
});
