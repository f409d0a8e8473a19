import { afterAll, beforeAll, expect, it } from "vitest";
import { BlocklabError } from "../../src/core/errors.ts";
import { allBlocks } from "../../src/registry/index.ts";
import { createService, type Service } from "../../src/service/index.ts";
import { Lab, someone } from "../support/lab.ts";

const lab = new Lab();
let service: Service;
let project = 0;

/** Megabytes of what a client may send; each such that quadratic work over it would take minutes. */
const huge: Readonly<Record<string, unknown>> = {
  letters: "x".repeat(1_000_000),
  blanks: `${" ".repeat(600_000)}a`,
  commas: ":,".repeat(300_000),
  colons: ":".repeat(600_000),
  dashes: `${"-".repeat(600_000)}1`,
  brackets: "[".repeat(600_000),
  quotes: '"'.repeat(600_001),
  address: `http://${"a.".repeat(200_000)}com/`,
  texts: Array.from({ length: 60_000 }, (_, k) => `c${k}`),
  numbers: Array.from({ length: 200_000 }, (_, k) => k),
  slices: Array.from({ length: 60_000 }, () => "0:2"),
  rows: Array.from({ length: 40_000 }, (_, k) => [k, k + 1, k % 3]),
  object: Object.fromEntries(Array.from({ length: 60_000 }, (_, k) => [`k${k}`, k])),
};

/** Seconds of the main thread, whatever else the machine does. */
const mostSeconds = 4;

beforeAll(async () => {
  service = await createService({ home: `${lab.home}/data`, files: lab.home, threads: 1 });
  project = (await lab.project()).id;
  const rows = Array.from(
    { length: 60 },
    (_, k) => `${k % 7},${k * 1.5},${["x", "y", "z"][k % 3]},${["no", "yes"][k % 2]}`,
  );
  const dburl = lab.file(`n,f,city,alive\n${rows.join("\n")}\n`);
  await lab.block(project, 1, 0, ["input", { dburl, x_boundaries: ["n", "f"], y_boundaries: "alive" }]);
  await lab.block(project, 2, 1, ["split", { random_state: 1 }]);
});

afterAll(() => service.close());

it.each(allBlocks.map((block) => [block.code, block] as const))(
  "%s answers huge arguments soon, in few words, and as the caller's mistake",
  { timeout: 600_000 },
  async (function_code, block) => {
    for (const name of [...Object.keys(block.args), "no_such"]) {
      for (const [kind, value] of Object.entries(huge)) {
        const request = { project_id: project, block_id: 50, parent_id: 2, function_code, args: { [name]: value } };
        const options = { signal: AbortSignal.timeout(20_000) };
        const before = performance.eventLoopUtilization();
        const error = await service.run(someone, request, options).then(
          () => null,
          (thrown: unknown) => thrown as BlocklabError,
        );
        const busy = performance.eventLoopUtilization(before).active / 1000;
        const what = `${name}: ${kind}`;
        expect(busy, what).toBeLessThan(mostSeconds);
        if (error === null || error.name === "CancelledError") continue;
        expect(error, what).toBeInstanceOf(BlocklabError);
        expect(error.status, `${what}: ${error.message}`).toBeLessThan(500);
        expect(error.message.length, what).toBeLessThan(1500);
      }
    }
  },
);
