import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { BusyError } from "../../src/core/errors.ts";
import { Rate } from "../../src/server/rate.ts";
import { listen } from "../../src/server/server.ts";
import { request, testApp } from "./app.ts";

describe("limits", () => {
  test("of requests a minute count for each key by itself, and say when to come again", async () => {
    const { ask } = testApp({ ratePerMinute: 3 });
    const statuses = [];
    for (let k = 0; k < 4; k++) statuses.push((await ask("GET", "/api/v1/project")).statusCode);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await ask("GET", "/api/v1/project");
    expect(refused.headers["retry-after"]).toBe("20");
    expect(refused.json()).toEqual({
      status: "false",
      message: "The key has asked more than 3 times in a minute. Try again in 20 s.",
      error: { code: "rate", expected: 3, hint: "The operator can raise --rate." },
    });
    expect((await ask("GET", "/api/v1/project", { headers: { "x-svc-key": "key-b" } })).statusCode).toBe(200);
    expect((await ask("GET", "/healthz")).statusCode).toBe(200);
  });

  test("of requests a minute fill up again with time", () => {
    let now = 0;
    const rate = new Rate(60, () => now);
    for (let k = 0; k < 60; k++) rate.take("ann");
    expect(() => rate.take("ann")).toThrow("Try again in 1 s.");
    now += 1000;
    rate.take("ann");
    expect(() => rate.take("ann")).toThrow(BusyError);
    now += 3_600_000;
    for (let k = 0; k < 60; k++) rate.take("ann");
    expect(() => rate.take("ann")).toThrow(BusyError);
  });

  test("of the body hold for chunks too, of which nobody said how many come", async () => {
    const { app } = testApp({ bodyLimit: 1000 });
    const url = new URL(await listen(app, { port: 0 }));
    const socket = connect(Number(url.port), url.hostname);
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.write(
      `POST /api/v1/engine/start HTTP/1.1\r\nHost: ${url.host}\r\nX-SVC-KEY: key-a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = `${(200).toString(16)}\r\n${"[".padEnd(200)}\r\n`;
    for (let k = 0; k < 8; k++) socket.write(chunk);
    await expect.poll(() => answer).toMatch(/^HTTP\/1\.1 413 .*\r\n[\s\S]*larger than the 1,000 bytes/);
    socket.destroy();
  });

  test("of the queue are answered with 503 and Retry-After", async () => {
    const { ask } = testApp();
    const answer = await ask("POST", "/api/v1/engine/start", { payload: request("BUSY") });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers["retry-after"]).toBe("7");
    expect(answer.json().error.code).toBe("busy");
  });
});
