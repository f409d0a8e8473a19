import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { listen } from "../../src/server/server.ts";
import { request, testApp } from "./app.ts";
import { tableId } from "./fake-service.ts";

const start = "/api/v1/engine/start";
const events = { accept: "text/event-stream" };

describe("running a block", () => {
  test("answers the state record in the envelope", async () => {
    const answer = await testApp().ask("POST", start, { payload: request("DP_1") });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      status: "true",
      message: {
        id: 1,
        project: 1,
        block_id: 1,
        parent_id: 0,
        function_code: "DP_1",
        dataset_url: `http://localhost:80/api/v1/artifacts/${tableId}`,
        x_value_url: null,
        y_value_url: null,
      },
    });
  });

  test("lists the function codes", async () => {
    const { ask, service } = testApp();
    const answer = await ask("GET", "/api/v1/engine/functionsdb");
    expect(answer.json()).toEqual({ status: "true", message: service.functions() });
  });
});

describe("the URLs of a record", () => {
  const urlFor = async (host: string, publicUrl?: string) => {
    const answer = await testApp({ publicUrl }).ask("POST", start, { payload: request("DP_1"), headers: { host } });
    return answer.json().message.dataset_url;
  };
  const artifact = `/api/v1/artifacts/${tableId}`;

  test("carry the host name that the request was sent to", async () => {
    expect(await urlFor("127.0.0.1:99")).toBe(`http://127.0.0.1:99${artifact}`);
    expect(await urlFor("[::1]:99")).toBe(`http://[::1]:99${artifact}`);
  });

  test("carry the public URL where there is one", async () => {
    expect(await urlFor("localhost:80", "https://lab.example.org/b/")).toBe(`https://lab.example.org/b${artifact}`);
  });

  test("are known again, in every way that leads here, and nothing else is", async () => {
    const { app, ask } = testApp({ publicUrl: "https://lab.example.org/b" });
    const { port } = new URL(await listen(app, { port: 0 }));
    const found = async (url: string) =>
      (await ask("POST", start, { payload: request("WHERE", { url }) })).json().message as string;
    const own = [
      `https://lab.example.org/b${artifact}`,
      `http://localhost:${port}${artifact}`,
      `http://127.0.0.1:${port}${artifact}?format=csv`,
      artifact,
    ];
    for (const url of own) expect(await found(url)).toBe(tableId);
    const foreign = [
      `https://lab.example.org${artifact}`,
      `https://evil.example/b${artifact}`,
      `http://127.0.0.1:1${artifact}`,
      `http://127.0.0.1:${port}${artifact}?limit=3`,
      `http://127.0.0.1:${port}/api/v1/artifacts/../../secrets`,
      `http://127.0.0.1:${port}/other${artifact}`,
      "data.csv",
      "",
    ];
    for (const url of foreign) expect(await found(url)).toBe("null");
  });
});

describe("a stream of events", () => {
  test("tells progress, then the result", async () => {
    const answer = await testApp().ask("POST", start, { payload: request("DP_1"), headers: events });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    const [, progress, result, rest] = answer.body.split("\n\n");
    expect(progress).toBe(
      `event: progress\ndata: {"block":1,"phase":"reading\\n\\nevent: result","done":1,"total":2,"eta_ms":null}`,
    );
    expect(result).toMatch(/^event: result\ndata: \{"status":"true","message":\{"id":1,/);
    expect(rest).toBe("");
  });

  test("ends with the error and its status", async () => {
    const answer = await testApp().ask("POST", start, { payload: request("DATA"), headers: events });
    const data = /event: error\ndata: (.*)\n\n$/.exec(answer.body)?.[1] ?? "";
    expect(JSON.parse(data)).toEqual({
      status: "false",
      message: "missing (DP_2): the mean of text.",
      error: { code: "data", block: "missing", path: "city" },
      http_status: 422,
    });
  });

  test("hides a fault of ours and logs it", async () => {
    const { ask, logged } = testApp();
    const answer = await ask("POST", start, { payload: request("BUG"), headers: events });
    expect(answer.body).toContain('"http_status":500');
    expect(answer.body).not.toContain("secret internals");
    expect(logged[0]).toContain("secret internals");
  });

  test("a body that can't be read is refused before the stream begins", async () => {
    const headers = { ...events, "content-type": "application/json" };
    const answer = await testApp().ask("POST", start, { payload: "[", headers });
    expect(answer.statusCode).toBe(400);
  });
});

describe("a client that leaves", () => {
  test.each([
    ["block", start, "application/json", request("WAIT")],
    ["block", start, "text/event-stream", request("WAIT")],
    ["prediction", "/api/v1/models/production", "application/json", { flow_id: 1, data: "WAIT" }],
  ])("cancels its %s (%s, %s)", async (what, path, accept, sent) => {
    const { app, service } = testApp();
    const { port } = new URL(await listen(app, { port: 0 }));
    const body = JSON.stringify(sent);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-SVC-KEY: key-a\r\nAccept: ${accept}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await service.waiting;
    expect(service.cancelled).toEqual([]);
    socket.destroy();
    await expect.poll(() => service.cancelled).toEqual([what === "block" ? "WAIT" : "production"]);
  });
});

describe("a client that may come back", () => {
  /** Reads events until the text holds what is waited for, then leaves. */
  async function read(url: string, until: RegExp, more: Readonly<Record<string, string>> = {}, grace = 60) {
    const leave = new AbortController();
    const answer = await fetch(`${url}${start}?resume=${grace}`, {
      method: "POST",
      headers: { "x-svc-key": "key-a", "content-type": "application/json", ...events, ...more },
      body: JSON.stringify(request("WAIT")),
      signal: leave.signal,
    });
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (until.test(text)) break;
    }
    leave.abort();
    return text;
  }
  const progress = /event: progress\n.*\n\n/;
  const result = /event: result\n.*\n\n/;

  test("hears the rest by Last-Event-ID, and the block has gone on", async () => {
    const { app, service } = testApp();
    const url = await listen(app, { port: 0 });
    const first = await read(url, progress);
    const id = /id: ([0-9a-f]{24})\.1\nevent: progress/.exec(first)?.[1] as string;
    const again = read(url, result, { "last-event-id": `${id}.1` });
    setTimeout(() => service.finish(), 50);
    const rest = await again;
    expect(service.cancelled).toEqual([]);
    expect(rest).toContain(`id: ${id}.2\nevent: result\n`);
    expect(rest).not.toContain("event: progress");
    // What was missed is told again, to whoever asks from further back.
    expect(await read(url, result, { "last-event-id": `${id}.0` })).toMatch(/event: progress[\s\S]*event: result/);
  });

  test("can't listen to another key's block", async () => {
    const { app, service } = testApp();
    const url = await listen(app, { port: 0 });
    const first = await read(url, progress);
    const id = /id: (\S+)/.exec(first)?.[1] as string;
    service.finish();
    const other = await read(url, result, { "last-event-id": id, "x-svc-key": "key-b" });
    expect(other).not.toContain(id.split(".")[0]);
  });

  test("is not waited for longer than it said", async () => {
    const { app, service } = testApp();
    const url = await listen(app, { port: 0 });
    await read(url, progress, {}, 1);
    expect(service.cancelled).toEqual([]);
    await expect.poll(() => service.cancelled, { timeout: 5000 }).toEqual(["WAIT"]);
  });

  test("says for how long, within bounds", async () => {
    const answer = await testApp().ask("POST", `${start}?resume=301`, { payload: request("DP_1"), headers: events });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().message).toBe("The query's resume must be at most 300 seconds, got 301.");
  });
});

describe("closing", () => {
  const waiting = async (graceMs: number) => {
    const made = testApp({ graceMs });
    const answer = made.ask("POST", start, { payload: request("WAIT") });
    await made.service.waiting;
    return { ...made, answer };
  };

  test("lets a running block finish, and refuses new requests meanwhile", async () => {
    const { app, service } = testApp({ graceMs: 20_000 });
    const url = await listen(app, { port: 0 });
    const headers = { "x-svc-key": "key-a", "content-type": "application/json" };
    const answer = fetch(`${url}${start}`, { method: "POST", headers, body: JSON.stringify(request("WAIT")) });
    await service.waiting;
    const closed = app.close();
    await expect.poll(async () => (await fetch(`${url}/healthz`)).status).toBe(503);
    const late = await fetch(`${url}/readyz`);
    expect(late.status).toBe(503);
    expect(late.headers.get("retry-after")).toBe("2");
    expect(await late.json()).toMatchObject({ status: "false", error: { code: "stopping" } });
    service.finish();
    expect((await answer).status).toBe(200);
    await closed;
  });

  test("cancels a block that takes too long, and says why", async () => {
    const { app, service, answer } = await waiting(1);
    await app.close();
    expect(service.cancelled).toEqual(["WAIT"]);
    expect((await answer).statusCode).toBe(503);
    expect((await answer).json().message).toBe(
      "The service is stopping; nothing of the request was stored. Try again in a moment.",
    );
  });
});

describe("the path for training", () => {
  test("runs a training code, with what stands beside args in the body", async () => {
    const { ask } = testApp();
    const answer = await ask("POST", "/api/v1", { payload: { ...request("DL_RBM_T"), model_name: "mine" } });
    expect(answer.statusCode).toBe(200);
    expect(answer.json().message.function_code).toBe("DL_RBM_T");
    expect((await ask("POST", "/api/v1/", { payload: request(" A_DL_TXC_T ") })).statusCode).toBe(200);
  });

  test("tells its progress as the other path does", async () => {
    const answer = await testApp().ask("POST", "/api/v1", { payload: request("DL_RBM_T"), headers: events });
    expect(answer.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(answer.body).toContain("event: result");
  });

  test.each(["DP_1", "DL_RBM_I", "ML_R_2_T"])("refuses %s and says where it belongs", async (code) => {
    const answer = await testApp().ask("POST", "/api/v1", { payload: request(code) });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().message).toBe(
      `POST /api/v1 trains neural networks, so function_code must end in _T, as in "DL_RBM_T", got "${code}"; POST /api/v1/engine/start runs any block.`,
    );
  });
});
