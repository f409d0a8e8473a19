import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const roles = ["xy", { y: "y" }] as const;

describe("simpleLinear (ML_R_1)", () => {
  it("finds the line through the points, by hand", async () => {
    // Slope 8/5 and intercept 1/2: means 2.5 and 4.5, sums of products 8 and of squares 5.
    const csv = "a,y\n1,2\n2,4\n3,5\n4,7\n";
    const test_data = lab.file("a\n0\n10\n");
    const records = await lab.chain(
      csv,
      roles,
      ["simpleLinear"],
      ["ML_R_1_P", { model_name: "simpleLinear", test_data }],
    );
    const { rows } = await lab.table(output<{ y_pred_url: string }>(records[3]).y_pred_url);
    expect(rows).toEqual([[expect.closeTo(0.5, 12)], [expect.closeTo(16.5, 12)]]);
    expect(records[2].notices).toBeUndefined();
    expect(await lab.view(records[2])).toMatchSnapshot();
  });

  it("goes through the origin when told", async () => {
    const links = [
      ["simpleLinear", { fit_intercept: false }],
      ["ML_R_1_P", { model_name: "simpleLinear" }],
    ] as const;
    const record = await lab.last("a,y\n1,2\n2,2\n", roles, ...links);
    expect((await lab.table(output<{ y_pred_url: string }>(record).y_pred_url)).rows[0][0]).toBeCloseTo(1.2, 12);
  });

  it("takes several features as linear does, and says so", async () => {
    const csv = "a,b,y\n1,1,3\n2,1,4\n3,4,11\n4,0,4\n5,2,9\n";
    const records = await lab.chain(csv, roles, ["simpleLinear"], ["ML_R_1_M", { model_name: "simpleLinear" }]);
    expect(output(records[3])).toMatchObject({ r2: expect.closeTo(1, 12) });
    expect(records[2].notices?.[0]).toMatch(/a simple regression has one feature, this has 2 features/);
  });

  it("refuses an empty table, a wholly missing feature, a text target and an unknown argument", async () => {
    expect((await lab.failure("a,y\n", roles, ["simpleLinear"])).status).toBe(422);
    expect((await lab.failure("a,y\n,1\n,2\n", roles, ["simpleLinear"])).message).toMatch(/a has no value at all/);
    expect((await lab.failure("a,y\n1,p\n2,q\n", roles, ["simpleLinear"])).message).toMatch(/must be a number/);
    expect((await lab.failure("a,y\n1,2\n", roles, ["simpleLinear", { degree: 2 }])).status).toBe(400);
  });
});
