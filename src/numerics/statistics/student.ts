/** The normal distribution's 97.5 % quantile. */
export const z975 = 1.959963984540054;

/** From so many degrees of freedom on the series around the normal distribution has all digits that matter. */
const many = 500;

/**
 * The 97.5 % quantile of Student's t with a whole number of degrees of freedom from 1 on, to 9 digits.
 *
 * Sources: Abramowitz and Stegun, 26.7.3 and 26.7.4, turned round by halving; 26.7.5 for many degrees.
 */
export function t975(freedom: number): number {
  if (freedom >= many) {
    const [z, z2, f] = [z975, z975 ** 2, 1 / freedom];
    const first = (z * (z2 + 1)) / 4;
    const second = (z * ((5 * z2 + 16) * z2 + 3)) / 96;
    const third = (z * (((3 * z2 + 19) * z2 + 17) * z2 - 15)) / 384;
    return z + f * (first + f * (second + f * third));
  }
  let [low, high] = [0, Math.PI / 2];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (within(middle, freedom) < 0.95) low = middle;
    else high = middle;
  }
  return Math.sqrt(freedom) * Math.tan((low + high) / 2);
}

/** The chance that |t| is at most √freedom · tan(angle). */
function within(angle: number, freedom: number): number {
  const cosine = Math.cos(angle);
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = freedom === 1 ? 0 : term;
  for (let k = isOdd ? 3 : 2; k < freedom; k += 2) {
    term *= ((k - 1) / k) * cosine ** 2;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
}
