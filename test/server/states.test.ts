import { expect, test } from "vitest";
import { request, type TestApp, testApp } from "./app.ts";
import { tableId } from "./fake-service.ts";

const path = "/api/v1/engine/statemanagement";

async function withStates(): Promise<TestApp> {
  const made = testApp();
  await made.ask("POST", "/api/v1/engine/start", { payload: request("DP_1") });
  await made.ask("POST", "/api/v1/engine/start", { payload: { ...request("DP_2"), project_id: 2 } });
  return made;
}

test("lists all state records, or those of a project", async () => {
  const { ask } = await withStates();
  const codes = async (url: string) =>
    (await ask("GET", url)).json().message.map(({ function_code }: { function_code: string }) => function_code);
  expect(await codes(path)).toEqual(["DP_1", "DP_2"]);
  expect(await codes(`${path}?project=2`)).toEqual(["DP_2"]);
  expect(await codes(`${path}/?project=`)).toEqual(["DP_1", "DP_2"]);
});

test("reads a state record and what lies behind it", async () => {
  const { ask } = await withStates();
  const message = async (url: string) => {
    const { status, message } = (await ask("GET", `${path}/2${url}`)).json();
    expect(status).toBe("true");
    return message;
  };
  expect(await message("")).toMatchObject({ id: 2, project: 2, dataset_url: expect.stringContaining(tableId) });
  expect(await message("/explain")).toMatchObject({ block: 1, did: ["Read 3 rows."] });
  expect(await message("/view")).toEqual({ kind: "text", text: "three rows", tone: "plain" });
  expect(await message("/sql")).toEqual({ sql: "SELECT 1" });
  expect(await message("/request")).toEqual({ ...request("DP_2"), project_id: 2 });
});

test("deletes a state record", async () => {
  const { ask } = await withStates();
  expect((await ask("DELETE", `${path}/1`)).json()).toEqual({ status: "true", message: "State record 1 is deleted." });
  expect((await ask("GET", `${path}/1`)).statusCode).toBe(404);
});

test.each(["/9", "/abc", "/-1", "/1.5", "/99999999999999999999", "/9/view", "/9/explain", "/x/sql", "/x/request"])(
  "%s is a 404",
  async (id) => {
    const { ask } = await withStates();
    const answer = await ask("GET", `${path}${id}`);
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ status: "false", error: { code: "not_found" } });
  },
);

test("another key's state record is a 404", async () => {
  const { ask } = await withStates();
  for (const url of ["", "/view", "/explain", "/sql", "/request"]) {
    expect((await ask("GET", `${path}/1${url}`, { headers: { "x-svc-key": "key-b" } })).statusCode).toBe(404);
  }
});

test("a project that is no number, or an unknown parameter, is a 400", async () => {
  const { ask } = testApp();
  const bad = await ask("GET", `${path}?project=iris`);
  expect(bad.statusCode).toBe(400);
  expect(bad.json().message).toBe('The query\'s project must be a whole number from 0, got "iris".');
  for (const [query, message] of [
    ["block=3", "The query's block needs project: a block's id is its own in a project alone."],
    ["project=1&block=first", 'The query\'s block must be a whole number from 0, got "first".'],
    ["project=1&block=1&chain=yes", 'The query\'s chain must be true or false, got "yes".'],
  ]) {
    expect((await ask("GET", `${path}?${query}`)).json()).toMatchObject({ status: "false", message });
  }
  const typo = await ask("GET", `${path}?projct=1`);
  expect(typo.statusCode).toBe(400);
  expect(typo.json().message).toBe(
    'The query has no parameter "projct". Did you mean "project"? Parameters: project, block, chain, stale, limit, offset, after.',
  );
});
