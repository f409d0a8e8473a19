import { readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, test, vi } from "vitest";
import { fitLinear } from "../../src/numerics/linear/linear.ts";
import { trainTest } from "../../src/numerics/sampling/split.ts";
import { quantiles } from "../../src/numerics/statistics/quantiles.ts";
import { fitTrees, type TreesInput, treeSeeds } from "../../src/numerics/trees/forest.ts";
import { createPool, fitForest, shared, sharedMatrix } from "../../src/workers/index.ts";
import { columns, table } from "../numerics/data.ts";

const { x, y, c } = table();
const pools = [0, 1, 2].map((size) => createPool({ size }));
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

/** A forest that would take half a minute. */
function long(): TreesInput {
  const n = 200_000;
  const data = Float64Array.from({ length: n * 10 }, (_, i) => (i * 7919) % 100_003);
  return {
    x: sharedMatrix({ n, d: 10, data }),
    y: shared(data.slice(0, n)),
    task: "regression",
    seeds: treeSeeds(0, 100),
    bootstrap: true,
  };
}

test("a forest is the same on 0, 1 and 2 workers", async () => {
  const input: TreesInput = { x, y: c, task: "classification", classes: 3, seeds: treeSeeds(1, 7), bootstrap: true };
  const [inline, one, two] = await Promise.all(pools.map((pool) => fitForest(pool, input)));
  expect(one).toEqual(inline);
  expect(two).toEqual(inline);
});

describe.each(pools)("on $size workers", (pool) => {
  test("progress never falls and ends at the total", async () => {
    const heard: number[] = [];
    const input: TreesInput = { x, y, task: "regression", seeds: treeSeeds(1, 60), bootstrap: true };
    const onProgress = (done: number, total: number) => {
      expect(total).toBe(60);
      heard.push(done);
    };
    await fitForest(pool, input, { onProgress });
    expect(heard).toEqual([...heard].sort((a, b) => a - b));
    expect(heard.at(-1)).toBe(60);
    expect(heard.length).toBeLessThan(60);
  });

  test("a kernel's error crosses with its name and message", async () => {
    const none = columns(new Float64Array(0));
    const run = pool.run(fitLinear, { x: none, y: none });
    await expect(run).rejects.toMatchObject({
      name: "RangeError",
      message: "linear regression got 0 rows of x and 0 of y",
    });
    expect([...(await pool.run(quantiles, { values: Float64Array.of(1, 2), at: [1] }))]).toEqual([2]);
  });

  test("many jobs wait their turn", async () => {
    const runs = Array.from({ length: 20 }, (_, i) => pool.run(quantiles, { values: Float64Array.of(i), at: [0] }));
    expect((await Promise.all(runs)).map((answer) => answer[0])).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  test("an aborted signal starts nothing", async () => {
    const signal = AbortSignal.abort(new Error("changed my mind"));
    await expect(pool.run(quantiles, { values: y, at: [0] }, { signal })).rejects.toThrow("changed my mind");
  });

  test("a function that is no kernel is refused", async () => {
    await expect(pool.run(() => 1, {})).rejects.toThrow("not exported by numerics/index");
  });
});

test("a forest is cancelled within 150 ms, and the worker serves again", async () => {
  const pool = pools[1]!;
  await pool.run(quantiles, { values: y, at: [0] });
  const stop = new AbortController();
  const input = long();
  const run = pool.run(fitTrees, input, { signal: stop.signal });
  await new Promise((resolve) => setTimeout(resolve, 700));
  const began = performance.now();
  stop.abort(new Error("enough"));
  await expect(run).rejects.toThrow("enough");
  expect(performance.now() - began).toBeLessThan(150);
  await pool.run(quantiles, { values: y, at: [0] });
  // The forest would take ten times as long; on a crowded machine a fresh worker alone takes a second.
  expect(performance.now() - began).toBeLessThan(3000);
});

test("cancelling a waiting job leaves the running one alone", async () => {
  const pool = pools[1]!;
  const stop = new AbortController();
  const first = pool.run(fitTrees, { x, y, task: "regression", seeds: treeSeeds(0, 20) } as TreesInput);
  const second = pool.run(quantiles, { values: y, at: [0] }, { signal: stop.signal });
  stop.abort(new Error("not needed"));
  await expect(second).rejects.toThrow("not needed");
  expect((await first).offsets).toHaveLength(21);
});

test("a worker that dies rejects its job and is replaced", async () => {
  const pool = createPool({ size: 1, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  // Stratifying keeps its row numbers in plain arrays, 48 MB here.
  const n = 6_000_000;
  const stratify = new Int32Array(new SharedArrayBuffer(4 * n));
  const run = pool.run(trainTest, { n, nTrain: n / 2, nTest: n / 2, seed: 0, stratify });
  await expect(run).rejects.toThrow("the worker died while it ran trainTest");
  expect([...(await pool.run(quantiles, { values: Float64Array.of(3), at: [0] }))]).toEqual([3]);
  await pool.close();
});

test("a closed pool rejects what runs and what comes", async () => {
  const pool = createPool({ size: 1 });
  const run = pool.run(fitTrees, long());
  const waiting = pool.run(quantiles, { values: y, at: [0] });
  const rejected = Promise.all([run, waiting].map((job) => expect(job).rejects.toThrow("closed")));
  await pool.close();
  await rejected;
  await expect(pool.run(quantiles, { values: y, at: [0] })).rejects.toThrow("closed");
});

describe("a long job", () => {
  const short = (pool: ReturnType<typeof createPool>, group: object) =>
    pool.run(quantiles, { values: Float64Array.of(3), at: [0] }, { group });

  test("leaves room for short ones of others, not for more of its own", async () => {
    const pool = createPool({ size: 1 });
    const [mine, yours] = [{}, {}];
    const stop = new AbortController();
    const run = pool.run(fitTrees, long(), { signal: stop.signal, group: mine });
    const waiting = vi.fn();
    const next = short(pool, mine).then(waiting);
    expect([...(await short(pool, yours))]).toEqual([3]);
    expect([...(await short(pool, yours))]).toEqual([3]);
    expect(waiting).not.toHaveBeenCalled();
    stop.abort(new Error("enough"));
    await expect(run).rejects.toThrow("enough");
    await next;
    await pool.close();
  });

  test.each([true, false])(
    "steps back, and its worker serves long ones again where it may return (%s) and where it may not",
    async (may) => {
      const lowered: number[] = [];
      const raised: number[] = [];
      const priority = {
        lower: (thread: number) => void lowered.push(thread),
        raise: (thread: number) => raised.push(thread) > 0 && may,
      };
      const pool = createPool({ size: 1, priority });
      const [mine, yours] = [{}, {}];
      const some = { ...long(), seeds: treeSeeds(0, 1) };
      await pool.run(fitTrees, some, { group: mine });
      await pool.run(fitTrees, some, { group: mine });
      expect(lowered).toHaveLength(2);
      // The second one ran where the first did, and whatever ended there was to be raised.
      expect(new Set(lowered).size).toBe(1);
      expect(raised).toEqual(lowered);
      await short(pool, yours);
      expect(lowered).toHaveLength(2);
      expect(raised).toHaveLength(2);
      await pool.close();
    },
    60_000,
  );

  test.runIf(process.platform === "linux")("has a low priority while it runs, and no other thread has", async () => {
    /** How nice each thread of this process is, as the system says (proc(5), field 19 of stat). */
    const niceness = () =>
      readdirSync("/proc/self/task").map((thread) => {
        const text = readFileSync(`/proc/self/task/${thread}/stat`, "latin1");
        return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[16]);
      });
    const before = niceness().filter((nice) => nice === 10).length;
    const pool = createPool({ size: 1 });
    const stop = new AbortController();
    const run = pool.run(fitTrees, long(), { signal: stop.signal });
    await expect.poll(() => niceness().filter((nice) => nice === 10).length, { timeout: 20_000 }).toBe(before + 1);
    stop.abort(new Error("enough"));
    await expect(run).rejects.toThrow("enough");
    await pool.close();
  });
});

test("shared copies once", () => {
  const copy = shared(y);
  expect([...copy]).toEqual([...y]);
  expect(copy.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(shared(copy)).toBe(copy);
});
