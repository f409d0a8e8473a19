/**
 * The points from −1 to 1 and the weights of Gauss-Legendre's rule, exact for polynomials up to degree 2·points − 1.
 *
 * Newton's steps on Legendre's polynomial; the points ascend. O(points²). Source: Press et al., Numerical Recipes, §4.6.
 */
export function gaussLegendre(points: number): { readonly nodes: Float64Array; readonly weights: Float64Array } {
  const nodes = new Float64Array(points);
  const weights = new Float64Array(points);
  for (let k = 0; k < points; k++) {
    let x = -Math.cos((Math.PI * (k + 0.75)) / (points + 0.5));
    let slope = 0;
    for (let step = 0; step < 100; step++) {
      let [before, value] = [1, x];
      for (let degree = 2; degree <= points; degree++) {
        [before, value] = [value, ((2 * degree - 1) * x * value - (degree - 1) * before) / degree];
      }
      slope = (points * (x * value - before)) / (x * x - 1);
      const move = value / slope;
      x -= move;
      if (Math.abs(move) < 1e-15) break;
    }
    nodes[k] = x;
    weights[k] = 2 / ((1 - x * x) * slope * slope);
  }
  return { nodes, weights };
}
