import { Cancelled, type Hooks } from "../types.ts";

/** Words of the control block. The epoch counts tasks above its lowest byte, which says in how many parts the last one is done. */
const word = { epoch: 0, joined: 1, waiting: 2, task: 3, over: 4, args: 8 };

const aTask = 256;

/** Looks at a word this often before the thread goes to sleep: threads that share work wait for each other some microseconds. */
const looks = 4000;

/** Milliseconds of sleep after which a thread looks whether it is still wanted. */
const nap = 20;

/** Does one of so many parts of a task. */
export type DoPart = (task: number, part: number, parts: number, args: Int32Array) => void;

/**
 * Threads that do one task after the other together, a part each, over shared memory.
 *
 * One leads; the others join whenever they are there, and the work goes on without those that never come, so nothing is
 * waited for that has not begun. `control` is 64 words of shared memory, zeroed.
 */
export class Team {
  readonly #control: Int32Array;
  readonly #args: Int32Array;
  readonly #doPart: DoPart;
  readonly #hooks: Hooks;

  constructor(control: Int32Array, doPart: DoPart, hooks: Hooks) {
    this.#control = control;
    this.#args = control.subarray(word.args);
    this.#doPart = doPart;
    this.#hooks = hooks;
  }

  /** Threads that would take part in a task now. */
  get size(): number {
    return 1 + Atomics.load(this.#control, word.joined);
  }

  /** Does a task, and returns when all of it is done. `parts`: at most `size`. */
  run(task: number, parts: number, ...args: readonly number[]): void {
    const control = this.#control;
    this.#args.set(args);
    if (parts > 1) {
      control[word.task] = task;
      Atomics.store(control, word.waiting, parts - 1);
      const epoch = Atomics.load(control, word.epoch);
      Atomics.store(control, word.epoch, epoch - (epoch & (aTask - 1)) + aTask + parts);
      Atomics.notify(control, word.epoch);
    }
    this.#doPart(task, 0, parts, this.#args);
    for (let left = parts > 1 ? Atomics.load(control, word.waiting) : 0; left > 0; ) {
      left = this.#whileIs(word.waiting, left);
    }
  }

  /** Sends everybody home; also whoever comes later. */
  end(): void {
    endTeam(this.#control);
  }

  /** Takes part until the leader is done. */
  join(): void {
    const control = this.#control;
    // A task may count on this thread from when it is counted itself, so the epoch before is read first.
    let epoch = Atomics.load(control, word.epoch);
    const me = Atomics.add(control, word.joined, 1) + 1;
    while (Atomics.load(control, word.over) === 0) {
      const now = Atomics.load(control, word.epoch);
      if (now === epoch) {
        this.#whileIs(word.epoch, epoch);
        continue;
      }
      epoch = now;
      const parts = epoch & (aTask - 1);
      if (me >= parts || Atomics.load(control, word.over) === 1) continue;
      this.#doPart(control[word.task]!, me, parts, this.#args);
      if (Atomics.sub(control, word.waiting, 1) === 1) Atomics.notify(control, word.waiting);
    }
  }

  /** Waits while a word has a value; answers what it is then. */
  #whileIs(at: number, value: number): number {
    const control = this.#control;
    for (let k = 0; k < looks; k++) {
      const now = Atomics.load(control, at);
      if (now !== value) return now;
    }
    while (Atomics.load(control, at) === value) {
      Atomics.wait(control, at, value, nap);
      if (this.#hooks.cancelled() || (at === word.waiting && Atomics.load(control, word.over) === 1)) {
        throw new Cancelled();
      }
    }
    return Atomics.load(control, at);
  }
}

/** Ends the work of a team from outside, such as when one of its threads has failed. */
export function endTeam(control: Int32Array): void {
  Atomics.store(control, word.over, 1);
  Atomics.add(control, word.epoch, aTask);
  Atomics.notify(control, word.epoch);
  Atomics.notify(control, word.waiting);
}
