/**
 * Drives a table that is larger than the memory it may take through the http service, and prints a markdown table.
 *
 * node bench/large.ts [millions=29] [MiB=512]. The CSV has 21 columns, about 180 MB a million rows (29: 5.2 GB), no two
 * rows the same; it is written once, to the system's temporary folder. The service runs with --memory-limit MiB: 512 is
 * what it takes by itself in a container of 1 GiB. Printed are each block's seconds, by the clock and
 * of processor time, and the most memory that the service's process had resident by its end (Linux alone). Needs three times the file's size of free disk. Only run when it is named.
 */
import { once } from "node:events";
import { createWriteStream, existsSync, linkSync, readFileSync, renameSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Agent, request } from "undici";
import { inFolder, printTable, processorSecondsOf, residentOf, type Service, withService } from "./measure.ts";
import { mixedCsv } from "./mixed-csv.ts";

const millions = Number(process.argv[2] ?? 29);
const limit = Number(process.argv[3] ?? 512);
const headers = { "x-svc-key": "bench", "content-type": "application/json" };
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

/** A million mixed rows again and again, each with a number of its own. */
async function largeCsv(): Promise<string> {
  const path = join(tmpdir(), `blocklab-bench-${millions}m-1.csv`);
  if (existsSync(path)) return path;
  const source = readFileSync(await mixedCsv(1_000_000), "latin1")
    .trimEnd()
    .split("\n");
  const out = createWriteStream(`${path}.part`, "latin1");
  out.write(`${source[0]},id\n`);
  let id = 0;
  for (let k = 0; k < millions; k++) {
    for (let from = 1; from < source.length; from += 10_000) {
      const part = source.slice(from, from + 10_000).map((line) => `${line},${id++}\n`);
      if (!out.write(part.join(""))) await once(out, "drain");
    }
  }
  out.end();
  await once(out, "finish");
  renameSync(`${path}.part`, path);
  return path;
}

interface Answer {
  readonly [field: string]: unknown;
}

async function post(service: Service, path: string, body: unknown): Promise<Answer> {
  const answer = await request(service.url + path, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    dispatcher: agent,
  });
  const { status, message } = (await answer.body.json()) as { status: string; message: Answer };
  if (status !== "true") throw new Error(JSON.stringify(message));
  return message;
}

const csv = await largeCsv();
await inFolder(async (folder) => {
  linkSync(csv, join(folder, basename(csv)));
  const words = ["--home", join(folder, "home"), "--files", folder, "--memory-limit", String(limit)];
  const rows = await withService("bench", words, drive);
  const gb = (statSync(csv).size / 1e9).toFixed(1);
  console.log(`CSV of ${millions} million rows × 21 (${gb} GB), blocks limited to ${limit} MiB\n`);
  printTable(["block", "s", "CPU s", "most resident so far, MiB", "resident after, MiB"], rows);
});
await agent.close();

async function drive(service: Service): Promise<string[][]> {
  const rows: string[][] = [];
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const pid = Number(service.child.pid);
    const [began, worked] = [performance.now(), processorSecondsOf(pid)];
    const made = await work();
    const seconds = [(performance.now() - began) / 1000, processorSecondsOf(pid) - worked];
    const { most, now } = residentOf(pid);
    rows.push([name, ...seconds.map((each) => each.toFixed(1)), most.toFixed(0), now.toFixed(0)]);
    console.error(rows.at(-1)?.join("  "));
    return made;
  };
  const project = await post(service, "/api/v1/project", { project_name: "large" });
  const run = (name: string, block_id: number, parent_id: number, function_code: string, args: object) =>
    step(name, () =>
      post(service, "/api/v1/engine/start", { project_id: project.id, block_id, parent_id, function_code, args }),
    );
  await run("input", 1, 0, "DP_1", { dburl: basename(csv), file_type: "csv" });
  await run("missing", 2, 1, "DP_2", { strategy_value: "mean" });
  await run("encode", 3, 2, "DP_3", { columns: ["t1", "t2"] });
  await run("xy", 4, 3, "DP_FSP", { x_boundaries: ":, f1:f14", y_boundaries: "f14" });
  await run("split", 5, 4, "DP_4", { test_size: 0.25, random_state: 0 });
  const scaled = await run("scale", 6, 5, "DP_5", { scaler: "standard" });
  await run("describe", 7, 6, "DP_DSC", {});
  await run("drop duplicates", 8, 1, "DP_DRD", { columns: [] });
  await step("export as CSV", async () => {
    const { body } = await request(String(scaled.dataset_url), { headers, dispatcher: agent });
    let bytes = 0;
    for await (const chunk of body) bytes += (chunk as Buffer).length;
    if (bytes < statSync(csv).size / 2) throw new Error(`only ${bytes} bytes came`);
  });
  return rows;
}
