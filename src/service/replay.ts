import type { Frame } from "../core/frame.ts";
import { writeSplit } from "../core/split.ts";
import { isSameRows } from "../plan/node.ts";
import { byCode } from "../registry/index.ts";
import type { State } from "../store/state.ts";
import type { Store } from "../store/store.ts";
import type { RunningBlock } from "./context.ts";

/** What running a chain's blocks again takes. */
export interface Replay {
  readonly store: Store;
  readonly owner: string;
  /** The state that the chain ends with. */
  readonly end: State;
  /** A context for one block whose artifacts nobody keeps. */
  scratch(block: RunningBlock["block"]): RunningBlock;
}

/** The chain's last frame with other rows for training and test, all fits since the rows last changed made anew. */
export async function replayed<T>(
  { store, owner, end, scratch }: Replay,
  train: Int32Array,
  test: Int32Array,
  work: (frame: Frame, fixed: readonly string[]) => Promise<T>,
): Promise<T> {
  const states = chainTo(store, owner, end);
  const start = states.findLastIndex(
    (state, k) => k === 0 || !isSameRows(states[k - 1].frame.relation, state.frame.relation),
  );
  const used: RunningBlock[] = [];
  const contextFor = (state: State) => {
    const { code, name } = byCode(state.code);
    const context = scratch({ id: state.blockId, code, name });
    used.push(context);
    return context;
  };
  try {
    const { frame: before } = states[start];
    const artifact = await writeSplit(before.rows, train, test, contextFor(states[start]).tables);
    const split = { artifact, train: train.length, test: test.length };
    let frame: Frame = { ...before, split };
    for (let k = start + 1; k < states.length; k++) {
      const isSplit = states[k].frame.split?.artifact !== states[k - 1].frame.split?.artifact;
      const block = byCode(states[k].code);
      if ((isSplit && !block.anew) || isSame(states[k - 1].frame, states[k].frame)) continue;
      const isFit = states[k].frame.lineage.length > states[k - 1].frame.lineage.length;
      // What only assigns roles does so before any split.
      const given = isFit ? frame : { ...frame, split: null };
      const args = states[k].args as never;
      const made = await block.run(given, isSplit ? (block.anew?.(args) as never) : args, contextFor(states[k]));
      frame = { ...made.frame, split };
    }
    return await work(frame, fittedBefore(states.slice(0, start + 1)));
  } finally {
    for (const context of used) await context.discard();
  }
}

/** The states from the chain's source on; from as far back as they are still known. */
function chainTo(store: Store, owner: string, end: State): State[] {
  const states = [end];
  for (let state: State | null = end; state?.parentState != null; ) {
    state = store.state(owner, state.parentState);
    if (state) states.unshift(state);
  }
  return states;
}

function isSame(before: Frame, after: Frame): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

/** Blocks that made columns from what they had learnt. */
function fittedBefore(states: readonly State[]): string[] {
  return states.flatMap((state, k) => {
    const known = k === 0 ? 0 : states[k - 1].frame.lineage.length;
    const steps = state.frame.lineage.slice(known);
    const isFitted = k > 0 && steps.some((step) => step.outputs.some((output) => output.expr ?? output.entry));
    return isFitted ? [`${byCode(state.code).name} (${state.code}, block ${state.blockId})`] : [];
  });
}
