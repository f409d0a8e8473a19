import { beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../src/server/server.ts";
import { openKeys } from "../../src/store/keys.ts";
import { Served } from "../support/served.ts";

/** What one key made, asked for by another: nothing may tell it from what was never there. */
const service = new Served();
let stranger = "";
let project = 0;
/** Real ids of the owner, by the path they belong to. */
const real: Record<string, string> = {};
/** Ids of the same form that nobody has. */
const absent: Readonly<Record<string, string>> = {
  "/api/v1/project/:app_id": "00000000-0000-4000-8000-000000000000",
  "/api/v1/engine/project/:app_id": "00000000-0000-4000-8000-000000000000",
  "/api/v1/engine/statemanagement/:id": "987654",
  "/api/v1/engine/upload/:id": "AAAAAAAAAAAAAAAAAAAAAA",
  "/api/v1/engine/dataset/:id": "987654",
  "/api/v1/engine/datasets/:id": "987654",
  "/api/v1/artifacts/:id": "AAAAAAAAAAAAAAAAAAAAAA",
};

interface Seen {
  readonly http: number;
  readonly text: string;
}

async function asStranger(method: string, path: string, body?: object): Promise<Seen> {
  const { url } = await service.serving;
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { "x-svc-key": stranger, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  return { http: answer.status, text: await answer.text() };
}

/** Ids of real and absent things are made alike, so that nothing else may differ. */
const without = (text: string, ids: readonly string[]) =>
  // Long ones first: a short one may be part of them.
  ids.toSorted((a, b) => b.length - a.length).reduce((left, id) => left.replaceAll(id, "ID"), text);

let upload = "";
let artifact = "";
let flow = 0;

beforeAll(async () => {
  await service.serving;
  const keys = openKeys(service.home);
  stranger = keys.create("stranger").key;
  keys.close();
  const made = await service.ask("POST", "/api/v1/project", { project_name: "mine" });
  project = made.message.id as number;
  upload = await service.upload("a,b\n1,2\n3,4\n5,7\n", "a.csv");
  await service.block(project, 1, 0, "DP_1", { dburl: upload, x_boundaries: ["a"], y_boundaries: "b" });
  const trained = await service.block(project, 2, 1, "ML_R_1", { model_name: "line" });
  const predicted = await service.block(project, 3, 2, "ML_R_1_P", { model_name: "line" });
  const dataset = await service.ask("POST", "/api/v1/engine/dataset", { dataset_name: "d", dataset_url: upload });
  artifact = trained.message.dataset_url as string;
  flow = predicted.message.id as number;
  real["/api/v1/project/:app_id"] = made.message.app_id as string;
  real["/api/v1/engine/project/:app_id"] = made.message.app_id as string;
  real["/api/v1/engine/statemanagement/:id"] = String(trained.message.id);
  real["/api/v1/engine/upload/:id"] = upload.split("/").at(-1) as string;
  real["/api/v1/engine/dataset/:id"] = String(dataset.message.id);
  real["/api/v1/engine/datasets/:id"] = String(dataset.message.id);
  real["/api/v1/artifacts/:id"] = artifact.split("/").at(-1) as string;
});

const named = routes.flatMap(({ method, paths }) =>
  paths.filter((path) => path.includes(":")).map((path) => ({ method, path })),
);

describe("what another key owns", () => {
  test.each(named)("$method $path is as if it were not there", async ({ method, path }) => {
    const prefix = Object.keys(absent).find((known) => path.startsWith(known)) as string;
    expect(prefix).toBeDefined();
    const ids = [real[prefix], absent[prefix]];
    const [theirs, nobodys] = await Promise.all(ids.map((id) => asStranger(method, path.replace(/:\w+/, id))));
    expect(theirs.http).toBe(404);
    expect({ ...theirs, text: without(theirs.text, ids) }).toEqual({ ...nobodys, text: without(nobodys.text, ids) });
    // Nor does asking change anything.
    if (method === "GET") expect((await service.fetch(path.replace(/:\w+/, real[prefix]))).status).toBe(200);
  });

  test("is in none of the lists", async () => {
    for (const { method, paths, open } of routes) {
      if (method !== "GET" || open || paths[0].includes(":") || paths[0].endsWith("functionsdb")) continue;
      for (const path of paths) expect(JSON.parse((await asStranger("GET", path)).text).message, path).toEqual([]);
    }
    const asked = await asStranger("GET", `/api/v1/engine/statemanagement?project=${project}`);
    const nobodys = await asStranger("GET", "/api/v1/engine/statemanagement?project=987654");
    expect(asked.http).toBe(404);
    expect(without(asked.text, [String(project)])).toBe(without(nobodys.text, ["987654"]));
  });

  test("is not to be had by an id in a body", async () => {
    const own = JSON.parse((await asStranger("POST", "/api/v1/project", { project_name: "mine" })).text);
    expect(own.status, "the same name is free to another key").toBe("true");
    const block = { block_id: 5, parent_id: 0 };
    const [id, nobody] = [real["/api/v1/artifacts/:id"], absent["/api/v1/artifacts/:id"]];
    const inside = { ...block, project_id: own.message.id };
    const input = (dburl: string) => ({ ...inside, function_code: "DP_1", args: { dburl, file_type: "csv" } });
    const urls = (kind: string, name: string) => `${new URL(artifact).origin}/api/v1/${kind}/${name}`;
    const pairs: readonly (readonly [path: string, theirs: object, nobodys: object])[] = [
      [
        "/api/v1/engine/start",
        { ...block, project_id: project, function_code: "DP_1", args: { dburl: "sample:penguins" } },
        { ...block, project_id: 987654, function_code: "DP_1", args: { dburl: "sample:penguins" } },
      ],
      [
        "/api/v1/engine/start",
        { project_id: project, block_id: 9, parent_id: 1, function_code: "DP_INF", args: {} },
        { project_id: 987654, block_id: 9, parent_id: 1, function_code: "DP_INF", args: {} },
      ],
      [
        "/api/v1",
        { project_id: project, block_id: 9, parent_id: 1, function_code: "DL_RBM_T", args: {} },
        { project_id: 987654, block_id: 9, parent_id: 1, function_code: "DL_RBM_T", args: {} },
      ],
      ["/api/v1/engine/start", input(urls("artifacts", id)), input(urls("artifacts", nobody))],
      [
        "/api/v1/engine/start",
        input(urls("engine/upload", real["/api/v1/engine/upload/:id"])),
        input(urls("engine/upload", nobody)),
      ],
      [
        "/api/v1/engine/start",
        { ...inside, function_code: "DP_PIE", args: { dataset: urls("artifacts", id) } },
        { ...inside, function_code: "DP_PIE", args: { dataset: urls("artifacts", nobody) } },
      ],
      ["/api/v1/models/production", { flow_id: flow, data: [{ a: 1 }] }, { flow_id: 987654, data: [{ a: 1 }] }],
    ];
    const ids = [...Object.values(real), ...Object.values(absent), String(project), String(flow)];
    for (const [path, theirs, nobodys] of pairs) {
      const [one, other] = [await asStranger("POST", path, theirs), await asStranger("POST", path, nobodys)];
      expect([path, theirs, one.http]).toEqual([path, theirs, 404]);
      expect(without(one.text, ids)).toBe(without(other.text, ids));
    }
  });

  test("stays when the stranger has tried everything", async () => {
    for (const [path, id] of Object.entries(real)) {
      expect((await service.fetch(path.replace(/:\w+/, id))).status, path).toBe(200);
    }
  });

  test("is asked for by ids that can't be guessed, where the id alone would do", () => {
    expect(real["/api/v1/artifacts/:id"]).toMatch(/^[\w-]{22}$/);
    expect(real["/api/v1/engine/upload/:id"]).toMatch(/^[\w-]{22}$/);
    expect(real["/api/v1/project/:app_id"]).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });
});
