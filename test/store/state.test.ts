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
