import { expect, test } from "vitest";
import { RandomState } from "../../src/numerics/random.ts";
import { reference } from "./data.ts";

const { random } = reference;

test("permutes as numpy's RandomState does", () => {
  expect([...new RandomState(42).permutation(10)]).toEqual(random.permutation42);
  const sum = new RandomState(123).permutation(5000).reduce((total, value, i) => total + value * (i + 1), 0);
  expect(sum).toBe(random.checksum123);
});

test("draws doubles, normals and integers in numpy's order", () => {
  const state = new RandomState(7);
  expect([state.uniform(), state.uniform(), state.uniform()]).toEqual(random.uniform7);
  expect([state.normal(), state.normal(), state.normal()]).toEqual(random.normal7);
  expect([...state.integers(1000, 5)]).toEqual(random.integers7);
});

test("fills arrays with the doubles that it draws one by one, wherever the state stands", () => {
  const [many, single] = [new RandomState(9), new RandomState(9)];
  for (const length of [1, 0, 310, 1, 313, 2000]) {
    const out = new Float64Array(length);
    many.fillUniform(out);
    expect(out).toEqual(Float64Array.from({ length }, () => single.uniform()));
    expect(many.uint32()).toBe(single.uint32());
  }
});

test("stays inside its interval, the largest one too", () => {
  const state = new RandomState(1);
  for (let i = 0; i < 100; i++) expect(state.randomInterval(2)).toBeLessThanOrEqual(2);
  expect(state.randomInterval(0)).toBe(0);
  expect(state.randomInterval(0xffffffff)).toBeGreaterThan(2);
  expect(new RandomState(3).permutation(0)).toHaveLength(0);
});

test("refuses a seed that numpy would refuse", () => {
  for (const seed of [-1, 1.5, 2 ** 32, NaN]) expect(() => new RandomState(seed)).toThrow(RangeError);
});
