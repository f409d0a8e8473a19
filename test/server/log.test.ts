import { expect, test } from "vitest";
import { createLog } from "../../src/server/log.ts";
import { request, testApp } from "./app.ts";

/** A log that is kept, as objects. */
function kept(verbose: boolean) {
  const lines: Record<string, unknown>[] = [];
  const logger = createLog(verbose, { write: (line) => void lines.push(JSON.parse(line)) });
  return { lines, logger };
}

test("a line holds nothing that a terminal would obey", () => {
  const lines: string[] = [];
  createLog(false, { write: (line) => void lines.push(line) }).error(
    { error: "\u009b2J\u001b[2J\u202e" },
    "failed\u0085",
  );
  expect(lines.join("").slice(0, -1)).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(lines[0])).toMatchObject({ error: "\u009b2J\u001b[2J\u202e", msg: "failed\u0085" });
});

test("each request is a JSON line with its number, its route and no secret", async () => {
  const { lines, logger } = kept(true);
  const { ask } = testApp({ logger });
  const answer = await ask("POST", "/api/v1/engine/start?resume=1", {
    payload: request("DP_1", { dburl: "postgres://ann:hunter2@db/x", dbpassword: "hunter2" }),
  });
  await ask("GET", "/api/v1/engine/statemanagement/7", { headers: { "x-svc-key": "wrong-key" } });
  await ask("GET", "/api/v1/artifacts/hunter2?key=hunter2&%0Ainjected=1");
  await ask("GET", "/hunter2/hunter2");
  expect(lines).toEqual([
    {
      level: "info",
      time: expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/),
      request: answer.headers["x-request-id"],
      method: "POST",
      route: "/api/v1/engine/start",
      owner: "owner-a",
      status: 200,
      ms: expect.any(Number),
      msg: "answered",
    },
    expect.objectContaining({ route: "/api/v1/engine/statemanagement/:id", status: 401 }),
    expect.objectContaining({ route: "/api/v1/artifacts/:id", status: 404 }),
    expect.objectContaining({ route: "(unknown)", status: 404 }),
  ]);
  expect(new Set(lines.map((line) => line.request)).size).toBe(4);
  expect(JSON.stringify(lines)).not.toMatch(/hunter2|key-a|wrong-key/);
});

test("faults alone are logged unless every request is asked for", async () => {
  const { lines, logger } = kept(false);
  const { ask } = testApp({ logger });
  await ask("GET", "/api/v1/project");
  await ask("POST", "/api/v1/engine/start", { payload: request("BUG", { dbpassword: "hunter2" }) });
  expect(lines).toMatchObject([{ level: "error", msg: "failed", error: expect.stringContaining("secret internals") }]);
});

test("what is named like a secret is left out wherever it lies", () => {
  const { lines, logger } = kept(true);
  logger.info(
    { password: "hunter2", headers: { "x-svc-key": "hunter2", host: "a" }, asked: { token: "hunter2" } },
    "x",
  );
  expect(lines[0]).toMatchObject({
    password: "***",
    headers: { "x-svc-key": "***", host: "a" },
    asked: { token: "***" },
  });
});
