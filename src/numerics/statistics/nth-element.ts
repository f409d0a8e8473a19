/** Does `a` come before `b`? A strict order without ties. */
export type Before = (a: number, b: number) => boolean;

/**
 * Puts the element into place `nth` of [start, end) that sorting would put there; smaller ones before it.
 *
 * The swaps are those of libstdc++'s std::nth_element (introselect; Musser 1997), because trees that are built with
 * it visit equal distances in its order. O(n) on average; falls back to sorting when it degenerates.
 */
export function nthElement(values: Int32Array, start: number, nth: number, end: number, before: Before): void {
  if (start === end || nth === end) return;
  let first = start;
  let last = end;
  let patience = 2 * Math.floor(Math.log2(end - start));
  while (last - first > 3) {
    if (patience-- === 0) {
      values.subarray(first, last).sort((a, b) => (before(a, b) ? -1 : 1));
      return;
    }
    const cut = partitionAround(values, first, last, before);
    if (cut <= nth) first = cut;
    else last = cut;
  }
  insertionSort(values, first, last, before);
}

function partitionAround(values: Int32Array, first: number, last: number, before: Before): number {
  medianToFirst(values, first, first + 1, first + ((last - first) >> 1), last - 1, before);
  const pivot = values[first]!;
  let low = first + 1;
  let high = last;
  for (;;) {
    while (before(values[low]!, pivot)) low++;
    high--;
    while (before(pivot, values[high]!)) high--;
    if (low >= high) return low;
    swap(values, low, high);
    low++;
  }
}

function medianToFirst(values: Int32Array, to: number, a: number, b: number, c: number, before: Before): void {
  const less = (i: number, k: number) => before(values[i]!, values[k]!);
  if (less(a, b)) swap(values, to, less(b, c) ? b : less(a, c) ? c : a);
  else swap(values, to, less(a, c) ? a : less(b, c) ? c : b);
}

function insertionSort(values: Int32Array, first: number, last: number, before: Before): void {
  for (let i = first + 1; i < last; i++) {
    const value = values[i]!;
    let at = i;
    while (at > first && before(value, values[at - 1]!)) {
      values[at] = values[at - 1]!;
      at--;
    }
    values[at] = value;
  }
}

function swap(values: Int32Array, i: number, k: number): void {
  const kept = values[i]!;
  values[i] = values[k]!;
  values[k] = kept;
}
