import type { RandomState } from "../random.ts";
import { type Axis, evenPoint, Parzen, type Point } from "./parzen.ts";

/** Points that are drawn evenly before anything is made of scores. */
const evenTrials = 10;

/** Points that are drawn and weighed for each one that is proposed. */
const candidates = 24;

/** How many of so many points count as good. */
function goodOf(n: number): number {
  return Math.min(25, Math.ceil(n / 10));
}

/**
 * The next point to try, by the tree-structured Parzen estimator.
 *
 * `points`: those that were tried, in that order. `ranking`: their places, the best first. Of points that are drawn where
 * the good ones are dense, the one is taken where the good are densest beside all others: there improvement can be
 * expected most. The first ten are drawn evenly. O(24·n·d) time. Bergstra et al., Algorithms for hyper-parameter
 * optimization (NIPS 2011), section 4.
 */
export function nextPoint(
  axes: readonly Axis[],
  points: readonly Point[],
  ranking: readonly number[],
  random: RandomState,
): Point {
  if (points.length < evenTrials) return evenPoint(axes, random);
  const isGood = new Set(ranking.slice(0, goodOf(points.length)));
  const good = new Parzen(
    axes,
    points.filter((_, k) => isGood.has(k)),
  );
  const others = new Parzen(
    axes,
    points.filter((_, k) => !isGood.has(k)),
  );
  let best: Point = [];
  let most = -Infinity;
  for (let k = 0; k < candidates; k++) {
    const drawn = good.draw(random);
    const gain = good.logDensity(drawn) - others.logDensity(drawn);
    if (k > 0 && gain <= most) continue;
    [best, most] = [drawn, gain];
  }
  return best;
}
