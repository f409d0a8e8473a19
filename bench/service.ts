/**
 * What the http service bears, and prints markdown tables.
 *
 * node bench/service.ts [--minutes 0.3] [--projects 50]. First so many projects are driven at once, each through a whole
 * chain from input to metrics, then deleted, and again; counted are blocks, errors and the memory of the service's
 * process. Then a small block (counts, on 344 rows) is asked for by four clients, alone and beside one heavy training.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import autocannon, { type Result } from "autocannon";
import { Agent, request } from "undici";
import { inFolder, printTable, quantile, withService } from "./measure.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "0.3" }, projects: { type: "string", default: "50" } },
});
const seconds = Number(values.minutes) * 60;
const projects = Number(values.projects);
const key = "bench";
const headers = { "x-svc-key": key, "content-type": "application/json" };
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connections: projects + 8 });

const chain: readonly (readonly [code: string, args: object])[] = [
  ["DP_1", { dburl: "sample:penguins" }],
  ["DP_2", { strategy_value: "drop" }],
  ["DP_FSP", { x_boundaries: ["bill_length_mm", "bill_depth_mm", "sex"], y_boundaries: "species" }],
  ["DP_3", { columns: ["sex"] }],
  ["DP_4", { test_size: 0.25, random_state: 0 }],
  ["DP_5", { scaler: "standard" }],
  ["ML_CN_6", { model_name: "tree" }],
  ["ML_CN_6_M", { model_name: "tree" }],
];

interface Answer {
  readonly status: number;
  readonly body: { readonly id?: number; readonly app_id?: string; readonly message: unknown };
}

async function send(
  url: string,
  method: "POST" | "DELETE",
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Answer> {
  const { statusCode, body: answer } = await request(`${url}${path}`, {
    method,
    headers,
    dispatcher: agent,
    body: body && JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  return { status: statusCode, body: (await answer.json()) as Answer["body"] };
}

const block = (url: string, project: number, id: number, [code, args]: (typeof chain)[number], signal?: AbortSignal) =>
  send(
    url,
    "POST",
    "/api/v1/engine/start",
    { project_id: project, block_id: id, parent_id: id - 1, function_code: code, args },
    signal,
  );

async function residentMegabytes(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1]) / 2 ** 20;
}

/** Many projects at once, over and over until the time is up. */
async function drive(url: string): Promise<void> {
  const times: number[] = [];
  const failed = new Map<string, number>();
  const memory: number[] = [await residentMegabytes(url)];
  const started = performance.now();
  const isOver = () => performance.now() - started > seconds * 1000;
  const timer = setInterval(
    async () => memory.push(await residentMegabytes(url)),
    Math.max(1000, (seconds * 1000) / 20),
  );
  const one = async (name: string) => {
    for (let round = 0; !isOver(); round++) {
      const made = await send(url, "POST", "/api/v1/project", { project_name: `${name} ${round}` });
      for (const [k, link] of chain.entries()) {
        const begun = performance.now();
        const { status, body } = await block(url, made.body.id as number, k + 1, link);
        times.push(performance.now() - begun);
        if (status !== 200) failed.set(`${status} ${body.message}`, (failed.get(`${status} ${body.message}`) ?? 0) + 1);
      }
      const { status } = await send(url, "DELETE", `/api/v1/project/${made.body.app_id}`);
      if (status !== 200) failed.set(`${status} on delete`, (failed.get(`${status} on delete`) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: projects }, (_, k) => one(`p${k}`)));
  clearInterval(timer);
  const took = (performance.now() - started) / 1000;
  memory.push(await residentMegabytes(url));
  const half = memory[Math.floor(memory.length / 2)];
  const ms = (share: number) => quantile(times, share).toFixed(0);
  printTable(
    [
      `${projects} projects at once for ${took.toFixed(0)} s`,
      "blocks",
      "blocks/s",
      "errors",
      "p50 ms",
      "p99 ms",
      "MB at start",
      "MB half-way",
      "MB at the end",
    ],
    [
      [
        "a chain of 8 blocks, then deleted",
        String(times.length),
        (times.length / took).toFixed(0),
        String([...failed.values()].reduce((a, b) => a + b, 0)),
        ms(0.5),
        ms(0.99),
        memory[0].toFixed(0),
        half.toFixed(0),
        (memory.at(-1) as number).toFixed(0),
      ],
    ],
  );
  for (const [what, n] of failed) console.log(`${n} × ${what}`);
}

/** A small block by four clients, each in a project of its own; never twice the same, or it would be remembered. */
async function small(url: string, round: string, duration: number): Promise<Result> {
  const clients = 4;
  const ids: number[] = [];
  for (let k = 0; k < clients; k++) {
    const made = await send(url, "POST", "/api/v1/project", { project_name: `small ${round} ${k}` });
    ids.push(made.body.id as number);
    await block(url, ids[k], 1, chain[0]);
  }
  const bodyOf = (project: number, n: number) =>
    JSON.stringify({ project_id: project, block_id: 2, parent_id: 1, function_code: "DP_STC", args: { index: n % 5 } });
  let next = 0;
  return await autocannon({
    url: `${url}/api/v1/engine/start`,
    method: "POST",
    connections: clients,
    duration,
    headers,
    body: bodyOf(ids[0], 0),
    setupClient(client) {
      const project = ids[next++];
      let n = 0;
      client.setBody(bodyOf(project, n));
      client.on("response", () => client.setBody(bodyOf(project, ++n)));
    },
  });
}

async function beside(url: string, home: string): Promise<void> {
  const duration = Math.max(5, Math.round(seconds / 4));
  const alone = await small(url, "alone", duration);
  const rows = Array.from(
    { length: 60_000 },
    (_, k) => `${(k * 7919) % 10_007},${(k * 104_729) % 3571},${Math.sin(k).toFixed(4)},${(k * 31) % 3}`,
  );
  writeFileSync(join(home, "heavy.csv"), `a,b,c,y\n${rows.join("\n")}\n`);
  const made = await send(url, "POST", "/api/v1/project", { project_name: "heavy" });
  await block(url, made.body.id as number, 1, [
    "DP_1",
    { dburl: "heavy.csv", x_boundaries: ["a", "b", "c"], y_boundaries: "y" },
  ]);
  const stop = new AbortController();
  const training = block(url, made.body.id as number, 2, ["ML_CN_7", { n_estimators: 2000 }], stop.signal).then(
    ({ status }) => `ended early with ${status}`,
    () => "ran all the time",
  );
  const heavy = await small(url, "beside", duration);
  stop.abort();
  const row = (name: string, { latency, requests, non2xx, errors }: Result) => [
    name,
    String(requests.total),
    String(non2xx + errors),
    String(latency.p50),
    String(latency.p99),
    String(latency.max),
  ];
  printTable(
    ["a small block, 4 clients", "answers", "errors", "p50 ms", "p99 ms", "max ms"],
    [row("alone", alone), row(`beside a forest (which ${await training})`, heavy)],
  );
}

await inFolder((home) =>
  withService(key, ["--home", home, "--files", home], async ({ url }) => {
    await drive(url);
    console.log();
    await beside(url, home);
    await agent.close();
  }),
);
