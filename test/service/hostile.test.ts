import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Block } from "../../src/core/block.ts";
import { BlocklabError, CancelledError } from "../../src/core/errors.ts";
import { allBlocks, jsonSchema } from "../../src/registry/index.ts";
import { createService, type Service } from "../../src/service/index.ts";
import { Arguments } from "../support/arguments.ts";
import { Lab, someone } from "../support/lab.ts";

const lab = new Lab();
/** Rounds per block, and the seed they begin with: more of them with FUZZ_ROUNDS=500, others with FUZZ_SEED=2. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 12);
const firstSeed = Number(process.env.FUZZ_SEED ?? 1);
const longestMs = 4000;

const rows = Array.from({ length: 36 }, (_, k) => {
  const day = `2024-01-${String((k % 28) + 1).padStart(2, "0")}`;
  return `${k % 5},${(k * 7.25) % 11},${["Lagos", "Lima", ""][k % 3]},"word ${k % 4}, and it's <b>${k}</b>",${day},${k % 2 === 0},${["yes", "no"][(k >> 1) % 2]}`;
});
const csv = `n,"f ""1""",city,text,day,flag,alive\n${rows.join("\n")}\n`;

let service: Service;
let project = 0;
/** The same table raw, with roles, split, and ready for models. */
const parents = [1, 2, 3, 4, 5, 6];
const likely: unknown[] = [
  ...[
    "n",
    'f "1"',
    "city",
    "text",
    "day",
    "flag",
    "alive",
    "x_train",
    "x_test_url",
    "dataset",
    "y",
    "m",
    "reg",
    "prep",
  ],
  ...["0:2", ":, 0:2", ":, :-1", "-1", "-3:", "mean", "rbf", "count", "mle", "int", "csv", "yes"],
  ...["sample:penguins", "sample:no-such", "no-such.csv", "no-such.sqlite", "[[1, 2], [3, 4]]"],
];

beforeAll(async () => {
  service = await createService({ home: `${lab.home}/data`, files: lab.home, threads: 1 });
  project = (await lab.project()).id;
  await lab.block(project, 1, 0, ["input", { dburl: lab.file(csv) }]);
  await lab.block(project, 2, 1, ["xy", { x: ["n", 'f "1"', "city", "text", "flag"], y: "alive" }]);
  await lab.block(project, 3, 2, ["split", { random_state: 1 }]);
  await lab.block(project, 4, 1, ["xy", { x: ["n", 'f "1"'], y: "alive" }]);
  await lab.block(project, 5, 4, ["split", { random_state: 1 }]);
  await lab.block(project, 6, 1, ["xy", { x: ["n"], y: 'f "1"' }]);
  await lab.block(project, 7, 5, ["treeClassifier", { model_name: "m" }]);
  await lab.block(project, 8, 6, ["linear", { model_name: "reg" }]);
  await lab.block(project, 9, 5, ["scale", { save_name: "prep" }]);
  likely.push((await service.states(someone, project))[0].dataset_url, lab.file(csv));
});

afterAll(() => service.close());

/** What is wrong with the way a request ended; null when it ended well. */
async function faultOf(block: Block, parent: number, args: unknown, drawn: Arguments): Promise<string | null> {
  const started = performance.now();
  const options = { signal: AbortSignal.timeout(longestMs) };
  const id = 100 + Math.floor(drawn.draw() * 20);
  const request = { project_id: project, block_id: id, parent_id: parent, function_code: block.code, args };
  try {
    await service.run(someone, request, options);
    return null;
  } catch (error) {
    const tookMs = performance.now() - started;
    if (error instanceof CancelledError)
      return tookMs < longestMs + 1500 ? null : `ended ${Math.round(tookMs)} ms late`;
    if (!(error instanceof BlocklabError)) return `threw ${error instanceof Error ? error.stack : String(error)}`;
    const { status, message, detail } = error;
    const cause =
      error.cause instanceof Error
        ? `${error.cause.name}: ${error.cause.message.slice(0, 600)}\n${error.cause.stack
            ?.split("\n")
            .filter((line) => line.includes("/src/"))
            .slice(0, 6)
            .join("\n")}`
        : "";
    if (status < 400 || status >= 500) return `${status} ${message} ${cause}`;
    if (!message.includes(block.code) || detail.block !== block.code)
      return `names no block: ${status} ${JSON.stringify(detail.block)} ${message.slice(0, 200)}`;
    if (status === 400 && !detail.path) return `names no argument: ${message.slice(0, 300)}`;
    if (status === 400 && ((detail.got ?? null) === null || (detail.expected ?? null) === null))
      return `says not what came, or what is expected: ${JSON.stringify(detail)} ${message.slice(0, 300)}`;
    if (message.length > 1500 || /\n\s+at |node_modules|Error:|\[object Object\]|undefined/.test(message))
      return `has innards: ${message.slice(0, 600)}`;
    return null;
  }
}

describe("hostile arguments", () => {
  it.each<[string, string, object, string]>([
    ["a name longer than a disk allows", "DP_1", { dburl: `${"x".repeat(5000)}.csv` }, "dburl"],
    ["what can be no path", "DP_ITN", { image_url: "a\u0000b", target_size: [2, 2] }, "dburl"],
    ["a file of another machine", "DP_1", { dburl: "file://elsewhere/%00" }, "dburl"],
    ["no columns of words", "DP_VEC", { boundaries: [] }, "boundaries"],
    ["a column that is not there", "DP_DRD", { columns: ["n", "nn"] }, "columns"],
    ["a field that every object has", "DP_3", { xvalue: { constructor: 1, index: 0 } }, "xvalue"],
  ])("with %s are refused by name", async (_, function_code, args, path) => {
    const request = {
      project_id: project,
      block_id: 150,
      parent_id: path === "dburl" ? 0 : 1,
      function_code,
      args,
    };
    await expect(service.run(someone, request)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(function_code),
      detail: { block: function_code, path },
    });
  });

  it.each(allBlocks.map((block) => [block.code, block] as const))(
    "%s is run, or refused in one sentence that names the block and the argument",
    { timeout: rounds * 6000 },
    async (code, block) => {
      const schema = jsonSchema(block);
      const faults: string[] = [];
      for (let round = 0; round < rounds; round++) {
        const seed =
          firstSeed * 1_000_003 + round * 9973 + [...code].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7);
        const drawn = new Arguments(seed);
        const args = drawn.draw() < 0.04 ? drawn.foul() : drawn.of(schema, likely, 0.15);
        const fault = await faultOf(block, drawn.pick(block.source ? [0, 0, 5] : parents), args, drawn);
        if (fault) faults.push(`${JSON.stringify(args)?.slice(0, 400)}\n  ${fault}`);
      }
      expect(faults.join("\n\n")).toBe("");
    },
  );
});
