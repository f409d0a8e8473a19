import { describe, expect, it } from "vitest";
import { jsonSlices, parseInSlices } from "../../src/core/json-slices.ts";
import type { Json } from "../../src/core/record.ts";

const rows = Array.from({ length: 300 }, (_, i) => Array.from({ length: 200 }, (_, j) => (i * j) / 7));

/** Larger than a piece, with all that could end a value too early. */
const large: Json = {
  'a "name": [{': ['quotes " and \\', "\\\\", "]}", "ü\u2028", "\\u0022"],
  matrix: rows,
  text: '\\"],[{'.repeat(60_000),
  nested: [{ a: rows, b: { c: rows, "": [] } }, [], {}, [[]], null, true, -1.5e-300],
  flat: rows.flat(),
  [`${"long ".repeat(60_000)}name`]: 1,
};

async function written(value: Json): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of jsonSlices(value)) pieces.push(piece);
  return pieces;
}

describe("JSON in slices", () => {
  it("is what JSON.stringify writes, and is read as JSON.parse does", async () => {
    const pieces = await written(large);
    expect(pieces.length).toBeGreaterThan(4);
    expect(pieces.join("")).toBe(JSON.stringify(large));
    expect(await parseInSlices(pieces.join(""))).toEqual(large);
  });

  it.each([[null], [1.5], ["a"], [[]], [{}], [{ a: undefined, b: [undefined as never] }], [[1, [2, { c: "d" }]]]])(
    "%j",
    async (value: Json) => {
      const text = (await written(value)).join("");
      expect(text).toBe(JSON.stringify(value));
      expect(await parseInSlices(text)).toEqual(JSON.parse(text));
    },
  );

  it("refuses a text that was cut off", async () => {
    const text = JSON.stringify(large);
    for (const at of [1, 30, 100_000, 500_000, text.length - 3])
      await expect(parseInSlices(text.slice(0, at))).rejects.toThrow(SyntaxError);
  });

  it("gives others their turns", async () => {
    const text = JSON.stringify(Array.from({ length: 40 }, () => rows));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await parseInSlices(text);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });
});
