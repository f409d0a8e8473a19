import { beforeAll, describe, expect, test } from "vitest";
import { Served } from "../support/served.ts";

/** Requests as clients were seen to send them, beside the form that the interface names. */
const service = new Served();
const csv =
  "city,age,fare,day,alive\nLagos,1,2.5,2024-01-02,yes\nLima,,3.5,2024-01-03,no\nOslo,3,4.5,2024-01-04,yes\nLima,4,,2024-01-05,no\n";
let url = "";
let project = 0;

beforeAll(async () => {
  url = await service.upload(csv, "people.csv");
  project = await service.project();
  const made = await service.block(project, 1, 0, "DP_1", { dburl: url, x_boundaries: ":, 0:4", y_boundaries: "-1" });
  expect(made.http).toBe(200);
  expect((await service.block(project, 2, 1, "DP_2", { strategy_value: "drop" })).http).toBe(200);
});

type Args = Readonly<Record<string, unknown>>;

/** What the service understood: the code and the arguments as they ran. */
async function understood(request: Args): Promise<unknown> {
  const answer = await service.ask("POST", "/api/v1/engine/start", request);
  expect(answer.message, JSON.stringify(answer)).toMatchObject({ block_id: 3 });
  const made = await service.ask<Args>("GET", `/api/v1/engine/statemanagement/${answer.message.id}/request`);
  const { function_code, args, parent_id } = made.message;
  return { function_code, args, parent_id };
}

const forms: readonly [form: string, sent: Args, canonical: Args][] = [
  ["numbers in texts around", { project_id: "1", block_id: "3", parent_id: "2" }, {}],
  ["a field that blocks don't know around", { user: "ann", app_id: "x" }, {}],
  ["blanks behind a code", { function_code: "DP_INF  " }, { function_code: "DP_INF" }],
  ["no args", { args: null }, { args: {} }],
  [
    "null and empty text as absent",
    { function_code: "DP_2", args: { strategy_value: "mean", boundaries: "", fill_value: null } },
    { function_code: "DP_2", args: { strategy_value: "mean" } },
  ],
  [
    "texts for numbers",
    { function_code: "DP_4", args: { test_size: "0.5", random_state: "1" } },
    { function_code: "DP_4", args: { test_size: 0.5, random_state: 1 } },
  ],
  [
    "texts for booleans",
    { function_code: "DP_4", args: { shuffle: "False", test_size: 1, random_state: 0 } },
    { function_code: "DP_4", args: { shuffle: false, test_size: 1, random_state: 0 } },
  ],
  [
    "text for an index",
    { function_code: "DP_PDT", args: { index: "3", drop: "true" } },
    { function_code: "DP_PDT", args: { index: "3", drop: true } },
  ],
  [
    "posititon",
    { function_code: "DP_ROC", args: { column: "age", posititon: 0 } },
    { function_code: "DP_ROC", args: { column: "age", position: 0 } },
  ],
  [
    "boundariestoscale of DP_5",
    { function_code: "DP_5", args: { scaler: "minmax", boundariestoscale: ":, 1:2" } },
    { function_code: "DP_5", args: { scaler: "minmax", boundaries: ":, 1:2" } },
  ],
  [
    "boundariestoscale of DP_VEC",
    { function_code: "DP_VEC", args: { vectorizer: "count", boundariestoscale: ":, 0:1" } },
    { function_code: "DP_VEC", args: { vectorizer: "count", boundaries: ":, 0:1" } },
  ],
  [
    "x_boundaries of DP_2",
    { function_code: "DP_2", args: { strategy_value: "mean", x_boundaries: ":, 1:3" } },
    { function_code: "DP_2", args: { strategy_value: "mean", boundaries: ":, 1:3" } },
  ],
  [
    "x_boundaries and y_boundaries of DP_2",
    { function_code: "DP_2", args: { strategy_value: "mean", x_boundaries: ":, 1:3", y_boundaries: "" } },
    { function_code: "DP_2", args: { strategy_value: "mean", boundaries: ":, 1:3" } },
  ],
  [
    "DP_DC",
    { function_code: "DP_DC", args: { x_columns: [1], y_columns: [], d_columns: null } },
    { function_code: "DP_6", args: { x_columns: [1], y_columns: [] } },
  ],
  [
    "DP_TSP",
    { function_code: "DP_TSP ", args: { lookback: "1", index: 1 } },
    { function_code: "DP_7", args: { lookback: 1, index: 1 } },
  ],
  [
    "encode: false without the rest",
    {
      function_code: "DP_3",
      args: {
        xvalue: { encode: true, encoding_type: "categorical", remainder: "passthrough", index: 0 },
        yvalue: { encode: false },
      },
    },
    {
      function_code: "DP_3",
      args: {
        xvalue: { encode: true, encoding_type: "categorical", remainder: "passthrough", index: 0 },
        yvalue: { encode: false },
      },
    },
  ],
  [
    "flags in texts",
    { function_code: "DP_ROC", args: { column: 1, position: 0, x: "true", y: "false" } },
    { function_code: "DP_ROC", args: { column: 1, position: 0, x: true, y: false } },
  ],
  [
    "targe_size and dbname",
    {
      function_code: "DP_1",
      parent_id: 0,
      args: { dburl: "sample:penguins", file_type: "csv", targe_size: [8, 8], dbname: "x" },
    },
    {
      function_code: "DP_1",
      parent_id: 0,
      args: { dburl: "sample:penguins", file_type: "csv", target_size: [8, 8], database_name: "x" },
    },
  ],
  [
    "keys that nobody knows when they say nothing",
    {
      function_code: "DP_FSP",
      args: { x_boundaries: ":, :-1", y_boundaries: "-1", dataset_url: null, anything: "" },
    },
    { function_code: "DP_FSP", args: { x_boundaries: ":, :-1", y_boundaries: "-1" } },
  ],
  [
    "such a key within an encoding",
    { function_code: "DP_3", args: { xvalue: { encode: true, encoding_type: "onehot", index: 0, dataset: null } } },
    { function_code: "DP_3", args: { xvalue: { encode: true, encoding_type: "onehot", index: 0 } } },
  ],
  [
    "parent_id null for an input",
    { function_code: "DP_1", parent_id: null, args: { dburl: "sample:penguins" } },
    { function_code: "DP_1", parent_id: 0, args: { dburl: "sample:penguins" } },
  ],
  [
    "parent_id as empty text for an input",
    { function_code: "DP_1", parent_id: "", args: { dburl: "sample:penguins" } },
    { function_code: "DP_1", parent_id: 0, args: { dburl: "sample:penguins" } },
  ],
];

describe("a tolerant service", () => {
  test.each(forms)("takes %s", async (_, sent, canonical) => {
    const base = { project_id: project, block_id: 3, parent_id: 2, function_code: "DP_INF", args: {} };
    const plain = await understood({ ...base, ...canonical });
    const other = { ...base, ...sent };
    expect(
      await understood({ ...other, project_id: typeof other.project_id === "string" ? String(project) : project }),
    ).toEqual(plain);
  });

  test("refuses any other unknown argument with the nearest", async () => {
    const answer = await service.block(project, 3, 2, "DP_2", { stratgy_value: "mean" });
    expect(answer.http).toBe(400);
    expect(answer.message).toMatch(/no argument "stratgy_value"\. Did you mean "strategy_value"\?/);
  });
});

describe("an uploaded file", () => {
  test("serves as dburl by its whole URL, its path, and through a data set", async () => {
    const { message } = await service.ask("POST", "/api/v1/engine/dataset", { name: "people", dataset_url: url });
    for (const dburl of [url, new URL(url).pathname, message.dataset_url]) {
      const made = await service.block(project, 9, 0, "DP_1", { dburl });
      expect(made.http, JSON.stringify(made)).toBe(200);
      const rows = await service.fetch(made.message.dataset_url as string);
      expect((await rows.text()).split("\n")[1]).toMatch(/^Lagos,1,2\.5,/);
    }
    const plot = await service.block(project, 10, 0, "DP_PIE", { dataset: url });
    expect(plot.http, JSON.stringify(plot)).toBe(200);
  });

  test("that is gone is a 404 that names the block; what read it stays", async () => {
    const gone = await service.upload("a\n1\n", "a.csv");
    const made = await service.block(project, 11, 0, "DP_1", { dburl: gone });
    await service.ask("DELETE", gone);
    const again = await service.block(project, 12, 0, "DP_1", { dburl: gone });
    expect(again.http).toBe(404);
    expect(again.message).toMatch(/^input \(DP_1\): There is no uploaded file/);
    const rows = await service.fetch(made.message.dataset_url as string);
    expect(await rows.text()).toBe("a\n1\n");
  });
});
