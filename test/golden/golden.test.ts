import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allBlocks } from "../../src/registry/index.ts";
import { type Serving, serve } from "../../src/server/serve.ts";
import { parseCsv } from "../support/csv.ts";

type Value = number | string | boolean | null;

interface Expectation {
  readonly after: number;
  readonly tol: number;
  readonly variable?: string;
  readonly rows?: number;
  readonly columns?: readonly string[];
  readonly head?: readonly (readonly Value[])[];
  readonly sums?: readonly (number | null)[];
  readonly output?: unknown;
  readonly metric?: string;
  readonly at_least?: number;
}

interface GoldenCase {
  readonly name: string;
  readonly requests: readonly { readonly function_code: string; readonly args: unknown; readonly parent?: number }[];
  readonly expect: readonly Expectation[];
}

const folder = fileURLToPath(new URL("./", import.meta.url));
const known = new Set(allBlocks.map((block) => block.code));

/** Cases of blocks that the interface doesn't have lie in a folder of their own, as their data does. */
const cases = ["", "own/"].flatMap((part) => {
  const file = JSON.parse(readFileSync(join(folder, part, "cases.json"), "utf8")) as { cases: GoldenCase[] };
  return file.cases.map((each): GoldenCase => ({ ...each, requests: each.requests.map((request) => below(part, request)) }));
});
const isReady = (each: GoldenCase) => each.requests.every((request) => known.has(request.function_code));
const ready = cases.filter(isReady);

function below(part: string, request: GoldenCase["requests"][number]): GoldenCase["requests"][number] {
  const args = request.args as { readonly dburl?: string };
  return args.dburl ? { ...request, args: { ...args, dburl: part + args.dburl } } : request;
}

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

function agrees(got: unknown, expected: unknown, tol: number): boolean {
  if (typeof expected === "number") {
    return got !== null && got !== "" && Math.abs(Number(got) - expected) <= tol * Math.max(1, Math.abs(expected));
  }
  if (expected === null) return got === null;
  if (Array.isArray(expected)) return Array.isArray(got) && expected.every((each, k) => agrees(got[k], each, tol));
  if (typeof expected === "object") {
    return Object.entries(expected).every(([key, each]) => agrees((got as Record<string, unknown> | null)?.[key], each, tol));
  }
  return String(got) === String(expected);
}

async function checkTable(record: Record<string, unknown>, wanted: Expectation): Promise<void> {
  const [header, ...rows] = await table(record, wanted.variable as string);
  expect(rows.length).toBe(wanted.rows);
  if (wanted.columns) expect(header).toEqual(wanted.columns);
  for (const [i, row] of (wanted.head ?? []).entries()) {
    const differing = row.findIndex((value, j) => !agrees(rows[i][j], value, wanted.tol));
    expect(differing, `row ${i}: ${JSON.stringify(rows[i])} is not ${JSON.stringify(row)}`).toBe(-1);
  }
  if (!wanted.sums) return;
  const numeric = header.map((_, j) => j).filter((j) => rows.every((row) => row[j] === null || row[j] === "true" || row[j] === "false" || Number.isFinite(Number(row[j]))));
  const sums = numeric.map((j) => rows.reduce((sum, row) => sum + (row[j] === "true" ? 1 : Number(row[j] === "false" ? 0 : (row[j] ?? 0))), 0));
  expect(agrees(sums, wanted.sums, Math.max(wanted.tol, 1e-9)), `${JSON.stringify(sums)} is not ${JSON.stringify(wanted.sums)}`).toBe(true);
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
      if (wanted.variable) await checkTable(record, wanted);
      else {
        const output = JSON.parse(record.output as string) as Record<string, number>;
        if (wanted.metric) expect(output[wanted.metric]).toBeGreaterThanOrEqual(wanted.at_least as number);
        else expect(agrees(output, wanted.output, wanted.tol), record.output as string).toBe(true);
      }
    }
  });
});
