import { DataError } from "../../core/errors.ts";
import { textBytes } from "../../core/model.ts";

/** Files beyond 2 GB can't be read in one go. */
const mostBytes = 2 ** 31 - 2 ** 20;

/** Refuses parameters that would make too large a file. */
export function refuseHuge(parameters: unknown, who: string): void {
  const bytes = textBytes(parameters);
  if (bytes <= mostBytes) return;
  throw new DataError(
    `${who}: the model would take ${(bytes / 1e9).toFixed(1)} GB to keep, and 2.1 GB is the most. Train on fewer rows; a forest also shrinks with n_estimators, max_depth and min_samples_leaf.`,
    { code: "model_too_large", got: Math.round(bytes), expected: `at most ${mostBytes} bytes` },
  );
}
