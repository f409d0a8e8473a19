import { beforeAll, expect, test } from "vitest";
import { loopDelay } from "../support/loop-delay.ts";
import { Served } from "../support/served.ts";

/** Whatever one request does, others are answered within half a second; the machine may be busy with other tests. */
const longestMs = 500;

// With a thread for kernels, as a service has.
const service = new Served({ threads: 1 });
let project = 0;
let wide = "";

beforeAll(async () => {
  project = await service.project();
  const columns = Array.from({ length: 1500 }, (_, k) => `c${k}`);
  const rows = Array.from({ length: 40 }, (_, i) => columns.map((_, k) => (i * (k + 7)) % 101).join());
  wide = await service.upload(`${columns.join()}\n${rows.join("\n")}\n`, "wide.csv");
  expect((await service.block(project, 1, 0, "DP_1", { dburl: "sample:penguins" })).http).toBe(200);
  expect((await service.block(project, 50, 0, "DP_1", { dburl: wide })).http).toBe(200);
}, 120_000);

const ints = (n: number) => `[${Array.from({ length: n }, (_, k) => k).join()}]`;
const repeated = (piece: string, megabytes: number) => piece.repeat((megabytes * 1e6) / piece.length);
const args = (code: string, text: string) => `"function_code":"${code}","args":{${text}}`;

/** Bodies of a block request, without its beginning. */
const bodies: readonly (readonly [name: string, body: string])[] = [
  ["a slice of 14 MB", args("DP_ADP", `"x_slice":"${repeated(":,", 14)}","y_slice":"-1","save_name":"a"`)],
  ["a slice of 14 MB of quotes", args("DP_FSP", `"x_boundaries":"${repeated('\\"', 14)}","y_boundaries":"-1"`)],
  ["a million columns", args("DP_6", `"x_columns":${ints(1e6)}`)],
  ["100,000 columns", args("DP_6", `"d_columns":${ints(1e5)}`)],
  ["100,000 names of columns", args("DP_DRD", `"columns":[${repeated('"body_mass_g",', 1.4)}"species"]`)],
  ["100,000 wrong names", args("DP_DRD", `"columns":[${repeated('"zz",', 0.5)}"species"]`)],
  ["a million dimensions", args("DP_RSH", `"data":[1],"dimensions":${ints(1e6)}`)],
  ["a million numbers to reshape", args("DP_RSH", `"data":${ints(1e6)},"dimensions":[-1]`)],
  ["7 million numbers to reshape", args("DP_RSH", `"data":[${repeated("1,", 14)}1],"dimensions":[-1]`)],
  ["numbers to reshape as text", args("DP_RSH", `"data":"[${repeated("1,", 4)}1]","dimensions":[-1]`)],
  ["nested lists", args("DP_STN", `"scalar":[${repeated("[1],", 0.9)}[1]],"dimensions":3`)],
  ["700,000 unknown arguments", args("DP_2", Array.from({ length: 7e5 }, (_, k) => `"k${k}":1`).join())],
  ["190,000 unknown arguments", args("DP_2", Array.from({ length: 1.9e5 }, (_, k) => `"k${k}":1`).join())],
  ["190,000 absent arguments", args("DP_2", Array.from({ length: 1.9e5 }, (_, k) => `"k${k}":null`).join())],
  ["500,000 na_values", args("DP_1", `"dburl":"sample:iris","na_values":[${repeated('"b",', 2)}"c"]`)],
  ["200,000 na_values", args("DP_1", `"dburl":"sample:iris","na_values":[${repeated('"b",', 0.8)}"c"]`)],
  [
    "100,000 types",
    args("DP_1", `"dburl":"sample:iris","types":{${Array.from({ length: 1e5 }, (_, k) => `"k${k}":"int"`).join()}}`),
  ],
  ["80,000 encodings", args("DP_3", `"xvalue":[${repeated('{"index":1},', 0.9)}{"index":0}]`)],
  ["100,000 stop words", args("DP_VEC", `"stop_words":[${repeated('"word",', 0.7)}"b"]`)],
  ["a million points", args("DP_SCP", `"xvalue":${ints(1e6)},"yvalue":${ints(1e6)}`)],
  [
    "200,000 texts as points",
    args("DP_SCP", `"xvalue":[${repeated('"b",', 0.4)}"c"],"yvalue":[${repeated('"b",', 0.4)}"c"]`),
  ],
  ["a heatmap of a million", args("DP_HMP", `"dataset":[${ints(1000)},${`${ints(1000)},`.repeat(998)}${ints(1000)}]`)],
  ["a code of 14 MB", args(repeated("DP_", 14), "")],
  ["a name of 14 MB", args("ML_R_2", `"model_name":"${repeated("a", 14)}"`)],
  [
    "a query of 14 MB",
    args("DP_1", `"dburl":"x","file_type":"db","dbservertype":"sqlite","query":"${repeated("; ", 14)}"`),
  ],
  [
    "an address of 14 MB",
    args(
      "DP_1",
      `"dburl":"${repeated(":", 14)}","file_type":"db","dbservertype":"mysql","database_name":"a","dbuser":"b","dbpassword":"c","query":"SELECT 1"`,
    ),
  ],
  ["a URL of 14 MB", args("DP_1", `"dburl":"${repeated("a://b:", 14)}"`)],
  ["deep lists", `"args":${"[".repeat(7e6)}${"]".repeat(7e6)}`],
  ["deep objects", `"args":${'{"a":'.repeat(2e6)}1${"}".repeat(2e6)}`],
  ["many objects", `"args":[${repeated("{},", 14)}1]`],
  ["forbidden keys", args("DP_2", `"a":[${repeated("1,", 10)}1],"__proto_":1`)],
  [
    "fields around",
    `"function_code":"DP_INF","args":{},${Array.from({ length: 1.9e5 }, (_, k) => `"k${k}":1`).join()}`,
  ],
];

test.each(bodies)("%s keep nobody waiting", async (_, body) => {
  const text = `{"project_id":${project},"block_id":2,"parent_id":1,${body}}`;
  expect(await loopDelay(() => post("/api/v1/engine/start", text))).toBeLessThan(longestMs);
});

test("rows for production keep nobody waiting", async () => {
  await service.block(project, 60, 1, "DP_2", { strategy_value: "drop" });
  await service.block(project, 61, 60, "DP_FSP", { x_boundaries: ":, 2:5", y_boundaries: "5" });
  await service.block(project, 62, 61, "ML_R_2", { model_name: "m" });
  const { message } = await service.block(project, 63, 62, "ML_R_2_P", { model_name: "m" });
  const { message: table } = await service.ask<{ columns: string[] }>(
    "GET",
    `/api/v1/engine/statemanagement/${message.id}/view`,
  );
  expect(table).toBeDefined();
  const row = '{"bill_length_mm":40,"bill_depth_mm":18,"flipper_length_mm":190,"island":"Biscoe"},';
  const body = `{"flow_id":${message.id},"data":[${row.repeat(20_000)}${row.slice(0, -1)}]}`;
  expect(await loopDelay(() => post("/api/v1/models/production", body))).toBeLessThan(longestMs);
});

test("correlations of 1,500 columns keep nobody waiting, nor does who reads them", async () => {
  const body = `{"project_id":${project},"block_id":51,"parent_id":50,"function_code":"DP_CRR","args":{}}`;
  let id = 0;
  const run = async () => {
    id = Number(/"id":(\d+)/.exec(await post("/api/v1/engine/start", body))?.[1]);
  };
  expect.soft(await loopDelay(run)).toBeLessThan(longestMs);
  const state = `/api/v1/engine/statemanagement/${id}`;
  for (const path of [state, `${state}/view`, `${state}/explain`, `${state}/sql`, `${state}/request`]) {
    expect.soft(await loopDelay(() => get(path)), path).toBeLessThan(longestMs);
  }
  expect.soft(await loopDelay(() => get("/api/v1/engine/statemanagement")), "list").toBeLessThan(longestMs);
  expect
    .soft(await loopDelay(() => get(`/api/v1/engine/statemanagement?project=${project}`)), "project")
    .toBeLessThan(longestMs);
  const heat = body.replace("51", "52").replace("DP_CRR", "DP_HMP");
  expect.soft(await loopDelay(() => post("/api/v1/engine/start", heat)), "heatmap").toBeLessThan(longestMs);
});

/** Posts, and answers how the answer begins: parsing all of it would keep this thread, which serves, too. */
async function post(path: string, body: string): Promise<string> {
  const answer = await service.fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body });
  expect(answer.status).toBeLessThan(500);
  return Buffer.from(await answer.arrayBuffer()).toString("utf8", 0, 200);
}

async function get(path: string): Promise<void> {
  const answer = await service.fetch(path);
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
}
