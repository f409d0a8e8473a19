// Written against the types that a generator makes of the service's own description; openapi.test.ts checks and runs it.
import createClient from "openapi-fetch";
import type { components, paths } from "./paths.ts";

type StateRecord = components["schemas"]["StateRecord"];

/** Drives a service through a whole chain, and answers what a caller would look at. */
export async function drive(baseUrl: string, key: string) {
  const client = createClient<paths>({ baseUrl, headers: { "X-SVC-KEY": key } });
  const { data: project } = await client.POST("/api/v1/project", { body: { project_name: "generated" } });
  if (!project) throw new Error("no project");
  const project_id: number = project.id;
  let block_id = 0;
  type Block = components["schemas"]["BlockRequest"];
  const run = async (block: Pick<Block, "function_code" | "args">): Promise<StateRecord> => {
    const parent_id = block_id++;
    const body = { project_id, block_id, parent_id, ...block } as Block;
    const { data, error } = await client.POST("/api/v1/engine/start", { body });
    // The same route answers events to those who ask for them.
    if (!data || typeof data === "string") throw new Error(error?.message);
    return data.message;
  };

  // Written out in full once: the code decides which arguments there are.
  const first = await client.POST("/api/v1/engine/start", {
    body: {
      project_id,
      block_id: ++block_id,
      parent_id: null,
      function_code: "DP_1",
      args: { dburl: "sample:penguins", file_type: "csv" },
    },
  });
  if (!first.data) throw new Error(first.error?.message);
  await run({ function_code: "DP_2", args: { strategy_value: "drop" } });
  await run({
    function_code: "DP_FSP",
    args: { x_boundaries: ["bill_length_mm", "bill_depth_mm"], y_boundaries: "species" },
  });
  await run({ function_code: "DP_4", args: { test_size: 0.25, random_state: 0 } });
  await run({ function_code: "ML_CN_6", args: { model_name: "tree" } });
  const judged = await run({ function_code: "ML_CN_6_M", args: { model_name: "tree" } });
  const predicted = await run({ function_code: "ML_CN_6_P", args: { model_name: "tree", test_data: "x_test_url" } });

  // @ts-expect-error: a code that there is not
  await client.POST("/api/v1/engine/start", { body: { project_id, block_id: 90, function_code: "DP_99", args: {} } });
  const refused = await client.POST("/api/v1/engine/start", {
    // @ts-expect-error: a share that is no number
    body: { project_id, block_id: 91, parent_id: 1, function_code: "DP_4", args: { test_size: "much" } },
  });

  const id = (judged.x_test_url ?? "").split("/").at(-1) ?? "";
  const { data: table } = await client.GET("/api/v1/artifacts/{id}", {
    params: { path: { id }, query: { limit: 2, columns: "bill_length_mm" } },
    parseAs: "text",
  });
  const { data: states } = await client.GET("/api/v1/engine/statemanagement", {
    params: { query: { project: project_id } },
  });
  const { data: production } = await client.POST("/api/v1/models/production", {
    body: { flow_id: predicted.id, data: [{ bill_length_mm: 39.1, bill_depth_mm: 18.7 }] },
  });
  const { data: removed } = await client.DELETE("/api/v1/project/{app_id}", {
    params: { path: { app_id: project.app_id } },
  });
  return {
    accuracy: (JSON.parse(judged.output ?? "{}") as { accuracy: number }).accuracy,
    refused: refused.error?.error.path,
    table: table?.trim().split("\n").length,
    states: states?.message.length,
    predicted: production?.message.y_pred,
    removed: removed?.status,
  };
}
