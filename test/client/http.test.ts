import { createServer, type RequestListener } from "node:http";
import { Agent } from "undici";
import { afterEach, describe, expect, test } from "vitest";
import { httpLink } from "../../src/client/http.ts";
import type { Link } from "../../src/client/link.ts";
import {
  AccessError,
  ArgsError,
  BlocklabError,
  CancelledError,
  DataError,
  NotFoundError,
} from "../../src/core/errors.ts";
import type { Progress } from "../../src/core/record.ts";
import { listen } from "../../src/server/server.ts";
import { request, type TestApp, testApp } from "../server/app.ts";
import { csv, modelId, tableId } from "../server/fake-service.ts";

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

async function linked(key = "key-a"): Promise<TestApp & { link: Link; url: string }> {
  const made = testApp();
  const url = await listen(made.app, { port: 0 });
  const link = httpLink({ url, key });
  cleanups.push(() => link.close());
  return { ...made, link, url };
}

/** A server that answers as it likes. */
async function stranger(answer: RequestListener): Promise<Link> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const link = httpLink({ url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` });
  cleanups.push(() => link.close().then(() => server.close()));
  return link;
}

async function failure(promise: Promise<unknown>): Promise<BlocklabError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(BlocklabError);
  return error as BlocklabError;
}

test("a new block whose answer is lost is asked for again with the same key, one of an id is not", async () => {
  const keys: unknown[] = [];
  const link = await stranger((request, response) => {
    keys.push(request.headers["idempotency-key"]);
    if (keys.length % 2 === 1) response.destroy();
    else response.setHeader("content-type", "application/json").end('{"status":"true","message":{"id":1}}');
  });
  const block = { project_id: 1, parent_id: 1, function_code: "DP_INF", args: {} };
  expect(await link.run(block)).toEqual({ id: 1 });
  expect(keys).toEqual([expect.stringMatching(/^[-0-9a-f]{36}$/), keys[0]]);
  expect(await failure(link.run({ ...block, block_id: 2 }))).toMatchObject({ status: 503 });
  expect(keys.slice(2)).toEqual([undefined]);
});

test("a block's view comes with its answer, as JSON and as events", async () => {
  const asked: unknown[] = [];
  const view = { kind: "text", text: "shown" };
  const done = JSON.stringify({ view, status: "true", message: { id: 1 } });
  const link = await stranger((request, response) => {
    asked.push(request.url);
    const isEvents = request.headers.accept === "text/event-stream";
    response.setHeader("content-type", isEvents ? "text/event-stream" : "application/json");
    response.end(isEvents ? `event: result\ndata: ${done}\n\n` : done);
  });
  const block = { project_id: 1, block_id: 2, function_code: "DP_INF" };
  const views: unknown[] = [];
  const onView = (shown: unknown) => views.push(shown);
  await link.run(block, { onView });
  await link.run(block, { onView, onProgress: () => undefined });
  await link.run(block);
  expect(asked).toEqual(["/api/v1/engine/start?view=true", "/api/v1/engine/start?view=true", "/api/v1/engine/start"]);
  expect(views).toEqual([view, view]);
});

describe("the contract", () => {
  test("projects", async () => {
    const { link, service } = await linked();
    const made = await link.createProject("iris", "flowers");
    expect(made).toEqual({
      id: 1,
      app_id: expect.any(String),
      project_name: "iris",
      project_description: "flowers",
      project_compiled_models: null,
      created_at: expect.any(String),
    });
    expect(await link.projects()).toEqual([made]);
    await link.deleteProject(made.app_id);
    expect(await link.projects()).toEqual([]);
    expect(await link.functions()).toEqual(service.functions());
  });

  test("blocks and what lies behind them", async () => {
    const { link, url } = await linked();
    const record = await link.run(request("DP_1"));
    expect(record.dataset_url).toBe(`${url}/api/v1/artifacts/${tableId}`);
    expect(await link.state(record.id)).toEqual(record);
    expect(await link.states(1)).toEqual([record]);
    expect(await link.states(2)).toEqual([]);
    expect(await link.view(record.id)).toEqual({ kind: "text", text: "three rows", tone: "plain" });
    expect(await link.sql(record.id)).toBe("SELECT 1");
    expect(await link.request(record.id)).toEqual(request("DP_1"));
  });

  test("tables in part and files whole", async () => {
    const { link, url } = await linked();
    const table = `${url}/api/v1/artifacts/${tableId}`;
    expect(await link.table(table, { columns: ["city, name"], offset: 1, limit: 1 })).toEqual({
      columns: [{ name: "city, name", type: "string" }],
      rows: [["Lima"]],
      total: 3,
    });
    expect((await link.table(table)).rows).toHaveLength(3);
    expect(new TextDecoder().decode(await link.download(table, "csv"))).toBe(csv);
    const model = await link.download(`${url}/api/v1/artifacts/${modelId}`, "json");
    expect(JSON.parse(new TextDecoder().decode(model))).toEqual({ format: "blocklab-model" });
  });

  test("progress, then the record", async () => {
    const { link } = await linked();
    const heard: Progress[] = [];
    const record = await link.run(request("DP_1"), { onProgress: (progress) => heard.push(progress) });
    expect(record).toEqual(await link.state(record.id));
    expect(heard).toEqual([{ block: 1, phase: "reading\n\nevent: result", done: 1, total: 2, eta_ms: null }]);
  });
});

describe("errors keep their class, words and details", () => {
  test.each([undefined, () => undefined])("with onProgress %s", async (onProgress) => {
    const { link } = await linked();
    const error = await failure(link.run(request("DATA"), { onProgress }));
    expect(error).toBeInstanceOf(DataError);
    expect(error.message).toBe("missing (DP_2): the mean of text.");
    expect(error.detail).toEqual({ code: "data", block: "missing", path: "city" });
    expect((await failure(link.run(request("BUG"), { onProgress }))).status).toBe(500);
  });

  test("other refusals", async () => {
    const { link, url } = await linked();
    await link.createProject("iris");
    const taken = await failure(link.createProject("iris"));
    expect(taken).toBeInstanceOf(AccessError);
    expect(taken.status).toBe(403);
    expect(taken.detail.code).toBe("name_taken");
    expect(await failure(link.state(7))).toBeInstanceOf(NotFoundError);
    const model = `${url}/api/v1/artifacts/${modelId}`;
    expect(await failure(link.table(model))).toBeInstanceOf(ArgsError);
  });

  test("a wrong key, and none", async () => {
    expect((await failure((await linked("wrong")).link.projects())).status).toBe(401);
    const { message } = await failure((await linked("")).link.projects());
    expect(message).toBe("The request has no API key: send one in the header X-SVC-KEY.");
  });

  test("arguments that JSON can't carry never leave", async () => {
    const { link } = await linked();
    const error = await failure(link.run(request("DP_1", { n: 12n })));
    expect(error).toBeInstanceOf(ArgsError);
    expect(error.message).toMatch(/^The arguments can't be written as JSON: .*BigInt/);
  });

  test("an error of the caller's own onProgress stays what it is", async () => {
    const { link } = await linked();
    const onProgress = () => {
      throw new RangeError("mine");
    };
    await expect(link.run(request("DP_1"), { onProgress })).rejects.toThrow(new RangeError("mine"));
  });
});

describe("stopping a block", () => {
  test.each([undefined, () => undefined])("cancels it over there too (onProgress %s)", async (onProgress) => {
    const { link, service } = await linked();
    const stop = new AbortController();
    const run = failure(link.run(request("WAIT"), { signal: stop.signal, onProgress }));
    await service.waiting;
    stop.abort();
    expect(await run).toBeInstanceOf(CancelledError);
    await expect.poll(() => service.cancelled).toEqual(["WAIT"]);
  });

  test("before it began sends nothing", async () => {
    const { link } = await linked();
    expect(await failure(link.run(request("DP_1"), { signal: AbortSignal.abort() }))).toBeInstanceOf(CancelledError);
    expect(await link.states(1)).toEqual([]);
  });
});

describe("connections", () => {
  test("a service that is not there is one clear sentence with the cure", async () => {
    const { app, url } = await linked();
    await app.close();
    const link = httpLink({ url });
    const error = await failure(link.projects());
    expect(error.status).toBe(503);
    expect(error.message).toBe(
      `No blocklab service answers at ${url}: the connection was refused. ` +
        'Start one with "blocklab serve", or check BLOCKLAB_URL.',
    );
    await link.close();
  });

  test("something else that answers is told apart", async () => {
    const html = await stranger((_, response) => response.setHeader("content-type", "text/html").end("<h1>hi</h1>"));
    expect((await failure(html.projects())).message).toMatch(/can't be read as JSON; is it a blocklab service\?$/);
    const json = await stranger((_, response) => response.end("[]"));
    expect((await failure(json.projects())).message).toMatch(/is no blocklab service \(status 200\)/);
    const lost = await stranger((_, response) => response.writeHead(404).end("nothing here"));
    expect((await failure(lost.projects())).message).toMatch(/is no blocklab service \(status 404\)/);
  });

  test("one that breaks off is an error, never a silent end", async () => {
    const silent = await stranger((_, response) => response.end(": running\n\n"));
    const ended = await failure(silent.run(request("DP_1"), { onProgress: () => undefined }));
    expect(ended.message).toMatch(/ended before the block did; nothing of it was stored\.$/);
    const cut = await stranger((asked) => asked.socket.destroy());
    expect((await failure(cut.run(request("DP_1")))).message).toContain("the connection was cut");
  });

  test("are the link's own to close, but not a dispatcher that was given", async () => {
    const { url, link } = await linked();
    await link.projects();
    await link.close();
    await link.close();
    expect((await failure(link.projects())).message).toBe(`The link to ${url} is closed.`);
    const dispatcher = new Agent();
    const other = httpLink({ url, key: "key-a", dispatcher });
    await other.close();
    expect(dispatcher.closed).toBe(false);
    await dispatcher.close();
  });

  test("an artifact is read from the link's own service, whatever host its URL names", async () => {
    const { link } = await linked();
    const table = await link.table(`https://elsewhere.example/b/api/v1/artifacts/${tableId}?format=csv`);
    expect(table.total).toBe(3);
    expect((await failure(link.download("data.csv", "csv"))).message).toBe(
      '"data.csv" is no artifact URL; a state record\'s URLs are.',
    );
    expect(await failure(link.table("http://x/api/v1/artifacts/../project"))).toBeInstanceOf(ArgsError);
  });
});

describe("a URL", () => {
  test.each(["http://localhost:8080", " http://localhost:8080/ ", "http://localhost:8080/api/v1/"])(
    "%j is taken",
    (url) => {
      expect(httpLink({ url }).where).toBe("http://localhost:8080");
    },
  );

  test("keeps its path", () => {
    expect(httpLink({ url: "https://lab.example.org/b/" }).where).toBe("https://lab.example.org/b");
  });

  test.each(["", "localhost:8080", "ftp://localhost", "http://localhost/?a=1"])("%j is refused", (url) => {
    expect(() => httpLink({ url })).toThrow("A service's URL looks like http://127.0.0.1:8080");
  });

  test("with a password is refused without repeating it", () => {
    expect(() => httpLink({ url: "http://me:hunter2@localhost" })).toThrow(
      "A service's URL holds no user name or password; its key goes into BLOCKLAB_KEY.",
    );
  });

  test("goes with a key on one line; another is refused without repeating it", () => {
    expect(() => httpLink({ url: "http://localhost", key: "a\nb" })).toThrow(
      "The API key holds characters that no key has; copy it again, on one line.",
    );
  });
});
