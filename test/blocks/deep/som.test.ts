import { describe, expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();
const roles: Link = ["xy", { y: "y" }];
const rows = Array.from({ length: 60 }, (_, k) => `${(k % 3) * 10 + (k % 7) / 7},${(k % 5) / 5},${"abc"[k % 3]}`);
const csv = `a,b,y\n${rows.join("\n")}\n`;
const built: Link = ["som", { x: 3, y: 4 }];

describe("som (DL_SOM_I)", () => {
  it("lays rows out, draws the map and where classes lie, and gives columns for what follows", async () => {
    const records = await lab.chain(csv, roles, built, ["DL_SOM_T", { epochs: 5 }], ["DL_SOM_P", {}]);
    expect(await lab.view(records[2])).toContain("Self-organizing map som: 2 features onto 3 × 4 units, hexagonal.");
    const shown = await lab.view(records[3]);
    for (const words of ["U-matrix", "rows of each unit by y", "quantization error", "honeycomb"]) {
      expect(shown).toContain(words);
    }
    const { som } = output<{ som: { quantization_error: number[]; topographic_error: number } }>(records[3]);
    expect(som.quantization_error).toHaveLength(5);
    expect(som.topographic_error).toBeLessThan(0.5);
    const after = await lab.table(records[4].dataset_url);
    expect(after.header).toEqual(["a", "b", "y", "som_x", "som_y"]);
    const answers = await lab.table(output<{ y_pred_url: string }>(records[4]).y_pred_url);
    expect(answers.header).toEqual(["som_x", "som_y", "distance"]);
    expect(answers.rows.map((row) => row.slice(0, 2))).toEqual(after.rows.map((row) => row.slice(3, 5)));
  });

  it("judges test rows, and answers new rows as the chain's later blocks see them", async () => {
    const split: Link = ["split", { test_size: 0.25, random_state: 0 }];
    const chain: Link[] = [roles, split, ["scale", {}], built, ["DL_SOM_T", { epochs: 5 }]];
    const judged = output<{ n: number; on: string; quantization_error: number }>(
      await lab.last(csv, ...chain, ["DL_SOM_E", {}]),
    );
    expect([judged.n, judged.on]).toEqual([15, "test"]);
    expect(judged.quantization_error).toBeLessThan(1);
    const one = await lab.last(csv, ...chain, ["DL_SOM_P", { row: 3, test_data: "x_test_url" }]);
    expect((await lab.table(output<{ y_pred_url: string }>(one).y_pred_url)).rows).toHaveLength(1);
  });

  it.each<[Record<string, unknown>, Record<string, unknown>, string]>([
    [{ x: 0 }, {}, "x must be at least 1, got 0."],
    [{ x: 1e9 }, {}, "x must be at most 100, got 1000000000."],
    [{ topology: "round" }, {}, 'topology must be "hexagonal" or "rectangular", got "round".'],
    [{ hyp_params: { x: 4, y: 4, input_len: 14 } }, {}, "input_len is 14, but there are 2 features; leave it out."],
    [{}, { epochs: 0 }, "epochs must be at least 1, got 0."],
  ])("refuses %j and %j", async (build, train, words) => {
    const { status, message } = await lab.failure(csv, roles, ["som", build], ["DL_SOM_T", train]);
    expect([status, message]).toEqual([400, expect.stringContaining(words)]);
  });

  it("says what comes first, what is too large, and that gaps must be filled", async () => {
    expect((await lab.failure(csv, roles, ["DL_SOM_T", {}])).message).toContain("build it first with som() (DL_SOM_I)");
    expect((await lab.failure(csv, roles, built, ["DL_SOM_P", {}])).message).toContain("is not trained yet");
    const wild = await lab.failure("a,y\n1e200,b\n-1e200,c\n3,d\n", roles, ["som"], ["DL_SOM_T", {}]);
    expect([wild.status, wild.message]).toEqual([422, expect.stringContaining("Scale the features")]);
    expect((await lab.failure("a,y\n1,b\n,c\n", roles, ["som"], ["DL_SOM_T", {}])).status).toBe(422);
  });
});
