import { expect, test } from "vitest";
import type { Frame } from "../../src/core/frame.ts";
import type { Step } from "../../src/plan/node.ts";
import { frameText, toState } from "../../src/store/state.ts";

const step = (block: number): Step => ({ block, name: "scale", outputs: [{ column: { name: "a", type: "number" } }] });
const [first, second, left] = [step(1), step(2), step(3)];
const frame = (steps: readonly Step[], lineage: readonly Step[]): Frame => ({
  relation: { artifact: "A".repeat(22), steps },
  rows: 3,
  columns: [],
  x: null,
  y: null,
  split: null,
  fits: [],
  lineage,
  raw: [],
});
const row = (text: string) => ({ frame: text, args: "{}", notices: "[]", urls: "{}", output: null, report: null });

test("a frame's steps are written once, and come back in its plan and its lineage", () => {
  const before = frame([first, second], [left, first, second]);
  const text = frameText(before);
  expect(text.match(/"block":1/g)).toHaveLength(1);
  const { frame: after } = toState(row(text));
  expect(after).toEqual(before);
  // So that the next block's frame is written as short.
  expect(after.lineage[1]).toBe(after.relation.steps[0]);
});

test("a frame that was stored with all of its lineage is read as it is", () => {
  const before = frame([second], [first, second]);
  const { split, ...others } = before;
  expect(toState(row(JSON.stringify({ ...others, folds: split }))).frame).toEqual(before);
});

test("a frame of the second form of plans is read by its names of now, in the plans of files as well", () => {
  const column = { name: "a", type: "number" } as const;
  const own = { gaps: "gaps_0", fills: "values_0", isWhole: true };
  const filled: Step = {
    block: 2,
    name: "missing",
    outputs: [{ column, own }, { column: { ...column, name: "beside" } }],
    sideTable: { artifact: "B".repeat(22) },
  };
  const sorted = frame([second], [left, second]);
  const of = { artifact: "C".repeat(22), steps: [filled] };
  const holds = { made: "sort", of, by: [{ column: "a" }] } as const;
  const before = { ...sorted, relation: { ...sorted.relation, holds }, lineage: [filled, second] };
  const text = frameText(before)
    .replaceAll('"sideTable"', '"beside"')
    .replaceAll('"gaps"', '"holes"')
    .replace('"plans":3', '"plans":2');
  expect(text.match(/"beside":/g)).toHaveLength(2);
  expect(toState(row(text)).frame).toEqual(before);
});
