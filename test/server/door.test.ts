import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { listen, routes } from "../../src/server/server.ts";
import { request, testApp } from "./app.ts";

const all = routes.flatMap(({ method, paths, open = false }) => paths.map((path) => ({ method, path, open })));

describe("keys", () => {
  test.each(all.filter(({ open }) => !open))("$method $path answers 401 without a key", async ({ method, path }) => {
    const { app } = testApp();
    const headers = { "content-type": "application/json" };
    const answer = await app.inject({ method, url: path, headers, payload: method === "POST" ? "{}" : undefined });
    expect(answer.statusCode).toBe(401);
    expect(answer.json()).toEqual({
      status: "false",
      message: "The request has no API key: send one in the header X-SVC-KEY.",
      error: { code: "unauthorized", path: "X-SVC-KEY", hint: expect.stringContaining("blocklab keys create") },
    });
  });

  test.each(all.filter(({ open }) => open))("$method $path needs no key", async ({ method, path }) => {
    const { app } = testApp();
    expect((await app.inject({ method, url: path })).statusCode).toBe(200);
  });

  test("a wrong key is a 401 that does not repeat it", async () => {
    const { ask } = testApp();
    const answer = await ask("GET", "/api/v1/project", { headers: { "x-svc-key": "wrong-key" } });
    expect(answer.statusCode).toBe(401);
    expect(answer.json().message).toBe("The API key in the header X-SVC-KEY is unknown or was revoked.");
    expect(answer.body).not.toContain("wrong-key");
  });

  test("no key, no reading of the body", async () => {
    const { app } = testApp({ bodyLimit: 10 });
    const headers = { "content-type": "application/json" };
    const answer = await app.inject({ method: "POST", url: "/api/v1/project", headers, payload: "x".repeat(99) });
    expect(answer.statusCode).toBe(401);
  });
});

describe("host names and origins", () => {
  test.each(["localhost", "localhost:81", "127.0.0.1:5", "127.3.2.1", "[::1]:80"])("%s is served", async (host) => {
    const { ask } = testApp();
    expect((await ask("GET", "/healthz", { headers: { host } })).statusCode).toBe(200);
  });

  test.each(["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost@evil.example", "10.9.8.7", "a b"])(
    "%s is refused",
    async (host) => {
      const { ask } = testApp();
      const answer = await ask("GET", "/healthz", { headers: { host } });
      expect(answer.statusCode).toBe(403);
      expect(answer.json()).toMatchObject({ status: "false", error: { code: "foreign_host", got: host } });
    },
  );

  test("the public URL's host and origin are served", async () => {
    const { ask } = testApp({ publicUrl: "https://lab.example.org/blocks/" });
    const headers = { host: "lab.example.org", origin: "https://lab.example.org" };
    expect((await ask("GET", "/healthz", { headers })).statusCode).toBe(200);
  });

  test.each(["http://evil.example", "null", "http://localhost:8888", "https://localhost"])(
    "pages of %s are refused",
    async (origin) => {
      const { ask } = testApp();
      const answer = await ask("GET", "/api/v1/project", { headers: { origin, host: "localhost:80" } });
      expect(answer.statusCode).toBe(403);
      expect(answer.json().error).toEqual({ code: "foreign_origin", got: origin });
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    },
  );

  test("a page of our own is served", async () => {
    const { ask } = testApp();
    const headers = { origin: "http://localhost:80", host: "localhost:80" };
    expect((await ask("GET", "/api/v1/project", { headers })).statusCode).toBe(200);
  });

  test("a public URL that is none is refused at the start", () => {
    expect(() => testApp({ publicUrl: "lab.example.org" })).toThrow("must look like https://lab.example.org");
  });
});

describe("what can't be served", () => {
  const post = (body: string, type = "application/json") => ({
    payload: body,
    headers: { "content-type": type, "x-svc-key": "key-a" },
  });
  const start = "/api/v1/engine/start";

  test("an unknown route is a 404 in the documented form, with or without a key", async () => {
    const { ask, app } = testApp();
    for (const answer of [await ask("GET", "/api/v1/nothing?x=1"), await app.inject("/api/v1/nothing?x=1")]) {
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toEqual({
        status: "false",
        message: 'There is no route GET "/api/v1/nothing"; see /api/v1/openapi.json.',
        error: { code: "unknown_route", got: "/api/v1/nothing" },
      });
    }
  });

  test("a method that a path does not take is a 405 that names the others", async () => {
    const { ask } = testApp();
    const answer = await ask("PUT", "/api/v1/project/");
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe("POST, GET");
    expect(answer.json()).toMatchObject({
      status: "false",
      message: '"/api/v1/project" does not take PUT, only POST and GET.',
      error: { code: "method_not_allowed", got: "PUT", expected: ["POST", "GET"] },
    });
    expect((await ask("GET", start)).statusCode).toBe(405);
    expect((await ask("PUT", "/api/v1/engine/statemanagement/3/view")).headers.allow).toBe("GET");
  });

  test.each([
    ["{oops", "The body is not valid JSON: "],
    ['{"a":1', "The body is not valid JSON: "],
    ['{"__proto__":{"x":1}}', 'The body is not valid JSON: the key "__proto__" is not allowed.'],
    ['{"\\u005f_proto__":1}', 'The body is not valid JSON: the key "__proto__" is not allowed.'],
    ["[".repeat(100_000), "The body is nested deeper than 64 levels."],
  ])("malformed JSON is a 400", async (body, words) => {
    const { app } = testApp();
    const answer = await app.inject({ method: "POST", url: start, ...post(body) });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ status: "false", error: { code: "bad_json" } });
    expect(answer.json().message).toContain(words);
  });

  test("brackets in strings don't count as nesting", async () => {
    const { app } = testApp();
    const body = JSON.stringify(request("DP_1", { text: `"\\${"[{".repeat(200)}` }));
    expect((await app.inject({ method: "POST", url: start, ...post(body) })).statusCode).toBe(200);
  });

  test.each([
    ["[]", "an array"],
    ["null", "null"],
    ["3", "number"],
    ["", "nothing"],
  ])("a body %j that is no object is a 400", async (body, got) => {
    const { app } = testApp();
    for (const url of [start, "/api/v1/project"]) {
      const answer = await app.inject({ method: "POST", url, ...post(body) });
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toEqual({
        status: "false",
        message: `The body must be a JSON object, got ${got}.`,
        error: { code: "bad_body", got, expected: "object" },
      });
    }
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "nonsense"])(
    "a body of type %s is a 415",
    async (type) => {
      const { app } = testApp();
      const answer = await app.inject({ method: "POST", url: start, ...post("{}", type) });
      expect(answer.statusCode).toBe(415);
      expect(answer.json()).toMatchObject({ status: "false", error: { code: "media_type", got: type } });
      expect(answer.json().message).toContain("must be JSON (Content-Type: application/json)");
    },
  );

  test("a body that is too large is a 413 that says how much is taken", async () => {
    const { app } = testApp({ bodyLimit: 1000 });
    const answer = await app.inject({ method: "POST", url: start, ...post(JSON.stringify({ a: "x".repeat(1000) })) });
    expect(answer.statusCode).toBe(413);
    expect(answer.json()).toMatchObject({
      status: "false",
      message: "The body is larger than the 1,000 bytes that are accepted.",
      error: { code: "too_large", expected: 1000 },
    });
  });

  test("a path that can't be decoded is a 400 in the same form", async () => {
    const { ask } = testApp();
    const answer = await ask("GET", "/api/v1/project/%E0%A4%A");
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ status: "false", error: { code: "bad_request" } });
  });

  test("what is no HTTP gets the same form too", async () => {
    const { app } = testApp();
    const { port } = new URL(await listen(app, { port: 0 }));
    const answer = await new Promise<string>((resolve, reject) => {
      let text = "";
      const socket = connect(Number(port), "127.0.0.1", () => socket.write("what is this\r\n\r\n"));
      socket.on("data", (chunk) => {
        text += chunk;
      });
      socket.on("close", () => resolve(text));
      socket.on("error", reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.split("\r\n\r\n")[1])).toEqual({
      status: "false",
      message: "The request is not valid HTTP.",
      error: { code: "bad_request" },
    });
  });
});

describe("errors of the service", () => {
  test("a known error keeps its status, words and details", async () => {
    const { ask } = testApp();
    const answer = await ask("POST", "/api/v1/engine/start", { payload: request("DATA") });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toEqual({
      status: "false",
      message: "missing (DP_2): the mean of text.",
      error: { code: "data", block: "missing", path: "city" },
    });
  });

  test("details that JSON can't carry become text", async () => {
    const { ask } = testApp();
    const answer = await ask("POST", "/api/v1/engine/start", { payload: request("ODD") });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toEqual({ code: "bad_arguments", got: "12" });
  });

  test("what came is repeated in part, however large it was", async () => {
    const { ask } = testApp();
    const url = "x".repeat(100_000);
    const answer = await ask("POST", "/api/v1/engine/start", { payload: request("LARGE", { url }) });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toEqual({ code: "bad_arguments", path: "url", got: `${"x".repeat(1000)}…` });
    const list = await ask("POST", "/api/v1/engine/start", { payload: request("LARGE", { url: Array(5000).fill(1) }) });
    expect(list.json().error.got).toMatch(/^\[1,1,1.*…$/);
    const small = await ask("POST", "/api/v1/engine/start", { payload: request("LARGE", { url: [1, { a: 2 }] }) });
    expect(small.json().error.got).toEqual([1, { a: 2 }]);
  });

  test("a fault of ours is a 500 that tells nothing; the log has the cause and no secrets", async () => {
    const { ask, logged } = testApp();
    const payload = request("BUG", { dbpassword: "hunter2" });
    const answer = await ask("POST", "/api/v1/engine/start", { payload });
    expect(answer.statusCode).toBe(500);
    expect(answer.json().error).toEqual({ code: "internal" });
    expect(answer.body).not.toMatch(/secret internals|at .*\.ts/);
    expect(logged).toHaveLength(1);
    const line = JSON.parse(logged[0]);
    expect(line).toMatchObject({ method: "POST", route: "/api/v1/engine/start", owner: "owner-a" });
    expect(line.request).toMatch(/^[0-9a-f]{12}$/);
    expect(answer.json().message).toContain(line.request);
    expect(answer.headers["x-request-id"]).toBe(line.request);
    expect(line.error).toContain("secret internals");
    expect(line.error).toContain("caused by: Error: postgres://u:***@db failed");
    expect(logged[0]).not.toMatch(/hunter2|key-a/);
  });
});
