import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { testApp } from "./app.ts";
import { csv, modelId, tableId } from "./fake-service.ts";

const table = `/api/v1/artifacts/${tableId}`;
const model = `/api/v1/artifacts/${modelId}`;
const typed = "application/vnd.blocklab.table+json";

describe("formats", () => {
  test.each([
    ["", undefined, "csv"],
    ["", "*/*", "csv"],
    ["", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "csv"],
    ["", "text/csv", "csv"],
    ["", "application/json", "json"],
    ["", "text/csv;q=0.5, application/json;q=0.9", "json"],
    ["", "application/json, text/plain, */*", "json"],
    ["", "application/vnd.apache.parquet", "parquet"],
    ["", "application/vnd.apache.arrow.file", "arrow"],
    ["", "application/x-npy", "npy"],
    ["?format=npy", "text/csv", "npy"],
    ["?format=CSV", "application/json", "csv"],
  ])("%s with Accept %s is %s", async (query, accept, format) => {
    const { ask, service } = testApp();
    const answer = await ask("GET", `${table}${query}`, { headers: accept ? { accept } : {} });
    expect(answer.statusCode).toBe(200);
    expect(service.handedOut[0]).toMatch(new RegExp(`\\.${format}$`));
    expect(answer.headers["content-disposition"]).toBe(`attachment; filename="${tableId}.${format}"`);
  });

  test("a table while it is read is a line of columns, then lines of cells", async () => {
    const accept = "application/vnd.blocklab.batches+x-ndjson";
    const answer = await testApp().ask("GET", `${table}?columns=age&limit=2`, { headers: { accept } });
    expect(answer.headers["content-type"]).toBe(accept);
    expect(answer.body.split("\n").map((line) => line && JSON.parse(line))).toEqual([
      [{ name: "age", type: "number", integer: true }],
      [[1]],
      [[2]],
      "",
    ]);
    expect(
      (await testApp().ask("GET", `/api/v1/artifacts/${"x".repeat(22)}`, { headers: { accept } })).statusCode,
    ).toBe(404);
  });

  test("a format that is unknown is a 400 with the nearest", async () => {
    const answer = await testApp().ask("GET", `${table}?format=parket`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().message).toBe(
      'The query\'s format "parket" is unknown. Did you mean "parquet"? Formats: csv, json, parquet, arrow, npy, onnx, onnx-chain.',
    );
  });

  test("an Accept that can't be met is a 406 that lists what can", async () => {
    const answer = await testApp().ask("GET", table, { headers: { accept: "image/png, text/csv;q=0" } });
    expect(answer.statusCode).toBe(406);
    expect(answer.json()).toMatchObject({ status: "false", error: { code: "not_acceptable" } });
    expect(answer.json().message).toContain("text/csv, application/json");
  });
});

describe("a part of a table", () => {
  test("as typed JSON", async () => {
    const { ask } = testApp();
    const read = async (query: string) => {
      const answer = await ask("GET", `${table}${query}`, { headers: { accept: typed } });
      expect(answer.headers["content-type"]).toMatch(new RegExp(`^${typed.replace("+", "\\+")}`));
      return answer.json();
    };
    const [age, city] = [
      { name: "age", type: "number", integer: true },
      { name: "city, name", type: "string" },
    ];
    const all = {
      columns: [age, city],
      rows: [
        [1, "Lagos"],
        [2, "Lima"],
        [3, null],
      ],
      total: 3,
    };
    expect(await read("")).toEqual(all);
    expect(await read("?columns=")).toEqual(all);
    expect(await read("?offset=1&limit=1&columns=age")).toEqual({ columns: [age], rows: [[2]], total: 3 });
    expect(await read("?limit=0")).toEqual({ ...all, rows: [] });
    const quoted = encodeURIComponent('["city, name"]');
    expect(await read(`?columns=${quoted}&columns=age&offset=2`)).toEqual({
      columns: [city, age],
      rows: [[null, 3]],
      total: 3,
    });
  });

  test("as a temporary file that is removed once it is sent", async () => {
    const { ask, service } = testApp();
    const answer = await ask("GET", `${table}?limit=1`);
    expect(answer.json().rows).toEqual([[1, "Lagos"]]);
    expect(answer.headers["accept-ranges"]).toBeUndefined();
    await expect.poll(() => existsSync(service.handedOut[0])).toBe(false);
  });

  test.each([
    ["?limit=-1", 'The query\'s limit must be a whole number from 0, got "-1".'],
    ["?offset=1e3", 'The query\'s offset must be a whole number from 0, got "1e3".'],
    ["?descending=yes", 'The query\'s descending must be true or false, got "yes".'],
    ["?colums=age", 'The query has no parameter "colums". Did you mean "columns"?'],
    ["?columns=%5B1%5D", "The query's columns must be names separated by commas, or a JSON array of names."],
    ["?columns=%5Bage", "The query's columns must be names separated by commas, or a JSON array of names."],
  ])("%s is a 400", async (query, words) => {
    const answer = await testApp().ask("GET", `${table}${query}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().message).toContain(words);
  });
});

describe("a whole file", () => {
  const ranged = async (range: string, more: Readonly<Record<string, string>> = {}) => {
    const answer = await testApp().ask("GET", table, { headers: { range, ...more } });
    return { status: answer.statusCode, body: answer.body, range: answer.headers["content-range"] };
  };

  test("is sent with its length, type and hash", async () => {
    const { ask, service } = testApp();
    const answer = await ask("GET", table);
    expect(answer.body).toBe(csv);
    expect(answer.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-length": String(csv.length),
      "accept-ranges": "bytes",
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
      vary: "accept, accept-encoding",
      "x-content-type-options": "nosniff",
    });
    expect(existsSync(service.handedOut[0])).toBe(true);
  });

  test("can be asked about without its bytes", async () => {
    const answer = await testApp().ask("HEAD", table);
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe("");
    expect(answer.headers["content-length"]).toBe(String(csv.length));
  });

  test.each([
    ["bytes=0-3", csv.slice(0, 4), "bytes 0-3/"],
    ["bytes=4-", csv.slice(4), `bytes 4-${csv.length - 1}/`],
    ["bytes=-5", csv.slice(-5), `bytes ${csv.length - 5}-${csv.length - 1}/`],
    ["bytes=2-9999", csv.slice(2), `bytes 2-${csv.length - 1}/`],
    ["bytes=-9999", csv, `bytes 0-${csv.length - 1}/`],
  ])("%s is a 206", async (range, body, described) => {
    expect(await ranged(range)).toEqual({ status: 206, body, range: `${described}${csv.length}` });
  });

  test.each(["bytes=0-1,3-4", "bytes=5-2", "lines=1-2", "bytes=-", "bytes=a-b"])("%s is left out", async (range) => {
    expect(await ranged(range)).toEqual({ status: 200, body: csv, range: undefined });
  });

  test.each(["bytes=9999-", "bytes=-0"])("%s is a 416 with the size", async (range) => {
    const answer = await testApp().ask("GET", table, { headers: { range } });
    expect(answer.statusCode).toBe(416);
    expect(answer.headers["content-range"]).toBe(`bytes */${csv.length}`);
    expect(answer.json()).toMatchObject({ status: "false", error: { code: "range", got: range } });
  });

  test("a range of another version answers the whole", async () => {
    const etag = String((await testApp().ask("GET", table)).headers.etag);
    expect((await ranged("bytes=0-3", { "if-range": '"old"' })).status).toBe(200);
    expect((await ranged("bytes=0-3", { "if-range": etag })).status).toBe(206);
  });

  test("a copy that is still right is a 304", async () => {
    const { ask } = testApp();
    const etag = String((await ask("GET", table)).headers.etag);
    const answer = await ask("GET", table, { headers: { "if-none-match": `"old", W/${etag}` } });
    expect(answer.statusCode).toBe(304);
    expect(answer.body).toBe("");
    expect(answer.headers.etag).toBe(etag);
    expect((await ask("GET", table, { headers: { "if-none-match": '"old"' } })).statusCode).toBe(200);
  });

  test("that vanished meanwhile is a 404 in the usual form", async () => {
    const { ask, service } = testApp();
    const whole = service.file.bind(service);
    service.file = async (...asked) => {
      const file = await whole(...asked);
      await rm(file.path);
      return file;
    };
    const answer = await ask("GET", table);
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ status: "false", error: { code: "not_found" } });
  });
});

describe("a model", () => {
  test.each(["", "?format=json"])("%s is answered as JSON", async (query) => {
    const answer = await testApp().ask("GET", `${model}${query}`, { headers: { accept: "*/*" } });
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(answer.json()).toEqual({ format: "blocklab-model" });
  });

  test.each(["?format=csv", "?limit=3", "?columns=age"])("%s is a 400", async (query) => {
    const answer = await testApp().ask("GET", `${model}${query}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      status: "false",
      error: { code: "not_a_table", expected: ["json", "onnx", "onnx-chain"] },
    });
  });
});

test.each(["nothing", "..%2f..%2fkeys.db", "unknownAAAAAAAAAAAAAAA", "a".repeat(300)])("%s is a 404", async (id) => {
  const answer = await testApp().ask("GET", `/api/v1/artifacts/${id}`);
  expect(answer.statusCode).toBe(404);
  expect(answer.json()).toMatchObject({ status: "false", error: { code: expect.stringMatching(/not_found|unknown/) } });
});
