import { describe, expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();

async function made(...[helper, args]: Link) {
  const { id } = await lab.project();
  const record = await lab.block(id, 1, 0, [helper, args]);
  return { record, ...(await lab.table(record.dataset_url)), ...output<{ shape: number[] }>(record) };
}

const refused = async (...link: Link) => {
  const { id } = await lab.project();
  return await lab.block(id, 1, 0, link).then(
    () => Promise.reject(new Error("it was not refused")),
    (error: { status: number; message: string }) => error,
  );
};

describe("ndarray (DP_STN)", () => {
  it.each([
    [[1, 2, 3], 0, [3], [[1], [2], [3]]],
    [[1, 2, 3], 2, [1, 3], [[1, 2, 3]]],
    [
      [
        [1, 2],
        [3, null],
      ],
      2,
      [2, 2],
      [
        [1, 2],
        [3, null],
      ],
    ],
    [5, 0, [], [[5]]],
    [5, 2, [1, 1], [[5]]],
    [[[[1, 2]], [[3, 4]]], 1, [2, 1, 2], [["[1, 2]"], ["[3, 4]"]]],
  ])("%j with ndmin %i has shape %j", async (scalar, dimensions, shape, rows) => {
    expect(await made("ndarray", { scalar, dimensions })).toMatchObject({ shape, rows });
  });

  it("refuses what is ragged or no number", async () => {
    expect((await refused("ndarray", { scalar: [[1, 2], [3]] })).message).toMatch(/scalar is ragged/);
    expect((await refused("ndarray", { scalar: [1, "x"] })).message).toMatch(/must hold numbers, got "x"/);
    expect((await refused("ndarray", { scalar: [1], dimensions: 99 })).status).toBe(400);
    expect((await refused("ndarray", { scalar: [[]] })).message).toBe(
      "ndarray (DP_STN): an array of 1 × 0 holds nothing; a table needs columns.",
    );
    expect((await refused("ndarray", { scalar: "[1, 2" })).message).toMatch(
      /scalar looks like an array but is not JSON/,
    );
    let deep: unknown = 1;
    for (let axis = 0; axis < 40; axis++) deep = [deep];
    expect((await refused("ndarray", { scalar: deep })).message).toMatch(/nested more than 32 deep/);
  });

  it("takes JSON, as clients send it", async () => {
    expect(await made("ndarray", { scalar: "[1, 2]", dimensions: "2" })).toMatchObject({
      shape: [1, 2],
      rows: [[1, 2]],
    });
  });
});

describe("reshape (DP_RSH)", () => {
  it("lays numbers out anew in row-major order, and works out a -1", async () => {
    const data = [
      [1, 2, 3],
      [4, 5, 6],
    ];
    const rows = [
      [1, 2],
      [3, 4],
      [5, 6],
    ];
    for (const given of [data, JSON.stringify(data)])
      expect(await made("reshape", { data: given, dimensions: [3, -1] })).toMatchObject({ shape: [3, 2], rows });
    expect(await made("reshape", { data: [[[1, 2]], [[3, 4]]], dimensions: [1, 2, 2] })).toMatchObject({
      shape: [1, 2, 2],
      rows: [["[1, 2, 3, 4]"]],
    });
  });

  it("takes a table by URL or by the name of a variable, and cells with a shape", async () => {
    const csv = "a,b,c\n1,2,x\n3,4,y\n";
    const [input] = await lab.chain(csv);
    expect((await made("reshape", { data: lab.file("a,b\n1,2\n3,4\n"), dimensions: [1, 4] })).rows).toEqual([
      [1, 2, 3, 4],
    ]);
    const record = await lab.block(input.project, 2, 1, ["xy", { y: "c" }]);
    expect(record.x_value_url).toBeTruthy();
    const reshaped = await lab.block(input.project, 3, 2, ["reshape", { data: "x", dimensions: [4, -1] }]);
    expect((await lab.table(reshaped.dataset_url)).rows).toEqual([[1], [2], [3], [4]]);
    const cells = await lab.block(input.project, 4, 0, [
      "ndarray",
      {
        scalar: [
          [
            [1, 2],
            [3, 4],
          ],
        ],
      },
    ]);
    const flat = await lab.block(input.project, 5, 4, ["reshape", { data: "dataset", dimensions: [2, 1, 2] }]);
    expect((await lab.table(flat.dataset_url)).rows).toEqual([["[1, 2]"], ["[3, 4]"]]);
    expect(cells.dataset_url).toBeTruthy();
  });

  it("takes the columns that blocks made, holes in cells with a shape, and any subset", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file("a,c,y\n1,u,5\n2,v,6\n3,u,7\n4,v,8\n") }]);
    await lab.block(id, 2, 1, ["xy", { y: "y" }]);
    const encoded = await lab.block(id, 3, 2, ["encode", { columns: ["c"] }]);
    const split = await lab.block(id, 4, 3, ["split", { test_size: 1, shuffle: false }]);
    const shapeOf = async (block: number, parent: number, data: unknown) =>
      output(await lab.block(id, block, parent, ["reshape", { data, dimensions: [-1, 3] }]));
    expect(await shapeOf(5, 0, encoded.x_value_url)).toEqual({ shape: [4, 3] });
    expect(await shapeOf(6, 1, split.x_train_url)).toEqual({ shape: [3, 3] });
    expect(await shapeOf(7, 4, "x_test")).toEqual({ shape: [1, 3] });
    await lab.block(id, 8, 0, [
      "ndarray",
      {
        scalar: [
          [
            [1, null],
            [3, 4],
          ],
        ],
      },
    ]);
    const holes = await lab.block(id, 9, 8, ["reshape", { data: "dataset", dimensions: [2, 2, 1] }]);
    expect((await lab.table(holes.dataset_url)).rows).toHaveLength(2);
    await lab.block(id, 10, 0, ["input", { dburl: lab.file("a,b\n") }]);
    const failure = await lab
      .block(id, 11, 10, ["reshape", { data: "dataset", dimensions: [2, -1] }])
      .catch((error: Error) => error);
    expect(failure).toMatchObject({ status: 400, message: expect.stringMatching(/2 × 0 holds nothing/) });
  });

  it.each([
    [{ data: [[1, 2, 3]], dimensions: [3] }, 400, /as many as the input has axes, 2 \(1 × 3\), got 1/],
    [{ data: [[1, 2, 3]], dimensions: [2, 2] }, 400, /3 numbers \(1 × 3\) don't fill "2 × 2"/],
    [{ data: [[1, 2, 3]], dimensions: [-1, -1] }, 400, /one dimension alone may be -1/],
    [{ data: "[[1, 2", dimensions: [1, 2] }, 400, /is not JSON/],
    [{ data: "nothing", dimensions: [1, 2] }, 400, /must be a variable such as "x_train", a URL/],
    [
      { data: "sample:penguins", dimensions: [-1, 1] },
      422,
      /only numbers can be reshaped, and species, island, sex hold none/,
    ],
  ])("%j is refused in one sentence", async (args, status, sentence) => {
    const failure = await refused("reshape", args);
    expect([failure.status, failure.message]).toEqual([status, expect.stringMatching(sentence)]);
  });
});
