/** The loops of networks beside their products. Lengths are even numbers of doubles, the odd one out a zero. */

/** x = the larger of x and 0; NaN stays. */
export function relu(x: usize, length: i32): void {
  const zero: v128 = f64x2.splat(0);
  const end: usize = x + (<usize>length << 3);
  for (let at: usize = x; at < end; at += 16) v128.store(at, f64x2.max(v128.load(at), zero));
}

/** errors = 0 where a unit of `relu` is off. */
export function reluSlopes(values: usize, errors: usize, length: i32): void {
  const zero: v128 = f64x2.splat(0);
  const size: usize = <usize>length << 3;
  for (let at: usize = 0; at < size; at += 16) {
    const on: v128 = f64x2.ne(v128.load(values + at), zero);
    v128.store(errors + at, v128.and(on, v128.load(errors + at)));
  }
}

/** Sets each of `rows` rows of `columns` doubles to one row. */
export function fillRows(row: usize, out: usize, rows: i32, columns: i32): void {
  const size: usize = <usize>columns << 3;
  for (let i: i32 = 0; i < rows; i++) memory.copy(out + <usize>i * size, row, size);
}

/** out += the sum of `rows` rows of `columns` doubles. */
export function addRows(x: usize, out: usize, rows: i32, columns: i32): void {
  const size: usize = <usize>columns << 3;
  for (let i: i32 = 0; i < rows; i++) {
    const row: usize = x + <usize>i * size;
    let at: usize = 0;
    for (; at + 16 <= size; at += 16) v128.store(out + at, f64x2.add(v128.load(out + at), v128.load(row + at)));
    if (at < size) store<f64>(out + at, load<f64>(out + at) + load<f64>(row + at));
  }
}

/** slopes = (slopes + alpha · weights) / rows; answers the sum of the weights' squares. */
export function penalize(weights: usize, slopes: usize, length: i32, alpha: f64, rows: f64): f64 {
  const by: v128 = f64x2.splat(alpha);
  const count: v128 = f64x2.splat(rows);
  let sum: v128 = f64x2.splat(0);
  const size: usize = <usize>length << 3;
  let at: usize = 0;
  for (; at + 16 <= size; at += 16) {
    const w: v128 = v128.load(weights + at);
    sum = f64x2.add(sum, f64x2.mul(w, w));
    v128.store(slopes + at, f64x2.div(f64x2.add(v128.load(slopes + at), f64x2.mul(by, w)), count));
  }
  let squares: f64 = f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
  if (at < size) {
    const w: f64 = load<f64>(weights + at);
    squares += w * w;
    store<f64>(slopes + at, (load<f64>(slopes + at) + alpha * w) / rows);
  }
  return squares;
}

/** A step of Adam (Kingma and Ba 2015): `rate` has both corrections in it already. */
export function adam(
  parameters: usize, slopes: usize, first: usize, second: usize, length: i32, rate: f64, beta1: f64, beta2: f64, epsilon: f64,
): void {
  const step: v128 = f64x2.splat(rate);
  const keep1: v128 = f64x2.splat(beta1), take1: v128 = f64x2.splat(1 - beta1);
  const keep2: v128 = f64x2.splat(beta2), take2: v128 = f64x2.splat(1 - beta2);
  const least: v128 = f64x2.splat(epsilon);
  const size: usize = <usize>length << 3;
  for (let at: usize = 0; at < size; at += 16) {
    const slope: v128 = v128.load(slopes + at);
    const one: v128 = f64x2.add(f64x2.mul(keep1, v128.load(first + at)), f64x2.mul(take1, slope));
    const two: v128 = f64x2.add(f64x2.mul(keep2, v128.load(second + at)), f64x2.mul(f64x2.mul(take2, slope), slope));
    v128.store(first + at, one);
    v128.store(second + at, two);
    const by: v128 = f64x2.div(f64x2.mul(step, one), f64x2.add(f64x2.sqrt(two), least));
    v128.store(parameters + at, f64x2.sub(v128.load(parameters + at), by));
  }
}

/** A step of gradient descent with momentum; by Nesterov's the step looks ahead of itself. */
export function descend(
  parameters: usize, slopes: usize, speeds: usize, length: i32, rate: f64, momentum: f64, ahead: bool,
): void {
  const by: v128 = f64x2.splat(rate);
  const keep: v128 = f64x2.splat(momentum);
  const size: usize = <usize>length << 3;
  for (let at: usize = 0; at < size; at += 16) {
    const step: v128 = f64x2.mul(by, v128.load(slopes + at));
    const speed: v128 = f64x2.sub(f64x2.mul(keep, v128.load(speeds + at)), step);
    v128.store(speeds + at, speed);
    const move: v128 = ahead ? f64x2.sub(f64x2.mul(keep, speed), step) : speed;
    v128.store(parameters + at, f64x2.add(v128.load(parameters + at), move));
  }
}

/** A step of RMSprop (Tieleman and Hinton 2012). */
export function rmsprop(
  parameters: usize, slopes: usize, squares: usize, length: i32, rate: f64, rho: f64, epsilon: f64,
): void {
  const by: v128 = f64x2.splat(rate);
  const keep: v128 = f64x2.splat(rho), take: v128 = f64x2.splat(1 - rho);
  const least: v128 = f64x2.splat(epsilon);
  const size: usize = <usize>length << 3;
  for (let at: usize = 0; at < size; at += 16) {
    const slope: v128 = v128.load(slopes + at);
    const square: v128 = f64x2.add(f64x2.mul(keep, v128.load(squares + at)), f64x2.mul(f64x2.mul(take, slope), slope));
    v128.store(squares + at, square);
    const move: v128 = f64x2.div(f64x2.mul(by, slope), f64x2.sqrt(f64x2.add(square, least)));
    v128.store(parameters + at, f64x2.sub(v128.load(parameters + at), move));
  }
}
