import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Above this much, sorting out what is used would take long enough to be felt. */
const mostBytes = 256 * 1024 * 1024;

type Collect = (options: { type: "major"; flavor: "last-resort"; execution: "sync" }) => void;

/**
 * Gives back to the system what this thread's heap holds and does not use; takes a tenth of a second.
 *
 * V8 keeps room for a program that goes on as it began; a notebook at which nobody works has 37 MB of it, or more.
 */
export function giveBackMemory(): void {
  if (getHeapStatistics().used_heap_size > mostBytes) return;
  // V8's collector has no other door; it is shut again, as cells must not find it in contexts they make.
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as Collect;
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", flavor: "last-resort", execution: "sync" });
}
