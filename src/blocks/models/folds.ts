import { z } from "zod";
import { ArgsError } from "../../core/errors.ts";
import { type TimeFold, timeFolds } from "../../numerics/evaluation/time-folds.ts";

/** How many folds where by time is asked for without a number, as scikit-learn's TimeSeriesSplit. */
const usualSplits = 5;

/** Folds by time. */
export const timeFoldsArg = z.strictObject({
  /** "time": each fold is judged on rows behind those it learns from, in the table's order. */
  kind: z.literal("time"),
  /** How many folds (default 5). */
  n_splits: z.int().min(2).max(1000).default(usualSplits),
  /** Rows between those a fold learns from and those it is judged on (default 0). */
  gap: z.int().min(0).max(1e9).default(0),
  /** Rows that each fold is judged on (default: as many as in n_splits + 1 equal parts). */
  test_size: z.int().min(1).max(1e9).optional(),
  /** Rows that a fold learns from at most, the latest ones (default: all before). */
  max_train_size: z.int().min(1).max(1e9).optional(),
});

/** Folds of a cross-validation: how many, or folds by time. */
export const foldsArg = z.union([z.int().min(2).max(1000), timeFoldsArg]);

/** Folds as a block gets them. */
export type Folds = z.output<typeof foldsArg>;

/** How many folds these are. */
export function countOf(folds: Folds): number {
  return typeof folds === "number" ? folds : folds.n_splits;
}

/** The folds by time over so many rows; rows that are too few for them are refused. */
export function foldsByTime(rows: number, folds: Exclude<Folds, number>, who: string): TimeFold[] {
  const { n_splits: splits, gap, test_size: testSize, max_train_size: mostTrain } = folds;
  try {
    return timeFolds(rows, { splits, gap, ...(testSize ? { testSize } : {}), ...(mostTrain ? { mostTrain } : {}) });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ArgsError(`${who}: cv: ${error.message}. Take fewer n_splits, a smaller test_size or gap.`, {
      path: "cv",
      got: rows,
    });
  }
}
