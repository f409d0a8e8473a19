import { expect, it } from "vitest";
import { madeInUse } from "../../src/commands/evaluator-in-use.ts";
import { createEvaluator } from "../../src/evaluator/index.ts";

it("makes the evaluator when it is first used, once", async () => {
  let made = 0;
  const evaluator = madeInUse(() => {
    made++;
    return createEvaluator({ cwd: process.cwd() });
  });
  evaluator.interrupt();
  await evaluator.close();
  expect(made).toBe(0);
  expect(await evaluator.run("const inUse = { alpha: 42 }; inUse.alpha")).toMatchObject({ value: 42 });
  expect(evaluator.preview("inUse.alpha + 1")).toBe("43");
  expect(evaluator.variables().map(({ name }) => name)).toEqual(["inUse"]);
  expect(evaluator.isComplete("[").status).toBe("incomplete");
  expect((await evaluator.complete("inUse.al", 8)).items.map(({ text }) => text)).toContain("alpha");
  expect(made).toBe(1);
  await evaluator.close();
});
