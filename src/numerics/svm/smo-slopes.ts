/** Where each variable of the solver would go, and the pair that goes next. */
export type Slopes = {
  /** The slope of each variable, without the bend at 0. */
  readonly v: Float64Array;
  /** v + rise is what growing gains; −Infinity at the upper bound. */
  readonly rise: Float64Array;
  /** v + fall is what falling costs; Infinity at the lower bound. */
  readonly fall: Float64Array;
  /** The variable that gains most by growing, −1 if none can, and its gain. */
  i: number;
  top: number;
  /** Its partner, which falls; −1 if there is none. */
  j: number;
  /** The least cost of falling. */
  bottom: number;
};

/** What a curvature of 0 or below counts as. */
export const TINY = 1e-12;

/** Slopes where all variables are 0; rise and fall are 0 until told. */
export function slopesAt(target: Float64Array): Slopes {
  const zeros = () => new Float64Array(target.length);
  return { v: target.slice(), rise: zeros(), fall: zeros(), i: -1, top: -Infinity, j: -1, bottom: Infinity };
}

/** Finds the variable that gains most by growing; of equals the last, as libsvm. O(active). */
export function findTop(slopes: Slopes, active: number): void {
  const { v, rise } = slopes;
  let top = -Infinity;
  let at = -1;
  for (let k = 0; k < active; k++) {
    const gain = v[k]! + rise[k]!;
    if (gain >= top) {
      top = gain;
      at = k;
    }
  }
  slopes.top = top;
  slopes.i = top === -Infinity ? -1 : at;
}

/**
 * Finds the partner of variable i with which the objective falls most, and the least cost of falling.
 *
 * `row` holds the kernel values of variable i. A curvature of 0 or below, as kernels that are not positive definite
 * have, counts as 1e-12. O(active). Source: Fan, Chen and Lin (2005), WSS 2.
 */
export function findPartner(slopes: Slopes, row: Float32Array, diagonal: Float64Array, active: number): void {
  const { v, fall, top } = slopes;
  const own = diagonal[slopes.i]!;
  let bottom = Infinity;
  let best = 0;
  let at = -1;
  for (let k = 0; k < active; k++) {
    const cost = v[k]! + fall[k]!;
    if (cost < bottom) bottom = cost;
    const gap = top - cost;
    if (gap > 0) {
      const curvature = own + diagonal[k]! - 2 * row[k]!;
      const gain = (gap * gap) / (curvature > 0 ? curvature : TINY);
      if (gain >= best) {
        best = gain;
        at = k;
      }
    }
  }
  slopes.j = at;
  slopes.bottom = bottom;
}

/** Moves all slopes after variables i and j moved by `byI` and `byJ`, and finds the next top on the way. O(active). */
export function descend(
  slopes: Slopes,
  rowI: Float32Array,
  rowJ: Float32Array,
  byI: number,
  byJ: number,
  active: number,
): void {
  const { v, rise } = slopes;
  let top = -Infinity;
  let at = -1;
  for (let k = 0; k < active; k++) {
    const value = v[k]! - (rowI[k]! * byI + rowJ[k]! * byJ);
    v[k] = value;
    const gain = value + rise[k]!;
    if (gain >= top) {
      top = gain;
      at = k;
    }
  }
  slopes.top = top;
  slopes.i = top === -Infinity ? -1 : at;
}
