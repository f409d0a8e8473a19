import { expect, it } from "vitest";
import { quantilesTogether } from "../../../src/engines/duckdb/together.ts";
import { typeOf } from "../../../src/plan/check.ts";
import { call, column, value } from "../../../src/plan/expr.ts";

const x = column("x", "number");
const quantile = (share: number) => call("quantile", x, value(share));

it("asks for all quantiles of the same numbers at once, and leaves numbers numbers", () => {
  const asked = [call("subtract", quantile(0.75), quantile(0.25)), call("median", x), call("median", column("y"))];
  const together = quantilesTogether(asked);
  const text = together.map((each) => JSON.stringify(each));
  expect(text[0].match(/\[0\.75e0, 0\.25e0, 0\.5e0\]/g)).toHaveLength(2);
  expect(text[1]).toContain("[0.75e0, 0.25e0, 0.5e0]");
  expect(together[2]).toEqual(asked[2]);
  expect(together.map(typeOf)).toEqual(asked.map(typeOf));
});

it("leaves a single quantile, and one along a window, as they are", () => {
  const alone = [quantile(0.25), call("max", x)];
  expect(quantilesTogether(alone)).toEqual(alone);
  const windows = [0.25, 0.75].map((share) => ({ ...quantile(share), over: { by: ["k"], order: [] } }));
  expect(quantilesTogether(windows)).toEqual(windows);
});
