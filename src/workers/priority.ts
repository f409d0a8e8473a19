import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";

/** How much the operating system heeds a thread: long work steps back, so that short work beside it is quick. */
export interface Priority {
  /** Lets other threads go before this one; whatever fails leaves it as it is. */
  lower(thread: number): void;
  /** Makes it a thread like others again; false where the process has no right to, as on Linux it mostly hasn't. */
  raise(thread: number): boolean;
}

/** At 10 a thread has a tenth of the weight of one at 0, and all of a core that nobody else wants. */
const low = 10;

/** Linux takes a thread's number where other systems want a process's; elsewhere nothing is done. */
export const threadPriority: Priority = {
  lower: (thread) => void set(thread, low),
  raise: (thread) => thread <= 0 || set(thread, 0),
};

/** The number that the operating system knows the calling thread by; 0 where it can't be told. */
export function ownThread(): number {
  if (process.platform !== "linux") return 0;
  try {
    return Number(/\/task\/(\d+)$/.exec(readlinkSync("/proc/thread-self"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Number 0 would mean the process itself, so it is never given. */
function set(thread: number, niceness: number): boolean {
  if (thread <= 0) return false;
  try {
    setPriority(thread, niceness);
    return true;
  } catch {
    return false;
  }
}
