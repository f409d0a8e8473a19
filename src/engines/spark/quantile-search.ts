/** The least and the greatest of some numbers. */
export interface Ends {
  readonly low: number;
  readonly high: number;
}

/** How many numbers are below some, and how many these are. */
export interface Counts {
  readonly below: number;
  readonly between: number;
}

/** A place among the numbers of `of`, from 0 in ascending order, on the way to the number that stands there. */
export interface Search<T> {
  readonly of: T;
  readonly place: number;
  /** The place that guesses are made about, so that one next to it has the same (default: its own). */
  readonly near?: number;
  /** In which of them it is; where its ends are alike, that is the number. */
  stretch: Ends & Counts;
}

/** Numbers that are too many to be looked at here. */
export interface FarNumbers<T> {
  /** How many are below each stretch, and in it. */
  counts(stretches: readonly (Ends & { readonly of: T })[]): Promise<readonly Counts[]>;
  /** About this share of the numbers of each stretch, in any order; from 1 on all. */
  some(stretches: readonly (Ends & { readonly of: T })[], share: number): Promise<Float64Array[]>;
}

/** How many numbers come here at most, of all places together, and how many of each stretch a guess is made from. */
const usual = { held: 4_000_000, drawn: 200_000 };

/** So often a stretch is narrowed; what is left then costs memory alone. */
const mostRounds = 12;

/**
 * The numbers that stand at some places in ascending order.
 *
 * Spark's own exact quantiles hold every number that differs, and its guesses take a hundred times what counting takes.
 * So some numbers come here, and tell between which two the wanted one is likely to be; those below and between are
 * counted there. Where they are still many this is done again, else they come here. A guess decides how long it takes,
 * and nothing else. Source: Floyd and Rivest (1975), Expected time bounds for selection.
 */
export async function findPlaces<T>(
  searches: readonly Search<T>[],
  numbers: FarNumbers<T>,
  { held, drawn } = usual,
): Promise<number[]> {
  const few = held / new Set(searches.map(({ of, place, near = place }) => JSON.stringify([of, near]))).size;
  for (let round = 0; round < mostRounds; round++) {
    const open = searches.filter(({ stretch: { low, high, between } }) => between > few && low < high);
    if (open.length === 0) break;
    const share = drawn / Math.max(...open.map(({ stretch }) => stretch.between));
    const some = await sorted(open, share, numbers);
    const guessed = open.map((search, k) => ({ of: search.of, ...guessedIn(search, some[k]) }));
    const counts = await eachOnce(guessed, (different) => numbers.counts(different));
    for (const [k, search] of open.entries()) {
      const { low, high } = guessed[k];
      search.stretch = partAround(search, { low, high, ...counts[k] });
    }
  }
  const open = searches.filter(({ stretch: { low, high } }) => low < high);
  const all = open.length > 0 ? await sorted(open, 1, numbers) : [];
  return searches.map((search) => {
    const { place, stretch } = search;
    return stretch.low < stretch.high ? all[open.indexOf(search)][place - stretch.below] : stretch.low;
  });
}

/** Numbers of each stretch in ascending order. */
async function sorted<T>(wanted: readonly Search<T>[], share: number, numbers: FarNumbers<T>): Promise<Float64Array[]> {
  const stretches = wanted.map(({ of, stretch: { low, high } }) => ({ of, low, high }));
  return await eachOnce(stretches, async (different) => {
    const found = await numbers.some(different, share);
    return found.map((each) => each.sort());
  });
}

/** What is found of each stretch, those that are alike asked once. */
async function eachOnce<T, F>(
  stretches: readonly (Ends & { readonly of: T })[],
  ask: (different: readonly (Ends & { readonly of: T })[]) => Promise<readonly F[]>,
): Promise<F[]> {
  const keys = stretches.map(({ of, low, high }) => JSON.stringify([of, `${low} ${high}`]));
  const places = new Map([...new Set(keys)].map((key, k) => [key, k]));
  const found = await ask([...places.keys()].map((key) => stretches[keys.indexOf(key)]));
  return keys.map((key) => found[places.get(key) as number]);
}

/** Between which two of some numbers of a stretch, in ascending order, a place is likely to be. */
function guessedIn({ place, near = place, stretch }: Omit<Search<unknown>, "of">, some: Float64Array): Ends {
  const { length } = some;
  const within = Math.min(stretch.between - 1, Math.max(0, near - stretch.below));
  const at = (within / stretch.between) * length;
  // Four and a half deviations of a sample's.
  const margin = 4.5 * Math.sqrt((at * (length - at)) / Math.max(1, length)) + 1;
  const low = at > margin ? some[Math.floor(at - margin)] : stretch.low;
  const high = at + margin < length - 1 ? some[Math.ceil(at + margin)] : stretch.high;
  if (low > stretch.low || high < stretch.high) return { low, high };
  // Of many numbers that are alike one is tried alone.
  const likely = some[Math.min(length - 1, Math.floor(at))] ?? stretch.low;
  return { low: likely, high: likely };
}

/** The part of a stretch in which the place is: one that was counted, or what is below or above it. */
function partAround(
  { place, stretch }: Pick<Search<unknown>, "place" | "stretch">,
  { low, high, below, between }: Ends & Counts,
): Ends & Counts {
  const end = below + between;
  if (place < below) return { ...stretch, high: nextTo(low, -1), between: below - stretch.below };
  if (place < end) return { low, high, below, between };
  return { ...stretch, low: nextTo(high, 1), below: end, between: stretch.below + stretch.between - end };
}

/** The double next to a number, above or below it. */
function nextTo(number: number, direction: 1 | -1): number {
  if (number === 0) return direction * Number.MIN_VALUE;
  const bits = new BigInt64Array(Float64Array.of(number).buffer);
  bits[0] += number > 0 === direction > 0 ? 1n : -1n;
  return new Float64Array(bits.buffer)[0];
}
