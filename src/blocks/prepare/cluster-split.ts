import type { BlockContext } from "../../core/block.ts";
import { DataError, InternalError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { count, quoted } from "../../core/names.ts";
import { clusterSplit, writeSplit } from "../../core/split.ts";
import type { ClusterSplits, Hashing } from "../../core/tables.ts";
import { RandomState } from "../../numerics/random.ts";
import { approximateMode, trainTest } from "../../numerics/sampling/split.ts";
import { addStep, type ClusterSplit, type HashStratum } from "../../plan/node.ts";
import { type FarClasses, farClasses } from "../shared/far-classes.ts";

/** Up to so many rows are drawn as here, and the list of them goes to the cluster with each question. */
const mostListed = 100_000;

/** Hashes are counted in so many equal parts, of all strata together. */
const mostParts = 65_536;

/** How many different values stratify takes of a table that is too large for a list. */
const mostStrata = 100;

/** What a split is asked for. */
interface Asked {
  readonly train: number;
  readonly test: number;
  readonly shuffle: boolean;
  readonly seed: number;
  /** The column whose shares of values both sides keep. */
  readonly stratify: string | undefined;
}

/**
 * Splits rows that lie on a cluster: up to a hundred thousand as `trainTest` does, larger tables by a hash of each row's number.
 *
 * `judge` refuses strata by how many rows each value has; null where cells are missing.
 */
export async function splitOnCluster(
  frame: Frame,
  asked: Asked,
  judge: (counts: readonly number[] | null, labels: FarClasses["labels"]) => void,
  context: BlockContext,
): Promise<Frame> {
  const { tables, block } = context;
  const { cluster } = tables;
  if (!cluster) throw new InternalError("the rows lie here");
  const strata = asked.stratify === undefined ? null : await farClasses(frame, asked.stratify, {}, context);
  if (strata) judge(strata.missing > 0 ? null : strata.counts, strata.labels);
  const { split, isExact } = await divided(frame, asked, strata, cluster, context);
  const outputs = frame.columns.map((column) => ({ column }));
  const relation = addStep(frame.relation, { block: block.id, name: block.name, outputs, split });
  const { train, test } = asked;
  return { ...frame, relation, split: isExact ? { artifact: "", train, test } : await clusterSplit(relation, tables) };
}

/** How rows are split, and whether as many train and test as were asked for: hashes that are alike may be on either side of a cut. */
interface Divided {
  readonly split: ClusterSplit;
  readonly isExact: boolean;
}

async function divided(
  { relation, rows }: Frame,
  { train, test, shuffle, seed, stratify }: Asked,
  strata: FarClasses | null,
  cluster: ClusterSplits,
  context: BlockContext,
): Promise<Divided> {
  if (!shuffle) return { split: { kind: "runs", train, test }, isExact: true };
  if (rows <= mostListed) {
    const codes =
      strata && stratify !== undefined ? await cluster.codes(relation, stratify, strata.labels, rows) : undefined;
    const drawn = trainTest({ n: rows, nTrain: train, nTest: test, seed, ...(codes ? { stratify: codes } : {}) });
    const artifact = await writeSplit(rows, drawn.train, drawn.test, context.tables);
    return { split: { kind: "list", artifact }, isExact: true };
  }
  if (strata && strata.labels.length > mostStrata) {
    throw new DataError(
      `split (DP_4): column ${quoted(stratify ?? "")} has ${count(strata.labels.length, "different value")}, and of a table of more than ${mostListed.toLocaleString("en-US")} rows on Spark stratify takes ${mostStrata} at most.`,
      { path: "stratify", got: strata.labels.length, expected: `at most ${mostStrata}` },
    );
  }
  context.notice(
    `split (DP_4): the table has more than ${mostListed.toLocaleString("en-US")} rows and stays on Spark, so they were drawn by a hash of their numbers: other rows than scikit-learn draws for this seed, and always the same ones.`,
  );
  const wanted = sizesOf({ train, test, seed }, strata?.counts ?? [rows]);
  const hashing = { seed, ...(stratify === undefined ? {} : { by: stratify }) };
  const { cuts, isExact } = await cutsOf(relation, hashing, wanted, strata?.labels ?? null, cluster);
  return { split: { kind: "hash", ...hashing, strata: cuts }, isExact };
}

/** How many rows of each stratum train and test. */
function sizesOf(
  { train, test, seed }: Pick<Asked, "train" | "test" | "seed">,
  counts: readonly number[],
): { readonly train: number; readonly test: number }[] {
  if (counts.length === 1) return [{ train, test }];
  const random = new RandomState(seed);
  const trains = approximateMode(counts, train, random);
  const left = counts.map((rows, k) => rows - trains[k]);
  const tests = approximateMode(left, test, random);
  return trains.map((size, k) => ({ train: size, test: tests[k] }));
}

/**
 * Where each stratum is cut so that its least hashes test and the next train.
 *
 * Rows are counted in equal parts of all hashes first; the hashes of the parts in which a cut lies come here.
 */
async function cutsOf(
  relation: Frame["relation"],
  hashing: Hashing,
  wanted: readonly { readonly train: number; readonly test: number }[],
  labels: FarClasses["labels"] | null,
  cluster: ClusterSplits,
): Promise<{ readonly cuts: HashStratum[]; readonly isExact: boolean }> {
  const parts = 2 ** Math.floor(Math.log2(mostParts / wanted.length));
  const width = 2 ** 53 / parts;
  const counted = await cluster.hashParts(relation, hashing, parts);
  const own = <T extends { readonly value: unknown }>(all: readonly T[], k: number) =>
    labels ? all.filter(({ value }) => value === labels[k]) : all;
  // A cut is below the hash of this rank, or above all.
  const cuts = wanted.flatMap(({ train, test }, k) => {
    const mine = own(counted, k);
    return [test, test + train].map((rank) => {
      let before = 0;
      for (const { part, rows } of mine) {
        if (before + rows > rank) return { k, rank: rank - before, from: part * width, to: (part + 1) * width };
        before += rows;
      }
      return { k, rank: 0, from: 2 ** 53, to: 2 ** 53 };
    });
  });
  const looked = cuts
    .filter(({ from }) => from < 2 ** 53)
    .map(({ k, from, to }) => ({ ...(labels ? { value: labels[k] } : {}), from, to }));
  const hashes = looked.length > 0 ? await cluster.hashes(relation, hashing, looked) : [];
  const ends = cuts.map(({ k, rank, from, to }) => {
    const within = own(hashes, k).filter(({ hash }) => hash >= from && hash < to);
    return { hash: within[rank]?.hash ?? 2 ** 53, before: within[rank - 1]?.hash };
  });
  return {
    cuts: wanted.map((_, k) => ({
      ...(labels ? { value: labels[k] } : {}),
      test: ends[2 * k].hash,
      train: ends[2 * k + 1].hash,
    })),
    isExact: ends.every(({ hash, before }) => hash !== before),
  };
}
