import { beforeAll, expect, test } from "vitest";
import { httpLink } from "../../src/client/http.ts";
import { Session } from "../../src/session/session.ts";
import { Served } from "../support/served.ts";

type Entry = Readonly<Record<string, unknown>> & { readonly id: number; readonly block_id: number };

const service = new Served();
const path = "/api/v1/engine/statemanagement";
let project = 0;

beforeAll(async () => {
  project = await service.project();
  const columns = Array.from({ length: 120 }, (_, k) => `c${k}`);
  const rows = Array.from({ length: 9 }, (_, i) => columns.map((_, k) => (i * (k + 7)) % 101).join());
  const url = await service.upload(`${columns.join()}\n${rows.join("\n")}\n`, "wide.csv");
  await service.block(project, 1, 0, "DP_1", { dburl: url });
  for (let k = 2; k <= 5; k++) await service.block(project, k, 1, "DP_CRR");
  for (let k = 6; k <= 60; k++) await service.block(project, k, 1, "DP_DTY");
});

async function list(query: string): Promise<number[]> {
  const { message } = await service.ask<Entry[]>("GET", `${path}?project=${project}${query}`);
  return message.map(({ block_id }) => block_id);
}

const all = Array.from({ length: 60 }, (_, k) => k + 1);

test("a list is answered whole, or in pages", async () => {
  expect(await list("")).toEqual(all);
  expect(await list("&limit=3")).toEqual([1, 2, 3]);
  expect(await list("&limit=3&offset=57")).toEqual([58, 59, 60]);
  expect(await list("&offset=58")).toEqual([59, 60]);
  expect(await list("&limit=0")).toEqual([]);
  expect(await list("&limit=55&offset=2")).toEqual(all.slice(2, 57));
  const { message } = await service.ask<Entry[]>("GET", `${path}?limit=2`);
  expect(await list(`&after=${message[1].id}&limit=1`)).toEqual([3]);
  expect((await service.ask("GET", `${path}?limit=many`)).http).toBe(400);
  expect((await service.ask("GET", `${path}?project=999`)).http).toBe(404);
});

test("one block is found by its id, the last one, and those that lead to a block", async () => {
  const { message } = await service.block(project, 61, 5, "DP_DTY");
  expect(await list("&block=7")).toEqual([7]);
  expect(await list("&block=last")).toEqual([61]);
  expect(await list("&block=61&chain=true")).toEqual([1, 5, 61]);
  expect(await list("&block=last&chain=true&limit=2")).toEqual([1, 5]);
  expect(await list("&block=99&chain=true")).toEqual([]);
  expect((await service.ask("DELETE", `${path}/${message.id}`)).http).toBe(200);
});

test("stale states are found alone", async () => {
  expect(await list("&stale=true")).toEqual([]);
  await service.block(project, 62, 5, "DP_DTY");
  await service.block(project, 63, 62, "DP_INF");
  await service.block(project, 62, 6, "DP_DTY");
  expect(await list("&stale=true")).toEqual([63]);
  expect(await list("&stale=true&block=62")).toEqual([]);
  expect((await service.ask("GET", `${path}?stale=true`)).http).toBe(400);
  const { message } = await service.ask<Entry[]>("GET", `${path}?project=${project}`);
  const added = message.filter(({ block_id }) => block_id > 60);
  for (const { id } of added) await service.ask("DELETE", `${path}/${id}`);
});

test("a list leaves large outputs out and says so; the record itself has them", async () => {
  const { message } = await service.ask<Entry[]>("GET", path);
  const [, large, , , , small] = message;
  expect(large.output).toBeUndefined();
  const whole = (await service.ask<Entry>("GET", `${path}/${large.id}`)).message;
  expect(large.output_bytes).toBe((whole.output as string).length);
  expect(whole.output_bytes).toBeUndefined();
  expect(JSON.parse(small.output as string)).toHaveProperty("columns");
});

test("projects and data sets come in pages, too", async () => {
  const ids = [project, await service.project(), await service.project()];
  const page = await service.ask<Entry[]>("GET", `/api/v1/project?limit=2&after=${ids[0]}`);
  expect(page.message.map(({ id }) => id)).toEqual(ids.slice(1));
  for (const name of ["a", "b", "c"]) {
    await service.ask("POST", "/api/v1/engine/dataset", { dataset_name: name, dataset_url: "sample:iris" });
  }
  const sets = await service.ask<Entry[]>("GET", "/api/v1/engine/dataset?limit=1&offset=1");
  expect(sets.message.map(({ dataset_name }) => dataset_name)).toEqual(["b"]);
});

test("a session sees all blocks, and a block's output however large", async () => {
  const { url } = await service.serving;
  const session = new Session(async () => httpLink({ url, key: "served" }));
  await session.project("p1");
  expect((await session.blocks()).map(({ block_id }) => block_id)).toEqual(all);
  const { output } = await session.at(3);
  expect((output as { matrix: number[][] }).matrix).toHaveLength(120);
  await session.close();
});
