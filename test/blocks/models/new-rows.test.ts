import { describe, expect, it } from "vitest";
import type { StateRecord } from "../../../src/core/record.ts";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();
const train = "a,b,y\n0,10,0\n2,20,4\n4,10,8\n6,20,12\n8,10,16\n";
const roles = ["xy", { y: "y" }] as const;
const predict = (test_data: string): Link => ["ML_R_2_P", { model_name: "linear", test_data }];
const answers = async (record: StateRecord) =>
  (await lab.table(output<{ y_pred_url: string }>(record).y_pred_url)).rows.map(([value]) => value as number);
const near = (...values: number[]) => values.map((value) => expect.closeTo(value, 6));

describe("new rows", () => {
  const scaled = [roles, ["scale"], ["linear"]] as const;

  it("go through the chain's steps in any order of columns, with columns besides and without a target", async () => {
    for (const rows of ["a,b\n1,10\n5,20\n", "b,id,a\n10,k1,1\n20,k2,5\n", "y,b,a\n,10,1\n,20,5\n"]) {
      expect(await answers(await lab.last(train, ...scaled, predict(lab.file(rows))))).toEqual(near(2, 10));
    }
  });

  it("may be a JSON file, or text that reads as numbers", async () => {
    const json = lab.file('[{"b": 10, "a": "1"}, {"b": 20, "a": "5"}]', "rows.json");
    expect(await answers(await lab.last(train, ...scaled, predict(json)))).toEqual(near(2, 10));
  });

  it("that lack columns or have others are told which, from before the chain's steps", async () => {
    const csv = "city,size,old,y\nRome,1,1,1\nOslo,2,1,2\nRome,3,2,3\nOslo,4,2,5\n";
    const links = [roles, ["encode", { columns: ["city"], type: "onehot" }], ["scale"], ["linear"]] as const;
    const { status, message, detail } = await lab.failure(
      csv,
      ...links,
      predict(lab.file("town,size,big\nRome,1,2\n")),
    );
    expect([status, message]).toEqual([
      422,
      "predict (ML_R_2_P): the rows lack what the model needs: city, old. They have columns it doesn't know: town, big. It needs city, size, old, in any order.",
    ]);
    expect(detail).toMatchObject({ code: "other_columns", path: "test_data", expected: ["city", "size", "old"] });
  });

  it("with columns that were dropped on the way need not have them", async () => {
    const links = [["drop", { d_columns: ["b"] }], roles, ["linear"]] as const;
    expect(await answers(await lab.last(train, ...links, predict(lab.file("a\n1\n"))))).toEqual(near(2));
  });

  it("with text where numbers were are told the column and the first such cell", async () => {
    const { status, message } = await lab.failure(train, ...scaled, predict(lab.file("a,b\n1,10\nmany,20\n")));
    expect([status, message]).toEqual([
      422,
      'predict (ML_R_2_P): column "a" was a number when the model learnt, but 1 cell can\'t be read as one, such as "many".',
    ]);
  });

  it("with missing or infinite cells, or none at all, are refused", async () => {
    const failure = async (rows: string) => (await lab.failure(train, ...scaled, predict(lab.file(rows)))).message;
    expect(await failure("a,b\n1,\n")).toMatch(/b has missing cells/);
    expect(await failure("a,b\n1,inf\n")).toMatch(/b holds infinity/);
    expect(await failure("a,b\n")).toMatch(/there are no rows to work on/);
  });
});

describe("artifacts as test_data", () => {
  it("of this chain, from before it was scaled, are taken as they are now", async () => {
    const project = await lab.project();
    const run = (id: number, link: Link) => lab.block(project.id, id, id - 1, link);
    await run(1, ["input", { dburl: lab.file(train) }]);
    await run(2, roles);
    const before = await run(3, ["split", { test_size: 2, shuffle: false }]);
    await run(4, ["scale"]);
    await run(5, ["linear"]);
    expect(await answers(await run(6, predict(before.x_test_url as string)))).toEqual(near(12, 16));
    expect(await answers(await run(7, predict("x_test_url")))).toEqual(near(12, 16));
  });

  it("of another chain bring their own rows alone, and go through this chain's steps", async () => {
    const project = await lab.project();
    const run = (id: number, parent: number, link: Link) => lab.block(project.id, id, parent, link);
    await run(1, 0, ["input", { dburl: lab.file(train) }]);
    await run(2, 1, roles);
    await run(3, 2, ["scale"]);
    await run(4, 3, ["linear"]);
    await run(11, 0, ["input", { dburl: lab.file("a,b,y\n10,10,0\n20,20,0\n30,20,0\n") }]);
    await run(12, 11, roles);
    const other = await run(13, 12, ["split", { test_size: 1, shuffle: false }]);
    expect(await answers(await run(5, 4, predict(other.x_test_url as string)))).toEqual(near(60));
    expect(await answers(await run(6, 5, predict(other.dataset_url as string)))).toEqual(near(20, 40, 60));
  });

  it("that are no table, or nobody's, are refused", async () => {
    const project = await lab.project();
    const run = (id: number, link: Link) => lab.block(project.id, id, id - 1, link);
    await run(1, ["input", { dburl: lab.file(train) }]);
    await run(2, roles);
    const { linear } = output<Record<string, { model_url: string }>>(await run(3, ["linear"]));
    await expect(run(4, predict(linear.model_url))).rejects.toMatchObject({ status: 400 });
    await expect(run(4, predict("x_test_url"))).rejects.toMatchObject({ status: 422 });
    await expect(run(4, predict("no-such-thing"))).rejects.toMatchObject({
      status: expect.toSatisfy((s) => s >= 400 && s < 500),
    });
  });
});
