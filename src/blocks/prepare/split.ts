import { z } from "zod";
import { columnRef, defineBlock } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import type { Fit, Frame } from "../../core/frame.ts";
import { count, listed, quoted } from "../../core/names.ts";
import { chosen } from "../../core/scope.ts";
import { writeSplit } from "../../core/split.ts";
import type { Tables } from "../../core/tables.ts";
import { stack, text } from "../../core/view.ts";
import { trainTest } from "../../numerics/sampling/split.ts";
import { splitOnCluster } from "./cluster-split.ts";
import { explainSplit } from "./explain.ts";

/**
 * DP_4. Splits the rows into training and test rows, as scikit-learn's train_test_split.
 *
 * The same random_state gives the same rows in the same order as there. From here on everything that is
 * fitted looks at training rows alone. What was fitted before is named in a leakage notice.
 */
export const split = defineBlock({
  code: "DP_4",
  name: "split",
  args: {
    /** Test rows: a share between 0 and 1, or a count (default: what train_size leaves, else 0.25). */
    test_size: z.number().positive().optional(),
    /** Training rows: a share between 0 and 1, or a count (default: what test_size leaves). */
    train_size: z.number().positive().optional(),
    /** Seed of the shuffle; drawn once and recorded when absent. */
    random_state: z.int().min(0).max(4294967295).optional(),
    /** Shuffle the rows before splitting (default true); false keeps the order, for time series. */
    shuffle: z.boolean().default(true),
    /** A column whose shares of values both sides keep. */
    stratify: columnRef().optional(),
  },
  positional: ["test_size"],
  example: 'session.input("sample:penguins").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 })',
  explain: explainSplit,
  async run(frame, args, context) {
    const sizes = resolveSizes(frame.rows, args.test_size, args.train_size);
    if (args.stratify !== undefined && !args.shuffle) {
      throw new ArgsError("split (DP_4): stratify needs shuffle: true.", { path: "stratify" });
    }
    if (context.tables.isFar) {
      const name = args.stratify === undefined ? undefined : columnOf(frame, args.stratify);
      const judge = (counts: readonly number[] | null, labels: readonly unknown[]) =>
        refuseStrata(name ?? "", counts, labels, sizes);
      const asked = { ...sizes, shuffle: args.shuffle, seed: args.random_state ?? 0, stratify: name };
      const after = await splitOnCluster(frame, asked, judge, context);
      for (const notice of await leaks(after, args.shuffle, context.tables)) context.notice(notice);
      return { frame: after };
    }
    const stratify =
      args.stratify === undefined ? undefined : await strata(frame, args.stratify, sizes, context.tables);
    const { train, test } = trainTest({
      n: frame.rows,
      nTrain: sizes.train,
      nTest: sizes.test,
      shuffle: args.shuffle,
      seed: args.random_state ?? 0,
      ...(stratify ? { stratify } : {}),
    });
    const artifact = await writeSplit(frame.rows, train, test, context.tables);
    const after = { ...frame, split: { artifact, train: train.length, test: test.length } };
    for (const notice of await leaks(after, args.shuffle, context.tables)) context.notice(notice);
    return { frame: after };
  },
  async view({ after }, read) {
    const { train, test } = after.split ?? { train: 0, test: 0 };
    return stack(
      text(`${count(train, "training row")}, ${count(test, "test row")}.`),
      await read.head(after, { subset: "train" }),
    );
  },
});

/** How many rows train and test. */
interface Sizes {
  readonly train: number;
  readonly test: number;
}

function resolveSizes(rows: number, testSize?: number, trainSize?: number): Sizes {
  const size = (wanted: number, name: string, round: (x: number) => number) => {
    if (wanted < 1) return round(wanted * rows);
    if (Number.isInteger(wanted) && wanted < rows) return wanted;
    throw new ArgsError(
      `split (DP_4): ${name} must be a share between 0 and 1 or a count below the ${count(rows, "row")}, got ${wanted}.`,
      { path: name, got: wanted, expected: `0 to 1, or 1 to ${rows - 1}` },
    );
  };
  const givenTest = testSize === undefined ? undefined : size(testSize, "test_size", Math.ceil);
  const givenTrain = trainSize === undefined ? undefined : size(trainSize, "train_size", Math.floor);
  const test = givenTest ?? (givenTrain === undefined ? Math.ceil(0.25 * rows) : rows - givenTrain);
  const train = givenTrain ?? rows - test;
  if (train + test > rows) {
    throw new ArgsError(
      `split (DP_4): train_size and test_size together ask for ${train + test} of ${count(rows, "row")}.`,
      { path: "train_size", got: train + test, expected: `at most ${rows}` },
    );
  }
  if (train < 1 || test < 1) {
    throw new DataError(
      `split (DP_4): with ${count(rows, "row")} this leaves ${train} for training and ${test} for test; both need at least one.`,
      { got: [train, test] },
    );
  }
  return { train, test };
}

function columnOf(frame: Frame, wanted: string | number): string {
  const all = frame.columns.map((column) => column.name);
  return chosen(frame, [wanted], { names: all, where: "the table" })[0];
}

async function strata(frame: Frame, wanted: string | number, sizes: Sizes, tables: Tables): Promise<Int32Array> {
  const name = columnOf(frame, wanted);
  const { codes, labels } = await tables.classes(frame.relation, name);
  const counts = new Array<number>(labels.length).fill(0);
  let missing = 0;
  for (const code of codes) {
    if (code < 0) missing++;
    else counts[code]++;
  }
  refuseStrata(name, missing > 0 ? null : counts, labels, sizes);
  return codes;
}

/** Refuses what rows can't be stratified by; the counts are null where cells are missing. */
function refuseStrata(name: string, counts: readonly number[] | null, labels: readonly unknown[], sizes: Sizes): void {
  if (counts === null) {
    throw new DataError(
      `split (DP_4): column ${quoted(name)} has missing cells, so rows can't be stratified by it. Fill it with missing (DP_2) first.`,
    );
  }
  const alone = counts.indexOf(1);
  if (alone >= 0) {
    throw new DataError(
      `split (DP_4): ${quoted(String(labels[alone]))} of column ${quoted(name)} has one row alone; stratify needs two or more of each.`,
    );
  }
  const [side, rows] = sizes.test <= sizes.train ? (["test", sizes.test] as const) : (["train", sizes.train] as const);
  if (rows < labels.length) {
    throw new DataError(
      `split (DP_4): column ${quoted(name)} has ${count(labels.length, "different value")}, and stratify puts one row or more of each on both sides, but ${side}_size leaves ${count(rows, "row")}. Raise it to ${labels.length} or more.`,
      { path: `${side}_size`, got: rows, expected: `at least ${labels.length}` },
    );
  }
}

/** What blocks before the split have taken from test rows to training rows, in a sentence for each way. */
async function leaks(frame: Frame, shuffle: boolean, tables: Tables): Promise<string[]> {
  const named = (fits: readonly Fit[]) =>
    fits.map((fit) => `${fit.name} (${fit.code}, block ${fit.block}: ${listed(fit.columns, 4)})`).join(" and ");
  const by = (rows: Fit["rows"]) => frame.fits.filter((fit) => fit.rows === rows);
  const [learnt, resampled, windows] = [by(undefined), by("resampled"), by("windows")];
  const sentences: string[] = [];
  if (learnt.length > 0)
    sentences.push(
      `Leakage: ${named(learnt)} learnt from rows that are test rows now, so scores on them may flatter. Split first, then fit.`,
    );
  if (resampled.length > 0) {
    const roles = [...new Set([...(frame.x ?? []), ...(frame.y ?? [])])];
    const columns = roles.length > 0 ? roles : frame.columns.map(({ name }) => name);
    const { relation, split } = frame;
    const twins = tables.isFar
      ? null
      : await tables.repeats(relation, columns, { subset: "test", split }, { subset: "train", split });
    const told =
      twins === null
        ? ""
        : ` (${twins} of ${count(frame.split?.test ?? 0, "test row")} ${twins === 1 ? "has" : "have"} an exact copy there)`;
    sentences.push(
      `Leakage: ${named(resampled)} drew, made or dropped rows before the split, so test rows have relatives among the training rows${told}, and scores on them flatter. Split first, then resample.`,
    );
  }
  if (windows.length > 0 && shuffle)
    sentences.push(
      `Leakage: ${named(windows)} made windows that overlap, so shuffled test rows hold values that training rows hold too. Split with shuffle: false.`,
    );
  return sentences;
}
