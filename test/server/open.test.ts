import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { damagedDatabase } from "../../src/core/errors.ts";
import type { Json } from "../../src/core/record.ts";
import { routes } from "../../src/server/server.ts";
import { request, testApp } from "./app.ts";

type Document = Readonly<Record<string, Json>> & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId: string; security?: Json }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>>; readonly securitySchemes: Json };
};

async function documentOf(): Promise<Document> {
  return (await testApp().app.inject("/api/v1/openapi.json")).json();
}

test("the OpenAPI document has every route, and says which need a key", async () => {
  const { openapi, paths, components, security } = await documentOf();
  expect(openapi).toBe("3.1.0");
  expect(components.securitySchemes).toEqual({ key: { type: "apiKey", in: "header", name: "X-SVC-KEY" } });
  expect(security).toEqual([{ key: [] }]);
  for (const { method, paths: own, open } of routes) {
    const operation = paths[own[0].replace(/:(\w+)/g, "{$1}")][method.toLowerCase()];
    expect(operation.security).toEqual(open ? [] : undefined);
  }
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  expect(new Set(ids).size).toBe(routes.length);
});

test("a block request is one of the function codes, each with its arguments", async () => {
  const { components } = await documentOf();
  expect(components.schemas.BlockRequest).toEqual({
    oneOf: [{ $ref: "#/components/schemas/Request_DP_1" }, { $ref: "#/components/schemas/Request_DP_2" }],
    discriminator: {
      propertyName: "function_code",
      mapping: { DP_1: "#/components/schemas/Request_DP_1", DP_2: "#/components/schemas/Request_DP_2" },
    },
  });
  expect(components.schemas.Request_DP_2).toMatchObject({
    allOf: [
      { $ref: "#/components/schemas/RequestEnvelope" },
      {
        title: "missing",
        properties: { function_code: { const: "DP_2" }, args: { $ref: "#/components/schemas/Args_DP_2" } },
      },
    ],
  });
});

test("every reference in the document leads somewhere", async () => {
  const document = await documentOf();
  const follow = (reference: string) =>
    reference
      .slice(2)
      .split("/")
      .reduce<unknown>((place, name) => (place as Readonly<Record<string, unknown>> | undefined)?.[name], document);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference);
  expect(references).toContain("#/components/schemas/Args_DP_1/$defs/inner");
  for (const reference of references) expect(follow(reference), reference).toBeDefined();
});

test("the counters are kept from a proxy's clients", async () => {
  const { app } = testApp({ publicUrl: "https://lab.example.org" });
  const answer = await app.inject({ url: "/metrics", headers: { host: "lab.example.org" } });
  expect(answer.statusCode).toBe(403);
});

test("it is alive and ready", async () => {
  const { app } = testApp();
  expect((await app.inject("/healthz")).json()).toEqual({ status: "true", message: "alive" });
  expect((await app.inject("/readyz")).json()).toEqual({ status: "true", message: "ready: 2 function codes" });
});

test("it is not ready when what it stands on is damaged, and the log tells what", async () => {
  const { app, service, logged } = testApp();
  service.ready = async () => {
    throw damagedDatabase(new Error("blocklab.db: page 7 is never used"));
  };
  const answer = await app.inject("/readyz");
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toMatchObject({ status: "false", error: { code: "database_damaged" } });
  expect(answer.body).not.toContain("page 7");
  expect(logged.join()).toContain("page 7");
  expect((await app.inject("/healthz")).statusCode).toBe(200);
});

test("the counters tell requests by route and blocks by code, in Prometheus' format", async () => {
  const { app, ask } = testApp();
  await ask("POST", "/api/v1/engine/start", { payload: request("DP_1") });
  await ask("POST", "/api/v1/engine/start", { payload: request("DATA") });
  await ask("GET", "/api/v1/engine/statemanagement/1/view");
  await ask("GET", '/evil"} 1\n');
  const answer = await app.inject("/metrics");
  expect(answer.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
  const lines = answer.body.split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      'blocklab_http_requests_total{method="POST",route="/api/v1/engine/start",status="200"} 1',
      'blocklab_http_requests_total{method="POST",route="/api/v1/engine/start",status="422"} 1',
      'blocklab_http_requests_total{method="GET",route="/api/v1/engine/statemanagement/:id/view",status="200"} 1',
      'blocklab_http_requests_total{method="GET",route="unmatched",status="404"} 1',
      'blocklab_http_request_duration_seconds_count{method="POST",route="/api/v1/engine/start"} 2',
      'blocklab_http_request_duration_seconds_bucket{method="POST",route="/api/v1/engine/start",le="+Inf"} 2',
      'blocklab_blocks_total{code="DP_1",result="done"} 1',
      'blocklab_blocks_total{code="unknown",result="failed"} 1',
      'blocklab_block_duration_seconds_count{code="DP_1"} 1',
    ]),
  );
  for (const line of lines.filter(Boolean))
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^{}]*\})? [0-9.e+-]+)$/);
});

test("the gauges tell how busy the service is against its limits", async () => {
  const { app, ask } = testApp();
  await ask("POST", "/api/v1/engine/start", { payload: request("BUSY") });
  await ask("POST", "/api/v1/engine/start", { payload: request("BUG") });
  const lines = (await app.inject("/metrics")).body.split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      'blocklab_failures_total{code="busy"} 1',
      'blocklab_failures_total{code="internal"} 1',
      "blocklab_blocks_running 0",
      "blocklab_blocks_waiting 5",
      "blocklab_blocks_running_limit 4",
      "blocklab_blocks_waiting_limit 200",
      "blocklab_block_wait_seconds_sum 1.5",
      "blocklab_block_wait_seconds_count 9",
      'blocklab_workers{state="busy"} 2',
      'blocklab_workers{state="idle"} 1',
      "blocklab_worker_jobs_waiting 3",
      "blocklab_disk_used_bytes 3000",
      "blocklab_disk_used_by_fullest_key_bytes 2000",
      "blocklab_disk_quota_bytes 5000",
      "blocklab_disk_free_bytes 70000",
    ]),
  );
  // A limit that isn't set has no value, rather than a wrong one.
  expect(lines.join("\n")).not.toContain("memory_limit");
  const seconds = (name: string) => Number(lines.find((line) => line.startsWith(`${name} `))?.split(" ")[1]);
  expect(Math.abs(seconds("process_start_time_seconds") - Date.now() / 1000)).toBeLessThan(3600);
  expect(seconds("process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(seconds("process_resident_memory_bytes")).toBeGreaterThan(1e7);
});

test("each metric says once what it is, in its type's own form", async () => {
  const { app, ask } = testApp();
  await ask("POST", "/api/v1/engine/start", { payload: request("DP_1") });
  const lines = (await app.inject("/metrics")).body.split("\n").filter(Boolean);
  const types = new Map<string, string>();
  const samples = new Set<string>();
  let family = "";
  for (const line of lines) {
    const [, what, name, rest] = /^# (HELP|TYPE) (\w+) (.+)$/.exec(line) ?? [];
    if (what === "HELP") {
      expect(types.has(name), line).toBe(false);
      expect(rest, line).toMatch(/^[A-Z].*\.$/);
      family = name;
    } else if (what === "TYPE") {
      expect(name).toBe(family);
      types.set(name, rest);
    } else {
      // A sample stands below its own family, and no two are the same.
      const [, sample, key] = /^(\w+)(\{[^}]*\})? \S+$/.exec(line) as RegExpExecArray;
      const ends = { counter: "", gauge: "", summary: "_(sum|count)", histogram: "_(bucket|sum|count)" };
      expect(sample, line).toMatch(new RegExp(`^${family}${ends[types.get(family) as keyof typeof ends]}$`));
      expect(samples.has(`${sample}${key}`), line).toBe(false);
      samples.add(`${sample}${key}`);
    }
  }
  for (const [name, type] of types) {
    expect(name.endsWith("_total"), name).toBe(type === "counter");
    expect(name, "a base unit").not.toMatch(/_(ms|milliseconds|kb|mb|megabytes|minutes)(_|$)/);
  }
  // The page for operators names each, and none that isn't there.
  const page = readFileSync(new URL("../../docs/services.md", import.meta.url), "utf8");
  const named = new Set([...page.matchAll(/\b(?:blocklab|process)_[a-z_]+\b/g)].map(([name]) => name));
  const known = (name: string) => types.has(name) || types.has(name.replace(/_(sum|count|bucket|limit)$/, ""));
  expect([...named].filter((name) => !known(name) && name !== "blocklab_memory_limit_bytes")).toEqual([]);
  const told = (name: string) => named.has(name.replace(/_limit$/, "")) || named.has(`${name}_sum`);
  expect([...types.keys()].filter((name) => !told(name))).toEqual([]);
});

test.each([
  { remoteAddress: "10.0.0.7" },
  { headers: { "x-forwarded-for": "10.0.0.7" } },
  { headers: { forwarded: "for=1" } },
])("the counters are kept from %j", async (from) => {
  const answer = await testApp().app.inject({ url: "/metrics", ...from });
  expect(answer.statusCode).toBe(403);
  expect(answer.json()).toMatchObject({ status: "false", error: { code: "forbidden" } });
});
