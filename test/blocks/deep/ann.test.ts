import { describe, expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();
const roles: Link = ["xy", { y: "y" }];
const rows = Array.from({ length: 90 }, (_, k) => [(k % 10) / 10 - 0.5, ((k * 7) % 11) / 11 - 0.5] as const);
/** Inside a ring or outside of it, which no straight line tells. */
const ring = `a,b,y\n${rows.map(([a, b]) => `${a},${b},${a * a + b * b < 0.1 ? "in" : "out"}`).join("\n")}\n`;
const numbers = `a,b,y\n${rows.map(([a, b]) => `${a},${b},${a - 2 * b * b + 0.05}`).join("\n")}\n`;
const built: Link = [
  "ann",
  { layer_list: [20, { units: 8, activation: "tanh" }], hyp_params: { learning_rate: 0.02 } },
];
const judge: Link = ["DL_ANN_E", {}];

describe("ann (DL_ANN_S_I)", () => {
  it("learns classes and numbers by the target, and shows its layers and how it went", async () => {
    const args = { epochs: 80, batch_size: 16, validation_split: 0.2 };
    const classes = await lab.chain(ring, roles, built, ["DL_ANN_T", args], judge);
    expect(output<{ accuracy: number }>(classes[4]).accuracy).toBeGreaterThan(0.9);
    expect(await lab.view(classes[2])).toMatch(/Neural network ann: 2 features, then 20 relu → 8 tanh\./);
    expect(await lab.view(classes[3])).toMatch(/Layers of 2 → 20 relu → 8 tanh → 1 sigmoid units; 80 epochs\./);
    const { ann } = output<{ ann: { history: { loss: number[]; val_loss: number[] } } }>(classes[3]);
    expect([ann.history.loss.length, ann.history.val_loss.length]).toEqual([80, 80]);
    const fitted = await lab.last(numbers, roles, built, ["DL_ANN_T", args], judge);
    expect(output<{ r2: number }>(fitted).r2).toBeGreaterThan(0.9);
  });

  it("is sent by clients: hyp_params win, codes of theirs are known, folds are cross-validated", async () => {
    const sent: Link = ["DL_ANN_S_T", { epochs: 9, add_dim: false, hyp_params: { epochs: 2, optimizer: "rmsprop" } }];
    const twice = await lab.chain(ring, roles, ["DL_ANN_I", { layer_list: [{ type: "Dense", units: 4 }] }], sent);
    expect(output<{ ann: { epochs: number } }>(twice[3]).ann.epochs).toBe(2);
    const folds = await lab.last(ring, roles, built, ["DL_ANN_T", { epochs: 2, cv: 3 }]);
    expect(output<{ ann: { cv: { folds: number } } }>(folds).ann.cv.folds).toBe(3);
  });

  it("takes the last layer for the answer where it can be, and adds one where not", async () => {
    const layers = async (list: unknown[]) => {
      const last = await lab.last(ring, roles, ["ann", { layer_list: list }], ["DL_ANN_T", { epochs: 1 }]);
      return /Layers of (.*) units/.exec(await lab.view(last))?.[1];
    };
    expect(await layers([3, { units: 2, activation: "softmax" }])).toBe("2 → 3 relu → 2 softmax");
    expect(await layers([3, { units: 1, activation: "sigmoid" }])).toBe("2 → 3 relu → 1 sigmoid");
    expect(await layers([{ type: "dropout", rate: 0.5 }])).toBe("2 → 1 sigmoid");
    expect(await layers([{ units: 3, activation: "linear" }, { activation: "selu" }])).toBe("2 → 3 selu → 1 sigmoid");
  });

  it.each<[unknown, string]>([
    [[0], "layer 1 of layer_list must have between 1 and 100,000 units, a whole number, got 0."],
    [[4, 1e9], "layer 2 of layer_list must have between 1 and 100,000 units, a whole number, got 1000000000."],
    [Array(10_000).fill(3), "layer_list must hold at most 100 values, got 10,000."],
    [[{ type: "denes", units: 3 }], 'layer 1 of layer_list is of the unknown type "denes". Did you mean "dense"?'],
    [[{ units: 3, activation: "rellu" }], 'has the unknown activation "rellu". Did you mean "relu"?'],
    [[{ type: "dropout", rate: 1 }], "must leave out a share of the units from 0 to below 1 as its rate, got 1."],
    [[{ type: "activation", activation: "relu" }], "must stand right behind a dense layer"],
    [[{ units: 2, activation: "softmax" }, 3], '"softmax" makes shares of classes, so it stands in the last layer'],
    [[{ units: 5, activation: "softmax" }], "has 5 softmax units, but the target has 2 classes; leave it out"],
    [[100_000, 100_000], "have 10,000,500,001 weights, more than 20,000,000."],
    ["dense", "layer_list must be a list"],
  ])("refuses layers of nonsense: %j", async (layer_list, words) => {
    const { status, message } = await lab.failure(ring, roles, ["ann", { layer_list }], ["DL_ANN_T", { epochs: 1 }]);
    expect([status, message]).toEqual([400, expect.stringContaining(words)]);
  });

  it("says what comes first, which losses fit, and when steps are too long", async () => {
    const early = await lab.failure(ring, roles, ["DL_ANN_T", {}]);
    expect(early.message).toBe(
      "train (DL_ANN_T): this chain has built no network yet; build it first with ann() (DL_ANN_S_I).",
    );
    const untrained = await lab.failure(ring, roles, ["ann"], ["DL_ANN_P", {}]);
    expect(untrained.message).toContain("is not trained yet; train it first with train(");
    const loss = await lab.failure(ring, roles, ["ann"], ["DL_ANN_T", { loss: "mse" }]);
    expect(loss.message).toBe(
      'train (DL_ANN_T): loss "mse" is for numbers, but the target is classes, which take cross_entropy.',
    );
    const wild = await lab.failure("a,y\n1e200,1.5\n-1e200,2.5\n", roles, ["ann"], ["DL_ANN_T", {}]);
    expect([wild.status, wild.message]).toEqual([422, expect.stringContaining("Scale the features")]);
  });
});
