import { expect, it, vi } from "vitest";
import type { Progress } from "../../src/core/record.ts";
import { ProgressMeter } from "../../src/service/progress.ts";

it("estimates over work that names its phase anew, and begins again with other work", () => {
  const clock = vi.spyOn(performance, "now");
  try {
    const heard: Progress[] = [];
    const meter = new ProgressMeter(1, (progress) => void heard.push(progress));
    const at = (ms: number, ...report: [string, number, number]) => {
      clock.mockReturnValue(ms);
      meter.report(...report);
    };
    at(1000, "epoch 1", 0, 100);
    at(2000, "epoch 1", 20, 100);
    at(3000, "epoch 2", 40, 100);
    at(3010, "epoch 2", 41, 100);
    at(4000, "rows", 10, 40);
    at(5000, "rows", 20, 40);
    expect(heard.map(({ phase, done, eta_ms }) => [phase, done, eta_ms])).toEqual([
      ["epoch 1", 0, null],
      ["epoch 1", 20, 4000],
      ["epoch 2", 40, 3000],
      ["rows", 10, 0],
      ["rows", 20, 1000],
    ]);
  } finally {
    clock.mockRestore();
  }
});

it("counts what parts of a longer work tell as its own, on one bar that never goes back", async () => {
  const heard: Progress[] = [];
  const meter = new ProgressMeter(1, (progress) => void heard.push(progress));
  const clock = vi.spyOn(performance, "now");
  let now = 0;
  clock.mockImplementation(() => (now += 1000));
  try {
    for (const fold of [0, 1]) {
      await meter.within("grid search", fold, 2, async () => {
        for (const candidate of [0, 1]) {
          await meter.within("candidate", candidate, 2, async () => {
            meter.report("trees", 5, 10);
            meter.report("rows", 0, 10);
          });
        }
      });
    }
    await meter.within("grid search", 1, 2, () => Promise.reject(new Error("no"))).catch(() => undefined);
    meter.report("test rows", 1, 1);
  } finally {
    clock.mockRestore();
  }
  expect(heard.slice(0, 7).map(({ phase, done, total }) => [phase, done, total])).toEqual([
    ["grid search", 0, 2],
    ["grid search (candidate)", 0, 2],
    ["grid search (candidate 1 of 2, trees)", 0.25, 2],
    ["grid search (candidate 1 of 2, rows)", 0.25, 2],
    ["grid search (candidate)", 0.5, 2],
    ["grid search (candidate 2 of 2, trees)", 0.75, 2],
    ["grid search (candidate 2 of 2, rows)", 0.75, 2],
  ]);
  const search = heard.slice(0, -2).map(({ done }) => done);
  expect(search).toEqual(search.toSorted((a, b) => a - b));
  expect(heard.at(-1)).toMatchObject({ phase: "test rows", done: 1, total: 1 });
});
