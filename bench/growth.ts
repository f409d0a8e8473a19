/**
 * What calls cost where there is much already, over HTTP; prints a markdown table.
 *
 * node bench/growth.ts [--scale 1] [--only chain]. The service is filled with projects, blocks, steps, columns and
 * pictures; each call is timed where there is next to nothing, and where there is much. A scale of 0.01 takes seconds.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { Agent, request } from "undici";
import { zipOf } from "../test/support/zip.ts";
import { inFolder, printTable, quantile, withService } from "./measure.ts";

const { values } = parseArgs({
  options: { scale: { type: "string", default: "1" }, only: { type: "string", default: "" } },
});
const scaled = (n: number) => Math.max(8, Math.round(n * Number(values.scale)));
const key = "bench";
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connections: 8 });
const repeats = 9;

interface Case {
  readonly name: string;
  /** What there is much of, and how much. */
  readonly of: string;
  readonly many: number;
  /** Prepares as many, and answers the call whose time counts; its number is new each time. */
  prepare(url: string, many: number): Promise<(k: number) => Promise<unknown>>;
  readonly repeats?: number;
}

async function send(url: string, method: "GET" | "POST", path: string, body?: object): Promise<unknown> {
  const { statusCode, body: answer } = await request(`${url}${path}`, {
    method,
    headers: { "x-svc-key": key, "content-type": "application/json" },
    dispatcher: agent,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const said = await answer.json();
  if (statusCode !== 200) throw new Error(JSON.stringify(said));
  return said;
}

let projects = 0;
const project = async (url: string) =>
  ((await send(url, "POST", "/api/v1/project", { project_name: `p${projects++}` })) as { id: number }).id;

/** Calls for the blocks of a new project. */
async function blocks(url: string) {
  const project_id = await project(url);
  const block = (block_id: number, parent_id: number, function_code: string, args: object = {}) =>
    send(url, "POST", "/api/v1/engine/start", { project_id, block_id, parent_id, function_code, args });
  return { project_id, block };
}

/** Numbers from 0 on, as far as that many calls at once go. */
async function each(many: number, work: (k: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < many) await work(next++);
  };
  await Promise.all(Array.from({ length: 4 }, one));
}

function csv(rows: number, columns: number): string {
  const line = (cell: (j: number) => string | number) => Array.from({ length: columns }, (_, j) => cell(j)).join(",");
  const cells = Array.from({ length: rows }, (_, i) => line((j) => ((i * 31 + j * 17) % 101) / 4));
  return `${[line((j) => `c${j}`), ...cells].join("\n")}\n`;
}

/** A picture of 28 × 28 grey pixels, as PNG. */
async function picture(shade: number): Promise<Buffer> {
  const pixels = Buffer.from(Array.from({ length: 28 * 28 }, (_, k) => (k * shade) % 256));
  return await sharp(pixels, { raw: { width: 28, height: 28, channels: 1 } })
    .png()
    .toBuffer();
}

const cases = (folder: string): readonly Case[] => [
  {
    name: "create a project",
    of: "projects",
    many: 7000,
    async prepare(url, many) {
      await each(many, () => project(url));
      return () => project(url);
    },
  },
  {
    name: "replace a block",
    of: "blocks in the project",
    many: 5000,
    async prepare(url, many) {
      const { block } = await blocks(url);
      await block(1, 0, "DP_1", { dburl: "sample:penguins" });
      await each(many, (k) => block(10 + k, 1, "DP_STC", { index: 0 }));
      return (k) => block(2, 1, "DP_5", { scaler: "standard", index: [2, 3, 4, 5][k % 4] });
    },
  },
  {
    name: "replace an input",
    of: "blocks in the project",
    many: 5000,
    async prepare(url, many) {
      const { block } = await blocks(url);
      await block(1, 0, "DP_1", { dburl: "sample:penguins" });
      await each(many, (k) => block(10 + k, 1, "DP_STC", { index: 0 }));
      return (k) => block(2, 0, "DP_1", { dburl: "sample:penguins", na_values: [String(k)] });
    },
  },
  {
    name: "list state records",
    of: "blocks in the project",
    many: 5000,
    async prepare(url, many) {
      const { project_id, block } = await blocks(url);
      await block(1, 0, "DP_1", { dburl: "sample:penguins" });
      await each(many, (k) => block(10 + k, 1, "DP_STC", { index: 0 }));
      return () => send(url, "GET", `/api/v1/engine/statemanagement?project=${project_id}`);
    },
  },
  {
    name: "a step more",
    of: "steps in the chain",
    many: 374,
    async prepare(url, many) {
      const { block } = await blocks(url);
      await block(1, 0, "DP_1", { dburl: "sample:penguins" });
      await block(2, 1, "DP_2", { strategy_value: "mean" });
      for (let k = 2; k < many; k++)
        await block(k + 1, k, "DP_5", { scaler: k % 2 ? "standard" : "minmax", index: [2, 3, 4, 5][k % 4] });
      return (k) => block(many + k + 1, many, "DP_5", { scaler: "robust", index: [2, 3, 4, 5][k % 4] });
    },
  },
  {
    name: "info",
    of: "columns",
    many: 3000,
    repeats: 3,
    async prepare(url, many) {
      const { block } = await blocks(url);
      const path = join(folder, `wide${many}.csv`);
      writeFileSync(path, csv(50, many));
      await block(1, 0, "DP_1", { dburl: path });
      return (k) => block(2 + k, 1, "DP_INF");
    },
  },
  {
    name: "input of a zip",
    of: "pictures",
    many: 30_000,
    repeats: 1,
    async prepare(url, many) {
      const { block } = await blocks(url);
      const path = join(folder, `pictures${many}.zip`);
      const contents = await Promise.all(Array.from({ length: 16 }, (_, k) => picture(k + 1)));
      const name = (k: number) => `${k % 2 ? "dark" : "light"}/${k}.png`;
      writeFileSync(
        path,
        zipOf(Array.from({ length: many }, (_, k) => ({ path: name(k), content: contents[k % 16] }))),
      );
      const args = { file_type: "zip", method: "img_class_folder", target_size: [28, 28], class_mode: "sparse" };
      return (k) => block(1 + k, 0, "DP_1", { dburl: path, ...args });
    },
  },
];

await inFolder(async (folder) => {
  await withService(key, ["--home", join(folder, "home"), "--files", folder], async ({ url }) => {
    const rows: string[][] = [];
    for (const { name, of, many, prepare, repeats: times = repeats } of cases(folder)) {
      if (!name.includes(values.only)) continue;
      const median = async (n: number) => {
        const call = await prepare(url, n);
        const took: number[] = [];
        for (let k = 0; k < times; k++) {
          const start = performance.now();
          await call(k);
          took.push(performance.now() - start);
        }
        return quantile(took, 0.5);
      };
      const few = Math.min(8, scaled(many));
      const [little, much] = [await median(few), await median(scaled(many))];
      rows.push([name, of, String(few), little.toFixed(1), String(scaled(many)), much.toFixed(1)]);
      console.error(rows.at(-1)?.join(" | "));
    }
    printTable(["what", "of", "few", "ms", "many", "ms"], rows);
  });
});
