import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { listen } from "../../src/server/server.ts";
import { keys, testApp } from "./app.ts";

const path = "/api/v1/engine/upload";
const boundary = "----b0undary";
const type = { "content-type": `multipart/form-data; boundary=${boundary}` };

function part(headers: string, content: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(`--${boundary}\r\n${headers}\r\n\r\n`), Buffer.from(content), Buffer.from("\r\n")]);
}

const file = (content: string | Buffer, filename = "t.csv") =>
  part(`Content-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: text/csv`, content);

const body = (...parts: readonly Buffer[]) => Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);

const id = (url: string) => url.split("/").at(-1) as string;

describe("an upload", () => {
  test("is answered with a URL that reads it back, byte by byte, for its owner alone", async () => {
    const { ask } = testApp();
    const content = Buffer.concat([Buffer.from("a\r\n--not the end\r\n\0"), Buffer.alloc(70_000, "\r\n-")]);
    const other = part('Content-Disposition: form-data; name="note"', "hello");
    const answer = await ask("POST", path, { headers: type, payload: body(other, file(content), other) });
    expect(answer.statusCode).toBe(200);
    const { url, ...rest } = answer.json().message;
    expect(rest).toEqual({ name: "t.csv", bytes: content.length });
    expect(url).toMatch(/^http:\/\/[^/]+\/api\/v1\/engine\/upload\/[\w-]{22}$/);

    const read = await ask("GET", `${path}/${id(url)}`);
    expect(read.rawPayload).toEqual(content);
    expect(read.headers["content-disposition"]).toBe('attachment; filename="t.csv"');
    const stranger = { headers: { "x-svc-key": "key-b" } };
    expect((await ask("GET", `${path}/${id(url)}`, stranger)).statusCode).toBe(404);
    expect((await ask("DELETE", `${path}/${id(url)}`, stranger)).statusCode).toBe(404);

    expect((await ask("DELETE", `${path}/${id(url)}`)).statusCode).toBe(200);
    expect((await ask("GET", `${path}/${id(url)}`)).statusCode).toBe(404);
  });

  test.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\\\data\\\\iris.csv", "iris.csv"],
    ["..", "file"],
    ["", "file"],
    ["a\u0000b\u001b[2J.csv", "ab[2J.csv"],
    ["größe%22.csv", "größe.csv"],
    [`${"x".repeat(300)}.csv`, `${"x".repeat(196)}.csv`],
  ])("named %j is called %j, and lies under an id", async (name, called) => {
    const { ask, service } = testApp();
    const answer = await ask("POST", path, { headers: type, payload: body(file("a\n1\n", name)) });
    expect(answer.json().message.name).toBe(called);
    expect(readdirSync(service.uploads)).toEqual([id(answer.json().message.url)]);
    const read = await ask("GET", `${path}/${id(answer.json().message.url)}`);
    expect(read.body).toBe("a\n1\n");
  });

  test.each([
    ["no file", body(part('Content-Disposition: form-data; name="a"', "1")), 400, /has no file/],
    ["a plain value", body(part('Content-Disposition: form-data; name="file"', "1")), 400, /must be a file with/],
    [
      "another field",
      body(part('Content-Disposition: form-data; name="f"; filename="a"', "1")),
      400,
      /field "file", got "f"/,
    ],
    ["two files", body(file("1"), file("2")), 400, /more than one file/],
    ["no end", file("1"), 400, /ends before its last boundary/],
    ["no boundary in the body", Buffer.from("a,b\n1,2\n"), 400, /ends before its last boundary/],
    ["nothing", Buffer.alloc(0), 400, /ends before its last boundary/],
    [
      "headers without end",
      Buffer.concat([Buffer.from(`--${boundary}\r\n`), Buffer.alloc(40_000, "x")]),
      400,
      /ends before its last boundary/,
    ],
    ["endless headers", Buffer.concat([Buffer.from(`--${boundary}\r\n`), Buffer.alloc(1_100_000, "x")]), 400, /1 MiB/],
    ["endless parts", Buffer.alloc(1_100_000, `--${boundary}\r\n\r\n\r\n`), 400, /1 MiB/],
    ["no boundary before the end", Buffer.alloc(1_100_000, "-"), 400, /1 MiB/],
    [
      "large other fields",
      body(part('Content-Disposition: form-data; name="a"', Buffer.alloc(1_100_000, "x")), file("1")),
      400,
      /1 MiB/,
    ],
    ["too much", body(file(Buffer.alloc(2001, "x"))), 413, /larger than the 2,000 bytes/],
  ] as const)("with %s is refused, and nothing stays", async (_, payload, status, message) => {
    const { ask, service } = testApp({ uploadLimit: 2000 });
    const answer = await ask("POST", path, { headers: type, payload });
    expect(answer.statusCode).toBe(status);
    expect(answer.json().message).toMatch(message);
    expect(readdirSync(service.uploads)).toEqual([]);
  });

  test("is multipart or refused, and multipart is refused elsewhere", async () => {
    const { ask } = testApp();
    expect((await ask("POST", path, { payload: { file: "a" } })).statusCode).toBe(415);
    const noBoundary = { "content-type": "multipart/form-data" };
    expect((await ask("POST", path, { headers: noBoundary, payload: "x" })).statusCode).toBe(415);
    const elsewhere = await ask("POST", "/api/v1/engine/start", { headers: type, payload: body(file("1")) });
    expect(elsewhere.statusCode).toBe(415);
    expect(
      (await ask("POST", path, { headers: { ...type, "x-svc-key": "" }, payload: body(file("1")) })).statusCode,
    ).toBe(401);
  });

  test.each([
    ["a disposition of blanks", `Content-Disposition: form-data; ${" ".repeat(700_000)}name=x`],
    ["a disposition of semicolons", `Content-Disposition: form-data${"; ".repeat(300_000)}`],
    ["a disposition of quotes", `Content-Disposition: form-data; name="${'\\"'.repeat(300_000)}`],
    ["many headers", "a: b\r\n".repeat(100_000)],
    ["one header in many lines", `a: b${"\r\n c".repeat(150_000)}`],
    ["a title of escapes", `Content-Disposition: form-data; name="note"; title*=utf-8''${"%41".repeat(200_000)}`],
  ])("with %s is read in a moment", async (_, headers) => {
    const { ask } = testApp();
    const start = performance.now();
    const answer = await ask("POST", path, { headers: type, payload: body(part(headers, "1"), file("a\n1\n")) });
    expect(performance.now() - start).toBeLessThan(2000);
    expect(answer.statusCode).toBe(200);
  });

  test("with a Content-Type of blanks, or with a boundary longer than any, is refused in a moment", async () => {
    const { ask } = testApp();
    const start = performance.now();
    for (const filler of [`${" ;".repeat(30_000)}`, ` boundary=${"a".repeat(60_000)}`, `${" ".repeat(60_000)}x`]) {
      const answer = await ask("POST", path, {
        headers: { "content-type": `multipart/form-data;${filler}` },
        payload: Buffer.alloc(900_000, "a"),
      });
      expect(answer.statusCode).toBe(400);
      expect(answer.json().message).toMatch(/needs a boundary of 1 to 70 characters/);
    }
    expect(performance.now() - start).toBeLessThan(2000);
  });

  test("that a client breaks off leaves nothing, and is no fault of ours", async () => {
    const { app, service, logged } = testApp();
    const url = new URL(await listen(app, { port: 0 }));
    const socket = connect(Number(url.port), url.hostname);
    const head = `POST ${path} HTTP/1.1\r\nHost: ${url.host}\r\nX-SVC-KEY: ${Object.keys(keys)[0]}\r\nTransfer-Encoding: chunked\r\nContent-Type: ${type["content-type"]}\r\n\r\n`;
    const chunk = file(Buffer.alloc(100_000, "x"));
    socket.write(`${head}${chunk.length.toString(16)}\r\n`);
    socket.write(chunk);
    await expect.poll(() => readdirSync(service.uploads).length).toBe(1);
    socket.destroy();
    await expect.poll(() => readdirSync(service.uploads)).toEqual([]);
    expect(logged).toEqual([]);
  });
});

describe.each(["/api/v1/engine/dataset", "/api/v1/engine/datasets/"])("%s", (path) => {
  const one = `${path.replace(/\/$/, "")}`;
  const set = { dataset_name: "iris", dataset_description: "flowers", dataset_type: "csv", dataset_url: "sample:iris" };

  test("names, lists, reads and deletes data sets, each key its own", async () => {
    const { ask } = testApp();
    const made = await ask("POST", path, { payload: { ...set, colour: "blue" } });
    expect(made.json()).toMatchObject({ status: "true", message: { id: 1, ...set } });
    const alias = { name: "wine", description: "bottles", dataset_url: "sample:wine", dataset_type: null };
    const other = (await ask("POST", path, { payload: alias })).json().message;
    expect(other).toMatchObject({ dataset_name: "wine", dataset_description: "bottles", dataset_type: "" });
    expect((await ask("GET", path)).json().message).toHaveLength(2);
    const stranger = { headers: { "x-svc-key": "key-b" } };
    expect((await ask("GET", path, stranger)).json().message).toEqual([]);
    expect((await ask("GET", `${one}/1`, stranger)).statusCode).toBe(404);
    expect((await ask("DELETE", `${one}/1`, stranger)).statusCode).toBe(404);
    expect((await ask("GET", `${one}/1`)).json().message).toEqual(made.json().message);
    expect((await ask("DELETE", `${one}/1`)).json().status).toBe("true");
    expect((await ask("GET", `${one}/1`)).statusCode).toBe(404);
    expect((await ask("DELETE", `${one}/1`)).statusCode).toBe(404);
    expect((await ask("GET", `${one}/x`)).statusCode).toBe(404);
  });

  test.each([
    [{ ...set, dataset_name: "" }, 400, "A data set needs a dataset_name (text)."],
    [{ ...set, dataset_url: null }, 400, "A data set needs a dataset_url (text)."],
    [{ ...set, dataset_type: 5 }, 400, 'dataset_type must be a text of at most 50 characters, got "5".'],
    [
      { ...set, dataset_name: "x".repeat(201) },
      400,
      "dataset_name must be a text of at most 200 characters, got 201 characters.",
    ],
    [
      { ...set, dataset_url: "postgres://ann:hunter2@db/x" },
      400,
      "dataset_url holds a password, which is never stored; give it to input (DP_1) as dbpassword.",
    ],
    [[], 400, "The body must be a JSON object, got an array."],
  ])("refuses %j", async (payload, status, message) => {
    const answer = await testApp().ask("POST", path, { payload });
    expect(answer.statusCode).toBe(status);
    expect(answer.json().message).toBe(message);
  });

  test("refuses a taken name", async () => {
    const { ask } = testApp();
    await ask("POST", path, { payload: set });
    const again = await ask("POST", path, { payload: set });
    expect(again.statusCode).toBe(403);
    expect(again.json().message).toBe('A data set named "iris" already exists; choose another name.');
    expect((await ask("POST", path, { payload: set, headers: { "x-svc-key": "key-b" } })).statusCode).toBe(200);
  });
});
