import { RandomState } from "../random.ts";
import { type Hooks, type Matrix, quiet } from "../types.ts";
import { type Layers, predictLayers } from "./layers.ts";
import type { Rbm } from "./rbm-room.ts";

/** Rows of a matrix for a machine; `from` to `to`, all of them unless said. */
export interface RbmRows {
  readonly rbm: Rbm;
  readonly x: Matrix;
  readonly from?: number;
  readonly to?: number;
}

/**
 * Hidden probabilities P(h = 1 | v) of rows: (to − from)×hidden. O(rows·d·hidden) time.
 *
 * A row's numbers don't depend on which rows it is asked with.
 */
export function hiddenRbm({ rbm, ...rows }: RbmRows, hooks: Hooks): Matrix {
  return predictLayers({ ...rows, model: layersOf(rbm, "logistic") }, hooks);
}

/**
 * The pseudo-likelihood of each row, as scikit-learn's score_samples: one feature, drawn by `seed`, is flipped.
 *
 * −d·log(1 + exp(F(v) − F(v′))) of the free energies before and after; 0 is the best.
 */
export function scoreRbm({ rbm, x, seed }: { rbm: Rbm; x: Matrix; seed: number }, hooks: Hooks): Float64Array {
  const { visible: d, hidden, weights, visibleBias } = rbm;
  const flipped = new RandomState(seed).integers(d, x.n);
  const received = predictLayers({ x, model: layersOf(rbm, "identity") }, { ...hooks, progress: quiet.progress });
  return Float64Array.from({ length: x.n }, (_, i) => {
    const j = flipped[i]!;
    const change = 1 - 2 * x.data[j * x.n + i]!;
    // F(v) − F(v′); all that the flip leaves alone falls out.
    let difference = change * visibleBias[j]!;
    for (let k = 0; k < hidden; k++) {
      const z = received.data[k * x.n + i]!;
      difference += softplus(z + change * weights[k * d + j]!) - softplus(z);
    }
    return -d * softplus(difference);
  });
}

/** The hidden units as a network of one layer. */
function layersOf({ visible: d, hidden, weights, hiddenBias }: Rbm, activation: "identity" | "logistic"): Layers {
  const turned = new Float64Array(d * hidden);
  for (let j = 0, at = 0; j < d; j++) for (let k = 0; k < hidden; k++, at++) turned[at] = weights[k * d + j]!;
  const sizes = Int32Array.of(d, hidden);
  return { classes: 0, sizes, activations: [activation], weights: [turned], biases: [hiddenBias] };
}

/** log(1 + exp(z)) without overflow. */
function softplus(z: number): number {
  return Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)));
}
