import { expect, test } from "vitest";
import { RecentStates } from "../../src/store/recent.ts";
import type { State } from "../../src/store/state.ts";

const state = (id: number) => ({ id, stale: false }) as State;

test("keeps what was used last, up to some letters", () => {
  const recent = new RecentStates();
  for (let id = 1; id <= 4; id++) recent.keep(state(id), 2 ** 21);
  expect(recent.find(1, false)).toEqual(state(1));
  recent.keep(state(5), 2 ** 21);
  expect(recent.find(2, false)).toBeNull();
  expect([1, 3, 4, 5].map((id) => recent.find(id, false)?.id)).toEqual([1, 3, 4, 5]);
  recent.keep(state(6), 2 ** 24);
  expect([1, 3, 4, 5, 6].map((id) => recent.find(id, false))).toEqual([null, null, null, null, null]);
});

test("answers a state as stale as it is now", () => {
  const recent = new RecentStates();
  recent.keep(state(1), 10);
  expect(recent.find(1, true)?.stale).toBe(true);
  expect(recent.find(1, false)?.stale).toBe(false);
});
