import { BusyError, CancelledError } from "../core/errors.ts";

/** How many blocks run side by side, and how many may wait. */
export interface SchedulerLimits {
  readonly atOnce: number;
  readonly waiting: number;
}

/** How long the queue is. */
export interface SchedulerLoad {
  readonly running: number;
  readonly waiting: number;
  readonly limits: SchedulerLimits;
  /** Turns that were given so far, and the seconds that was waited for them together. */
  readonly given: number;
  readonly waitedSeconds: number;
}

/** What asks for a turn. */
export interface Claim {
  readonly owner: string;
  /** Null shares with everything. */
  readonly project: number | null;
  /** Will it be over in a moment? */
  readonly light?: boolean;
}

interface Waiter extends Claim {
  start(): void;
  refuse(error: Error): void;
}

/**
 * Whose block runs next.
 *
 * One at a time per project, some at once in all. Among those that wait the key with the fewest running blocks comes
 * next, and among equals the one whose last turn is longest ago: a class of thirty is not held up by one who sends a
 * hundred. Heavy work leaves one place to light work and to keys that have nothing running, so that a few who work on
 * millions of rows don't make the others wait until one of them is done; which place that is changes, so light work
 * can't keep heavy work out either. When the queue is full, the longest part of it gives way.
 */
export class FairScheduler {
  readonly #limits: SchedulerLimits;
  readonly #waiting: Waiter[] = [];
  readonly #busy = new Set<number>();
  readonly #running = new Map<string, number>();
  /** Owners by their last turn, the longest ago first. */
  readonly #served = new Set<string>();
  #atOnce = 0;
  #heavy = 0;
  #given = 0;
  #waitedMs = 0;

  constructor(limits: SchedulerLimits) {
    this.#limits = limits;
  }

  /** How many run and wait now, and how long was waited so far. */
  load(): SchedulerLoad {
    return {
      running: this.#atOnce,
      waiting: this.#waiting.length,
      limits: this.#limits,
      given: this.#given,
      waitedSeconds: this.#waitedMs / 1000,
    };
  }

  /** Waits for a turn, runs the work, and hands the turn on. */
  async run<T>(claim: Claim, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const asked = performance.now();
    await this.#turn(claim, signal);
    this.#given += 1;
    this.#waitedMs += performance.now() - asked;
    try {
      return await work();
    } finally {
      this.#end(claim);
    }
  }

  #turn(claim: Claim, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.reject(new CancelledError());
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        waiter.refuse(new CancelledError());
      };
      const settled = (act: () => void) => {
        signal?.removeEventListener("abort", leave);
        act();
      };
      const waiter: Waiter = {
        ...claim,
        start: () => settled(resolve),
        refuse: (error) => settled(() => reject(error)),
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.push(waiter);
      this.#next();
      if (this.#waiting.length > this.#limits.waiting) this.#overflow();
    });
  }

  #end({ owner, project, light }: Claim): void {
    this.#atOnce -= 1;
    if (!light) this.#heavy -= 1;
    const left = (this.#running.get(owner) ?? 1) - 1;
    if (left > 0) this.#running.set(owner, left);
    else this.#running.delete(owner);
    if (project !== null) this.#busy.delete(project);
    this.#next();
  }

  #next(): void {
    while (this.#atOnce < this.#limits.atOnce) {
      const first = this.#first();
      if (!first) break;
      this.#waiting.splice(this.#waiting.indexOf(first), 1);
      this.#atOnce += 1;
      if (!first.light) this.#heavy += 1;
      this.#running.set(first.owner, (this.#running.get(first.owner) ?? 0) + 1);
      if (first.project !== null) this.#busy.add(first.project);
      this.#served.delete(first.owner);
      this.#served.add(first.owner);
      first.start();
    }
    // Who neither runs nor waits is forgotten, however many keys come by.
    if (this.#waiting.length === 0 && this.#atOnce === 0) this.#served.clear();
  }

  /** Who comes next of those that may; one look at each, since a queue may be long. */
  #first(): Waiter | undefined {
    const leavesNone = this.#heavy > 0 && this.#heavy >= this.#limits.atOnce - 1;
    const ages = new Map([...this.#served].map((owner, age) => [owner, age]));
    let first: { waiter: Waiter; claim: number; age: number } | undefined;
    for (const waiter of this.#waiting) {
      const { owner, project, light } = waiter;
      const claim = this.#running.get(owner) ?? 0;
      if ((project !== null && this.#busy.has(project)) || (leavesNone && !light && claim > 0)) continue;
      const age = ages.get(owner) ?? -1;
      if (!first || claim < first.claim || (claim === first.claim && age < first.age)) first = { waiter, claim, age };
    }
    return first?.waiter;
  }

  /** The last request of the key that has the most waiting is sent away. */
  #overflow(): void {
    const counts = new Map<string, number>();
    for (const { owner } of this.#waiting) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const last = this.#waiting.findLastIndex(({ owner }) => counts.get(owner) === most);
    const [waiter] = this.#waiting.splice(last, 1);
    waiter.refuse(
      new BusyError(503, `The service is busy: ${this.#limits.waiting} blocks wait already. Try again in a moment.`, {
        code: "busy",
        expected: this.#limits.waiting,
        hint: "The operator can raise --queue.",
      }),
    );
  }
}
