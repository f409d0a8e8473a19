import { describe, expect, it } from "vitest";
import { FairScheduler } from "../../src/service/fair-scheduler.ts";

/** Turns whose work ends when it is told to, and the order in which it began. */
function lab(atOnce: number, waiting: number) {
  const turns = new FairScheduler({ atOnce, waiting });
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, owner: string, project: number | null, signal?: AbortSignal, light = false) =>
    turns.run({ owner, project, light }, signal, () => {
      began.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { turns, began, ask, end };
}

const settled = () => new Promise(setImmediate);

describe("turns", () => {
  it("run one block at a time per project, and projects side by side", async () => {
    const { began, ask, end } = lab(4, 10);
    void ask("a1", "ann", 1);
    void ask("a2", "ann", 1);
    void ask("b1", "ann", 2);
    await settled();
    expect(began).toEqual(["a1", "b1"]);
    await end("a1");
    expect(began).toEqual(["a1", "b1", "a2"]);
  });

  it("are shared out between keys, whoever came first with however many", async () => {
    const { began, ask, end } = lab(2, 100);
    for (let k = 1; k <= 6; k++) void ask(`ann${k}`, "ann", k);
    void ask("bob1", "bob", 11);
    void ask("bob2", "bob", 12);
    void ask("cem1", "cem", 21);
    await settled();
    expect(began).toEqual(["ann1", "bob1"]);
    await end("ann1");
    await end("bob1");
    await end("cem1");
    expect(began).toEqual(["ann1", "bob1", "cem1", "ann2", "bob2"]);
  });

  it("keep the last place for light work and for keys that have nothing running", async () => {
    const { began, ask, end } = lab(3, 100);
    for (let k = 1; k <= 4; k++) void ask(`ann${k}`, "ann", k);
    await settled();
    expect(began).toEqual(["ann1", "ann2"]);
    void ask("light", "ann", 5, undefined, true);
    await settled();
    expect(began).toEqual(["ann1", "ann2", "light"]);
    await end("light");
    void ask("bob1", "bob", 11);
    await settled();
    expect(began).toEqual(["ann1", "ann2", "light", "bob1"]);
    await end("bob1");
    await end("ann1");
    expect(began).toEqual(["ann1", "ann2", "light", "bob1", "ann3"]);
  });

  it("of heavy work come, however much light work is waiting", async () => {
    const { began, ask, end } = lab(4, 100);
    for (let k = 0; k < 8; k++) void ask(`light${k}`, "ann", k, undefined, true);
    void ask("heavy1", "ann", 21);
    void ask("heavy2", "ann", 22);
    for (let k = 8; k < 40; k++) void ask(`light${k}`, "ann", 30 + k, undefined, true);
    await settled();
    // Never more than one place comes free at a time, and there is always light work that would take it.
    for (let k = 0; k < 6; k++) await end(`light${k}`);
    expect(began.slice(8)).toEqual(["heavy1", "heavy2"]);
    for (let k = 6; k < 12; k++) await end(`light${k}`);
    expect(began.at(-1)).toBe("light13");
  });

  it("beyond the queue are refused to the key that has the most waiting, with 503", async () => {
    const { turns, ask } = lab(1, 3);
    void ask("run", "ann", 1);
    const anns = [2, 3, 4].map((k) => ask(`ann${k}`, "ann", k));
    await settled();
    expect(turns.load().waiting).toBe(3);
    const bob = ask("bob", "bob", 9);
    await expect(anns[2]).rejects.toMatchObject({ status: 503, retryAfter: 2, message: /3 blocks wait already/ });
    await expect(ask("ann5", "ann", 5)).rejects.toMatchObject({ status: 503, detail: { code: "busy" } });
    expect(turns.load().waiting).toBe(3);
    void bob.catch(() => undefined);
  });

  it("that were given up while waiting are never run", async () => {
    const { turns, began, ask, end } = lab(1, 10);
    void ask("run", "ann", 1);
    const stop = new AbortController();
    const waiting = ask("gone", "ann", 2, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ name: "CancelledError" });
    expect(turns.load().waiting).toBe(0);
    await end("run");
    expect(began).toEqual(["run"]);
  });
});
