import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { Served } from "../support/served.ts";
import { testApp } from "./app.ts";
import { tableId } from "./fake-service.ts";

const service = new Served();
const csv = `a,b\n${Array.from({ length: 3000 }, (_, k) => `${k},word${k % 5}`).join("\n")}\n`;

test("tables go compressed to clients that can read it so, and are the same bytes", async () => {
  const url = await service.upload(csv, "t.csv");
  const project = await service.project();
  const { message } = await service.block(project, 1, 0, "DP_1", { dburl: url });
  const path = new URL(message.dataset_url as string).pathname;
  const { url: base } = await service.serving;
  const ask = async (headers: Readonly<Record<string, string>>, query = "") => {
    const { request } = await import("undici");
    const answer = await request(`${base}${path}${query}`, { headers: { "x-svc-key": "served", ...headers } });
    return { status: answer.statusCode, headers: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) };
  };
  const plain = await ask({});
  expect(plain.headers["content-encoding"]).toBeUndefined();
  expect(plain.body.toString()).toBe(csv);

  const coded = await ask({ "accept-encoding": "br, gzip;q=0.5" });
  expect(coded.headers["content-encoding"]).toBe("gzip");
  expect(coded.headers.vary).toBe("accept, accept-encoding");
  expect(coded.body.length).toBeLessThan(csv.length / 2);
  expect(gunzipSync(coded.body).toString()).toBe(csv);
  expect(coded.headers.etag).toBe(String(plain.headers.etag).replace(/"$/, '-gzip"'));
  for (const tag of [plain.headers.etag, coded.headers.etag]) {
    expect((await ask({ "accept-encoding": "gzip", "if-none-match": String(tag) })).status).toBe(304);
  }

  expect(gunzipSync((await ask({ "accept-encoding": "gzip" }, "?columns=b&limit=2000")).body).toString()).toMatch(
    /^b\nword0\n/,
  );
  for (const accept of ["gzip;q=0", "identity", "br"]) {
    expect((await ask({ "accept-encoding": accept })).headers["content-encoding"]).toBeUndefined();
  }
  // Parts are counted in the bytes of the file, and binary formats are compressed already.
  const part = await ask({ "accept-encoding": "gzip", range: "bytes=0-2" });
  expect([part.status, part.body.toString(), part.headers["content-encoding"]]).toEqual([206, "a,b", undefined]);
  expect((await ask({ "accept-encoding": "gzip" }, "?format=parquet")).headers["content-encoding"]).toBeUndefined();
});

test("what is small goes as it is", async () => {
  const { ask } = testApp();
  const answer = await ask("GET", `/api/v1/artifacts/${tableId}`, { headers: { "accept-encoding": "gzip" } });
  expect(answer.headers["content-encoding"]).toBeUndefined();
});
