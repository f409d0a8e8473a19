/** Some rows that lie close to each other: their mean, and how many they are. */
export interface Lump {
  readonly at: number;
  readonly n: number;
}

/** A curve by its points. */
export interface Curve {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** A kernel adds nothing that a picture shows beyond so many bandwidths. */
const farthest = 6;

/**
 * The density of rows by a Gaussian kernel, at points of equal distance.
 *
 * lumps: in ascending order of `at`. O(points · lumps within 6 bandwidths). Source: Silverman, Density Estimation for
 * Statistics and Data Analysis (1986), section 2.4.
 */
export function curveOf(
  lumps: readonly Lump[],
  bandwidth: number,
  { from, to, points }: { readonly from: number; readonly to: number; readonly points: number },
): Curve {
  const rows = lumps.reduce((sum, { n }) => sum + n, 0);
  const scale = rows * bandwidth * Math.sqrt(2 * Math.PI);
  // Shares of the ends, which may be as far apart as doubles go.
  const x = Array.from({ length: points }, (_, k) => from * (1 - k / (points - 1)) + to * (k / (points - 1)));
  let first = 0;
  const y = x.map((along) => {
    while (first < lumps.length && (along - lumps[first].at) / bandwidth > farthest) first++;
    let sum = 0;
    for (let k = first; k < lumps.length; k++) {
      const distance = (along - lumps[k].at) / bandwidth;
      if (distance < -farthest) break;
      sum += lumps[k].n * Math.exp(-0.5 * distance * distance);
    }
    return sum / scale;
  });
  return { x, y };
}
