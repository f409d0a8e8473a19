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
