/**
 * What the http service bears, and prints markdown tables.
 *
 * node bench/service.ts [--minutes 0.3] [--projects 50]. First so many projects are driven at once, each through a whole
 * chain from input to metrics, then deleted, and again; counted are blocks, errors and the memory of the service's
 * process. Then a small block (counts, on 344 rows) is asked for by four clients, alone and beside one heavy training.
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { Agent, request } from "undici";
import { inFolder, printTable, quantile, withService } from "./measure.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "0.3" }, projects: { type: "string", default: "50" } },
});
const seconds = Number(values.minutes) * 60;
const projects = Number(values.projects);
/** As many as a class of thirty asks for, and more: one every second or so each. */
const perSecond = 25;
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

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}

const residentMegabytes = async (url: string) => (await metric(url, "process_resident_memory_bytes")) / 2 ** 20;

/** Seconds of processor time so far: the service's, this process's, and everybody's. */
async function processorSeconds(url: string): Promise<{ service: number; own: number; all: number }> {
  const { user, system } = process.cpuUsage();
  const all = cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1000;
  return { service: await metric(url, "process_cpu_seconds_total"), own: (user + system) / 1e6, all };
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

/** How small blocks were answered, and the processor time that went by meanwhile. */
interface Asked {
  readonly answers: number;
  readonly errors: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Milliseconds for each: of the service with all that runs in it, and of the clients. */
  readonly service: number;
  readonly clients: number;
  /** What other programs took, in cores. */
  readonly others: number;
}

type Answered = Pick<Asked, "answers" | "errors" | "p50" | "p99" | "max">;

/** Projects with a table each, and what to do to them; the n-th time another block, or it would be remembered. */
async function small(
  url: string,
  clients: number,
  work: (ids: readonly number[]) => Promise<Answered>,
): Promise<Asked> {
  const ids: number[] = [];
  for (let k = 0; k < clients; k++) {
    const made = await send(url, "POST", "/api/v1/project", { project_name: `small ${++rounds}` });
    ids.push(made.body.id as number);
    await block(url, ids[k], 1, chain[0]);
  }
  const before = await processorSeconds(url);
  const started = performance.now();
  const answered = await work(ids);
  const after = await processorSeconds(url);
  const [service, own, all] = (["service", "own", "all"] as const).map((each) => after[each] - before[each]);
  const each = 1000 / answered.answers;
  const others = (all - service - own) / ((performance.now() - started) / 1000);
  return { ...answered, service: service * each, clients: own * each, others };
}

let rounds = 0;

/** By four clients, the next one as soon as the last is answered. */
async function unresting(url: string, duration: number): Promise<Asked> {
  const bodyOf = (project_id: number, n: number) =>
    JSON.stringify({ project_id, block_id: 2, parent_id: 1, function_code: "DP_STC", args: { index: n % 5 } });
  return await small(url, 4, async (ids) => {
    let next = 0;
    const { requests, latency, non2xx, errors } = await autocannon({
      url: `${url}/api/v1/engine/start`,
      method: "POST",
      connections: ids.length,
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
    const { p50, p99, max } = latency;
    return { answers: requests.total, errors: non2xx + errors, p50, p99, max };
  });
}

/** So many a second, whatever becomes of them; each one's time counts from when it was due. */
async function steady(url: string, duration: number): Promise<Asked> {
  return await small(url, 2 * perSecond, async (ids) => {
    const times: number[] = [];
    const started = performance.now();
    let errors = 0;
    const one = async (k: number, due: number) => {
      const args = { index: Math.floor(k / ids.length) % 5 };
      const { status } = await block(url, ids[k % ids.length], 2, ["DP_STC", args]);
      if (status !== 200) errors += 1;
      times.push(performance.now() - due);
    };
    const pending: Promise<void>[] = [];
    for (let k = 0; k < duration * perSecond; k++) {
      const due = started + (k * 1000) / perSecond;
      if (due > performance.now()) await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
      pending.push(one(k, due));
    }
    await Promise.all(pending);
    const [p50, p99, max] = [0.5, 0.99, 1].map((share) => quantile(times, share));
    return { answers: times.length, errors, p50, p99, max };
  });
}

async function beside(url: string, home: string): Promise<void> {
  const duration = Math.max(5, Math.round(seconds / 4));
  // Compilers and caches first.
  await unresting(url, 3);
  const alone = [await unresting(url, duration), await steady(url, duration)];
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
  const training = block(
    url,
    made.body.id as number,
    2,
    ["ML_CN_7", { n_estimators: 10_000, max_depth: 10 }],
    stop.signal,
  ).then(
    ({ status }) => `ended early with ${status}`,
    () => "ran all the time",
  );
  const heavy = [await unresting(url, duration), await steady(url, duration)];
  stop.abort();
  const row = (name: string, { answers, errors, p50, p99, max, service, clients, others }: Asked) => [
    name,
    ...[answers, errors, p50, p99, max].map((value) => value.toFixed(0)),
    ...[service, clients, others].map((value) => value.toFixed(1)),
  ];
  const forest = `beside a forest (which ${await training})`;
  printTable(
    ["a small block", "answers", "errors", "p50 ms", "p99 ms", "max ms", "cpu ms each", "of clients", "others' cores"],
    [
      row("by 4 clients, alone", alone[0]),
      row(`by 4 clients, ${forest}`, heavy[0]),
      row(`${perSecond} a second, alone`, alone[1]),
      row(`${perSecond} a second, ${forest}`, heavy[1]),
    ],
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
