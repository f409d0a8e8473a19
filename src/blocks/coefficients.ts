import { DataError } from "../core/errors.ts";

/** Refuses coefficients that overflowed on the way: NaN or infinity would only answer nonsense later. */
export function refuseOverflow(numbers: readonly Float64Array[], who: string): void {
  if (numbers.every((values) => values.every(Number.isFinite))) return;
  throw new DataError(
    `${who}: the numbers are too large, their squares or products pass 1e308. Scale the features with scale (DP_5) first.`,
    { code: "overflow", hint: "scale" },
  );
}
