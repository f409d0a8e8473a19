import { visible } from "./visible.ts";

/**
 * The candidate closest to `name` by edit distance, or undefined when none is near.
 *
 * Case does not count. Near means at most a third of the longer word, and at least one edit is allowed.
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.trim().toLowerCase().slice(0, 80);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase().slice(0, 80));
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  const longest = Math.max(wanted.length, best?.length ?? 0);
  return bestDistance <= Math.max(1, Math.floor(longest / 3)) ? best : undefined;
}

/** Levenshtein distance with transpositions (optimal string alignment); O(ab) time. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, substitution);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j], before[j - 2] + 1);
      }
    }
    before = last;
    last = row;
  }
  return last[b.length];
}

/** " Did you mean "age"?" when something is near, else nothing. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const near = nearest(name, candidates);
  return near === undefined ? "" : ` Did you mean ${quoted(near)}?`;
}

/** A name in double quotes, with control characters made visible and long ones cut. */
export function quoted(name: string): string {
  return visible(JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}…` : name));
}

/** Up to `most` names in a row, then how many more there are. */
export function listed(names: readonly string[], most = 12): string {
  const shown = names.slice(0, most).map((name) => (/^[\w.-]{1,80}$/.test(name) ? name : quoted(name)));
  if (names.length === 0) return "none";
  return names.length > most ? `${shown.join(", ")} and ${names.length - most} more` : shown.join(", ");
}

/** Names that plans need for themselves, so no column that is read in may have them. */
const reserved = ["file_row_number", "__row", "__subset", "__place", "__match"];

/**
 * Makes column names unique: an empty one becomes `column_3`, a repeated one `name_1`.
 *
 * Case does not tell names apart, because it does not in SQL.
 */
export function uniqueNames(raw: readonly (string | null | undefined)[]): string[] {
  const taken = new Set<string>(reserved);
  // A NUL letter would end the text of a statement.
  const wanted = raw.map((name, i) => name?.trim().replaceAll("\0", "␀") || `column_${i + 1}`);
  const plain = new Set(wanted.map((name) => name.toLowerCase()));
  const tried = new Map<string, number>();
  return wanted.map((name) => {
    let candidate = name;
    // A number that was taken once stays so: a name that comes a thousand times does not try them all again.
    let k = tried.get(name) ?? 1;
    for (; taken.has(candidate.toLowerCase()) || (candidate !== name && plain.has(candidate.toLowerCase())); k++) {
      candidate = `${name}_${k}`;
    }
    tried.set(name, k);
    taken.add(candidate.toLowerCase());
    return candidate;
  });
}

/** The wanted names, each with a number behind it where it is taken already. */
export function freshNames(wanted: readonly string[], taken: readonly string[]): string[] {
  const used = new Set([...reserved, ...taken].map((name) => name.toLowerCase()));
  const tried = new Map<string, number>();
  return wanted.map((each) => {
    // A NUL letter would end the text of a statement.
    const name = each.replaceAll("\0", "␀");
    let fresh = name;
    let k = tried.get(name) ?? 1;
    for (; used.has(fresh.toLowerCase()); k++) fresh = `${name}_${k}`;
    tried.set(name, k);
    used.add(fresh.toLowerCase());
    return fresh;
  });
}

/** "1 row", "3 rows", "1,204 rows". */
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n.toLocaleString("en-US")} ${n === 1 ? noun : plural}`;
}

/** Puts texts in the order of their code points, as engines do; JavaScript's own is that of halves of pairs. */
export function byCodePoint(a: string, b: string): number {
  const [one, other] = [Array.from(a), Array.from(b)];
  const at = one.findIndex((letter, k) => letter !== other[k]);
  if (at < 0) return one.length - other.length;
  return (one[at].codePointAt(0) ?? 0) - (other[at]?.codePointAt(0) ?? -1);
}
