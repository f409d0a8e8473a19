import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const csv = "a,b,c\n1,2,x\n2,4,y\n3,,x\n4,8,y\n";

describe("scatter (DP_SCP)", () => {
  it("draws columns, by colour, and says which rows it left out", async () => {
    const record = await lab.last(csv, ["scatter", { x: "a", y: "b", color: "c" }]);
    expect(output(record)).toMatchObject({
      points: 3,
      sampled: false,
      spec: { $schema: expect.stringContaining("vega-lite/v5") },
    });
    expect(record.notices).toEqual(["1 row without a or b left out of the picture."]);
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "! 1 row without a or b left out of the picture.

      b by a
      n = 3
      x (1)                                    y (2)
      b                                        b
      8 ┤                                      8 ┤                                   ⠈
        │                                        │
        │                                        │
        │                                        │
        │                                        │
        │                                        │
      5 ┤                                      5 ┤
        │                                        │
        │                                        │            ⠄
        │                                        │
        │                                        │
        │                                        │
      2 ┤⡀                                     2 ┤
        └────────────────────────────────────    └────────────────────────────────────
         1                a                 4     1                a                 4
      A panel for each c, with its number of marks; the axes are the same."
    `);
  });

  it("draws variables, arrays and the state's own data, a panel each when asked", async () => {
    const split = [
      ["xy", { y: "b" }],
      ["split", { test_size: 1, shuffle: false }],
    ] as const;
    const train = await lab.last(csv, ...split, [
      "scatter",
      { xvalue: "x_train_url", yvalue: "y_train", is_grid: true },
    ]);
    expect(output(train).points).toBe(2);
    expect(train.notices).toEqual([
      "scatter (DP_SCP): c of xvalue not drawn.",
      "1 row without a or b left out of the picture.",
    ]);
    expect(output(await lab.last(csv, ["scatter", { xvalue: [1, 2, 3], yvalue: "[4, 5, 6]" }])).points).toBe(3);
    expect(output(await lab.last(csv, ["scatter"])).points).toBe(3);
    const { id } = await lab.project();
    expect(output(await lab.block(id, 1, 0, ["scatter", { xvalue: [1], yvalue: [2] }])).points).toBe(1);
    expect(
      output(await lab.block(id, 2, 0, ["scatter", { xvalue: lab.file("p\n1\n2\n", "p.csv"), yvalue: [2, 3] }])).points,
    ).toBe(2);
  });

  it("draws at most 5,000 points, the same each time, and says so", async () => {
    const many = `a,b\n${Array.from({ length: 6000 }, (_, k) => `${k},${k % 7}`).join("\n")}\n`;
    const [first, second] = [
      await lab.last(many, ["scatter", { x: "a", y: "b" }]),
      await lab.last(many, ["scatter", { x: "a", y: "b" }]),
    ];
    expect(output(first)).toMatchObject({ points: 5000, sampled: true });
    expect(first.output).toBe(second.output);
  });

  it("draws every feature of tables behind URLs, whatever steps they took", async () => {
    const { id } = await lab.project();
    const rows = Array.from({ length: 12 }, (_, k) => `${k},${"uv"[k % 2]},${2 * k}`).join("\n");
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(`a,c,y\n${rows}\n`) }]);
    await lab.block(id, 2, 1, ["xy", { y: "y" }]);
    await lab.block(id, 3, 2, ["encode", { columns: ["c"] }]);
    const split = await lab.block(id, 4, 3, ["split", { test_size: 4, random_state: 1 }]);
    const wire = { xvalue: split.x_train_url, yvalue: split.y_train_url };
    for (const [block, parent] of [
      [5, 4],
      [6, 0],
    ]) {
      const record = await lab.block(id, block, parent, ["scatter", wire]);
      expect(output(record).points).toBe(24);
      expect(await lab.view(record)).toContain("y by 3 features");
    }
  });

  it("draws a fair sample of arrays, not every k-th of them", async () => {
    const { id } = await lab.project();
    const values = Array.from({ length: 20_000 }, (_, k) => k);
    const [first, second] = [1, 2].map(
      async (block) =>
        await lab.block(id, block, 0, ["scatter", { xvalue: values, yvalue: values.map((value) => value % 2) }]),
    );
    const { points, spec } = output<{ points: number; spec: { data: { values: { y: number }[] } } }>(await first);
    expect(points).toBe(5000);
    const odd = spec.data.values.filter(({ y }) => y === 1).length;
    expect(odd).toBeGreaterThan(2300);
    expect(odd).toBeLessThan(2700);
    expect((await second).output).toBe((await first).output);
  });

  it("refuses what can't be drawn", async () => {
    expect((await lab.failure(csv, ["scatter", { x: "aa", y: "b" }])).message).toMatch(
      /column "aa" is not in the table. Did you mean "a"\?/,
    );
    expect((await lab.failure(csv, ["scatter", { x: [1], y: [1, 2] }])).message).toBe(
      "scatter (DP_SCP): xvalue has 1 value and yvalue 2 values; they must be as many.",
    );
    expect((await lab.failure("a,b\n", ["scatter", { x: "a", y: "b" }])).status).toBe(422);
    expect((await lab.failure("a,b\n,1\n", ["scatter", { x: "a", y: "b" }])).status).toBe(422);
    expect((await lab.failure(csv, ["scatter", { x: "x_train", y: "b" }])).message).toMatch(/there is no x_train yet/);
  });
});
