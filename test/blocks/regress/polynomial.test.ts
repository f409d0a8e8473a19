import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const roles = ["xy", { y: "y" }] as const;
const model = { model_name: "polynomial" };
const parabola = `a,y\n${[-3, -2, -1, 0, 1, 2, 3].map((a) => `${a},${2 * a * a - a + 4}`).join("\n")}\n`;

describe("polynomial (ML_R_3)", () => {
  it("finds the parabola that made the data, and follows it beyond", async () => {
    const test_data = lab.file("a\n10\n");
    const records = await lab.chain(parabola, roles, ["polynomial"], ["ML_R_3_P", { ...model, test_data }]);
    const { rows } = await lab.table(output<{ y_pred_url: string }>(records[3]).y_pred_url);
    expect(rows[0][0]).toBeCloseTo(194, 9);
    expect(await lab.view(records[2])).toMatchSnapshot();
  });

  it("multiplies different features alone when told", async () => {
    const csv = `a,b,y\n${Array.from({ length: 12 }, (_, k) => `${k % 4},${k % 3},${(k % 4) * (k % 3) + 1}`).join("\n")}\n`;
    const records = await lab.chain(csv, roles, ["polynomial", { interaction_only: true }], ["ML_R_3_M", model]);
    expect(output(records[3])).toMatchObject({ r2: expect.closeTo(1, 12) });
    expect(await lab.view(records[2])).toMatch(/a · b/);
    expect(await lab.view(records[2])).not.toMatch(/a\^2/);
  });

  it("takes more terms than rows, and says that coefficients mean little", async () => {
    const csv = "a,b,c,y\n1,2,3,4\n2,1,5,3\n4,4,1,1\n3,5,2,2\n";
    const records = await lab.chain(csv, roles, ["polynomial", { degree: 3 }], ["ML_R_3_M", model]);
    expect(records[2].notices?.[0]).toMatch(/linearly dependent.*\(rank 3 of 19 at tol 0.000001\)/);
    expect(output(records[3])).toMatchObject({ r2: expect.closeTo(1, 9) });
  });

  it("refuses a million features' terms before making any, and numbers that overflow", async () => {
    const names = Array.from({ length: 120 }, (_, k) => `f${k}`);
    const csv = `${names.join(",")},y\n${[1, 2, 3].map((i) => `${names.map((_, k) => i * k).join(",")},${i}`).join("\n")}\n`;
    const { status, message } = await lab.failure(csv, roles, ["polynomial", { degree: 2 }]);
    expect([status, message]).toEqual([
      422,
      "polynomial (ML_R_3): degree 2 of 120 features makes 7,380 terms, more than 5,000. Take a smaller degree, or fewer features with drop (DP_6) or pca (DP_PCA).",
    ]);
    expect((await lab.failure(csv, roles, ["polynomial", { degree: 100 }])).message).toMatch(/makes [\d,]+ terms/);
    const large = await lab.failure("a,y\n1e5,1\n2e5,2\n3e5,3\n", roles, ["polynomial", { degree: 90 }]);
    expect([large.status, large.message]).toEqual([
      422,
      "polynomial (ML_R_3): the numbers are too large, their squares or products pass 1e308. Scale the features with scale (DP_5) first; a target that is so large can be divided with derive (BL_DERIVE).",
    ]);
  });

  it("refuses an empty table, a wholly missing feature and bad degrees", async () => {
    expect((await lab.failure("a,y\n", roles, ["polynomial"])).status).toBe(422);
    expect((await lab.failure("a,y\n,1\n,2\n", roles, ["polynomial"])).message).toMatch(/a has no value at all/);
    for (const degree of [0, -1, 1.5, 101, "two"]) {
      expect((await lab.failure(parabola, roles, ["polynomial", { degree }])).status).toBe(400);
    }
  });
});
