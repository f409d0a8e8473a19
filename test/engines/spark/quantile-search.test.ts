import { describe, expect, it } from "vitest";
import { type FarNumbers, findPlaces, type Search } from "../../../src/engines/spark/quantile-search.ts";

const n = 20_000;

/** Numbers between 0 and 1 that no seed changes. */
function noise(k: number): number {
  const x = Math.sin(k * 12.9898 + 78.233) * 43758.5453;
  return x - Math.floor(x);
}

const columns: Readonly<Record<string, Float64Array>> = {
  spread: Float64Array.from({ length: n }, (_, k) => noise(k)),
  skewed: Float64Array.from({ length: n }, (_, k) => Math.exp(40 * noise(k) - 20) * (k % 3 === 0 ? -1 : 1)),
  "three values": Float64Array.from({ length: n }, (_, k) => (k % 3) - 1),
  "mostly one value": Float64Array.from({ length: n }, (_, k) => (k % 1000 === 5 ? noise(k) : 4)),
  "two halves": Float64Array.from({ length: n }, (_, k) => (k % 2 === 0 ? 0 : -0.5)),
  "infinite ends": Float64Array.from({ length: n }, (_, k) => (k % 4 === 0 ? -Infinity : k % 4 === 1 ? Infinity : k)),
  "least numbers": Float64Array.from({ length: n }, (_, k) =>
    k % 5 === 0 ? 0 : (k % 2 === 0 ? 1 : -1) * 5e-324 * (k % 9),
  ),
};

/** Columns that are asked as a cluster is; `most` is how many numbers were handed over at once at most. */
function asked(draw: (k: number, share: number) => boolean): { numbers: FarNumbers<string>; told: { most: number } } {
  const told = { most: 0 };
  const numbers: FarNumbers<string> = {
    counts: async (stretches) =>
      stretches.map(({ of, low, high }) => ({
        below: columns[of].filter((each) => each < low).length,
        between: columns[of].filter((each) => each >= low && each <= high).length,
      })),
    some: async (stretches, share) => {
      const found = stretches.map(({ of, low, high }) =>
        columns[of].filter((each, k) => each >= low && each <= high && (share >= 1 || draw(k, share))),
      );
      told.most = Math.max(told.most, ...found.map(({ length }) => length));
      return found;
    },
  };
  return { numbers, told };
}

const places = [0, 1, n / 4 - 1, n / 4, n / 3, n / 2 - 1, n / 2, n - 2, n - 1].map(Math.floor);

function searchesOf(name: string): Search<string>[] {
  const [low, high] = [Math.min(...columns[name]), Math.max(...columns[name])];
  return places.map((place) => ({ of: name, place, stretch: { low, high, below: 0, between: n } }));
}

describe("places among far numbers", () => {
  const draws = {
    "a fair part": (k: number, share: number) => noise(k + 0.5) < share,
    "the first ones, whatever they are": (k: number, share: number) => k < n * share,
    "none at all": () => false,
  };
  for (const [how, draw] of Object.entries(draws)) {
    it.each(Object.keys(columns))(`are found by drawing ${how}: %s`, async (name) => {
      const { numbers } = asked(draw);
      const found = await findPlaces(searchesOf(name), numbers, { held: 900, drawn: 400 });
      const sorted = columns[name].toSorted();
      // Spark takes -0 for 0.
      expect(found.map((each) => each + 0)).toEqual(places.map((place) => sorted[place] + 0));
    });
  }

  it.each(Object.keys(columns))("next to each other are guessed as one, and found apart: %s", async (name) => {
    const counted: number[] = [];
    const { numbers } = asked(draws["a fair part"]);
    const counts: typeof numbers.counts = (stretches) => {
      counted.push(stretches.length);
      return numbers.counts(stretches);
    };
    const pairs = [n / 4 - 1, n / 2, n - 2];
    const searches = searchesOf(name).slice(0, 1);
    const both = pairs.flatMap((near) => [near, near + 1].map((place) => ({ ...searches[0], place, near })));
    const found = await findPlaces(both, { ...numbers, counts }, { held: 900, drawn: 400 });
    const sorted = columns[name].toSorted();
    expect(found.map((each) => each + 0)).toEqual(both.map(({ place }) => sorted[place] + 0));
    expect(Math.max(0, ...counted.slice(0, 1))).toBeLessThanOrEqual(pairs.length);
  });

  it("take few numbers here", async () => {
    const { numbers, told } = asked(draws["a fair part"]);
    await findPlaces(searchesOf("spread"), numbers, { held: 9 * 300, drawn: 1000 });
    expect(told.most).toBeLessThan(1300);
    const few = asked(draws["a fair part"]);
    await findPlaces(searchesOf("three values"), few.numbers, { held: 9, drawn: 1000 });
    expect(few.told.most).toBeLessThan(1300);
  });
});
