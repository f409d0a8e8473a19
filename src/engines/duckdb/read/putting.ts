import { mostRows, type Run } from "./runs.ts";

/**
 * Columns that a plan makes of one text column of the file alone, whose values are few: one-hot columns, say, scaled or not.
 *
 * What they are for each value is worked out once. Who reads them needs no more of a row than which value it has.
 */
export interface ValueGroup {
  readonly source: string;
  /** The values, the missing one last. */
  readonly values: readonly (string | null)[];
  /** How many rows have each value; of the members alone, where these were given. */
  readonly counts: readonly number[];
  /** Which of the columns that were asked for these are. */
  readonly at: readonly number[];
  /** Each column's number for each value, NaN where it is missing. */
  readonly numbers: readonly Float64Array[];
}

/** Where the numbers of a run go: an array for each column, and each table row's place there, where these are not all rows in their order. */
export interface Target {
  readonly places: Int32Array | null;
  readonly arrays: readonly (Float64Array | Int32Array)[];
  /** Then the run tells of each row which of a group's values it has, and `arrays` are all that the groups were found among. */
  readonly groups?: readonly ValueGroup[];
}

/** Puts the numbers of runs, whose first column is the row's number in the table, into their places. */
export function putInto(targets: readonly Target[]): (run: Run) => void {
  const puts = targets.map(({ places, arrays, groups }) =>
    groups ? valuePutter(places, groups, arrays) : putter(places, arrays),
  );
  return (run) => {
    for (const stretch of stretches(run)) for (const put of puts) put(run, stretch);
  };
}

/** Puts the numbers of a stretch of a run's rows into their places. */
type Put = (run: Run, stretch: Stretch) => void;

/** Puts all rows where they stand in the table, or those that have a place there. */
function putter(places: Int32Array | null, arrays: readonly (Float64Array | Int32Array)[]): Put {
  if (places) {
    return placing(places, (run, some) => {
      for (const [k, array] of arrays.entries()) scatter(run.column(k + 1), some, array);
    });
  }
  return (run, { from, to, first }) => {
    for (const [k, array] of arrays.entries()) array.set(run.column(k + 1).subarray(from, to), first);
  };
}

/**
 * Puts the numbers of groups of columns into their places, of a run that tells of each row which of a group's values it has.
 *
 * `columns` are all that the groups were found among. What most rows have stands everywhere from the start.
 */
function valuePutter(
  places: Int32Array | null,
  groups: readonly ValueGroup[],
  columns: readonly (Float64Array | Int32Array)[],
): Put {
  const others = groups.map((group) => {
    const usual = group.numbers.map((numbers) => usualOf(numbers, group.counts));
    for (const [j, k] of group.at.entries()) columns[k]!.fill(usual[j]!);
    return group.values.map((_, value) =>
      group.at.flatMap((k, j) => {
        const number = group.numbers[j]![value]!;
        return Object.is(number, usual[j]) ? [] : [{ column: columns[k]!, number }];
      }),
    );
  });
  return placing(places, (run, some) => {
    for (const [g, byValue] of others.entries()) scatterByValue(run.column(g + 1), some, byValue);
  });
}

/** The number that most rows have. */
function usualOf(numbers: Float64Array, counts: readonly number[]): number {
  const rows = new Map<number, number>();
  for (const [value, number] of numbers.entries()) rows.set(number, (rows.get(number) ?? 0) + counts[value]!);
  return [...rows].reduce((most, each) => (each[1] > most[1] ? each : most))[0];
}

/** Some rows of a run, and their places elsewhere. */
interface Placed {
  readonly n: number;
  readonly rows: Int32Array;
  readonly places: Int32Array;
}

/** Looks up the places of a stretch's rows once for all columns; without places these are the rows' own numbers. */
function placing(all: Int32Array | null, put: (run: Run, some: Placed) => void): Put {
  const [rows, places] = [new Int32Array(mostRows), new Int32Array(mostRows)];
  return (run, { from, to, first }) => {
    let n = 0;
    for (let i = from; i < to; i++) {
      const row = first + i - from;
      const place = all ? all[row]! : row;
      rows[n] = i;
      places[n] = place;
      // Without a branch, which for shuffled rows would be guessed wrong again and again.
      n += 1 - (place >>> 31);
    }
    put(run, { n, rows, places });
  };
}

function scatter(values: Float64Array, { n, rows, places }: Placed, array: Float64Array | Int32Array): void {
  for (let i = 0; i < n; i++) array[places[i]!] = values[rows[i]!]!;
}

/** Puts the numbers of each row's value, in those columns where it has another than most. */
function scatterByValue(
  values: Float64Array,
  { n, rows, places }: Placed,
  byValue: readonly (readonly { readonly column: Target["arrays"][number]; readonly number: number }[])[],
): void {
  for (let i = 0; i < n; i++) {
    const others = byValue[values[rows[i]!]!]!;
    for (let k = 0; k < others.length; k++) {
      const { column, number } = others[k]!;
      column[places[i]!] = number;
    }
  }
}

/** Rows of a run that are neighbours in the table. */
export interface Stretch {
  /** The first of them in the run, and the one after the last. */
  readonly from: number;
  readonly to: number;
  /** The first one's number in the table. */
  readonly first: number;
}

/** A run in parts whose rows are neighbours: mostly one, but the engine joins what a plan left of several. */
export function stretches(run: Run): Stretch[] {
  const row = run.column(0);
  const end = run.rows - 1;
  if (row[end] - row[0] === end) return [{ from: 0, to: run.rows, first: row[0] }];
  const found: Stretch[] = [];
  for (let from = 0, to = 1; to <= run.rows; to++) {
    if (to <= end && row[to] === row[to - 1] + 1) continue;
    found.push({ from, to, first: row[from] });
    from = to;
  }
  return found;
}
