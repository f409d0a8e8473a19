import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allBlocks } from "../../src/registry/index.ts";
import { type Serving, serve } from "../../src/server/serve.ts";
import { parseCsv } from "../support/csv.ts";
import { agrees, cases, checkTable, folder, type GoldenCase } from "./cases.ts";

const known = new Set(allBlocks.map((block) => block.code));

const isReady = (each: GoldenCase) => each.requests.every((request) => known.has(request.function_code));
const ready = cases.filter(isReady);

/** Codes of cases whose blocks are still to come; whoever adds one takes it off here. */
const notYet: readonly string[] = [];

let serving: Serving;
let home: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "blocklab-golden-"));
  const write = process.stdout.write;
  process.stdout.write = (() => true) as typeof write;
  try {
    serving = await serve({ port: 0, home, files: folder, key: "golden", threads: 0 });
  } finally {
    process.stdout.write = write;
  }
});

afterAll(async () => {
  await serving.close();
  rmSync(home, { recursive: true, force: true });
});

async function post(path: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(`${serving.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-svc-key": "golden" },
    body: JSON.stringify(body),
  });
  const { status, message } = (await answer.json()) as { status: string; message: Record<string, unknown> };
  expect(status, JSON.stringify(message)).toBe("true");
  return message;
}

/** Runs a case's requests as one chain of a project of its own. */
async function runCase(golden: GoldenCase): Promise<Record<string, unknown>[]> {
  const project = await post("/api/v1/project", { project_name: golden.name });
  const records: Record<string, unknown>[] = [];
  for (const [k, request] of golden.requests.entries()) {
    const { parent = k, ...block } = request;
    const envelope = { project_id: project.id, block_id: k + 1, parent_id: parent };
    records.push(await post("/api/v1/engine/start", { ...envelope, ...block }));
  }
  return records;
}

async function table(record: Record<string, unknown>, variable: string): Promise<(string | null)[][]> {
  const names: Record<string, string> = { dataset: "dataset_url", x: "x_value_url", y: "y_value_url" };
  const url = variable === "y_pred" ? JSON.parse(record.output as string).y_pred_url : record[names[variable] ?? `${variable}_url`];
  const answer = await fetch(url as string, { headers: { "x-svc-key": "golden" } });
  expect(answer.status).toBe(200);
  return parseCsv(await answer.text());
}

describe("what pandas and scikit-learn say must come out, through the HTTP service", () => {
  it("covers the cases of all blocks there are", () => {
    expect(ready.length).toBeGreaterThanOrEqual(29);
    const waiting = new Set(cases.filter((each) => !isReady(each)).flatMap((each) => each.requests.map((request) => request.function_code)));
    expect([...waiting].filter((code) => !known.has(code)).sort()).toEqual(notYet);
  });

  it.each(ready.map((each) => [each.name, each] as const))("%s", async (_name, golden) => {
    const records = await runCase(golden);
    for (const wanted of golden.expect) {
      const record = records[wanted.after - 1];
      if (wanted.variable) checkTable(await table(record, wanted.variable), wanted);
      else {
        const output = JSON.parse(record.output as string) as Record<string, number>;
        if (wanted.metric) expect(output[wanted.metric]).toBeGreaterThanOrEqual(wanted.at_least as number);
        else expect(agrees(output, wanted.output, wanted.tol), record.output as string).toBe(true);
      }
    }
  });
});
