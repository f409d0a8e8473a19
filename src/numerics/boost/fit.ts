import { type Hooks, quiet } from "../types.ts";
import { sharedMemory } from "../wasm/boost-loops.ts";
import { type Boosted, type GrowingTree, joinGrown, slotsOf } from "./boosted.ts";
import { BoostGrower, type GrowLimits } from "./grow.ts";
import { type BoostSizes, boostLayout, runLength } from "./layout.ts";
import { type BoostLoss, baselines, isFlat, meanLoss } from "./losses.ts";
import { rawBoosted } from "./predict.ts";
import { endTeam, Team } from "./team.ts";
import { type BoostShared, BoostWork, task } from "./work.ts";

/** What boosting learns from, and how. */
export type BoostInput = GrowLimits & {
  readonly x: BoostShared["x"];
  /** n numbers, or class codes. */
  readonly y: Float64Array | Int32Array;
  readonly loss: BoostLoss;
  /** The share of rows below a quantile. */
  readonly quantile: number;
  /** Classes of log_loss; 0 for other losses. */
  readonly classes: number;
  /** A weight for each row, at least 0. */
  readonly weight: Float64Array | null;
  /** From `boostEdges`, one array for each feature. */
  readonly edges: readonly Float64Array[];
  readonly categories: Int32Array;
  /** Which way the answer may go with each feature: -1, 0 or 1. */
  readonly monotone: Int32Array;
  /** Rows to learn from, and rows held out to judge each round. */
  readonly train: Int32Array;
  readonly held: Int32Array;
  readonly rounds: number;
  /** Rounds without a gain after which it is over; 0 never ends early. */
  readonly patience: number;
  /** How much less the loss must be to count as a gain. */
  readonly tol: number;
  /** A model of the same columns, classes, loss and edges, behind whose trees these are grown; null to begin anew. */
  readonly earlier: Boosted | null;
};

/** A boosting that threads share: each of them calls `boostTogether` with it, and its number. */
export type BoostTask = Omit<BoostInput, "edges" | "x"> & { readonly shared: BoostShared };

/** What boosting came to: the trees, and the mean loss after each round, from before the first. */
export type BoostResult = {
  readonly model: Boosted;
  /** Of rows that were learnt from, at most 10,000 of them. */
  readonly trainLoss: Float64Array;
  /** Of the rows held out; empty without. */
  readonly heldLoss: Float64Array;
};

/** Rows that the training loss is told of. */
const mostJudged = 10_000;

/** The bytes that a boosting takes on so many threads. */
export function boostBytes(input: BoostInput, threads: number): number {
  return boostLayout(sizesOf(input, threads)).bytes;
}

/** Lays out memory for so many threads. RangeError beyond the 4 GB that WebAssembly can address. */
export function boostTask(input: BoostInput, threads: number): BoostTask {
  const { edges, x, ...rest } = input;
  const sizes = sizesOf(input, threads);
  const layout = boostLayout(sizes);
  const { loss, quantile, minLeaf, categories } = input;
  const { starts, values } = joinEdges(edges);
  const memory = sharedMemory(layout.bytes);
  const shared = { memory, layout, sizes, x, edges: values, edgeStarts: starts, categories, loss, quantile, minLeaf };
  return { ...rest, shared };
}

function joinEdges(edges: readonly Float64Array[]): { readonly starts: Int32Array; readonly values: Float64Array } {
  const starts = new Int32Array(edges.length + 1);
  for (const [j, each] of edges.entries()) starts[j + 1] = starts[j]! + each.length;
  const values = new Float64Array(starts[edges.length]!);
  for (const [j, each] of edges.entries()) values.set(each, starts[j]);
  return { starts, values };
}

function sizesOf(input: BoostInput, threads: number): BoostSizes {
  const { x, train, classes, edges, weight, loss, minLeaf, maxLeaves, maxDepth } = input;
  return {
    n: x.n,
    d: x.d,
    train: train.length,
    width: classes > 2 ? classes : 1,
    slots: slotsOf({ edgeStarts: joinEdges(edges).starts }),
    leaves: Math.max(1, Math.min(maxLeaves, 2 ** Math.min(30, maxDepth), Math.floor(train.length / minLeaf))),
    threads,
    isWeighted: weight !== null,
    isCounted: isFlat(loss) && !weight,
  };
}

/** The words by which a task's threads agree, to end it from outside with `endTeam`. */
export function controlOf({ shared }: BoostTask): Int32Array {
  return new Int32Array(shared.memory.buffer, shared.layout.control, 64);
}

/** Ends a task whose thread has failed; the others throw `Cancelled`. */
export function endBoost(boosting: BoostTask): void {
  endTeam(controlOf(boosting));
}

/** The mean loss after the last round that is done, while a task runs: of rows held out where there are any. */
export function lossesSoFar({ shared, held }: BoostTask): { readonly value: number; readonly isHeld: boolean } {
  const [value] = new Float64Array(shared.memory.buffer, shared.layout.told, 1);
  return { value: value!, isHeld: held.length > 0 };
}

/**
 * Gradient boosting over histograms, by one of the threads that share it: 0 leads and answers, the others answer null.
 *
 * Threads may come late or not at all. The same bytes for any number of them: all that is added up across rows are whole
 * numbers. O(rounds · classes · n · d) additions at most. Progress in rounds. Sources: Friedman (2001), Greedy function
 * approximation; Ke and others, LightGBM (2017); scikit-learn's HistGradientBoosting, whose defaults and limits these are.
 */
export function boostTogether(
  { boosting, member }: { readonly boosting: BoostTask; readonly member: number },
  hooks: Hooks = quiet,
): BoostResult | null {
  const work = new BoostWork(boosting.shared);
  const control = controlOf(boosting);
  const team = new Team(control, (which, part, parts, args) => work.do(which, part, parts, args), hooks);
  if (member > 0) {
    team.join();
    return null;
  }
  try {
    return lead(boosting, work, team, hooks);
  } finally {
    team.end();
  }
}

function lead(boosting: BoostTask, work: BoostWork, team: Team, hooks: Hooks): BoostResult {
  const { train, held, rounds, patience, tol } = boosting;
  const { shared, lossData } = work;
  const { sizes, edges, edgeStarts, categories, loss } = shared;
  const { d, width, n } = sizes;
  prepare(boosting, work);
  team.run(task.bins, Math.min(team.size, Math.ceil(d / 4)));
  markMissing(boosting, work);
  const { earlier } = boosting;
  const baseline = earlier ? earlier.baseline : baselines(lossData, train);
  if (earlier) lossData.raw.set(rawBoosted({ x: shared.x, model: earlier }, { ...hooks, progress: () => undefined }));
  else for (let k = 0; k < width; k++) lossData.raw.fill(baseline[k]!, k * n, (k + 1) * n);
  const step = Math.max(1, Math.ceil(train.length / mostJudged));
  const judged = train.filter((_, i) => i % step === 0);
  const trainLoss = [meanLoss(lossData, judged)];
  const heldLoss = held.length > 0 ? [meanLoss(lossData, held)] : [];
  const grower = new BoostGrower(work, team, boosting, boosting.monotone, hooks);
  const trees: GrowingTree[] = [];
  for (let round = 0; round < rounds; round++) {
    const units = derivativeUnits(work, team);
    for (let k = 0; k < width; k++) trees.push(grower.grow(k, units));
    trainLoss.push(meanLoss(lossData, judged));
    if (held.length > 0) heldLoss.push(meanLoss(lossData, held));
    work.doubles[shared.layout.told / 8] = (held.length > 0 ? heldLoss : trainLoss).at(-1)!;
    hooks.progress(round + 1, rounds);
    if (patience > 0 && isOver(held.length > 0 ? heldLoss : trainLoss, patience, tol)) break;
    // Another round would only repeat these.
    if (trees.slice(-width).every((tree) => tree.feature.length === 1 && Math.abs(tree.value[0]!) < 1e-12)) break;
  }
  const found = { loss, d, width, baseline, edges, edgeStarts, categories, ...joinGrown(trees, d, earlier) };
  return { model: found, trainLoss: Float64Array.from(trainLoss), heldLoss: Float64Array.from(heldLoss) };
}

/** Copies the target, the weights and the rows in, and says where histograms begin. */
function prepare({ y, weight, train, held, monotone }: BoostTask, { shared, ints, doubles }: BoostWork): void {
  const { layout, sizes, categories } = shared;
  doubles.set(y, layout.y / 8);
  if (weight) doubles.set(weight, layout.weight / 8);
  ints.set(train, layout.order / 4);
  ints.set(held, layout.held / 4);
  let at = 0;
  for (let j = 0; j < sizes.d; j++) {
    ints[layout.starts / 4 + j] = at;
    ints.set([at, sizes.slots[j]! - 1, 0, categories[j]! > 0 ? 2 : monotone[j]!], layout.facts / 4 + 4 * j);
    at += 16 * sizes.slots[j]!;
  }
  // What fills up the last block of four counts into a place of its own.
  for (let j = sizes.d; j <= 4 * Math.ceil(sizes.d / 4); j++) ints[layout.starts / 4 + j] = at;
}

/** Tells which features any row of training misses. */
function markMissing({ train }: BoostTask, { shared, ints }: BoostWork): void {
  const { layout, sizes, x } = shared;
  for (let j = 0; j < sizes.d; j++) {
    const at = j * x.n;
    const misses = train.some((row) => Number.isNaN(x.data[at + row]!));
    ints[layout.facts / 4 + 4 * j + 2] = misses ? 1 : 0;
  }
}

/** Works out the derivatives, and the units in which sums of them can't overflow 64 bits. */
function derivativeUnits({ shared, doubles, bits }: BoostWork, team: Team): readonly [number, number] {
  const { layout, sizes } = shared;
  const runs = Math.ceil(sizes.n / runLength);
  team.run(task.derivatives, Math.min(team.size, runs));
  let largest = 0;
  let sum = 0;
  for (let run = 0; run < runs; run++) {
    largest = Math.max(largest, doubles[layout.runs / 8 + 2 * run]!);
    sum += doubles[layout.runs / 8 + 2 * run + 1]!;
  }
  if (!Number.isFinite(largest + sum)) {
    throw new RangeError(
      "boosting went beyond all numbers; a smaller learning_rate, or a target scaled down, keeps it in bounds",
    );
  }
  const unit = (most: number, room: number) => (most > 0 ? 2 ** Math.max(-1000, Math.ceil(Math.log2(most)) - room) : 1);
  return [unit(largest * sizes.n, 61), sizes.isCounted ? 1 : unit(sum, 61 - Number(bits))];
}

/** Has the loss not become less by more than `tol` for so many rounds? As scikit-learn asks it. */
function isOver(losses: readonly number[], patience: number, tol: number): boolean {
  if (losses.length < patience + 1) return false;
  const before = losses[losses.length - patience - 1]!;
  return losses.slice(-patience).every((loss) => !(loss < before - tol));
}
